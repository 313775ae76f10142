package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// pairAsked is what an explanation is about.
type pairAsked struct {
	grant, account, identity, connector *string
	entitlement                         string
}

// pairOf is what a grant's explanation is about.
func pairOf(g grant.Grant) pairAsked {
	return pairAsked{
		grant:       &g.ID,
		account:     &g.AccountID,
		identity:    g.IdentityID,
		connector:   &g.ConnectorID,
		entitlement: g.EntitlementID,
	}
}

// pairArgs are the named arguments of statements about a pair.
func pairArgs(identity, entitlement string) pgx.NamedArgs {
	return pgx.NamedArgs{"identity": identity, "entitlement": entitlement}
}

// grantOfPair finds the grant of a person that says most about an entitlement: one that is there before one that was.
func grantOfPair(ctx context.Context, tx *pg.Tx, identity, entitlement string) (*grant.Grant, error) {
	found, err := grant.Read(
		ctx,
		tx,
		"a.identity_id = @identity and g.entitlement_id = @entitlement",
		pairArgs(identity, entitlement),
	)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if err := grant.FillStanding(ctx, tx, found, true); err != nil {
		return nil, err
	}
	best := 0
	for i, g := range found {
		if weight(g) > weight(found[best]) {
			best = i
		}
	}
	one := found[best : best+1]
	return &one[0], grant.FillPaths(ctx, tx, one)
}

// weight orders grants of a pair: the one that is held and wanted first.
func weight(g grant.Grant) int {
	switch {
	case g.Observed && g.Desired:
		return 3
	case g.Observed:
		return 2
	case g.Desired:
		return 1
	}
	return 0
}

// desiredOf is what a person should hold of one entitlement.
func desiredOf(ctx context.Context, tx *pg.Tx, identity, entitlement string) ([]ledger.Want, error) {
	all, err := ledger.Desired(ctx, tx, []string{identity})
	if err != nil {
		return nil, err
	}
	var of []ledger.Want
	for _, w := range all {
		if w.EntitlementID != nil && *w.EntitlementID == entitlement {
			of = append(of, w)
		}
	}
	return of, nil
}

// fill reads the remaining facts, and adds them.
func (s *Service) fill(ctx context.Context, tx *pg.Tx, x *AccessExplanation, p pairAsked) error {
	steps := []func(context.Context, *pg.Tx, *AccessExplanation, pairAsked) error{
		s.fillRules,
		fillFirstSeen,
		fillAccounts,
		fillTasks,
		fillWrites,
	}
	for _, step := range steps {
		if err := step(ctx, tx, x, p); err != nil {
			return fmt.Errorf("explain access: %w", err)
		}
	}
	x.ending()
	x.tell()
	return nil
}

// fillRules says whom the rules are for.
func (s *Service) fillRules(ctx context.Context, tx *pg.Tx, x *AccessExplanation, p pairAsked) error {
	var ids []string
	for _, r := range x.Reasons {
		if r.Source.Type == "policy" {
			ids = append(ids, r.Source.ID)
		}
	}
	if len(ids) == 0 || s.Say == nil {
		return nil
	}
	rows, err := tx.Query(
		ctx,
		`select p.id::text, p.subject::text, p.decision_table::text
		   from access_policy p
		  where p.id = any($1::text[]::uuid[])`,
		ids,
	)
	if err != nil {
		return err
	}
	rules, tables := map[string]string{}, map[string][]byte{}
	var id, subject string
	var table *string
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&id, &subject, &table},
		func() error {
			if rules[id] = s.Say([]byte(subject)); table != nil {
				tables[id] = []byte(*table)
			}
			return nil
		},
	); err != nil {
		return err
	}
	for i := range x.Reasons {
		if rule := rules[x.Reasons[i].Source.ID]; rule != "" {
			x.Reasons[i].Rule = &rule
		}
	}
	return s.fillRows(ctx, tx, x, p, tables)
}

// fillRows says which rows of decision tables give the access now. tables are by policy.
func (s *Service) fillRows(
	ctx context.Context,
	tx *pg.Tx,
	x *AccessExplanation,
	p pairAsked,
	tables map[string][]byte,
) error {
	if len(tables) == 0 || p.identity == nil || s.Rows == nil {
		return nil
	}
	return identity.EachFacts(ctx, tx, []string{*p.identity}, func(_ string, facts identity.Facts) error {
		for i, r := range x.Reasons {
			table := tables[r.Source.ID]
			if table == nil || r.Source.Type != "policy" {
				continue
			}
			role := ""
			if r.Role != nil {
				role = r.Role.ID
			}
			if said := s.Rows(table, facts, role, p.entitlement); said != "" {
				x.Reasons[i].Rule = &said
			}
		}
		return nil
	})
}

// fillFirstSeen fills in when and by which sync run the grant was first seen.
func fillFirstSeen(ctx context.Context, tx *pg.Tx, x *AccessExplanation, p pairAsked) error {
	if p.grant == nil {
		return nil
	}
	const sql = `
		select g.first_seen_at, r.id::text, r.trigger, r.requested_by, g.assigned_by
		  from access_grant g
		  left join sync_run r on r.id = g.created_run_id
		 where g.id = $1`
	var f GrantFirstSeen
	if err := tx.QueryRow(ctx, sql, *p.grant).
		Scan(&f.At, &f.RunID, &f.Trigger, &f.RequestedBy, &f.AssignedBy); err != nil {
		return err
	}
	x.FirstSeen = &f
	return nil
}

// fillAccounts fills in the accounts that the explanation is about, as far as the viewer sees them.
// An account of a reason that the viewer does not see is removed from the reason.
func fillAccounts(ctx context.Context, tx *pg.Tx, x *AccessExplanation, p pairAsked) error {
	x.Accounts = []identity.Reference{}
	if p.grant != nil {
		x.Accounts = append(x.Accounts, x.Grant.Account)
		return nil
	}
	sql := `
		select a.id, ` + account.Display + `
		  from ` + listing.Readable(tx.Viewer, "account", "a") + `
		 where a.identity_id = @identity
		   and a.connector_id = @connector
		   and a.status not in ('deleted', 'disconnected')
		 order by a.id`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"identity": p.identity, "connector": p.connector})
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[identity.Reference])
	x.Accounts = append(x.Accounts, found...)
	for i, r := range x.Reasons {
		if r.Account != nil &&
			!slices.ContainsFunc(found, func(a identity.Reference) bool { return a.ID == *r.Account }) {
			x.Reasons[i].Account = nil // an account that the viewer may not see
		}
	}
	return err
}

// fillTasks reads the last changes of the target that concern the pair, and those that make its account.
func fillTasks(ctx context.Context, tx *pg.Tx, x *AccessExplanation, p pairAsked) error {
	const sql = `
		select t.id, t.operation, t.state, t.mode, t.outcome, t.error_class, t.error, t.advice, t.attempts,
		       case when t.state in ('queued', 'retrying') then t.next_attempt_at end as next_attempt_at, t.verified,
		           t.created_at, t.finished_at
		  from provisioning_task t
		 where t.connector_id = @connector
		   and (t.identity_id = @identity or t.grant_id = @grant)
		   and (t.entitlement_id = @entitlement or t.grant_id = @grant
		        or t.operation = 'create_account' and t.state not in ('done', 'cancelled', 'simulated'))
		 order by t.created_at desc, t.id desc
		 limit 10`
	rows, err := tx.Query(
		ctx,
		sql,
		pgx.NamedArgs{"connector": p.connector, "identity": p.identity, "grant": p.grant, "entitlement": p.entitlement},
	)
	if err != nil {
		return err
	}
	x.Provisioning.Tasks, err = pgx.CollectRows(rows, pgx.RowToStructByName[ExplainedTask])
	for i := range x.Provisioning.Tasks {
		x.Provisioning.Tasks[i].Sentence = x.Provisioning.Tasks[i].sentence()
		if !tx.Viewer.SeesAll() {
			x.Provisioning.Tasks[i].Error = nil // what a target answered in detail is for those who run it
		}
	}
	return err
}

// fillWrites says whether anything is written to the system, and if not, why.
func fillWrites(ctx context.Context, tx *pg.Tx, x *AccessExplanation, p pairAsked) error {
	const sql = `
		select array_remove(array[
		           case when not w.writes then concat_ws(': ', 'writing is switched off for all systems',
		           nullif(w.reason, '')) end, case
		               when c.deleted_at is not null then 'the system is no longer connected'
		                when c.status in ('draft', 'paused', 'disabled', 'quarantined')
		                then concat_ws(': ', 'the system is ' || case c.status when 'draft' then 'still being set up'
		           else c.status end, nullif(c.status_reason, '')) end,
		               case when c.purpose = 'source' and p.write_mode is null then 'the system is only read'
		                when p.write_mode = 'off' then 'writing to the system is switched off'
		                when p.write_mode = 'simulate' then 'changes of the system are only played through'
		                when p.write_mode = 'manual' then 'changes of the system are made by hand' end,
		           case when p.breaker_open_since is not null
		                then concat_ws(': ', 'the circuit breaker has stopped writes',
		                    nullif(p.breaker_reason, '')) end], null)
		  from (select @connector::uuid as id) asked
		  left join connector c on c.id = asked.id
		  left join connector_provisioning p on p.connector_id = asked.id
		  left join provisioning_switch w on true`
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"connector": p.connector}).Scan(&x.Provisioning.Because); err != nil {
		return err
	}
	if x.Provisioning.Because == nil {
		x.Provisioning.Because = []string{}
	}
	x.Provisioning.Writes = len(x.Provisioning.Because) == 0
	return nil
}
