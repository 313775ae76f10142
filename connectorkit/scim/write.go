package scim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Writes says which changes the profile and the settings allow. What the target itself declares is heeded when a change
// is made.
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
	v1.OpAccountCreate,
	v1.OpAccountUpdate,
	v1.OpAccountRename,
	v1.OpAccountEnable,
	v1.OpAccountDisable,
	v1.OpAccountUnlock,
	v1.OpAccountDelete,
	v1.OpAccountPassword,
	v1.OpEntitlementGrant,
	v1.OpEntitlementRevoke,
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
			return "it is unknown whether DELETE of a user deletes the user at " + s.profile.Name + "; set delete_means"
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

// Unwrap gives the detail.
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
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:   v1.ClassConfig,
			Code:    "operation_not_supported",
			Phase:   phaseUsers,
			Message: string(req.Op) + " cannot be done: " + why,
			Hint:    "The settings of the connector say how its target is changed.",
		}
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
		c.resp.Outcome, c.resp.Error, c.resp.ErrorDetail, c.resp.Verified = v1.OutcomeUnknown, &text, u.ErrorDetail,
			false
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

// send plans a request and, unless this is a dry run, sends it. It gives the record of the answer, where there is one,
// and the record's address.
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
		d.Class, d.Hint = v1.ClassData, "The target does not accept the change. Its own words say why; check the "+
			"account's template."
	case 403:
		if d.Class == v1.ClassPermission {
			d.Hint = "The credentials are known but may not change this. Grant them the right to write in the target."
		}
	case 405, 501:
		d.Hint = "The target does not offer this way of changing. The connector's settings name others."
	case 409:
		d.Hint = "Another record has the same unique value."
	case 412:
		d.Code, d.Hint = "version_changed", "Another client changed the record. Read it again."
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
	copied.Message = "the change was sent, but its result is unknown: " + d.Message
	copied.Hint = "The target is read before anything is tried again."
	return unknown{&copied}
}

func account(rec record) *v1.RemoteAccount {
	attributes, _ := flatten(rec)
	a := accountOf(rec, attributes, false)
	return &a
}
