package matching

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/field"
)

// Scope says which accounts are looked at, and by which rules.
type Scope struct {
	AccountsOf string    // only accounts of this connector; empty: of all
	linkedOf   string    // of the linked ones only those of this connector; empty: of all
	changedBy  string    // and of these only those that this run changed; empty: all
	Account    string    // this one only; empty: all
	Settings   *Settings // instead of those that accountsOf has
}

// share is a plan and the connectors that have it.
type share struct {
	*Plan
	connectors []string
	others     bool // all connectors but these
}

// shares are the plans of a scope: one for each different settings, the defaults last.
func shares(ctx context.Context, tx *pg.Tx, sc Scope) ([]share, error) {
	if sc.Settings != nil {
		p, err := Compile(*sc.Settings)
		return []share{{Plan: p, connectors: []string{sc.AccountsOf}}}, err
	}
	rows, err := tx.Query(ctx, `select c.id, c.correlation from connector c where c.correlation <> '{}' order by c.id`)
	if err != nil {
		return nil, fmt.Errorf("read correlation settings: %w", err)
	}
	type own struct {
		ID          string
		Correlation NewCorrelation
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[own])
	if err != nil {
		return nil, fmt.Errorf("read correlation settings: %w", err)
	}
	rest := share{others: true, connectors: []string{}}
	var list []share
	at := map[int64]int{}
	for _, o := range all {
		p, err := Compile(o.Correlation.Settings())
		if err != nil {
			return nil, fmt.Errorf("correlation settings of connector %s: %w", o.ID, err)
		}
		rest.connectors = append(rest.connectors, o.ID)
		i, known := at[p.rulesDigest]
		if !known {
			i = len(list)
			at[p.rulesDigest] = i
			list = append(list, share{Plan: p})
		}
		list[i].connectors = append(list[i].connectors, o.ID)
	}
	rest.Plan, err = Compile(Default())
	return append(list, rest), err
}

// batch is how many accounts are looked at together, which bounds memory whatever a tenant's size.
const batch = 50_000

// Args collects the arguments of a statement while its text is written.
type Args []any

// Add adds an argument, and gives its place in the statement: $1, $2, ….
func (a *Args) Add(v any) string {
	*a = append(*a, v)
	return "$" + strconv.Itoa(len(*a))
}

// subjects reads the next accounts of a share, in the order of their ids: those without an owner that no user
// has decided about, those whose owner is archived, and those that rules have linked when rules or keys have changed
// since. What the source itself says is not looked at again: a merge follows it.
func (sh share) subjects(ctx context.Context, tx *pg.Tx, sc Scope, after ID) ([]subject, error) {
	var args Args
	fields := field.Columns(sh.account, "a", (*[]any)(&args))
	digest := `hashtextextended(row(` + strings.Join(
		append(fields[:len(fields):len(fields)], privileged),
		", ",
	) + `)::text, 0)`
	same := `coalesce(a.correlation_rules, ` + args.Add(defaultDigest) + `) = ` + args.Add(sh.rulesDigest)
	sql := `
		select a.id, a.connector_id, a.version, a.correlation_state, a.identity_id, gone.id is not null, ` +
		privileged + `,
		       a.correlation_rejected, src.identity_id, case
		           when a.identity_id is null then a.correlation - 'decided_at' end,
		       ` + strings.Join(append([]string{digest, same}, fields...), ", ") + `
		  from account a
		  left join identity gone
		    on gone.tenant_id = a.tenant_id
		   and gone.id = a.identity_id
		   and gone.status = 'archived'
		  left join identity_source src
		    on src.tenant_id = a.tenant_id
		   and src.connector_id = a.connector_id
		   and src.external_id = a.identity_external_id
		 where a.tenant_id = current_tenant()
		   and a.id > ` + args.Add(pgtype.UUID{Bytes: after, Valid: true}) + sh.within(sc, &args) + `
		   and (a.identity_id is null and a.correlation_state in ('uncorrelated', 'disputed')
		     or gone.id is not null and a.correlation_state in ('linked', 'manual')
		     or a.correlation_state = 'linked'` + linkedWithin(sc, &args) + `
		        and coalesce(a.correlation -> 'rule_ids' ->> 0, '') not in ('` + sameRecord + `', '` + SourceOwner + `')
		        and (a.correlation_keys is distinct from ` + digest + ` or not (` + same + `)))
		 order by a.id
		 limit ` + strconv.Itoa(batch)
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("accounts to correlate: %w", err)
	}
	list, err := collectSubjects(rows, sh.account)
	if err != nil {
		return nil, fmt.Errorf("accounts to correlate: %w", err)
	}
	return list, nil
}

var defaultDigest = Default().digest()

// privileged accounts are those that the target says are, and those that are of a type that is.
const privileged = `(coalesce(a.privileged, false) or a.account_type in ('privileged', 'break_glass'))`

// within bounds the accounts: what a target no longer has is not looked at.
func (sh share) within(sc Scope, args *Args) string {
	which := `= any`
	if sh.others {
		which = `<> all`
	}
	sql := ` and a.status not in ('deleted', 'disconnected') and a.connector_id ` + which + `(` + args.Add(
		sh.connectors,
	) + `)`
	if sc.AccountsOf != "" {
		sql += ` and a.connector_id = ` + args.Add(sc.AccountsOf)
	}
	if sc.Account != "" {
		sql += ` and a.id = ` + args.Add(sc.Account)
	}
	return sql
}

func linkedWithin(sc Scope, args *Args) string {
	if sc.linkedOf == "" {
		return ""
	}
	sql := ` and a.connector_id = ` + args.Add(sc.linkedOf)
	if sc.changedBy != "" {
		sql += ` and a.changed_run_id = ` + args.Add(sc.changedBy)
	}
	return sql
}

func collectSubjects(rows pgx.Rows, fields []field.Field) (list []subject, err error) {
	defer rows.Close()
	var owner, said pgtype.UUID
	var gone bool
	cells, targets := newCells(fields)
	for rows.Next() {
		var s subject
		into := []any{
			&s.ID,
			&s.connector,
			&s.version,
			&s.state,
			&owner,
			&gone,
			&s.privileged,
			&s.rejected,
			&said,
			&s.stored,
			&s.keys,
			&s.sameRules,
		}
		if err := rows.Scan(append(into, targets...)...); err != nil {
			return nil, err
		}
		s.said = pointer(said)
		if gone {
			s.Gone = pointer(owner)
		} else {
			s.Owner = pointer(owner)
		}
		s.values = takeAll(cells)
		list = append(list, s)
	}
	return list, rows.Err()
}

func pointer(u pgtype.UUID) *ID {
	if !u.Valid {
		return nil
	}
	return &u.Bytes
}

func newCells(fields []field.Field) (cells []field.Cell, targets []any) {
	cells = make([]field.Cell, len(fields))
	for i := range cells {
		cells[i].F = fields[i]
		targets = append(targets, cells[i].Target())
	}
	return cells, targets
}

func takeAll(cells []field.Cell) []field.Values {
	v := make([]field.Values, len(cells))
	for i := range cells {
		v[i] = cells[i].Take()
	}
	return v
}

// people streams everybody who can own accounts, with what the plan compares.
func (p *Plan) people(ctx context.Context, tx *pg.Tx, visit func(ID, []field.Values)) error {
	var args Args
	list := append([]string{"i.id"}, field.Columns(p.person, "i", (*[]any)(&args))...)
	sql := `select ` + strings.Join(
		list,
		", ",
	) + ` from identity i where i.tenant_id = current_tenant() and i.status <> 'archived'`
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("people to correlate with: %w", err)
	}
	defer rows.Close()
	cells, targets := newCells(p.person)
	var who ID
	targets = append([]any{&who}, targets...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return fmt.Errorf("people to correlate with: %w", err)
		}
		visit(who, takeAll(cells))
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("people to correlate with: %w", err)
	}
	return nil
}
