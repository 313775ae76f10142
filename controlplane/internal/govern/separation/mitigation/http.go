package mitigation

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const base = "/policies/mitigations"

const (
	aboutList = "Mitigations apply mitigating controls to violations of separation-of-duties policies for a limited " +
		"time. Administrators and auditors see all, managers those of their reports, and owners those that they " +
		"carry out."
	aboutPropose = "Proposes to apply a control to a violation. Another person approves it by a decision task of the " +
		"kind mitigation_approval. If the violation is mitigated already, the approval replaces that mitigation."
	aboutWithdraw = "Ends the mitigation, or takes a proposal back. The violation is open again."
)

// Routes are the paths under /policies/mitigations.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", base, "List mitigations", s.list).Describe(aboutList),
		httpapi.Handle("POST", base, "Create a mitigation", s.propose).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutPropose),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a mitigation", s.read),
		httpapi.Handle("POST", base+"/{id}/withdraw", "Withdraw a mitigation", s.withdraw).
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

// list is GET of mitigations.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Mitigation], error) {
	walk, err := s.Cursors.Walk(v, "mitigations", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	q, err := in.query(v)
	if err != nil {
		return nil, err
	}
	var items []Mitigation
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = listing.Fetch[Mitigation](ctx, tx, q, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, in.After), err
}

type idIn struct {
	// ID of the mitigation.
	ID string `path:"id"`
}

// read is GET of one mitigation.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[Mitigation], error) {
	var found Mitigation
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, err = Find(ctx, tx, in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Mitigation]{ETag: httpapi.ETag(found.Version), Body: found}, nil
}

type proposeIn struct{ Body NewMitigation }

// propose is POST of a mitigation.
func (s *Service) propose(
	ctx context.Context,
	v viewer.Viewer,
	in *proposeIn,
) (*httpapi.Created[Mitigation], error) {
	var made Mitigation
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		made, err = Propose(ctx, tx, in.Body, s.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Mitigation]{
		Location: httpapi.Prefix + base + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type withdrawIn struct {
	// ID of the mitigation.
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		// Why the mitigation is withdrawn.
		Reason string `json:"reason" minLength:"1" maxLength:"2000"`
	}
}

// withdraw is POST …/withdraw.
func (s *Service) withdraw(ctx context.Context, v viewer.Viewer, in *withdrawIn) (*httpapi.One[Mitigation], error) {
	var after Mitigation
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		m, err := Locked(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := in.Check(m.Version); err != nil {
			return err
		}
		if _, err := Withdrawal(ctx, tx, m, in.Body.Reason, s.Now()); err != nil {
			return err
		}
		after, err = Find(ctx, tx, in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Mitigation]{ETag: httpapi.ETag(after.Version), Body: after}, nil
}
