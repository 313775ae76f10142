package ldap

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Test probes step by step: the way to the directory, an anonymous bind and a search limited to one entry, and, where a
// login is configured, the bind and the same search with it. The verdict is that of the search a sync would use. With
// StartTLS the connection is protected before the first bind, so that nothing crosses in the clear.
func (c *connector) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	p := &probe{c: c, ctx: ctx, report: report, began: time.Now()}
	p.out.Steps = []v1.TestStep{}
	if c.env.By != (v1.ExecutedBy{}) {
		by := c.env.By
		p.out.ExecutedBy = &by
	}
	s, err := c.read(req.AuthConfig)
	if err != nil {
		return p.verdict(err), nil
	}
	s.silence = min(s.silence, maxProbeSilence)
	p.session = &session{settings: s}
	err = p.run()
	if p.conn != nil {
		p.conn.Close()
	}
	return p.verdict(err), nil
}

// maxProbeSilence bounds the wait for one answer: somebody sits in front of a test and waits.
const maxProbeSilence = 10 * time.Second

type probe struct {
	*session
	c      *connector
	ctx    context.Context
	report connectorkit.Report
	began  time.Time
	out    v1.TestResponse
}

func (p *probe) run() error {
	var err error
	if p.warnings, err = p.c.allowed(p.ctx, p.settings); err != nil {
		return err
	}
	if err := p.connect(); err != nil {
		return err
	}
	err = p.anonymously()
	if p.anonymous {
		return err
	}
	if p.conn.Broken() {
		if silent(err) {
			return err // another connection would only be waited for once more
		}
		// Some directories hang up on anonymous clients; the login gets a connection of its own.
		if err := p.reconnect(); err != nil {
			return err
		}
	}
	return p.signedIn()
}

func silent(err error) bool {
	var d *v1.ErrorDetail
	return !errors.As(err, &d) || d.Code == "ldap_timeout"
}

// verdict closes the answer.
func (p *probe) verdict(err error) v1.TestResponse {
	out := p.out
	out.DurationMS = time.Since(p.began).Milliseconds()
	if p.session != nil {
		out.Warnings = append(p.warnings, out.Warnings...)
		if p.root != nil {
			out.Facts = facts(p.root, p.flavor)
		}
	}
	out.Success = err == nil
	if err == nil {
		return out
	}
	if !errors.As(err, &out.Error) {
		out.Error = unfinished(err)
	}
	out.Result = out.Error.Target
	return out
}

// unfinished is the end of a probe whose caller did not wait for it.
func unfinished(err error) *v1.ErrorDetail {
	if errors.Is(err, context.Canceled) {
		return &v1.ErrorDetail{Class: v1.ClassCancelled, Code: "cancelled", Message: "the test was cancelled"}
	}
	return &v1.ErrorDetail{
		Class: v1.ClassTransient, Code: "ldap_timeout", Message: "the test did not end in time: " + err.Error(), Retryable: true,
		Hint: "The directory is slow or does not answer. Check host, port and firewalls.",
	}
}

// step runs one step and reports it. The step's error is explained here.
func (p *probe) step(name string, do func(*v1.TestStep) error) error {
	step := v1.TestStep{Name: name, OK: true}
	began := time.Now()
	err := do(&step)
	step.MS = time.Since(began).Milliseconds()
	if err != nil {
		err = p.searchError(p.ctx, name, err)
		step.OK, step.Detail = false, err.Error()
		var d *v1.ErrorDetail
		if errors.As(err, &d) {
			step.Hint = d.Hint
			if t := d.Target; t != nil {
				step.LDAP, step.TLS, step.Net = t.LDAP, t.TLS, t.Net
			}
		}
	}
	p.out.Steps = append(p.out.Steps, step)
	p.report.Tell(v1.Progress{Phase: "connect", Message: name, Step: &step})
	return err
}

// connect takes the steps dns, tcp, and tls or start_tls.
func (p *probe) connect() error {
	if err := p.step("dns", p.lookup); err != nil {
		return err
	}
	var raw net.Conn
	err := p.step("tcp", func(*v1.TestStep) (err error) {
		raw, err = p.c.dial(p.ctx, p.settings)
		return err
	})
	if err != nil {
		return err
	}
	if p.security == securityLDAPS {
		err := p.step("tls", func(step *v1.TestStep) error {
			secured, err := handshake(p.ctx, p.settings, raw)
			if err != nil {
				return err
			}
			raw = secured
			describeTLS(step, secured.ConnectionState())
			return nil
		})
		if err != nil {
			return err
		}
	}
	p.conn = wire.New(p.ctx, raw, p.silence)
	if p.security != securityStartTLS {
		return nil
	}
	return p.step("start_tls", func(step *v1.TestStep) error {
		state, err := p.startTLS(p.ctx)
		if err == nil {
			step.LDAP = p.result(wire.Result{})
			describeTLS(step, state)
		}
		return err
	})
}

// lookup is its own step, since a wrong name is the most common mistake. What it resolves to is shown on an agent only:
// in hosted mode it could tell about somebody else's network.
func (p *probe) lookup(step *v1.TestStep) error {
	if net.ParseIP(p.host) != nil {
		step.Detail = "the host is an address"
		return nil
	}
	ctx, cancel := context.WithTimeout(p.ctx, p.settings.connect)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupHost(ctx, p.host)
	if err != nil {
		return err
	}
	step.Detail = p.host + " resolves"
	if p.c.env.By.Mode == "agent" {
		step.Detail = p.host + " -> " + strings.Join(addrs, ", ")
	}
	return nil
}

func describeTLS(step *v1.TestStep, state tls.ConnectionState) {
	step.TLS = &v1.TLSResult{Version: tls.VersionName(state.Version)}
	if len(state.PeerCertificates) > 0 {
		cert := state.PeerCertificates[0]
		fillCertificate(step.TLS, cert)
		step.Detail = fmt.Sprintf("%s, issuer %s, expires %s", step.TLS.Version, cert.Issuer, cert.NotAfter.UTC().Format(time.DateOnly))
	}
}

// reconnect opens a second connection without telling of its steps again.
func (p *probe) reconnect() error {
	p.conn.Close()
	raw, err := p.c.dial(p.ctx, p.settings)
	if err != nil {
		return p.explain(p.ctx, "tcp", err)
	}
	if p.security == securityLDAPS {
		secured, err := handshake(p.ctx, p.settings, raw)
		if err != nil {
			return p.explain(p.ctx, "tls", err)
		}
		raw = secured
	}
	p.conn = wire.New(p.ctx, raw, p.silence)
	if p.security == securityStartTLS {
		_, err := p.startTLS(p.ctx)
		return p.explain(p.ctx, "start_tls", err)
	}
	return nil
}

// anonymously takes the steps anonymous_bind and paged_search_anonymous. Their errors count only when nothing else is
// configured. A directory may refuse the bind and yet show something, or the other way round, so both are tried.
func (p *probe) anonymously() error {
	bindErr := p.step("anonymous_bind", func(step *v1.TestStep) error {
		err := p.conn.Bind("", "")
		if err == nil {
			step.LDAP = p.result(wire.Result{})
		}
		return err
	})
	if p.conn.Broken() {
		return bindErr
	}
	if err := p.learn(); err != nil {
		return p.explain(p.ctx, "root_dse", err)
	}
	searchErr := p.search("paged_search_anonymous", p.anonymous)
	if bindErr != nil {
		return bindErr // what a sync would meet first
	}
	return searchErr
}

// signedIn takes the steps bind and paged_search.
func (p *probe) signedIn() error {
	err := p.step("bind", func(step *v1.TestStep) error {
		err := p.bind()
		if err == nil {
			step.LDAP = p.result(wire.Result{})
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := p.learn(); err != nil {
		return p.explain(p.ctx, "root_dse", err)
	}
	return p.search("paged_search", true)
}

// search looks for one person as a sync would. verdict says whether the whole test rests on it.
func (p *probe) search(name string, verdict bool) error {
	var seen int
	var keyed bool
	err := p.step(name, func(step *v1.TestStep) error {
		place := *p.settings // the anonymous search must not settle where the next one looks
		se := &session{settings: &place, conn: p.conn, flavor: p.flavor, root: p.root}
		if err := se.place(); err != nil {
			return err
		}
		var err error
		if seen, keyed, err = p.searchOne(se, step, verdict); err != nil {
			return err
		}
		step.LDAP = p.result(wire.Result{})
		if verdict {
			*p.settings = place
		}
		return nil
	})
	if !verdict || err != nil {
		return err
	}
	p.out.Result = &v1.Target{Kind: "ldap", Host: p.hostport(), LDAP: p.result(wire.Result{})}
	switch {
	case seen == 0:
		p.out.Warnings = append(p.out.Warnings, p.noEntries())
	case !keyed:
		p.out.Warnings = append(p.out.Warnings, v1.Warning{Code: "no_key", Message: "the entry found has none of the attributes that serve as a key; check the rights of the login, or set id_attribute"})
	}
	return p.countGroups()
}

func (p *probe) searchOne(se *session, step *v1.TestStep, verdict bool) (seen int, keyed bool, err error) {
	keys := keyAttributes
	if key := se.idAttribute; key != "" {
		keys = []string{key}
	} else if se.flavor.id != "" {
		keys = []string{se.flavor.id}
	}
	userFilter, _ := filters(se.settings, se.flavor)
	seen, paged, err := se.first(se.users(userFilter, keys), 1, func(e *wire.Entry) {
		for _, a := range e.Attributes {
			keyed = keyed || len(a.Values) > 0
		}
	})
	if err != nil {
		return 0, false, err
	}
	step.Detail = "no entry returned"
	if seen > 0 {
		step.Detail = "1 entry returned"
	}
	if !paged && verdict {
		step.Detail += ", without paging"
		p.out.Warnings = append(p.out.Warnings, v1.Warning{Code: "paging_unsupported", Message: "the directory does not support paged results (RFC 2696): people and groups can be read, but removals are not detected"})
	}
	return seen, keyed, nil
}

// countGroups warns when no group would be found.
func (p *probe) countGroups() error {
	_, groupFilter := filters(p.settings, p.flavor)
	seen, _, err := p.first(p.groups(groupFilter, []string{"1.1"}), 1, func(*wire.Entry) {})
	if err != nil {
		return p.searchError(p.ctx, "groups", err)
	}
	if seen == 0 {
		p.out.Warnings = append(p.out.Warnings, noGroups(p.groupBase))
	}
	return p.checkDisable()
}

// checkDisable warns where the first leaver's account could not be disabled.
func (p *probe) checkDisable() error {
	if p.anonymous {
		return nil
	}
	why, err := p.cannotDisable(p.ctx)
	if err != nil {
		return err
	}
	p.out.Operations = p.c.writes(p.settings).Ops
	if why != "" {
		p.out.Warnings = append(p.out.Warnings, disableUnavailable(why))
		p.out.Operations = slices.DeleteFunc(p.out.Operations, func(op v1.ProvisionOp) bool {
			return op == v1.OpAccountDisable || op == v1.OpAccountEnable
		})
	}
	return nil
}

// noEntries warns that nobody is read. Where people are there and the filter of the settings leaves them out, it says so.
func (se *session) noEntries() v1.Warning {
	if se.userFilter != "" || len(se.userClasses) > 0 {
		usual := *se.settings
		usual.userFilter, usual.userClasses = "", nil
		filter, _ := filters(&usual, se.flavor)
		seen, _, err := se.first(se.users(filter, []string{"1.1"}), 1, func(*wire.Entry) {})
		if err == nil && seen > 0 {
			return v1.Warning{Code: "no_entries", Message: fmt.Sprintf("there are people under %s, but none of them matches user_filter or user_object_classes: correct the filter", se.userBase)}
		}
	}
	return v1.Warning{Code: "no_entries", Message: fmt.Sprintf("bind works but the search under %s found no entry (rights or base DN?)", se.userBase)}
}

func noGroups(base string) v1.Warning {
	return v1.Warning{Code: "no_groups", Message: fmt.Sprintf("the search under %s found no group", base)}
}
