package write

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/rest/template"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// phaseWrite is the phase of errors of changes.
const phaseWrite = "write"

// Operation is one Provision or Read under way.
type Operation struct {
	*template.Set
	cfg    *stream.Config
	client *target.Client
	budget *jsonpath.Budget
	env    connectorkit.Env
	req    v1.ProvisionRequest
	resp   v1.ProvisionResponse

	target v1.ProvisionTarget
	// password is the new password, which is masked everywhere.
	password string
	// Reads by name, as long as nothing was changed.
	seen map[string][]any
	// Of these, the reads that the target itself answered by "there is none".
	absent map[string]bool
}

// New begins a change, or a read of single accounts. It fails where the settings declare no changes.
func New(
	ctx context.Context, cfg *stream.Config, templates *template.Set, client *target.Client, env connectorkit.Env,
) (*Operation, error) {
	if templates == nil {
		return nil, ConfigError(
			"operation_not_supported",
			"this connector only reads: "+templates.Why(),
			"Declare templates in the setting writes.",
		)
	}
	return &Operation{Set: templates, cfg: cfg, client: client, budget: jsonpath.NewBudget(ctx, 0), env: env,
		seen: map[string][]any{}, absent: map[string]bool{}}, nil
}

// ConfigError is the error of a change that the settings or the request do not allow. Nothing was sent.
func ConfigError(code, message, hint string) *v1.ErrorDetail {
	return &v1.ErrorDetail{Class: v1.ClassConfig, Code: code, Message: message, Hint: hint, Phase: phaseWrite}
}

// errPlanned ends a dry run where the change would be sent.
var errPlanned = errors.New("nothing is sent in a dry run")

// unknownError is that of a request that may have been carried out.
type unknownError struct{ *v1.ErrorDetail }

// Unwrap gives the detail.
func (u unknownError) Unwrap() error { return u.ErrorDetail }

// Provision makes one change.
func (w *Operation) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	w.req = req
	w.target = req.Target
	w.resp.Warnings = w.client.Warnings()
	if w.Ops[req.Op] == nil {
		return v1.ProvisionResponse{}, ConfigError(
			"operation_not_supported",
			fmt.Sprintf("%s cannot be done: the setting writes has no template for it", req.Op),
			"Declare one.",
		)
	}
	return w.answer(w.execute(ctx))
}

// execute makes the change that is asked for.
func (w *Operation) execute(ctx context.Context) error {
	if err := w.credential(); err != nil {
		return err
	}
	switch w.req.Op {
	case v1.OpAccountCreate:
		return w.create(ctx)
	case v1.OpAccountDelete:
		return w.delete(ctx)
	case v1.OpEntitlementGrant, v1.OpEntitlementRevoke:
		return w.changeMembership(ctx)
	}
	return w.changeAccount(ctx)
}

// answer closes the response. A change whose outcome is unknown is a response with an error in it,
// since something may have been changed; every other error is returned without a response.
func (w *Operation) answer(err error) (v1.ProvisionResponse, error) {
	var (
		u unknownError
		d *v1.ErrorDetail
	)
	if w.env.By != (v1.ExecutedBy{}) {
		by := w.env.By
		w.resp.ExecutedBy = &by
	}
	switch {
	case err == nil:
		w.resp.Success = true
	case errors.Is(err, errPlanned):
		w.resp.Success = true
		w.resp.Outcome = v1.OutcomePlanned
	case errors.As(err, &u):
		text := u.Message
		w.resp.Outcome = v1.OutcomeUnknown
		w.resp.Error = &text
		w.resp.ErrorDetail = u.ErrorDetail
		w.resp.Verified = false
	case errors.As(err, &d):
		return v1.ProvisionResponse{}, d
	default:
		return v1.ProvisionResponse{}, err
	}
	return w.resp, nil
}

// warn adds a warning to the response.
func (w *Operation) warn(code, message, id string) {
	w.resp.Warnings = append(w.resp.Warnings, v1.Warning{Code: code, Message: message, ExternalID: id})
}

// credential settles the new password: given, random, or none. It is hidden from everything that is
// logged before it is used.
func (w *Operation) credential() error {
	cred := w.req.Credential
	if cred == nil || cred.Mode == "" || cred.Mode == "none" {
		return nil
	}
	switch {
	case cred.Mode == "random":
		w.password = rand.Text() + "-aZ7!"
	case cred.Mode != "password":
		return ConfigError("credential_mode", "a credential is none, random or password", "")
	case cred.Password == "":
		return ConfigError("password_missing", "the new password is missing", "")
	default:
		w.password = cred.Password
	}
	w.client.Hide(w.password)
	if !w.Ops[w.req.Op].Uses("credential.password") {
		w.warn("not_written", "the template takes no password", "")
	}
	if cred.ForceChange {
		w.warn("force_change_unsupported", "nothing demands that the password be changed at the next sign-in", "")
	}
	return nil
}
