package violation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/order"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// ViolationRemediation says which access is to be revoked to end a violation.
type ViolationRemediation struct {
	// IDs of the sources to remove, as in conflict.cures. They must end the violation, and be grants.
	Remove []string `json:"remove" minItems:"1" maxItems:"100" format:"uuid" nullable:"false"`
	// It is part of the access history.
	Reason string `json:"reason" minLength:"1" maxLength:"2000"`
	// Until then, a denial prevents rules and administrators from assigning the access again. Required if a rule would
	// assign it.
	ExcludeUntil *time.Time `json:"exclude_until,omitempty"`
}

// ViolationRemediated is what a remediation does, or with dry_run would do.
type ViolationRemediated struct {
	// True if the request was a dry run: nothing was written.
	DryRun bool `json:"dry_run"`
	// Result of each revocation, in the order of remove.
	Revocations []order.RevocationImpact `json:"revocations" nullable:"false"`
	// The violation after the order. It stays open until an evaluation no longer finds it.
	Violation Violation `json:"violation"`
}

// Remediate revokes grants that end an open violation, by the ordinary revocation. With dryRun it only says what that
// would do.
func (s *Service) Remediate(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	in ViolationRemediation,
	dryRun bool,
) (out ViolationRemediated, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		out, err = Remediate(ctx, tx, id, match, in, dryRun, s.Now())
		return err
	})
	return out, err
}

// Remediate is Remediate within a transaction.
func Remediate(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	match httpapi.IfMatch,
	in ViolationRemediation,
	dryRun bool,
	now time.Time,
) (out ViolationRemediated, err error) {
	out = ViolationRemediated{DryRun: dryRun, Revocations: []order.RevocationImpact{}}
	before, err := Locked(ctx, tx, id)
	if err != nil {
		return out, err
	}
	if err := match.Check(before.Version); err != nil {
		return out, err
	}
	chosen, err := choose(ctx, tx, before, in.Remove, now)
	if err != nil {
		return out, err
	}
	o := order.GrantRevocation{Reason: strings.TrimSpace(in.Reason), ExcludeUntil: in.ExcludeUntil}
	for _, source := range chosen {
		impact, err := order.Revoke(ctx, tx, source.ID, o, dryRun, now)
		if err != nil {
			return out, err
		}
		out.Revocations = append(out.Revocations, impact)
	}
	if !dryRun {
		if err := noteRemediation(ctx, tx, before, o.Reason, chosen, now); err != nil {
			return out, err
		}
	}
	out.Violation, err = Find(ctx, tx, id)
	return out, err
}

// choose finds the sources to remove, and refuses those that are no grants or do not end the violation together.
func choose(
	ctx context.Context,
	tx *pg.Tx,
	v Violation,
	remove []string,
	now time.Time,
) ([]check.AccessSource, error) {
	if v.State == Remediated {
		return nil, fault.Coded(fault.Conflict, "invalid_transition", "The violation is remediated already.").
			Also("allowed", allowed(v.State))
	}
	known := v.sources()
	var chosen []check.AccessSource
	for i, id := range remove {
		source, part := known[strings.ToLower(id)]
		at := fault.Field{Pointer: fmt.Sprintf("#/remove/%d", i), Code: "unknown_source",
			Detail: "give the ID of a source in conflict.cures"}
		if !part {
			return nil, fault.New(fault.Invalid, "The violation has no access from %s.", id).With(at)
		}
		if source.Kind != effective.KindGrant {
			return nil, fault.Coded(fault.Conflict, "not_a_grant",
				"%s is not granted yet, so it cannot be revoked here. %s", source.Name, elsewhere[source.Kind])
		}
		if !slices.Contains(chosen, source) {
			chosen = append(chosen, source)
		}
	}
	verdict, err := check.Person(ctx, tx, v.Identity.ID, effective.Changes{Remove: ids(chosen)}, now)
	if err != nil {
		return nil, err
	}
	for _, c := range verdict.Violations {
		if c.Policy.ID == v.Conflict.Policy.ID && SidesOf(c) == SidesOf(v.Conflict) {
			return nil, fault.Coded(fault.Conflict, "not_a_cure",
				"The violation would remain without this access. %s", c.Sentence(v.Identity.Display)).
				Also("cures", c.Cures)
		}
	}
	return chosen, nil
}

// elsewhere says how access ends that is not granted yet, by the kind of its source.
var elsewhere = map[string]string{
	effective.KindRequestItem: "Cancel the request, or withdraw its approval.",
	effective.KindAssignment:  "End the role assignment.",
	effective.KindRole:        "Change the membership rule of the role.",
	effective.KindPolicy:      "Change the policy.",
	effective.KindOrder:       "End the reason of the access.",
	effective.KindTask:        "Cancel the provisioning task.",
}

// sources are all sources in a violation, by ID.
func (v Violation) sources() map[string]check.AccessSource {
	all := map[string]check.AccessSource{}
	for _, side := range v.Conflict.Sides {
		for _, a := range side.Access {
			if a.Source != nil {
				all[a.Source.ID] = *a.Source
			}
		}
	}
	return all
}

// SidesOf are the labels of the sides, which tell the violations of a matrix apart.
func SidesOf(c check.SeparationConflict) string {
	if c.Policy.Kind != "matrix" {
		return ""
	}
	var labels []string
	for _, s := range c.Sides {
		labels = append(labels, s.Label)
	}
	return strings.Join(labels, "\n")
}

func ids(sources []check.AccessSource) []string {
	list := make([]string, len(sources))
	for i, s := range sources {
		list[i] = s.ID
	}
	return list
}

// noteRemediation stores and audits what was ordered.
func noteRemediation(
	ctx context.Context,
	tx *pg.Tx,
	v Violation,
	reason string,
	removed []check.AccessSource,
	now time.Time,
) error {
	const sql = `
		update violation
		   set remediation = @remediation, updated_at = now(), version = version + 1
		 where id = @id`
	ordered := OrderedRemediation{Reason: reason, By: decision.ActorOf(tx.Viewer), At: now, Removed: removed}
	if err := pg.Exec(ctx, tx, "note remediation", sql,
		pgx.NamedArgs{"remediation": ordered, "id": v.ID}); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "violation.remediation_ordered",
		Subject: v.AuditSubject(),
		Objects: v.AuditObjects(),
		Reason:  reason,
		Context: map[string]any{"grant_ids": ids(removed)},
	})
}
