package mitigation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// NewMitigation proposes to apply a control to a violation.
type NewMitigation struct {
	// ID of the control to apply.
	ControlID string `json:"mitigation_policy_id" format:"uuid"`
	// ID of the violation.
	ViolationID string `json:"violation_id" format:"uuid"`
	// ID of the identity that carries the control out and provides evidence. The default is the first owner of the
	// control.
	OwnerID string `json:"owner_id,omitempty" format:"uuid"`
	// ISO 8601 duration from the approval to the end, from P1D to max_duration of the control. The default is
	// max_duration.
	Duration string `json:"duration,omitempty" maxLength:"64" example:"P30D"`
	// ID of the mitigation that it renews, of the same violation. The default is the active one.
	RenewalOfID string `json:"renewal_of_id,omitempty" format:"uuid"`
	// Why the violation is acceptable for the time.
	Justification string `json:"justification" minLength:"1" maxLength:"4000"`
}

// Target is the violation that a proposal is for.
type Target struct {
	IdentityID string `db:"identity_id"`
	PolicyID   string `db:"policy_id"`
	Sides      string `db:"sides"`
	State      string `db:"state"`
	Severity   string `db:"severity"`
	RequestID  string `db:"request_id"` // access request that would cause it; empty: it exists
}

// Propose proposes a mitigation of an open violation, or one that replaces the mitigation of a violation.
func Propose(ctx context.Context, tx *pg.Tx, in NewMitigation, now time.Time) (Mitigation, error) {
	missing := fault.New(fault.Invalid, "Violation %s was not found.", in.ViolationID).
		With(fault.Field{Pointer: "#/violation_id", Code: "not_found", Detail: "give the ID of a violation"})
	if !listing.IsID(in.ViolationID) {
		return Mitigation{}, missing
	}
	const sql = `
		select v.identity_id::text, v.policy_id::text, v.sides, v.state, v.severity, '' as request_id
		  from violation v
		 where v.id = $1
		   for update of v`
	v, err := pg.One[Target](ctx, tx, "find violation to mitigate", sql, in.ViolationID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Mitigation{}, missing
	case err != nil:
		return Mitigation{}, err
	case v.State != "open" && v.State != "mitigated":
		return Mitigation{}, fault.Coded(fault.Conflict, "invalid_transition",
			"The violation is %s and needs no mitigation.", v.State).Also("allowed", []string{})
	}
	if err := in.Check(ctx, tx, v); err != nil {
		return Mitigation{}, err
	}
	return Insert(ctx, tx, in, v, now)
}

// terms are what a policy says about its mitigations.
type terms struct {
	Controls []string `db:"controls"`
	Longest  *string  `db:"longest"`
}

// Check checks a proposal against the control and the policy, and fills in its defaults.
func (in *NewMitigation) Check(ctx context.Context, tx *pg.Tx, v Target) error {
	c, err := control.Find(ctx, tx, in.ControlID, " for share of c")
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Invalid, "Mitigating control %s was not found.", in.ControlID).
			With(fault.Field{Pointer: "#/mitigation_policy_id", Code: "not_found",
				Detail: "choose one of GET /policies/mitigation"})
	}
	if err != nil {
		return err
	}
	const sql = `
		select p.mitigation_policy_ids::text[] as controls, p.max_mitigation as longest
		  from separation_policy p
		 where p.id = $1`
	policy, err := pg.One[terms](ctx, tx, "read what a policy says about mitigations", sql, v.PolicyID)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	if !c.Enabled || !c.Covers(v.PolicyID, v.Severity) || !policy.allow(c.ID, v.RequestID != "") {
		return fault.Coded(fault.Conflict, "control_not_applicable",
			"The control %q is disabled, or cannot be applied to violations of this policy with the severity %s.",
			c.Name, v.Severity).
			With(fault.Field{Pointer: "#/mitigation_policy_id", Code: "control_not_applicable",
				Detail: "choose another control"})
	}
	longest, most := c.MaxDuration, c.Longest()
	if policy.Longest != nil {
		if d, err := span.Parse(*policy.Longest); err == nil && d < most {
			longest, most = *policy.Longest, d
		}
	}
	if in.Duration == "" {
		in.Duration = longest
	}
	if d, err := span.Parse(in.Duration); err != nil || d < span.Day || d > most {
		return fault.New(fault.Invalid,
			"%q is not an ISO 8601 duration from P1D to %s, the longest that the control and the policy allow.",
			in.Duration, longest).
			With(fault.Field{Pointer: "#/duration", Code: "duration_exceeds_limit",
				Detail: "give a duration from P1D to " + longest})
	}
	if in.OwnerID == "" && len(c.OwnerIDs) > 0 {
		in.OwnerID = c.OwnerIDs[0]
	}
	return checkOwner(ctx, tx, in.OwnerID, v.IdentityID)
}

// allow reports whether the policy lets a control be applied, or proposed by a request.
func (t terms) allow(controlID string, requested bool) bool {
	return slices.Contains(t.Controls, controlID) || len(t.Controls) == 0 && !requested
}

// checkOwner refuses an owner who is not active, or who is the person concerned.
func checkOwner(ctx context.Context, tx *pg.Tx, id, person string) error {
	wrong := func(code, detail, format string, args ...any) error {
		return fault.New(fault.Invalid, format, args...).
			With(fault.Field{Pointer: "#/owner_id", Code: code, Detail: detail})
	}
	if id == "" {
		return wrong("required", "give the ID of an identity", "The control has no owner, so the mitigation needs one.")
	}
	if strings.EqualFold(id, person) {
		return wrong("own_control", "choose another person",
			"The owner of a mitigation cannot be the person whose violation it mitigates.")
	}
	const sql = `
		select count(*) from identity where id::text = lower($1) and status not in ('deactivated', 'archived')`
	n, err := pg.One[int](ctx, tx, "find owner of mitigation", sql, id)
	if err == nil && n == 0 {
		err = wrong("unknown_identity", "no active identity has this id", "owner_id names no active identity.")
	}
	return err
}

// Insert writes and audits a proposal that Check has accepted.
func Insert(ctx context.Context, tx *pg.Tx, in NewMitigation, v Target, now time.Time) (Mitigation, error) {
	const sql = `
		insert into mitigation (tenant_id, id, control_id, identity_id, policy_id, sides, violation_id,
		                        request_id, severity, owner_id, justification, duration, renewal_of_id,
		                        requested_by, requested_at)
		values (current_tenant(), @id, @control, @identity, @policy, @sides, nullif(@violation, '')::uuid,
		        nullif(@request, '')::uuid, @severity, @owner, @justification, @duration,
		        nullif(@renewed, '')::uuid, @by, @now)`
	renewed, err := in.renewed(ctx, tx, v)
	if err != nil {
		return Mitigation{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	err = pg.Exec(ctx, tx, "insert mitigation", sql, pgx.NamedArgs{
		"id":            id,
		"control":       in.ControlID,
		"identity":      v.IdentityID,
		"policy":        v.PolicyID,
		"sides":         v.Sides,
		"violation":     in.ViolationID,
		"request":       v.RequestID,
		"severity":      v.Severity,
		"owner":         in.OwnerID,
		"justification": strings.TrimSpace(in.Justification),
		"duration":      in.Duration,
		"renewed":       renewed,
		"by":            decision.ActorOf(tx.Viewer),
		"now":           now,
	})
	if pg.Violates(err, "mitigation_proposed_unique") {
		return Mitigation{}, fault.Coded(fault.Conflict, "mitigation_proposed",
			"Another mitigation of this violation is proposed. It must be decided or withdrawn first.")
	}
	if err != nil {
		return Mitigation{}, err
	}
	m, err := find(ctx, tx, id, "mitigation m", "")
	if err != nil {
		return m, err
	}
	if err := audit.Record(ctx, tx, audit.Entry{Action: "mitigation.proposed", Subject: m.AuditSubject(),
		Objects: m.AuditObjects(), Reason: m.Justification,
		Context: map[string]any{"duration": m.Duration, "severity": m.Severity}}); err != nil {
		return m, err
	}
	return m, m.publish(ctx, tx, event.MitigationProposed)
}
