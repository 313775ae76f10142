package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// SafetyView is a connector's safety with the limits that are in force.
type SafetyView struct {
	Safety
	Effective []SafetyLimit `json:"effective" nullable:"false" doc:"what holds at this moment for every kind"`
}

// SafetyChange replaces a connector's safety.
type SafetyChange struct {
	Safety
	Reason string `json:"reason,omitempty" maxLength:"2000" doc:"needed when more passes than before; it goes into the audit log"`
}

type safetyIn struct {
	ID string `path:"id"`
}

type decideSafetyIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body SafetyChange
}

func (s *Service) safety(ctx context.Context, v viewer.Viewer, in *safetyIn) (out *httpapi.One[SafetyView], err error) {
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

func (s *Service) view(
	ctx context.Context,
	tx *pg.Tx,
	connector string,
	version int,
) (*httpapi.One[SafetyView], error) {
	safety, err := safetyOf(ctx, tx, connector)
	if err != nil {
		return nil, err
	}
	p, err := safety.policy(s.Now())
	if err != nil {
		return nil, err
	}
	view := SafetyView{Safety: safety}
	for _, kind := range kinds {
		l := p.guard.limitOf(kind)
		view.Effective = append(view.Effective, SafetyLimit{Kind: kind, Floor: l.Floor, Pct: l.Pct, Cap: l.Cap})
	}
	return &httpapi.One[SafetyView]{ETag: httpapi.ETag(version), Body: view}, nil
}

func connectorVersion(ctx context.Context, tx *pg.Tx, id, locking string) (version int, err error) {
	missing := fault.New(fault.NotFound, "there is no connector %s", id)
	if uuid.Validate(id) != nil {
		return 0, missing
	}
	err = tx.QueryRow(ctx, `select version from connector where id = $1 and deleted_at is null `+locking, id).
		Scan(&version)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, missing
	case err != nil:
		return 0, fmt.Errorf("find connector: %w", err)
	}
	return version, nil
}

func (s *Service) decideSafety(
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
		before, err := safetyOf(ctx, tx, in.ID)
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
				With(fault.Field{Pointer: "#/reason", Code: "required", Detail: "what lets more pass needs a reason"})
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

// check refuses what the guard could not work with.
func (s Safety) check() error {
	var wrong []fault.Field
	seen := map[string]bool{}
	for i, l := range s.Limits {
		at := fmt.Sprintf("#/limits/%d", i)
		if l.Kind != attributeRewrite && !slices.Contains(kinds, l.Kind) {
			wrong = append(
				wrong,
				fault.Field{Pointer: at + "/kind", Code: "unknown_kind", Detail: "there is no such kind of change"},
			)
		}
		if seen[l.Kind] {
			wrong = append(wrong, fault.Field{Pointer: at + "/kind", Code: "repeated", Detail: "a kind has one limit"})
		}
		if l.Cap < l.Floor {
			wrong = append(
				wrong,
				fault.Field{Pointer: at + "/cap", Code: "invalid", Detail: "the cap is below the floor"},
			)
		}
		seen[l.Kind] = true
	}
	for _, d := range []struct {
		name, value string
		most        time.Duration
	}{{"window", s.Window, 7 * 24 * time.Hour}, {"hold_ttl", s.HoldTTL, 30 * 24 * time.Hour}} {
		length, err := span.Parse(d.value)
		if err != nil || length < time.Hour || length > d.most {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: "#/" + d.name,
					Code:    "invalid",
					Detail:  fmt.Sprintf("an ISO 8601 duration from PT1H to P%dD", int(d.most.Hours())/24),
				},
			)
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "this safety cannot be kept").With(wrong...)
	}
	return nil
}

// loosened names what lets more pass than before.
func loosened(before, after Safety, now time.Time) ([]string, error) {
	old, err := before.policy(now)
	if err != nil {
		return nil, err
	}
	next, err := after.policy(now)
	if err != nil {
		return nil, err
	}
	looser := []string{}
	for _, kind := range kinds {
		a, b := old.guard.limitOf(kind), next.guard.limitOf(kind)
		if b.Floor > a.Floor || b.Pct > a.Pct || b.Cap > a.Cap {
			looser = append(looser, kind)
		}
	}
	for name, less := range map[string]bool{
		"window": next.window < old.window, "total_loss": old.guard.totalLoss && !next.guard.totalLoss,
		"hold_scope":                     old.holdRun && !next.holdRun,
		"deletion.missing_runs_required": next.missingUntil < old.missingUntil,
	} {
		if less {
			looser = append(looser, name)
		}
	}
	slices.Sort(looser)
	return looser, nil
}

func store(ctx context.Context, tx *pg.Tx, connector string, s Safety) error {
	deletion, err := json.Marshal(s.Deletion)
	if err != nil {
		return fmt.Errorf("write safety: %w", err)
	}
	safety, err := json.Marshal(struct {
		Limits    []SafetyLimit `json:"limits"`
		Window    string        `json:"window"`
		TotalLoss bool          `json:"total_loss"`
		HoldScope string        `json:"hold_scope"`
		HoldTTL   string        `json:"hold_ttl"`
	}{s.Limits, s.Window, s.TotalLoss, s.HoldScope, s.HoldTTL})
	if err != nil {
		return fmt.Errorf("write safety: %w", err)
	}
	const sql = `
		update connector
		   set safety = $2, deletion = deletion || $3::jsonb, updated_at = now(), version = version + 1
		 where id = $1`
	if _, err := tx.Exec(ctx, sql, connector, safety, deletion); err != nil {
		return fmt.Errorf("write safety: %w", err)
	}
	return nil
}
