package delegation

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/colleague"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// base is the path of delegations.
const base = "/decision-tasks/delegations"

const aboutCreate = "A delegate decides for another person, for a limited time: new tasks, and open tasks too " +
	"unless include_open is false. When the delegation ends, open tasks return. " +
	"Chains of delegations are at most three long, without cycles. A person has one delegation at a time for a kind " +
	"of task. Delegates never decide about their own access. " +
	"People delegate their own tasks; administrators delegate the tasks of all people."

// Routes are the paths under /decision-tasks/delegations. People see and write their own, administrators all.
func (s *Service) Routes() []httpapi.Route {
	at := base
	return []httpapi.Route{
		httpapi.Handle("GET", at, "List delegations", s.list).
			Describe("The delegations that the caller gave and received. Administrators and auditors see all."),
		httpapi.Handle("POST", at, "Create a delegation", s.post).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutCreate),
		httpapi.Handle("GET", at+"/effective", "Get the effective delegate of an identity", s.effective).Errors(404),
		httpapi.Handle("GET", at+"/colleagues", "List possible delegates", s.colleagues).
			ForPeople().
			Errors(404).
			Describe("Searches for people to whom the caller may delegate. Cycles and the length of chains are " +
				"checked when the delegation is created."),
		httpapi.Handle("GET", at+"/{id}", "Retrieve a delegation", s.one),
		httpapi.Handle("PATCH", at+"/{id}", "Update a delegation", s.patch).
			Errors(409, 412).
			Describe("A delegation that has started ends, and starts again with the changes."),
		httpapi.Handle("DELETE", at+"/{id}", "Revoke a delegation", s.remove).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe("Open tasks return to their original approvers."),
	}
}

type listIn struct {
	httpapi.Paging
	Filters
}

func (s *Service) list(
	ctx context.Context,
	v viewer.Viewer,
	in *listIn,
) (*httpapi.ListOut[DecisionDelegation], error) {
	walk, err := s.Cursors.Walk(v, "decision-delegations", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, func(d DecisionDelegation) []string { return []string{d.ID, d.ID} }), err
}

// NewDecisionDelegation is a delegation to be made.
type NewDecisionDelegation struct {
	// The person whose tasks are listed. The default is yourself.
	DelegatorID string `json:"delegator_id,omitempty" format:"uuid"`
	DelegationFields
}

type postIn struct {
	Body    NewDecisionDelegation
	RawBody []byte
}

func (s *Service) post(
	ctx context.Context,
	v viewer.Viewer,
	in *postIn,
) (*httpapi.Created[DecisionDelegation], error) {
	var given struct {
		IncludeOpen *bool `json:"include_open"`
	}
	f := in.Body.DelegationFields
	f.IncludeOpen = json.Unmarshal(in.RawBody, &given) != nil || given.IncludeOpen == nil || *given.IncludeOpen
	made, err := s.Create(ctx, v, in.Body.DelegatorID, f)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[DecisionDelegation]{
		Location: httpapi.Prefix + base + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type effectiveIn struct {
	// The default is your own identity.
	IdentityID string `query:"identity_id" format:"uuid"`
}

func (s *Service) effective(
	ctx context.Context,
	v viewer.Viewer,
	in *effectiveIn,
) (*httpapi.One[EffectiveDelegation], error) {
	e, err := s.Effective(ctx, v, in.IdentityID)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[EffectiveDelegation]{Body: e}, nil
}

type colleaguesIn struct {
	// The person whose decisions are listed. The default is yourself.
	DelegatorID string `query:"delegator_id" format:"uuid"`
	colleague.Search
}

func (s *Service) colleagues(
	ctx context.Context,
	v viewer.Viewer,
	in *colleaguesIn,
) (*httpapi.One[colleague.DecisionColleagues], error) {
	return colleague.Answer(s.Colleagues(ctx, v, in.DelegatorID, in.Q))
}

type idIn struct {
	ID string `path:"id"`
}

func (s *Service) one(
	ctx context.Context,
	v viewer.Viewer,
	in *idIn,
) (*httpapi.One[DecisionDelegation], error) {
	var d DecisionDelegation
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) { d, err = find(ctx, tx, in.ID, ""); return err })
	if err != nil {
		return nil, err
	}
	return &httpapi.One[DecisionDelegation]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

type patchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body    DelegationFields
	RawBody []byte
}

func (s *Service) patch(
	ctx context.Context,
	v viewer.Viewer,
	in *patchIn,
) (*httpapi.One[DecisionDelegation], error) {
	d, err := s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[DecisionDelegation]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

type matchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.Revoke(ctx, v, in.ID, in.IfMatch)
}
