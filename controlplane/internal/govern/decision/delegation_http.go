package decision

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const aboutDelegations = "A delegate decides for another person, for a limited time: new tasks, and open tasks too " +
	"unless include_open is false. When the delegation ends, open tasks return. " +
	"Chains of delegations are at most three long, without cycles. A person has one delegation at a time for a kind " +
	"of task. Delegates never decide about their own access. " +
	"People delegate their own tasks; administrators delegate the tasks of all people."

func (s *Service) delegationRoutes() []httpapi.Route {
	at := base + "/delegations"
	return []httpapi.Route{
		httpapi.Handle("GET", at, "List delegations", s.delegations).
			Describe("The caller's own, from and to them; administrators and auditors see all."),
		httpapi.Handle("POST", at, "Create a delegation", s.delegate).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutDelegations),
		httpapi.Handle("GET", at+"/effective", "Get the effective delegate of an identity", s.effective).Errors(404),
		httpapi.Handle("GET", at+"/colleagues", "List possible delegates", s.delegateColleagues).
			ForPeople().
			Errors(404).
			Describe("For who may delegate the decisions, to find to whom: as for a task. Whether a chain of " +
				"delegations gets too long, or goes in a circle, is said when the delegation is made."),
		httpapi.Handle("GET", at+"/{id}", "Retrieve a delegation", s.oneDelegation),
		httpapi.Handle("PATCH", at+"/{id}", "Update a delegation", s.patchDelegation).
			Errors(409, 412).
			Describe("A delegation that has begun ends, and begins again with the changes."),
		httpapi.Handle("DELETE", at+"/{id}", "Revoke a delegation", s.revoke).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe("Open tasks return to whose they were."),
	}
}

type delegationsIn struct {
	httpapi.Paging
	DelegationFilters
}

func (s *Service) delegations(
	ctx context.Context,
	v viewer.Viewer,
	in *delegationsIn,
) (*httpapi.ListOut[DecisionDelegation], error) {
	walk, err := s.Cursors.Walk(v, "decision-delegations", in.Paging, in.DelegationFilters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.ListDelegations(ctx, v, in.DelegationFilters, walk.Page)
	return httpapi.Out(walk, items, total, func(d DecisionDelegation) []string { return []string{d.ID, d.ID} }), err
}

// NewDecisionDelegation is a delegation to be made.
type NewDecisionDelegation struct {
	DelegatorID string `json:"delegator_id,omitempty" format:"uuid" doc:"The person whose tasks are listed. The default is yourself."`
	DelegationFields
}

type delegateIn struct {
	Body    NewDecisionDelegation
	RawBody []byte
}

func (s *Service) delegate(
	ctx context.Context,
	v viewer.Viewer,
	in *delegateIn,
) (*httpapi.Created[DecisionDelegation], error) {
	var given struct {
		IncludeOpen *bool `json:"include_open"`
	}
	f := in.Body.DelegationFields
	f.IncludeOpen = json.Unmarshal(in.RawBody, &given) != nil || given.IncludeOpen == nil || *given.IncludeOpen
	made, err := s.CreateDelegation(ctx, v, in.Body.DelegatorID, f)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[DecisionDelegation]{
		Location: httpapi.Prefix + base + "/delegations/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type effectiveIn struct {
	IdentityID string `query:"identity_id" format:"uuid" doc:"The default is your own identity."`
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

type delegateColleaguesIn struct {
	DelegatorID string `query:"delegator_id" format:"uuid" doc:"The person whose decisions are listed. The default is yourself."`
	ColleagueSearch
}

func (s *Service) delegateColleagues(
	ctx context.Context,
	v viewer.Viewer,
	in *delegateColleaguesIn,
) (*httpapi.One[DecisionColleagues], error) {
	return foundBy(s.DelegateColleagues(ctx, v, in.DelegatorID, in.Q))
}

type didIn struct {
	ID string `path:"id"`
}

func (s *Service) oneDelegation(
	ctx context.Context,
	v viewer.Viewer,
	in *didIn,
) (*httpapi.One[DecisionDelegation], error) {
	var d DecisionDelegation
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) { d, err = findDelegation(ctx, tx, in.ID, ""); return err })
	if err != nil {
		return nil, err
	}
	return &httpapi.One[DecisionDelegation]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

type patchDelegationIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body    DelegationFields
	RawBody []byte
}

func (s *Service) patchDelegation(
	ctx context.Context,
	v viewer.Viewer,
	in *patchDelegationIn,
) (*httpapi.One[DecisionDelegation], error) {
	d, err := s.PatchDelegation(ctx, v, in.ID, in.IfMatch, in.RawBody)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[DecisionDelegation]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

type delegationIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

func (s *Service) revoke(ctx context.Context, v viewer.Viewer, in *delegationIn) (*httpapi.None, error) {
	return nil, s.Revoke(ctx, v, in.ID, in.IfMatch)
}
