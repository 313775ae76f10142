package predict

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Service answers predictions. All fields are needed.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
}

// SeparationPrediction is a change of a person's access to be predicted.
type SeparationPrediction struct {
	// Person whose access is predicted. Default: the caller's identity.
	IdentityID string `json:"identity_id,omitempty" format:"uuid"`
	// Access to add. Without it, the verdict is about the access that remains.
	Add []PredictedAccess `json:"add,omitempty" maxItems:"100"`
	// IDs of sources to leave out, such as grants or request items, as verdicts and violations name them.
	Remove []string `json:"remove,omitempty" maxItems:"1000" format:"uuid"`
}

// PredictedAccess is a role or an entitlement. Exactly one is given.
type PredictedAccess struct {
	// ID of the entitlement.
	EntitlementID string `json:"entitlement_id,omitempty" format:"uuid"`
	// ID of the role.
	RoleID string `json:"role_id,omitempty" format:"uuid"`
}

// Routes is the path of predictions.
func (s *Service) Routes() []httpapi.Route {
	const about = "Returns which separation-of-duties policies a person would violate with changed access, and the " +
		"effect on a request for it. Current and pending access counts. The person, their managers and " +
		"administrators may predict. Violations that are only recorded are shown to administrators and auditors. " +
		"Nothing is written."
	return []httpapi.Route{
		httpapi.Handle("POST", "/policies/separation-of-duties/predict", "Get violations of changed access",
			s.predict).
			Status(200).
			Describe(about),
	}
}

type predictIn struct{ Body SeparationPrediction }

func (s *Service) predict(
	ctx context.Context,
	v viewer.Viewer,
	in *predictIn,
) (*httpapi.One[check.SeparationVerdict], error) {
	var out check.SeparationVerdict
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = predict(ctx, tx, in.Body, s.Now())
		return err
	})
	return &httpapi.One[check.SeparationVerdict]{Body: out.ShownTo(v)}, err
}

// predict checks who asks for what, and then what policies say.
func predict(ctx context.Context, tx *pg.Tx, p SeparationPrediction, now time.Time) (check.SeparationVerdict, error) {
	if p.IdentityID == "" {
		p.IdentityID = tx.Viewer.Identity
	}
	if p.IdentityID == "" {
		return check.Clear(), fault.New(fault.Invalid, "You have no identity, so a prediction needs identity_id.").
			With(fault.Field{Pointer: "#/identity_id", Code: "required", Detail: "the ID of an identity"})
	}
	if err := mayAsk(ctx, tx, p.IdentityID); err != nil {
		return check.Clear(), err
	}
	changes := effective.Changes{Remove: p.Remove}
	for i, a := range p.Add {
		addition, err := a.addition(ctx, tx, i)
		if err != nil {
			return check.Clear(), err
		}
		changes.Add = append(changes.Add, addition)
	}
	return check.Person(ctx, tx, p.IdentityID, changes, now)
}

// mayAsk refuses people whom the viewer may not request access for.
func mayAsk(ctx context.Context, tx *pg.Tx, id string) error {
	missing := fault.New(fault.NotFound, "Identity %s was not found.", id).
		With(fault.Field{Pointer: "#/identity_id", Code: "not_found",
			Detail: "give an identity that is visible to you"})
	if !listing.IsID(id) {
		return missing
	}
	sql := `
		select i.display_name, exists (select from managed_identity() m where m.id = i.id)
		  from ` + listing.Readable(tx.Viewer, "identity", "i") + `
		 where i.id = $1`
	var name string
	var report bool
	err := tx.QueryRow(ctx, sql, id).Scan(&name, &report)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return missing
	case err != nil:
		return fmt.Errorf("find person of prediction: %w", err)
	case report || id == tx.Viewer.Identity || tx.Viewer.SeesAll() || tx.Viewer.Kind == viewer.Service:
		return nil
	}
	return fault.Coded(fault.Forbidden, "not_allowed_to_ask_for",
		"Only %s, their managers and administrators can predict access for them.", name)
}

// addition finds what is to be added. Others than administrators and auditors can add what can be requested.
func (a PredictedAccess) addition(ctx context.Context, tx *pg.Tx, at int) (effective.Addition, error) {
	out := effective.Addition{ID: a.EntitlementID + a.RoleID, EntitlementID: a.EntitlementID, RoleID: a.RoleID}
	field := fault.Field{Pointer: fmt.Sprintf("#/add/%d", at), Code: "invalid",
		Detail: "give entitlement_id or role_id"}
	if (a.EntitlementID == "") == (a.RoleID == "") {
		return out, fault.New(fault.Invalid, "Access to add is one entitlement or one role.").With(field)
	}
	const sql = `
		select (select count(*) from entitlement e
		         where e.id = nullif($1, '')::uuid and ($3 or e.requestable)) +
		       (select count(*) from role r where r.id = nullif($2, '')::uuid and ($3 or r.requestable))`
	n, err := pg.One[int](ctx, tx, "find access to add", sql, a.EntitlementID, a.RoleID, tx.Viewer.SeesAll())
	if err == nil && n == 0 {
		field.Code, field.Detail = "not_found", "give a role or an entitlement that can be requested"
		err = fault.New(fault.Invalid, "%s was not found.", out.ID).With(field)
	}
	return out, err
}
