package safety

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Service reads and sets the safety limits of connectors.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
}

// Routes are the paths of safety limits.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/connectors/{id}/safety", "Get the safety limits of a connector", s.read).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PUT", "/connectors/{id}/safety", "Set the safety limits of a connector", s.put).
			For(viewer.Admin).
			Errors(412).
			Describe("All settings are replaced. Higher limits require a reason."),
	}
}

// SafetyView is a connector's safety with the limits that are in force.
type SafetyView struct {
	Safety
	// what holds at this moment for every kind
	Effective []SafetyLimit `json:"effective" nullable:"false"`
}

// SafetyChange replaces a connector's safety.
type SafetyChange struct {
	Safety
	// needed when more passes than before; it goes into the audit log
	Reason string `json:"reason,omitempty" maxLength:"2000"`
}

type safetyIn struct {
	// ID of the connector.
	ID string `path:"id"`
}

type decideSafetyIn struct {
	// ID of the connector.
	ID string `path:"id"`
	httpapi.IfMatch
	Body SafetyChange
}

// read is GET …/safety.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *safetyIn) (out *httpapi.One[SafetyView], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		version, err := connectorVersion(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		out, err = s.view(ctx, tx, in.ID, version)
		return err
	})
	return out, err
}

// view is the connector's safety as it is stored, with the limits that result for every kind.
// version is the connector's: safety is part of it and has no ETag of its own.
func (s *Service) view(
	ctx context.Context,
	tx *pg.Tx,
	connector string,
	version int,
) (*httpapi.One[SafetyView], error) {
	safety, err := Find(ctx, tx, connector)
	if err != nil {
		return nil, err
	}
	p, err := safety.Policy(s.Now())
	if err != nil {
		return nil, err
	}
	view := SafetyView{Safety: safety}
	for _, kind := range Kinds {
		l := p.Guard.limitOf(kind)
		view.Effective = append(view.Effective, SafetyLimit{Kind: kind, Floor: l.Floor, Pct: l.Pct, Cap: l.Cap})
	}
	return &httpapi.One[SafetyView]{ETag: httpapi.ETag(version), Body: view}, nil
}

// put is PUT …/safety. Settings that let more pass than before need a reason, which goes into the
// audit log. The connector's row is locked meanwhile.
func (s *Service) put(
	ctx context.Context,
	v viewer.Viewer,
	in *decideSafetyIn,
) (out *httpapi.One[SafetyView], err error) {
	after := in.Body.Safety
	if err := after.check(); err != nil {
		return nil, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		version, err := connectorVersion(ctx, tx, in.ID, "for update")
		if err != nil {
			return err
		}
		if err := in.IfMatch.Check(version); err != nil {
			return err
		}
		before, err := Find(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		looser, err := loosened(before, after, s.Now())
		if err != nil {
			return err
		}
		if len(looser) > 0 && in.Body.Reason == "" {
			return fault.Coded(fault.Invalid, "reason_required", "this allows more changes than before; give a reason").
				Also("loosened", looser).
				With(fault.Field{Pointer: "#/reason", Code: "required", Detail: "a higher limit requires a reason"})
		}
		if err := store(ctx, tx, in.ID, after); err != nil {
			return err
		}
		err = audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "connector.safety_changed", Subject: audit.Subject{Type: "connector", ID: in.ID},
				Changes: []audit.Change{{Field: "safety", From: before, To: after}},
				Context: map[string]any{"reason": in.Body.Reason, "loosened": looser}},
		)
		if err != nil {
			return err
		}
		out, err = s.view(ctx, tx, in.ID, version+1)
		return err
	})
	return out, err
}
