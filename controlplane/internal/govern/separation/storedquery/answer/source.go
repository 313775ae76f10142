package answer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// connector is a system that data comes from.
type connector struct {
	ID     string     `db:"id"`
	Name   string     `db:"name"`
	Live   bool       `db:"live"` // it is not a draft, disabled or deleted
	FullAt *time.Time `db:"full_at"`
}

// readConnectors reads systems by ID. One that is gone is not in the result.
func readConnectors(ctx context.Context, tx *pg.Tx, ids []string) (map[string]connector, error) {
	const sql = `
		select c.id::text, c.name, c.deleted_at is null and c.status not in ('draft', 'disabled', 'deleted') as live,
		       p.full_at
		  from connector c
		  left join sync_position p on p.connector_id = c.id
		 where c.id = any($1::text[]::uuid[])`
	list, err := pg.All[connector](ctx, tx, "read sources of a stored query", sql, ids)
	of := make(map[string]connector, len(list))
	for _, c := range list {
		of[c.ID] = c
	}
	return of, err
}

// judgeSources lists the systems, and says which of them cannot be trusted: a full sync is needed that is no older than
// the interval of the evidence.
func judgeSources(ids []string, of map[string]connector, cadence time.Duration, now time.Time) ([]Source, []Problem) {
	sources, problems := []Source{}, []Problem{}
	for _, id := range ids {
		c, known := of[id]
		if !known {
			problems = append(problems, problem("source_disconnected", "The connector %s does not exist.", id))
			continue
		}
		s := Source{ID: c.ID, Display: c.Name}
		switch {
		case c.FullAt == nil:
			problems = append(problems, problem("source_never_synced", "%s has had no complete full sync.", c.Name))
		case c.FullAt.Before(now.Add(-cadence)):
			problems = append(problems, problem("source_stale", "The last full sync of %s is older than %s.", c.Name,
				span.Format(cadence)))
		}
		if c.FullAt != nil {
			at := c.FullAt.UTC()
			s.LastFullSyncAt = &at
		}
		if !c.Live {
			problems = append(problems, problem("source_disconnected", "%s is disabled or disconnected.", c.Name))
		}
		sources = append(sources, s)
	}
	return sources, problems
}

// policy is what matters of a policy for a query about its violations.
type policy struct {
	ID         string    `db:"id"`
	Name       string    `db:"name"`
	Evaluated  bool      `db:"evaluated"`
	Blind      bool      `db:"blind"`
	UpdatedAt  time.Time `db:"updated_at"`
	Connectors []string  `db:"connectors"` // systems of the entitlements of its duties
}

// readPolicies reads policies by ID.
func readPolicies(ctx context.Context, tx *pg.Tx, ids []string, now time.Time) (map[string]policy, error) {
	const sql = `
		with dark as materialized (` + separationpolicy.BlindSQL + `)
		select p.id::text, p.name, p.updated_at, p.id in (select id from dark) as blind,
		       p.deleted_at is null and p.enabled and p.mode in ('shadow', 'enforce')
		           and coalesce(p.valid_from <= @now, true) and coalesce(p.valid_to > @now, true) as evaluated,
		       array(select distinct e.connector_id::text
		               from duty_entitlements(p.duty_ids) d
		               join entitlement e on e.id = d.entitlement_id
		              where e.connector_id is not null
		              order by 1) as connectors
		  from separation_policy p
		 where p.id = any(@ids::text[]::uuid[])`
	list, err := pg.All[policy](ctx, tx, "read policies of a stored query", sql, pgx.NamedArgs{"ids": ids, "now": now})
	of := make(map[string]policy, len(list))
	for _, p := range list {
		of[p.ID] = p
	}
	return of, err
}

// lastScan is the last complete scan for violations.
type lastScan struct {
	At     *time.Time `db:"at"`
	People int        `db:"people"`
}

// readScan reads the last complete scan. Without one its time is nil.
func readScan(ctx context.Context, tx *pg.Tx) (lastScan, error) {
	const sql = `
		select max(s.completed_at) as at, coalesce(max(s.completed_people), 0)::int as people
		  from separation_scan s`
	return pg.One[lastScan](ctx, tx, "read last complete scan", sql)
}

// judgePolicy says why the violations of a policy cannot be counted on.
func judgePolicy(p policy, known bool, scan lastScan, cadence time.Duration, now time.Time) []Problem {
	switch {
	case !known:
		return []Problem{problem("policy_not_evaluated", "The policy does not exist.")}
	case !p.Evaluated:
		return []Problem{problem("policy_not_evaluated", "The policy %q is not evaluated at present.", p.Name)}
	case p.Blind:
		return []Problem{problem("policy_blind", "The policy %q is blind: no person can perform one of its sides.",
			p.Name)}
	case scan.At == nil:
		return []Problem{problem("scan_stale", "No scan for violations was completed.")}
	case scan.At.Before(now.Add(-cadence)):
		return []Problem{problem("scan_stale", "The last complete scan for violations is older than %s.",
			span.Format(cadence))}
	case p.UpdatedAt.After(*scan.At):
		return []Problem{problem("scan_stale", "The policy %q was changed after the last complete scan.", p.Name)}
	}
	return nil
}

// unknownReferences says which managers, roles and entitlements that a condition names do not exist: nobody can meet a
// rule about them, so that it would prove nothing.
func unknownReferences(ctx context.Context, tx *pg.Tx, needs fact.Needs) ([]Problem, error) {
	const sql = `
		select 'manager ' || n.name
		  from unnest(@managers::text[]) n (name)
		 where not exists (select from identity i where i.id::text = n.name or i.external_id = n.name)
		 union all
		select 'role ' || n.name
		  from unnest(@roles::text[]) n (name)
		 where not exists (select from role r where r.id::text = n.name or r.key = n.name)
		 union all
		select 'entitlement ' || n.name
		  from unnest(@entitlements::text[]) n (name)
		 where not exists (select from entitlement e where e.id::text = n.name and e.removed_at is null)
		 order by 1`
	if len(needs.Managers)+len(needs.Roles)+len(needs.Entitlements) == 0 {
		return nil, nil
	}
	names, err := pg.All[string](ctx, tx, "find references of a stored query", sql, pgx.NamedArgs{
		"managers": needs.Managers, "roles": needs.Roles, "entitlements": needs.Entitlements})
	var problems []Problem
	for _, name := range names {
		problems = append(problems, problem("unknown_reference", "The condition names the %s, which does not exist.",
			name))
	}
	return problems, err
}

// readReported returns which systems report a member for any object, by the name of the member.
func readReported(ctx context.Context, tx *pg.Tx, names, connectors []string) (map[string]map[string]bool, error) {
	of := map[string]map[string]bool{}
	for name, sql := range reported {
		if !slices.Contains(names, name) || len(connectors) == 0 {
			continue
		}
		ids, err := pg.All[string](ctx, tx, "find systems that report "+name, sql, pgx.NamedArgs{"ids": connectors})
		if err != nil {
			return nil, fmt.Errorf("read sources of %s: %w", name, err)
		}
		of[name] = map[string]bool{}
		for _, id := range ids {
			of[name][id] = true
		}
	}
	return of, nil
}
