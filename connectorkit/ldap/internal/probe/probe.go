package probe

import (
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Test probes step by step: the way to the directory, an anonymous bind and a search limited to one entry, and, where a
// login is configured, the bind and the same search with it. The verdict is that of the search a sync would use. With
// StartTLS the connection is protected before the first bind, so that nothing crosses in the clear.
func Test(
	ctx context.Context, env connectorkit.Env, req v1.TestRequest, report connectorkit.Report,
) (v1.TestResponse, error) {
	p := &probe{env: env, ctx: ctx, report: report, began: time.Now()}
	p.out.Steps = []v1.TestStep{}
	if env.By != (v1.ExecutedBy{}) {
		by := env.By
		p.out.ExecutedBy = &by
	}
	s, err := settings.Read(req.AuthConfig, env.AllowInsecureTLS)
	if err != nil {
		return p.response(err), nil
	}
	s.IdleTimeout = min(s.IdleTimeout, maxProbeSilence)
	p.Session = session.New(s)
	err = p.run()
	if p.Conn != nil {
		p.Conn.Close()
	}
	return p.response(err), nil
}

// maxProbeSilence bounds the wait for one answer: a person waits for the result of the test.
const maxProbeSilence = 10 * time.Second

// probe is one connection test.
type probe struct {
	*session.Session
	env    connectorkit.Env
	ctx    context.Context
	report connectorkit.Report
	began  time.Time
	// out collects the steps, the warnings and the facts about the target.
	out v1.TestResponse
}

// run takes the steps in order and returns the error that the verdict rests on. The anonymous steps
// come first and decide only if no login is configured. A directory that hangs up on them gets a
// second connection for the login.
func (p *probe) run() error {
	var err error
	if p.Warnings, err = session.CheckPlaintext(p.ctx, p.env, p.Settings); err != nil {
		return err
	}
	if err := p.connect(); err != nil {
		return err
	}
	err = p.bindAnonymously()
	if p.Anonymous {
		return err
	}
	if p.Conn.Broken() {
		if timedOut(err) {
			return err // another connection would only be waited for once more
		}
		// Some directories hang up on anonymous clients; the login gets a connection of its own.
		if err := p.reconnect(); err != nil {
			return err
		}
	}
	return p.bindAsConfigured()
}

// timedOut says whether the directory did not answer in time, or the caller stopped waiting.
func timedOut(err error) bool {
	var d *v1.ErrorDetail
	return !errors.As(err, &d) || d.Code == "ldap_timeout"
}

// response closes the answer.
func (p *probe) response(err error) v1.TestResponse {
	out := p.out
	out.DurationMS = time.Since(p.began).Milliseconds()
	if p.Session != nil {
		out.Warnings = append(p.Warnings, out.Warnings...)
		if p.Root != nil {
			out.Facts = session.TargetFacts(p.Root, p.Flavor)
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
		Class: v1.ClassTransient, Code: "ldap_timeout", Message: "the test did not end in time: " + err.Error(),
		Retryable: true,
		Hint:      "The directory is slow or does not answer. Check host, port and firewalls.",
	}
}

// step runs one step and reports it. The step's error is explained here.
func (p *probe) step(name string, do func(*v1.TestStep) error) error {
	step := v1.TestStep{Name: name, OK: true}
	began := time.Now()
	err := do(&step)
	step.MS = time.Since(began).Milliseconds()
	if err != nil {
		err = p.SearchError(p.ctx, name, err)
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
	p.report.Send(v1.Progress{Phase: "connect", Message: name, Step: &step})
	return err
}

// bindAnonymously takes the steps anonymous_bind and paged_search_anonymous. Their errors count only when
// nothing else is configured. A directory may refuse the bind and yet show something, or the other way round,
// so both are tried.
func (p *probe) bindAnonymously() error {
	bindErr := p.step("anonymous_bind", func(step *v1.TestStep) error {
		err := p.Conn.Bind("", "")
		if err == nil {
			step.LDAP = p.Result(wire.Result{})
		}
		return err
	})
	if p.Conn.Broken() {
		return bindErr
	}
	if err := p.Identify(); err != nil {
		return p.Explain(p.ctx, "root_dse", err)
	}
	searchErr := p.search("paged_search_anonymous", p.Anonymous)
	if bindErr != nil {
		return bindErr // what a sync would meet first
	}
	return searchErr
}

// bindAsConfigured takes the steps bind and paged_search.
func (p *probe) bindAsConfigured() error {
	err := p.step("bind", func(step *v1.TestStep) error {
		err := p.Bind()
		if err == nil {
			step.LDAP = p.Result(wire.Result{})
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := p.Identify(); err != nil {
		return p.Explain(p.ctx, "root_dse", err)
	}
	return p.search("paged_search", true)
}
