package syncrun

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// maxOwners bounds the owners that a record names, as the API bounds those that a person sets.
const maxOwners = 50

var noOwners = raw("[]")

// owners are a record's references to owners as they are staged. The owners of an entitlement have no order, so that
// another order is no change; of the owners of an account the first that is known counts. What could not be stored is
// left out and told.
func (o *batch) owners(table int, id string, refs []v1.Ref) raw {
	var kept []v1.Ref
	for _, r := range refs {
		switch {
		case r.Value == "" || slices.Contains(kept, r):
		case len(r.Value) > maxKey || !storable(r.Value) || !storable(string(r.Kind)):
			o.tellOwner(
				table,
				id,
				"invalid_owner",
				"an owner is named by a value that is too long, holds the character NUL or is not UTF-8",
			)
		case len(kept) == maxOwners:
			o.tellOwner(
				table,
				id,
				"too_many_owners",
				fmt.Sprintf("the record names more than %d owners; the first %[1]d are used", maxOwners),
			)
			return encodedOwners(table, kept)
		default:
			kept = append(kept, r)
		}
	}
	return encodedOwners(table, kept)
}

func (o *batch) tellOwner(table int, id, code, message string) {
	o.aside = append(
		o.aside,
		setAside{Object: objectNames[table], ExternalID: id, Code: code, Message: message, Field: "owner_refs"},
	)
}

func encodedOwners(table int, refs []v1.Ref) raw {
	if len(refs) == 0 {
		return noOwners
	}
	if table == ofEntitlements {
		slices.SortFunc(refs, func(a, b v1.Ref) int {
			return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Value, b.Value))
		})
	}
	b, err := json.Marshal(refs)
	if err != nil {
		return noOwners // texts alone: it cannot fail
	}
	return b
}

// resolveAccountOwners turns the references to owners of all accounts into links. It is called before correlation,
// since what the source says comes before the rules, and again after it: a reference to an account means the owner that
// correlation may just have found.
func (w *work) resolveAccountOwners(ctx context.Context, tx *pg.Tx) (linked int64, err error) {
	kinds, err := ownedAccounts.kinds(ctx, tx)
	if err != nil || kinds == nil {
		return 0, err
	}
	sql := ownedAccounts.found(kinds) + linkOwners()
	err = w.planned(ctx, tx, func() error {
		args := pgx.NamedArgs{"connector": w.connector, "examples": unresolvedExamples}
		return tx.QueryRow(ctx, sql, args).Scan(&linked, &w.openOwners[0].n, &w.openOwners[0].examples)
	})
	if err != nil {
		return 0, fmt.Errorf("resolve owners of accounts: %w", err)
	}
	return linked, nil
}

// kinds are the kinds of reference that are there, nil where no object has any.
func (o owned) kinds(ctx context.Context, tx *pg.Tx) ([]string, error) {
	const sql = `
		select array_agg(distinct coalesce(n.ref ->> 'kind', ''))
		  from (%s) x
		  left join lateral jsonb_array_elements(x.refs) n (ref) on true`
	var kinds []string
	if err := tx.QueryRow(ctx, fmt.Sprintf(sql, o.objects)).Scan(&kinds); err != nil {
		return nil, fmt.Errorf("kinds of owners: %w", err)
	}
	return kinds, nil
}

// planned lets a statement of a full run do without nested loops: after a first load the statistics still say that the
// tables are empty.
func (w *work) planned(ctx context.Context, tx *pg.Tx, fn func() error) error {
	if w.effective.Incremental {
		return fn()
	}
	var before string
	const off = `select current_setting('enable_nestloop'), set_config('enable_nestloop', 'off', true)`
	if err := tx.QueryRow(ctx, off).Scan(&before, nil); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `select set_config('enable_nestloop', $1, true)`, before)
	return err
}

// toldOwners bounds the entitlements whose change of owners a run notes one by one in the audit log.
const toldOwners = 1000

// ownersChange is an entitlement that got other owners.
type ownersChange struct {
	ID, Name      string
	Before, After []string
}

func (w *work) resolveEntitlementOwners(ctx context.Context, tx *pg.Tx) error {
	kinds, err := ownedEntitlements.kinds(ctx, tx)
	if err != nil || kinds == nil {
		return err
	}
	const display = `select coalesce(nullif(e.display_name, ''), e.name) as display from entitlement e
		where e.tenant_id = current_tenant() and e.id = o.id`
	sql := ownedEntitlements.found(kinds) + giveOwners + fmt.Sprintf(openOwners, display)
	var news []ownersChange
	var changed int64
	err = w.planned(ctx, tx, func() error {
		args := pgx.NamedArgs{"connector": w.connector, "run": w.id, "examples": unresolvedExamples, "told": toldOwners}
		return tx.QueryRow(ctx, sql, args).Scan(&news, &changed, &w.openOwners[1].n, &w.openOwners[1].examples)
	})
	if err != nil {
		return fmt.Errorf("resolve owners of entitlements: %w", err)
	}
	return w.tellOwners(ctx, tx, news)
}

// tellOwners notes in the audit log which entitlements that were there before have other owners now: an owner sees who
// holds an entitlement and decides about it.
func (w *work) tellOwners(ctx context.Context, tx *pg.Tx, news []ownersChange) error {
	entries := make([]audit.Entry, len(news))
	for i, n := range news {
		entries[i] = audit.Entry{
			Action:  "entitlement.updated",
			Subject: audit.Subject{Type: "entitlement", ID: n.ID, Display: n.Name},
			Changes: []audit.Change{{Field: "owner_ids", From: n.Before, To: n.After}},
			Context: map[string]any{"run_id": w.id, "connector_id": w.connector, "owner_source": "target_system"},
		}
	}
	return audit.RecordAll(ctx, tx, entries)
}

// lockOwners lets one run at a time in a tenant resolve owners, so that two do not wait for each other's rows
// crosswise.
func lockOwners(ctx context.Context, tx *pg.Tx) error {
	const lock = `select pg_advisory_xact_lock(hashtextextended('owners ' || current_tenant()::text, 0))`
	if _, err := tx.Exec(ctx, lock); err != nil {
		return fmt.Errorf("wait for another resolution of owners: %w", err)
	}
	return nil
}

// ownerless are the objects of one kind that name an owner who is not known.
type ownerless struct {
	n        int64
	examples []string
}

// warnOfOwners tells of owners who are not known, and counts the records that name them.
func (w *work) warnOfOwners(t *tally) {
	t.Report.Accounts.Unresolved, t.Report.Entitlements.Unresolved = w.openOwners[0].n, w.openOwners[1].n
	n := w.openOwners[0].n + w.openOwners[1].n
	if n == 0 {
		return
	}
	examples := slices.Concat(w.openOwners[1].examples, w.openOwners[0].examples)
	examples = examples[:min(len(examples), unresolvedExamples)]
	w.mu.Lock()
	defer w.mu.Unlock()
	w.warn(v1.Warning{Code: "unresolved_owners", Message: fmt.Sprintf(
		"%d accounts and entitlements name an owner who is not known here, or is not unique, such as %s. Later runs "+
			"look for them again.",
		n,
		strings.Join(examples, "; "),
	)})
}
