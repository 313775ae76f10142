package shape

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/tryout"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/username"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ProvisioningTrial asks for the account that a person would get.
type ProvisioningTrial struct {
	// ID of the identity whose account is previewed.
	IdentityID string `json:"identity_id" format:"uuid"`
	// Tried in place of what is saved.
	Provisioning *ProvisioningSettings `json:"provisioning,omitempty"`
	// Have the connector plan it against its target: the request of LDAP or HTTP, to the last byte but for secrets.
	Exact bool `json:"exact,omitempty"`
}

// AccountPreview is an account as it would be made.
type AccountPreview struct {
	// ID of the connector.
	ConnectorID string `json:"connector_id"`
	// ID of the identity.
	IdentityID string `json:"identity_id"`
	// Every attribute that is required could be made.
	Makable bool `json:"makable"`
	// Attributes of the account: username and container first, then those of the template in their order.
	Attributes []PreviewAttribute `json:"attributes" nullable:"false"`
	// What the connector would be given; null when it cannot be made.
	Account *v1.ProvisionAccount `json:"account"`
	// How the password of a new account is set.
	Credential template.CredentialRule `json:"credential"`
	// Plan of the connector; null unless exact was requested and the account can be made.
	Exact *ExactPlan `json:"exact"`
}

// PreviewAttribute is one attribute as it would be made.
type PreviewAttribute struct {
	// Name of the attribute: username, container, or the target of the template's rule.
	Target string `json:"target"`
	// Python expression of the account template that makes the value.
	Expression string `json:"expression"`
	// When the attribute is written. create: only with a new account. always: also when the person changes.
	On string `json:"on" enum:"create,always"`
	// True if no account is created without this attribute.
	Required bool `json:"required"`
	// Null: it would be omitted.
	Value any `json:"value"`
	// Why the value cannot be made; null if it can, or if it would be omitted.
	Error *template.AttributeProblem `json:"error"`
	// What the expression reads of the person and is not known, where it has no value.
	Missing []string `json:"missing" nullable:"false"`
}

// ExactPlan is what the connector would send to its target.
type ExactPlan struct {
	// Result of the planning: planned, or already if there is such an account.
	Outcome v1.Outcome `json:"outcome,omitempty"`
	// Requests that the connector would send, with secrets masked; empty if there is no plan.
	Plan []v1.PlannedRequest `json:"plan" nullable:"false"`
	// Warnings of the connector.
	Warnings []v1.Warning `json:"warnings" nullable:"false"`
	// Where the plan was made: hosted in the control plane, or in an agent; null if it is not known.
	ExecutedBy *v1.ExecutedBy `json:"executed_by"`
	// What the target, the network or an agent answered, where there is no plan.
	Error *v1.ErrorDetail `json:"error"`
}

type previewIn struct {
	ID   string `path:"id"`
	Body ProvisioningTrial
}

func (s *Service) preview(ctx context.Context, v viewer.Viewer, in *previewIn) (*httpapi.One[AccountPreview], error) {
	var out AccountPreview
	var opened callable.Connector
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := find(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		if in.Body.Provisioning != nil {
			c = c.as(*in.Body.Provisioning)
			if err := within(c.check(), "provisioning"); err != nil {
				return err
			}
		}
		if out, err = try(ctx, tx, c, in.Body.IdentityID); err != nil || !in.Body.Exact {
			return err
		}
		opened, err = s.Connectors.Open(ctx, tx, in.ID)
		return err
	})
	if err != nil || !in.Body.Exact || !out.Makable {
		return &httpapi.One[AccountPreview]{Body: out}, err
	}
	out.Exact = s.plan(ctx, opened, out)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error { return recordPreview(ctx, tx, opened, out) })
	return &httpapi.One[AccountPreview]{Body: out}, err
}

// within moves what is wrong into a member of the body.
func within(err error, member string) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		for i := range f.Fields {
			f.Fields[i].Pointer = strings.Replace(f.Fields[i].Pointer, "#/", "#/"+member+"/", 1)
		}
	}
	return err
}

// try makes a person's account without an end to it.
func try(ctx context.Context, tx *pg.Tx, c Config, identityID string) (AccountPreview, error) {
	out := AccountPreview{
		ConnectorID: c.ConnectorID,
		IdentityID:  identityID,
		Credential:  c.Template.Credential,
		Attributes:  []PreviewAttribute{},
	}
	facts, err := factsOf(ctx, tx, identityID)
	if err != nil {
		return out, err
	}
	names := username.NewNames(ctx, tx, c.ConnectorID)
	m, err := c.make(facts, names.Taken)
	if err == nil {
		err = names.Err()
	}
	if err != nil {
		return out, err
	}
	for _, f := range m.all() {
		missing := append([]string{}, f.missing...)
		if f.problem != nil {
			missing = append(missing, f.problem.Missing...)
		}
		out.Attributes = append(
			out.Attributes,
			PreviewAttribute{Target: f.target, Expression: f.expression, On: f.on, Required: f.required, Value: f.value,
				Error: f.problem, Missing: missing},
		)
	}
	if out.Makable = m.problems() == nil; out.Makable {
		a := m.account()
		enabled := c.Template.EnabledOnCreate
		a.Enabled = &enabled
		out.Account = &a
	}
	return out, nil
}

func factsOf(ctx context.Context, tx *pg.Tx, id string) (facts identity.Facts, err error) {
	missing := fault.New(fault.NotFound, "Identity %s was not found.", id)
	if !listing.IsID(id) {
		return nil, missing
	}
	err = identity.EachFacts(ctx, tx, []string{id}, func(_ string, f identity.Facts) error {
		facts = f
		return nil
	})
	if err == nil && facts == nil {
		err = missing
	}
	return facts, err
}

// plan has the connector plan the creation. Whatever the target, the network or an agent does is part of the answer.
func (s *Service) plan(ctx context.Context, o callable.Connector, p AccountPreview) *ExactPlan {
	limit := s.Limit
	if limit == 0 {
		limit = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req := v1.ProvisionRequest{
		ConnectorBusinessID: o.BusinessID,
		AuthConfig:          o.Auth,
		IdempotencyKey:      uuid.NewString(),
		Op:                  v1.OpAccountCreate,
		DryRun:              true,
		Target:              v1.ProvisionTarget{Kind: "account", Username: *p.Account.Username},
		Account:             p.Account,
	}
	if p.Credential.Mode == "random" {
		req.Credential = &v1.NewCredential{Mode: p.Credential.Mode, ForceChange: p.Credential.ForceChange}
	}
	type outcome struct {
		answer v1.ProvisionResponse
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var end outcome
		defer func() {
			if cause := recover(); cause != nil { // a connector's fault ends no process
				end.err = fmt.Errorf("the connector panicked: %v\n%s", cause, debug.Stack())
			}
			done <- end
		}()
		end.answer, end.err = s.Dispatch.Provision(ctx, o.Target, req)
	}()
	var got outcome
	select {
	case got = <-done:
	case <-ctx.Done():
		got.err = ctx.Err()
	}
	return s.told(ctx, o, got.answer, got.err)
}

func (s *Service) told(ctx context.Context, o callable.Connector, answer v1.ProvisionResponse, err error) *ExactPlan {
	out := &ExactPlan{
		Outcome:    answer.Outcome,
		Plan:       answer.Plan,
		Warnings:   answer.Warnings,
		ExecutedBy: answer.ExecutedBy,
		Error:      answer.ErrorDetail,
	}
	scrub := scrubber(o)
	var f *fault.Fault
	switch {
	case errors.As(err, &f):
		out.Error = &v1.ErrorDetail{Class: v1.ClassTransient, Code: f.Code, Message: f.Message}
	case err != nil:
		if out.Error = dispatch.Detail(err); out.Error.Class == v1.ClassInternal {
			s.Log.ErrorContext(
				ctx,
				"connector failed to plan",
				"connector",
				o.BusinessID,
				"err",
				scrub.Clean(err.Error()),
			)
		}
	}
	if out.Error != nil {
		out.Outcome = ""
	}
	return masked(out, scrub)
}

// scrubber masks every secret: connectors do so themselves, this is the net beneath them.
func scrubber(o callable.Connector) *connectorkit.Scrubber {
	_, secrets := catalog.Split(o.Target.Type, o.Auth)
	return connectorkit.NewScrubber(connectorkit.TextsIn(secrets)...)
}

func masked(p *ExactPlan, scrub *connectorkit.Scrubber) *ExactPlan {
	out, err := tryout.Scrubbed(*p, scrub)
	if err != nil {
		out = ExactPlan{
			Error: &v1.ErrorDetail{
				Class:   v1.ClassInternal,
				Code:    "internal",
				Message: "the plan is unreadable once its secrets are masked",
			},
		}
	}
	if out.Plan == nil {
		out.Plan = []v1.PlannedRequest{}
	}
	if out.Warnings == nil {
		out.Warnings = []v1.Warning{}
	}
	return &out
}

// recordPreview notes that a target was read on behalf of a user. Its answer stays out.
func recordPreview(ctx context.Context, tx *pg.Tx, o callable.Connector, p AccountPreview) error {
	e := audit.Entry{
		Action:  "connector.provisioning_previewed",
		Subject: audit.Subject{Type: "connector", ID: o.ID, Display: o.BusinessID},
		Outcome: audit.Success,
		Context: map[string]any{"identity_id": p.IdentityID, "mode": o.Target.Mode},
	}
	if p.Exact.Error != nil {
		e.Outcome = audit.Failure
		e.Context["error_class"], e.Context["error_code"] = p.Exact.Error.Class, p.Exact.Error.Code
	}
	return audit.Record(ctx, tx, e)
}
