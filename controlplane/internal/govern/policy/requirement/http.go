package requirement

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const base = "/policies/requirement-gaps"

const (
	aboutList = "People who lack access, training or a manager that an enforced access policy with the effect " +
		"require says they must have. Administrators and auditors see all, managers those of their reports. A gap " +
		"closes when an evaluation finds that nothing is missing."
	aboutExempt = "Accepts the gap until a time, for what the person lacks now. If more is missing later, or when " +
		"the time is over, the gap is open again."
	aboutWithdraw = "Withdraws the exemption. The gap is open again."
)

// Routes are the paths under /policies/requirement-gaps.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", base, "List requirement gaps", s.list).Describe(aboutList),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a requirement gap", s.read),
		httpapi.Handle("POST", base+"/{id}/exempt", "Create an exemption from a requirement", s.exempt).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutExempt),
		httpapi.Handle("DELETE", base+"/{id}/exemption", "Withdraw an exemption", s.withdraw).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutWithdraw),
	}
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET of requirement gaps.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[RequirementGap], error) {
	walk, err := s.Cursors.Walk(v, "requirement-gaps", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	q, err := in.query(v)
	if err != nil {
		return nil, err
	}
	var items []RequirementGap
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		items, total, err = listing.Fetch[RequirementGap](ctx, tx, q, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, in.after), err
}

type idIn struct {
	// ID of the requirement gap.
	ID string `path:"id"`
}

// read is GET of one requirement gap.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[RequirementGap], error) {
	return s.shown(ctx, v, func(tx *pg.Tx) (RequirementGap, error) { return Find(ctx, tx, in.ID) })
}

type exemptIn struct {
	// ID of the requirement gap.
	ID string `path:"id"`
	httpapi.IfMatch
	Body NewGapExemption
}

// exempt is POST …/exempt.
func (s *Service) exempt(ctx context.Context, v viewer.Viewer, in *exemptIn) (*httpapi.One[RequirementGap], error) {
	return s.shown(ctx, v, func(tx *pg.Tx) (RequirementGap, error) {
		return Accept(ctx, tx, in.ID, in.IfMatch, in.Body, s.Now())
	})
}

type matchIn struct {
	// ID of the requirement gap.
	ID string `path:"id"`
	httpapi.IfMatch
}

// withdraw is DELETE …/exemption.
func (s *Service) withdraw(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[RequirementGap], error) {
	return s.shown(ctx, v, func(tx *pg.Tx) (RequirementGap, error) {
		return withdraw(ctx, tx, in.ID, in.IfMatch, s.Now())
	})
}

// shown is the response with the gap that how returns, and its version as ETag.
func (s *Service) shown(
	ctx context.Context,
	v viewer.Viewer,
	how func(tx *pg.Tx) (RequirementGap, error),
) (*httpapi.One[RequirementGap], error) {
	var found RequirementGap
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, err = how(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[RequirementGap]{ETag: httpapi.ETag(found.Version), Body: found}, nil
}
