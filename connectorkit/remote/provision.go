package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/remote/config"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Writes goes by the setting alone: which operations a service has only its answers tell.
func (c *connector) Writes(auth v1.AuthConfig) connectorkit.Writes {
	cfg, err := config.Read(config.Canonical(auth))
	switch {
	case err != nil:
		return connectorkit.Writes{Why: err.Error()}
	case !cfg.Writes:
		return connectorkit.Writes{Why: "the setting writes makes the service read-only"}
	}
	out := connectorkit.Writes{Ops: cfg.Ops}
	if missing := without(config.Changes, cfg.Ops); len(missing) > 0 {
		out.Why = "the setting operations does not list " + config.Joined(missing)
	}
	return out
}

// Provision asks the service for one change (POST /v1/provision), once. What comes back is the service's word; only its
// form is checked.
func (c *connector) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	call, err := c.openWriting(ctx, req.AuthConfig)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	defer call.client.Close()
	if !slices.Contains(call.cfg.Ops, req.Op) {
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:   v1.ClassConfig,
			Code:    "operation_not_supported",
			Message: fmt.Sprintf("the setting operations does not list %s", req.Op),
			Hint:    "Add it if the service has it.",
		}
	}
	req.AuthConfig = call.cfg.Auth
	r, err := call.post(ctx, "v1/provision", string(req.Op), "", req)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	r.Repeatable = req.DryRun
	if plain.MatchString(req.IdempotencyKey) {
		r.Header.Set("Idempotency-Key", req.IdempotencyKey)
	}
	var answer v1.ProvisionResponse
	var refused *v1.ErrorDetail
	there, err := call.ask(ctx, r, !req.DryRun, nil, func(resp *target.Response, doc json.RawMessage) (err error) {
		answer, refused, err = call.changed(resp, req, doc)
		return err
	})
	switch {
	case refused != nil:
		return v1.ProvisionResponse{}, refused
	case err != nil && !req.DryRun && (target.MayHaveArrived(err) || answered(err)):
		return unknown(err), nil
	case err != nil:
		return v1.ProvisionResponse{}, err
	case !there:
		return v1.ProvisionResponse{}, absentChange(req.Op)
	}
	return answer, nil
}

// openWriting is open for a service that changes its target.
func (c *connector) openWriting(ctx context.Context, auth v1.AuthConfig) (*caller, error) {
	call, err := c.open(ctx, auth, nil)
	if err != nil {
		return nil, err
	}
	if !call.cfg.Writes {
		call.client.Close()
		return nil, &v1.ErrorDetail{
			Class:   v1.ClassConfig,
			Code:    "read_only_connector",
			Message: "the setting writes makes this service read-only",
			Hint:    "Set writes where the service has /v1/provision and /v1/read.",
		}
	}
	return call, nil
}

// answered says whether a good status came with something that cannot be read, so that the change may have been made.
func answered(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Target != nil && d.Target.HTTP != nil && d.Target.HTTP.Status/100 == 2
}

func unknown(err error) v1.ProvisionResponse {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		d = &v1.ErrorDetail{
			Class:     v1.ClassTransient,
			Code:      "answer_lost",
			Message:   "the answer to the change did not arrive",
			Retryable: true,
		}
	}
	text := d.Message
	return v1.ProvisionResponse{Outcome: v1.OutcomeUnknown, Error: &text, ErrorDetail: d}
}

func absentChange(op v1.ProvisionOp) error {
	return &v1.ErrorDetail{
		Class:   v1.ClassConfig,
		Code:    "unsupported_operation",
		Message: fmt.Sprintf("the service does not have /v1/provision, and so not %s", op),
		Hint:    "Switch the setting writes off, or use a version of the connector that writes.",
	}
}

var outcomes = []v1.Outcome{
	v1.OutcomeApplied,
	v1.OutcomeAlready,
	v1.OutcomeNoop,
	v1.OutcomePending,
	v1.OutcomeManual,
	v1.OutcomeUnknown,
	v1.OutcomePlanned,
}

// changed holds an answer to a change against the protocol. refused is what the service itself says was not done.
func (c *caller) changed(
	resp *target.Response,
	req v1.ProvisionRequest,
	doc json.RawMessage,
) (out v1.ProvisionResponse, refused *v1.ErrorDetail, err error) {
	var said struct {
		v1.ProvisionResponse
		Success *bool           `json:"success"`
		Detail  json.RawMessage `json:"error_detail"`
	}
	if err := json.Unmarshal(doc, &said); err != nil {
		return out, nil, violation(resp, "the answer to provision: "+response.Explain(err))
	}
	out = said.ProvisionResponse
	switch {
	case said.Success == nil:
		return out, nil, violation(resp, "the answer to provision has no member success")
	case !*said.Success && out.Outcome != v1.OutcomeUnknown:
		return out, c.failure(
			out.Error,
			said.Detail,
			&v1.Target{Kind: "http", Host: resp.Host(), HTTP: resp.Head()},
			string(req.Op),
		), nil
	case !*said.Success:
		left := unknown(c.failure(out.Error, said.Detail, nil, string(req.Op)))
		left.Presence = known(out.Presence)
		return left, nil, nil
	case !slices.Contains(outcomes, out.Outcome), req.DryRun != (out.Outcome == v1.OutcomePlanned):
		return out, nil, violation(
			resp,
			"the answer to provision needs one of the outcomes of protocol v1, and planned for a dry run alone",
		)
	case req.Op == v1.OpAccountCreate && out.Outcome == v1.OutcomeApplied &&
		(out.Account == nil || out.Account.ExternalID == ""):
		return out, nil, violation(resp, "the answer to account.create has no account with an external_id")
	}
	out.Presence = known(out.Presence)
	out.Success, out.ErrorDetail, out.ExecutedBy, out.Replayed = true, nil, nil, false
	clean := cleaned(c, &out, maxSmall)
	if clean == nil {
		return out, nil, violation(resp, "the answer to provision is too large")
	}
	return *clean, nil, nil
}

// Read asks the service how a few records are now (POST /v1/read).
func (c *connector) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	call, err := c.openWriting(ctx, req.AuthConfig)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	defer call.client.Close()
	req.AuthConfig = call.cfg.Auth
	r, err := call.post(ctx, "v1/read", "read", "", req)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	var out v1.ReadResponse
	there, err := call.ask(ctx, r, false, nil, func(resp *target.Response, doc json.RawMessage) error {
		if err := json.Unmarshal(doc, &out); err != nil {
			return violation(resp, "the answer to read: "+response.Explain(err))
		}
		if len(out.Accounts) != len(req.Accounts) {
			return violation(
				resp,
				fmt.Sprintf(
					"the answer to read tells of %d accounts where %d were asked for",
					len(out.Accounts),
					len(req.Accounts),
				),
			)
		}
		clean := cleaned(call, &out, maxSmall)
		if clean == nil {
			return violation(resp, "the answer to read is too large")
		}
		out = *clean
		for i := range out.Accounts {
			out.Accounts[i].Presence = presence(out.Accounts[i])
		}
		return nil
	})
	if err == nil && !there {
		err = absentChange("read")
	}
	return out, err
}

// known is a presence of protocol v1; anything else says nothing.
func known(p v1.Presence) v1.Presence {
	switch p {
	case v1.PresencePresent, v1.PresenceGone, v1.PresenceNotVisible, v1.PresenceUnknown:
		return p
	}
	return ""
}

// presence makes the two members of an answer agree: an account that is shown is not gone, and none that is not shown
// is present.
func presence(a v1.ReadAccount) v1.Presence {
	p := known(a.Presence)
	switch {
	case a.Account != nil && (p == "" || p == v1.PresenceGone || p == v1.PresenceUnknown):
		return v1.PresencePresent
	case a.Account == nil && (p == "" || p == v1.PresencePresent):
		return v1.PresenceUnknown
	}
	return p
}
