package revocation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// choose takes the cure with the lowest risk that the ordinary revocation does not refuse and no other policy requires.
// If there is none, the cause is that of the cure with the lowest risk.
func choose(
	ctx context.Context,
	tx *pg.Tx,
	a *violation.AutomaticRevocation,
	v violation.Violation,
	before check.SeparationVerdict,
	now time.Time,
) error {
	cures, err := byRisk(ctx, tx, v)
	if err != nil {
		return err
	}
	for _, cure := range cures {
		cause, detail, err := obstacle(ctx, tx, v, cure, before, now)
		switch {
		case err != nil:
			return err
		case cause == "":
			a.Cause, a.Detail, a.Removed = nil, "", cure
			return nil
		case a.Cause == nil:
			a.Cause, a.Detail = &cause, detail
		}
	}
	if a.Cause == nil {
		a.Cause = new(violation.NotRevocable)
	}
	return nil
}

// obstacle says why a cure is not revoked automatically. The cause is empty if it can be.
func obstacle(
	ctx context.Context,
	tx *pg.Tx,
	v violation.Violation,
	cure []check.AccessSource,
	before check.SeparationVerdict,
	now time.Time,
) (cause, detail string, err error) {
	in := violation.ViolationRemediation{Remove: ids(cure), Reason: "automatic revocation"}
	_, err = violation.Remediate(ctx, tx, v.ID, httpapi.IfMatch{}, in, true, now)
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) {
		return violation.NotRevocable, sentence(err.Error()), nil
	}
	if err != nil {
		return "", "", err
	}
	after, err := check.Person(ctx, tx, v.Identity.ID, effective.Changes{Remove: ids(cure)}, now)
	if err != nil {
		return "", "", err
	}
	for _, c := range after.Violations {
		same := func(o check.SeparationConflict) bool {
			return o.Policy.ID == c.Policy.ID && violation.SidesOf(o) == violation.SidesOf(c)
		}
		if c.Policy.Mode == separationpolicy.Enforce && !slices.ContainsFunc(before.Violations, same) {
			return violation.Required, fmt.Sprintf("Without it, the policy %q would be violated.", c.Policy.Name), nil
		}
	}
	name, err := requiring(ctx, tx, cure)
	if err != nil || name == "" {
		return "", "", err
	}
	return violation.Required, fmt.Sprintf("The policy %q requires it.", name), nil
}

// sentence begins a message of a fault with a capital letter, and ends it with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first := text[0]
	if first >= 'a' && first <= 'z' {
		first -= 'a' - 'A'
	}
	text = string(first) + text[1:]
	if text[len(text)-1] != '.' {
		text += "."
	}
	return text
}

// requiring is the name of an enforced access policy that requires the access of grants of people; empty if there is
// none. It does not matter whom the policy is about: in doubt, people decide.
func requiring(ctx context.Context, tx *pg.Tx, cure []check.AccessSource) (string, error) {
	const sql = `
		select coalesce(min(p.name), '')
		  from access_policy p
		 where p.effect = 'require'
		   and p.enabled
		   and p.mode = 'enforce'
		   and p.deleted_at is null
		   and exists (select
		                 from access_grant g
		                where g.id = any(@grants::text[]::uuid[])
		                  and (p.companion -> 'entitlement_ids' ? g.entitlement_id::text
		                       or exists (select
		                                    from role_entitlement x
		                                   where x.entitlement_id = g.entitlement_id
		                                     and p.companion -> 'role_ids' ? x.role_id::text)))`
	return pg.One[string](ctx, tx, "find policies that require access", sql, pgx.NamedArgs{"grants": ids(cure)})
}

// byRisk are the smallest cures that consist of grants, that with the lowest risk first. The risk of a cure is the
// highest of its grants, and then their number. Of cures with equal risk, that with the latest grant is the first.
func byRisk(ctx context.Context, tx *pg.Tx, v violation.Violation) ([][]check.AccessSource, error) {
	const sql = `
		select e.id::text, array_position(array['low', 'medium', 'high', 'critical'], e.risk_level)
		  from entitlement e
		 where e.id = any(@ids::text[]::uuid[])`
	gives := entitlementsBySource(v)
	var all []string
	for _, given := range gives {
		all = append(all, given...)
	}
	levels := map[string]int{}
	var id string
	var level int
	if err := pg.Each(ctx, tx, "read risks", []any{&id, &level}, func() error {
		levels[id] = level
		return nil
	}, sql, pgx.NamedArgs{"ids": all}); err != nil {
		return nil, err
	}
	risk := func(cure []check.AccessSource) (highest, sum int) {
		for _, source := range cure {
			of := 0
			for _, id := range gives[source.ID] {
				of = max(of, levels[id])
			}
			highest, sum = max(highest, of), sum+of
		}
		return highest, sum
	}
	var cures [][]check.AccessSource
	for _, cure := range v.Conflict.Cures {
		other := func(s check.AccessSource) bool { return s.Kind != effective.KindGrant }
		if len(cure.Remove) > 0 && !slices.ContainsFunc(cure.Remove, other) {
			cures = append(cures, cure.Remove)
		}
	}
	slices.SortStableFunc(cures, func(a, b []check.AccessSource) int {
		highA, sumA := risk(a)
		highB, sumB := risk(b)
		return cmp.Or(cmp.Compare(highA, highB), cmp.Compare(sumA, sumB),
			cmp.Compare(slices.Max(ids(b)), slices.Max(ids(a))))
	})
	return cures, nil
}

// entitlementsBySource are what each source gives in the violation, with all that is between.
func entitlementsBySource(v violation.Violation) map[string][]string {
	gives := map[string][]string{}
	for _, side := range v.Conflict.Sides {
		for _, a := range side.Access {
			if a.Source == nil {
				continue
			}
			gives[a.Source.ID] = append(gives[a.Source.ID], a.Entitlement.ID)
			for _, step := range a.Path {
				gives[a.Source.ID] = append(gives[a.Source.ID], step.ID)
			}
		}
	}
	return gives
}
