package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Cover is a mitigation of the violations of a policy by a person that mitigates them, or is proposed.
type Cover struct {
	ID         string     `db:"id"`
	IdentityID string     `db:"identity_id"`
	PolicyID   string     `db:"policy_id"`
	Sides      string     `db:"sides"` // as Sides returns them; empty: all
	Severity   string     `db:"severity"`
	State      string     `db:"state"`
	Control    string     `db:"control"` // its name
	EndsAt     *time.Time `db:"ends_at"`
}

// Covers are mitigations of people.
type Covers []Cover

// ReadCovers reads the mitigations of people that mitigate violations, or are proposed.
func ReadCovers(ctx context.Context, tx *pg.Tx, people []string) (Covers, error) {
	const sql = `
		select m.id::text, m.identity_id::text, m.policy_id::text, m.sides, m.severity, m.state,
		       coalesce(c.name, '') as control, m.ends_at
		  from mitigation m
		  left join mitigating_control c on c.id = m.control_id
		 where m.identity_id = any($1::text[]::uuid[])
		   and (m.state = 'proposed' or mitigating(m.state))
		 order by m.state = 'proposed', m.ends_at desc, m.id`
	return pg.All[Cover](ctx, tx, "read mitigations of people", sql, people)
}

// ranks order severities.
var ranks = []string{"low", "medium", "high", "critical"}

// Of returns the mitigation that mitigates a violation of this severity, or else the one that is proposed; nil if there
// is none.
func (all Covers) Of(identityID, policyID, sides, severity string) *Cover {
	i := slices.IndexFunc(all, func(c Cover) bool {
		return c.IdentityID == identityID && c.PolicyID == policyID && (c.Sides == "" || c.Sides == sides) &&
			slices.Index(ranks, c.Severity) >= slices.Index(ranks, severity)
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

// proposed is the state of a mitigation that was not approved yet.
const proposed = "proposed"

// Mitigates reports whether violations are mitigated.
func (c *Cover) Mitigates() bool { return c != nil && c.State != proposed }

// Sides tell the violations of one policy of the kind matrix by one person apart. Empty for other kinds.
func Sides(v conflict.Violation) string {
	if v.Policy.Kind != conflict.Matrix {
		return ""
	}
	var sides []string
	for _, s := range v.Sides {
		sides = append(sides, fmt.Sprint(s.Side))
	}
	return strings.Join(sides, "-")
}

// weigh finds the mitigation and the exception of a violation. excused are the IDs of policies for which a request
// proposes a mitigation.
func (f *Found) weigh(b *rulebook.Book, covers Covers, allowed AllAllowed, excused []string) {
	policy := b.Policies[f.Violation.Policy.ID]
	f.Cover = covers.Of(f.Person.ID, policy.ID, Sides(f.Violation), policy.Severity)
	f.Allowed = allowed.Of(f.Person.ID, f.Violation, policy.Severity)
	f.Excused = f.Cover.Mitigates() || f.Allowed != nil || slices.Contains(excused, policy.ID)
}

// effect is the effect of a violation on a request. What is mitigated, or covered by an exception, only warns.
func (f Found) effect(b *rulebook.Book) string {
	effect := b.Policies[f.Violation.Policy.ID].EffectOnRequest()
	if definition.Refuses(effect) && f.Excused {
		return Warn
	}
	return effect
}

// AvailableControl is a mitigating control that a request can propose.
type AvailableControl struct {
	// ID of the control.
	ID string `json:"id" db:"id"`
	// Name of the control.
	Name string `json:"name" db:"name"`
	// Longest duration of an application, as an ISO 8601 duration.
	MaxDuration string `json:"max_duration" db:"max_duration"`
}

// controls reads the enabled controls that the policies of violations name, by ID.
func controls(ctx context.Context, tx *pg.Tx, b *rulebook.Book, found []Found) (map[string]AvailableControl, error) {
	var ids []string
	for _, f := range found {
		ids = append(ids, b.Policies[f.Violation.Policy.ID].ControlIDs...)
	}
	known := map[string]AvailableControl{}
	if len(ids) == 0 {
		return known, nil
	}
	const sql = `
		select c.id::text, c.name, c.max_duration
		  from mitigating_control c
		 where c.id = any($1::text[]::uuid[])
		   and c.enabled
		   and c.deleted_at is null`
	all, err := pg.All[AvailableControl](ctx, tx, "read controls of policies", sql, ids)
	for _, c := range all {
		known[c.ID] = c
	}
	return known, err
}
