package ldap

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Provision makes one change: it reads what is there, plans the requests that are missing, sends them in order, and reads again.
// A dry run ends with the plan, so that both plan in the same way.
func (c *connector) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	w, err := c.writer(ctx, req)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	defer w.conn.Close()
	return w.answer(w.provision())
}

// Writes says which changes can be made. An anonymous login makes none.
func (c *connector) Writes(auth v1.AuthConfig) connectorkit.Writes {
	s, err := c.read(auth)
	if err != nil {
		return connectorkit.Writes{Why: err.Error()}
	}
	return c.writes(s)
}

func (c *connector) writes(s *settings) connectorkit.Writes {
	if s.anonymous {
		return connectorkit.Writes{Why: "an anonymous login changes nothing: give a bind DN and a password"}
	}
	out := connectorkit.Writes{Ops: []v1.ProvisionOp{
		v1.OpAccountCreate, v1.OpAccountUpdate, v1.OpAccountRename, v1.OpAccountEnable, v1.OpAccountDisable, v1.OpAccountUnlock,
		v1.OpAccountDelete, v1.OpAccountPassword, v1.OpEntitlementGrant, v1.OpEntitlementRevoke,
	}}
	if flavorNames()[0] != s.flavor && flavorNamed(s.flavor).activeDir && s.security == securityNone {
		out.Ops = slices.DeleteFunc(out.Ops, func(op v1.ProvisionOp) bool { return op == v1.OpAccountPassword })
		out.Why = "Active Directory takes passwords over TLS only, and new accounts stay disabled without one: set security to ldaps or starttls"
	}
	return out
}

// writer makes one change.
type writer struct {
	*run
	req   v1.ProvisionRequest
	out   v1.ProvisionResponse
	extra []string // attributes to read beyond those that records are made of
	keyed bool     // id_attribute was set, and not found

	follow     []rewriting     // of groups, once the account has another name
	placesSeen map[string]bool // whether the login sees a place
}

// errDry ends a dry run once everything is planned.
var errDry = errors.New("dry run")

// halted is a change of several requests of which a later one was refused.
type halted struct {
	done, of int
	err      error
}

func (h *halted) Error() string {
	return fmt.Sprintf("%d of %d requests were carried out: %v", h.done, h.of, h.err)
}
func (h *halted) Unwrap() error { return h.err }

// writer opens a session for a change or for reading single records.
func (c *connector) writer(ctx context.Context, req v1.ProvisionRequest) (*writer, error) {
	s, err := c.read(req.AuthConfig)
	if err != nil {
		return nil, err
	}
	s.scrub = scrubberFor(req)
	keyed := s.idAttribute != ""
	se, err := c.open(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := se.settleKeys(ctx); err != nil {
		se.conn.Close()
		return nil, err
	}
	nobody := func(context.Context, v1.SyncResponse) error { return nil }
	w := &writer{run: newRun(ctx, se, &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}}, nobody, c.env.Now()), req: req, keyed: keyed}
	w.out.Warnings = se.warnings
	if c.env.By != (v1.ExecutedBy{}) {
		by := c.env.By
		w.out.ExecutedBy = &by
	}
	return w, nil
}

// scrubberFor masks new passwords too.
func scrubberFor(req v1.ProvisionRequest, secrets ...string) *connectorkit.Scrubber {
	for _, f := range Fields() {
		if f.Secret {
			secrets = append(secrets, connectorkit.TextsIn(req.AuthConfig[f.Key])...)
		}
	}
	if req.Credential != nil {
		secrets = append(secrets, req.Credential.Password)
	}
	return connectorkit.NewScrubber(secrets...)
}

func (w *writer) provision() error {
	if e := w.req.Expect; e != nil && e.Version != "" {
		return complaint(v1.ClassConflict, "version_unsupported", "a directory gives its entries no version to compare with", "Leave expect.version out.")
	}
	if k := w.req.PrincipalKind; k != "" && k != "account" {
		return complaint(v1.ClassConfig, "principal_unsupported", fmt.Sprintf("groups are granted to accounts here, not to a principal of kind %q", k), "Leave principal_kind out.")
	}
	switch w.req.Op {
	case v1.OpAccountCreate:
		return w.create()
	case v1.OpEntitlementGrant:
		return w.membership(true)
	case v1.OpEntitlementRevoke:
		return w.membership(false)
	}
	e, presence, err := w.locate(w.req.Target)
	if err != nil {
		return err
	}
	if presence == v1.PresenceGone && w.req.Op == v1.OpAccountDelete {
		w.out.Presence, w.out.Outcome, w.out.Verified = presence, v1.OutcomeAlready, true
		return nil
	}
	if err := w.reaches(e, presence, w.req.Target); err != nil {
		return err
	}
	w.out.Account = &e.account
	return w.change(e)
}

// change makes one change of an account that is there.
func (w *writer) change(e *found) error {
	switch w.req.Op {
	case v1.OpAccountUpdate:
		return w.update(e)
	case v1.OpAccountRename:
		return w.rename(e)
	case v1.OpAccountEnable:
		return w.setClosed(e, false)
	case v1.OpAccountDisable:
		return w.setClosed(e, true)
	case v1.OpAccountUnlock:
		return w.unlock(e)
	case v1.OpAccountDelete:
		return w.remove(e)
	case v1.OpAccountPassword:
		return w.resetPassword(e)
	}
	return complaint(v1.ClassConfig, "unknown_operation", fmt.Sprintf("the operation %q is not supported for directories", w.req.Op), "")
}

// complaint is an error of our own, before anything was sent.
func complaint(class v1.ErrorClass, code, message, hint string) *v1.ErrorDetail {
	return &v1.ErrorDetail{Class: class, Code: code, Message: message, Hint: hint, Phase: "change"}
}

// answer closes the response. A refusal of the first request has changed nothing and is an error; after that something has
// changed, or may have, and whoever asked must look.
func (w *writer) answer(err error) (v1.ProvisionResponse, error) {
	var (
		open    *wire.UnansweredError
		stopped *halted
		doubt   *unproven
	)
	switch {
	case err == nil:
		w.out.Success = true
		return w.out, nil
	case errors.Is(err, errDry):
		w.out.Success, w.out.Outcome = true, v1.OutcomePlanned
		return w.out, nil
	case errors.As(err, &doubt):
		return w.unknown(doubt.detail), nil
	case errors.As(err, &open):
		return w.unknown(w.unanswered(open)), nil
	case errors.As(err, &stopped):
		var d *v1.ErrorDetail
		if !errors.As(stopped.err, &d) {
			d = w.unanswered(&wire.UnansweredError{Op: "change", Err: stopped.err})
		}
		partly := *d
		partly.Message = fmt.Sprintf("%d of %d requests were carried out; then %s", stopped.done, stopped.of, d.Message)
		return w.unknown(&partly), nil
	}
	return v1.ProvisionResponse{}, err
}

func (w *writer) unknown(d *v1.ErrorDetail) v1.ProvisionResponse {
	text := d.Message
	w.out.Success, w.out.Verified, w.out.Outcome = false, false, v1.OutcomeUnknown
	w.out.Account, w.out.Grant = nil, nil // as they were before
	w.out.Error, w.out.ErrorDetail = &text, d
	return w.out
}

// unanswered explains a request whose answer did not come, be it because the caller's own time ran out.
func (w *writer) unanswered(e *wire.UnansweredError) *v1.ErrorDetail {
	d := w.classify(e.Err)
	d.Phase, d.Target.Kind, d.Target.Host = e.Op, "ldap", w.hostport()
	d.Class, d.Code, d.Retryable = v1.ClassTransient, "ldap_unanswered", true
	if w.ctx.Err() != nil {
		d.Message = "the call was ended"
	}
	d.Message = w.scrub.Clean("the directory was asked to change something, and before its answer " + d.Message)
	d.Hint = "The directory may have done it or not. Read the record before anything is sent again."
	return d
}
