package scim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Writes says which changes the profile and the settings allow. What the target itself declares is heeded when a change is made.
func (k *Connector) Writes(auth v1.AuthConfig) connectorkit.Writes {
	set, err := read(auth)
	if err != nil {
		return connectorkit.Writes{Ops: []v1.ProvisionOp{}, Why: err.Error()}
	}
	out := connectorkit.Writes{Ops: []v1.ProvisionOp{}}
	var why []string
	for _, op := range allOps {
		if reason := set.cannot(op); reason != "" {
			why = append(why, string(op)+": "+reason)
			continue
		}
		out.Ops = append(out.Ops, op)
	}
	out.Why = strings.Join(why, "; ")
	return out
}

var allOps = []v1.ProvisionOp{
	v1.OpAccountCreate, v1.OpAccountUpdate, v1.OpAccountRename, v1.OpAccountEnable, v1.OpAccountDisable, v1.OpAccountUnlock,
	v1.OpAccountDelete, v1.OpAccountPassword, v1.OpEntitlementGrant, v1.OpEntitlementRevoke,
}

// cannot says why a change is not made here, or nothing.
func (s *settings) cannot(op v1.ProvisionOp) string {
	w := s.write
	switch op {
	case v1.OpAccountEnable, v1.OpAccountDisable:
		if w.Disable == quirks.DisableNever {
			return "users of " + s.profile.Name + " cannot be disabled and enabled again"
		}
	case v1.OpAccountUnlock:
		if w.Unlock == "" {
			return "SCIM knows no locks, and unlock_attribute names none"
		}
	case v1.OpAccountDelete:
		switch w.Delete {
		case quirks.DeleteDeletes:
		case quirks.DeleteDeactivates:
			return "DELETE of a user only deactivates at " + s.profile.Name
		default:
			return "nobody knows whether DELETE of a user deletes at " + s.profile.Name + "; delete_means says so"
		}
	case v1.OpAccountPassword:
		if w.Password == quirks.No {
			return "passwords of " + s.profile.Name + " are not set by SCIM"
		}
	case v1.OpEntitlementGrant, v1.OpEntitlementRevoke:
		if w.NoGroups {
			return s.profile.Name + " has no groups"
		}
	case v1.OpAccountCreate, v1.OpAccountUpdate, v1.OpAccountRename:
	default:
		return "there is no such change"
	}
	return ""
}

// writing is one Provision under way.
type writing struct {
	*session
	k        *Connector
	provider provider
	req      v1.ProvisionRequest
	resp     v1.ProvisionResponse
}

// errPlanned ends a dry run where the first change would be sent.
var errPlanned = errors.New("nothing is sent in a dry run")

// unknown is the error of a request that may have been carried out.
type unknown struct{ *v1.ErrorDetail }

func (u unknown) Unwrap() error { return u.ErrorDetail }

// Provision makes one change and reads back what became of it.
func (k *Connector) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	s, err := k.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	defer s.close()
	c := &writing{session: s, k: k, req: req}
	c.resp.Warnings = s.c.Warnings()
	if why := s.cannot(req.Op); why != "" {
		return v1.ProvisionResponse{}, &v1.ErrorDetail{Class: v1.ClassConfig, Code: "operation_not_supported", Phase: phaseUsers,
			Message: string(req.Op) + " cannot be done: " + why, Hint: "The settings of the connector say how its target is changed."}
	}
	if c.provider, err = k.declaredOnce(ctx, s, req.AuthConfig); err != nil {
		return v1.ProvisionResponse{}, err
	}
	return c.answer(c.do(ctx))
}

func (c *writing) do(ctx context.Context) error {
	switch c.req.Op {
	case v1.OpAccountCreate:
		return c.create(ctx)
	case v1.OpAccountUpdate, v1.OpAccountRename:
		return c.update(ctx)
	case v1.OpAccountEnable:
		return c.setActive(ctx, true)
	case v1.OpAccountDisable:
		return c.setActive(ctx, false)
	case v1.OpAccountUnlock:
		return c.unlock(ctx)
	case v1.OpAccountPassword:
		return c.resetPassword(ctx)
	case v1.OpAccountDelete:
		return c.delete(ctx)
	default:
		return c.member(ctx)
	}
}

// answer is what the caller gets.
func (c *writing) answer(err error) (v1.ProvisionResponse, error) {
	var (
		u unknown
		d *v1.ErrorDetail
	)
	if c.env.By != (v1.ExecutedBy{}) {
		by := c.env.By
		c.resp.ExecutedBy = &by
	}
	switch {
	case err == nil:
		c.resp.Success = true
	case errors.Is(err, errPlanned):
		c.resp.Success, c.resp.Outcome = true, v1.OutcomePlanned
	case errors.As(err, &u):
		text := u.Message
		c.resp.Outcome, c.resp.Error, c.resp.ErrorDetail, c.resp.Verified = v1.OutcomeUnknown, &text, u.ErrorDetail, false
	case errors.As(err, &d):
		return v1.ProvisionResponse{}, d
	default:
		return v1.ProvisionResponse{}, err
	}
	return c.resp, nil
}

func (c *writing) warn(code, message, id string) {
	c.resp.Warnings = append(c.resp.Warnings, v1.Warning{Code: code, Message: message, ExternalID: id})
}

// request is one change on its way.
type request struct {
	method string
	path   string
	body   any
	etag   string // of the record as it was read
	phase  string
	note   string
}

// send plans a request and, unless this is a dry run, sends it. It gives the record of the answer, where there is one, and the
// record's address.
func (c *writing) send(ctx context.Context, r request) (rec record, location string, err error) {
	ask := target.Request{Method: r.method, URL: r.path, Phase: r.phase, Header: http.Header{}, Judge: judge}
	if r.body != nil {
		if ask.Body, err = encoded(r.body); err != nil {
			return nil, "", err
		}
		ask.Header.Set("Content-Type", c.contentType)
	}
	if r.etag != "" && c.provider.etag {
		ask.Header.Set("If-Match", r.etag)
	}
	planned, err := c.c.Plan(ask)
	if err != nil {
		return nil, "", err
	}
	c.resp.Plan = append(c.resp.Plan, v1.PlannedRequest{HTTP: &planned, Note: r.note})
	if c.req.DryRun {
		return nil, "", errPlanned
	}
	resp, err := c.c.Do(ctx, ask)
	if err != nil {
		return nil, "", c.uncertain(err)
	}
	defer resp.Close()
	location = resp.Header.Get("Location")
	if resp.Status == http.StatusNoContent {
		return nil, location, nil
	}
	// The status says that it was done. An answer that cannot be read is made up for by reading back.
	if rec, err = objectOf(resp); err != nil {
		var d *v1.ErrorDetail
		if errors.As(err, &d) && d.Code == "scim_error" {
			return nil, "", err
		}
		return nil, location, nil
	}
	return rec, location, nil
}

func encoded(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write the body of a request: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// judge gives refusals of changes hints that fit: those of reading speak of filters and pages.
func judge(d *v1.ErrorDetail) *v1.ErrorDetail {
	if d.Target == nil || d.Target.HTTP == nil {
		return d
	}
	switch d.Target.HTTP.Status {
	case 400, 422:
		d.Class, d.Hint = v1.ClassData, "The target does not accept the change. Its own words say why; check the account's template."
	case 403:
		if d.Class == v1.ClassPermission {
			d.Hint = "The credentials are known but may not change this. Grant them the right to write in the target."
		}
	case 405, 501:
		d.Hint = "The target does not offer this way of changing. The connector's settings name others."
	case 409:
		d.Hint = "Another record has the same unique value."
	case 412:
		d.Code, d.Hint = "version_changed", "The record was changed by somebody else. Read it again."
	}
	return d
}

// uncertain tells an error that settles the matter from one after which nobody knows.
func (c *writing) uncertain(err error) error {
	var d *v1.ErrorDetail
	if !target.MayHaveArrived(err) || !errors.As(err, &d) {
		return err
	}
	if d.Code == "http_500" && c.req.Op != v1.OpAccountCreate {
		return err // it has failed, and asking again does no harm
	}
	copied := *d
	copied.Message = "the change was sent, and nobody knows whether it was made: " + d.Message
	copied.Hint = "The target is read before anything is tried again."
	return unknown{&copied}
}

// userPath and groupPath are addresses of single records.
func (s *session) userPath(id string) (string, error)  { return below(s.usersPath, id, phaseUsers) }
func (s *session) groupPath(id string) (string, error) { return below(s.groupsPath, id, phaseGroups) }

func below(list, id, phase string) (string, error) {
	why := badID(id)
	if id == "." || id == ".." {
		why = "has an id that would lead elsewhere"
	}
	if why != "" {
		return "", &v1.ErrorDetail{Class: v1.ClassData, Code: "unusable_id", Phase: phase, Message: "the record " + why}
	}
	return strings.TrimSuffix(list, "/") + "/" + url.PathEscape(id), nil
}

// get reads one record by its address; nil: there is none.
func (s *session) get(ctx context.Context, path, phase string) (record, error) {
	rec, err := s.object(ctx, path, phase)
	if gone(err) {
		return nil, nil
	}
	return rec, err
}

func gone(err error) bool { return target.Absent(err, http.StatusNotFound, http.StatusGone) }

// findable says whether users can be asked for by their name.
func (s *session) findable(p provider) bool {
	switch s.filterSupport {
	case quirks.FilterNone:
		return false
	case auto:
		return !p.declared || p.filter
	}
	return true
}

// byName finds the user with a name; nil: there is none. Targets that ignore the filter, or compare by other rules, are seen through.
func (s *session) byName(ctx context.Context, name string) (record, error) {
	var found, exact []record
	ask := target.Request{URL: s.usersPath, Query: url.Values{"filter": {"userName eq " + quoted(name)}}, Phase: phaseUsers, Stream: true}
	err := s.fetch(ctx, ask, func(resp *target.Response) error {
		found, exact = nil, nil
		_, err := readList(resp, func(in *raw) error {
			res, err := in.resource()
			if err != nil || res.bad != "" || !strings.EqualFold(res.rec.text("userName"), name) {
				return err
			}
			if found = append(found, res.rec); res.rec.text("userName") == name {
				exact = append(exact, res.rec)
			}
			return nil
		})
		return err
	})
	switch {
	case gone(err):
		return nil, nil
	case err != nil:
		return nil, err
	case len(exact) == 1:
		return exact[0], nil
	case len(found) > 1:
		return nil, &v1.ErrorDetail{Class: v1.ClassConflict, Code: "ambiguous_account", Phase: phaseUsers,
			Message: fmt.Sprintf("the target has %d users of this name", len(found)), Hint: "Remove or rename all but one in the target."}
	case len(found) == 0:
		return nil, nil
	}
	return found[0], nil
}

// locate reads the user that a target names; nil: there is none.
func (s *session) locate(ctx context.Context, p provider, t v1.ProvisionTarget) (record, error) {
	switch {
	case t.RemoteID != "":
		path, err := s.userPath(t.RemoteID)
		if err != nil {
			return nil, err
		}
		return s.get(ctx, path, phaseUsers)
	case t.Username == "":
		return nil, badAsk("no_target", "the change names no user", "")
	case !s.findable(p):
		return nil, badAsk("no_lookup", "the target cannot be asked for a user by name", "Read it once, so that its users' ids are known.")
	}
	return s.byName(ctx, t.Username)
}

// mustLocate is locate for changes of users that have to be there.
func (c *writing) mustLocate(ctx context.Context) (record, error) {
	rec, err := c.locate(ctx, c.provider, c.req.Target)
	if err == nil && rec == nil {
		return nil, &v1.ErrorDetail{Class: v1.ClassNotFound, Code: "account_not_found", Phase: phaseUsers,
			Message: "the target has no such user", Hint: "It was removed there, or its id has changed. Read the target again."}
	}
	if err == nil {
		err = c.expected(rec)
	}
	return rec, err
}

// expected holds the version that the caller knows against the one that is there.
func (c *writing) expected(rec record) error {
	version := rec.sub("meta").text("version")
	if c.req.Expect == nil || c.req.Expect.Version == "" || c.req.Expect.Version == version {
		return nil
	}
	return &v1.ErrorDetail{Class: v1.ClassConflict, Code: "version_changed", Phase: phaseUsers,
		Message: "the user was changed in the target since it was read", Hint: "Read it again."}
}

func account(rec record) *v1.RemoteAccount {
	attributes, _ := flatten(rec)
	a := accountOf(rec, attributes, false)
	return &a
}

// settles are the pauses between looks at what became of a change: targets may answer before all their parts know.
func (s *session) settles() []time.Duration {
	ms := s.write.SettlesMS
	if ms == nil {
		ms = []int{250, 1000}
	}
	out := make([]time.Duration, len(ms))
	for i, n := range ms {
		out[i] = time.Duration(n) * time.Millisecond
	}
	return out
}

// settled looks until done says so, or the pauses are over. Trouble while looking is told, not returned: the change was made.
func (c *writing) settled(ctx context.Context, look func() (done bool, err error)) bool {
	for i := 0; ; i++ {
		done, err := look()
		pauses := c.settles()
		switch {
		case err == nil && done:
			return true
		case i >= len(pauses):
			if err != nil {
				c.warn("not_read_back", "the change was made, and could not be looked at: "+err.Error(), c.req.Target.RemoteID)
			}
			return false
		}
		if c.c.Pause(ctx, phaseUsers, pauses[i]) != nil {
			return false
		}
	}
}

// readBack reads the user and holds it against what was asked for.
func (c *writing) readBack(ctx context.Context, id string, asked []wish) {
	path, err := c.userPath(id)
	if err != nil {
		return
	}
	var unmet []string
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		rec, err := c.get(ctx, path, phaseUsers)
		if err != nil || rec == nil {
			return false, err
		}
		c.resp.Account = account(rec)
		unmet = nil
		for _, w := range asked {
			if !w.secret && !w.met(rec) {
				unmet = append(unmet, w.path.String())
			}
		}
		return len(unmet) == 0, nil
	})
	switch {
	case c.resp.Verified:
		c.resp.Verified = !slices.ContainsFunc(asked, func(w wish) bool { return w.secret }) || c.req.Op == v1.OpAccountCreate
	case c.resp.Account == nil:
		c.warn("not_shown", "the target took the change and does not show the user yet", id)
	case len(unmet) > 0:
		c.warn("not_as_asked", "the target took the change and shows other values of "+strings.Join(unmet, ", "), id)
	}
}
