package drift

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
)

// Order is a change of an account that is to be made.
type Order struct {
	Operation   string // update_account, rename_account
	AccountID   string
	Account     v1.ProvisionAccount
	CreatedFrom string // lifecycle, drift, manual
	Note        string
}

// account is one that is compared.
type account struct {
	ID          string          `db:"id"`
	ConnectorID string          `db:"connector_id"`
	IdentityID  string          `db:"identity_id"`
	Username    string          `db:"username"`
	Native      string          `db:"native_identity"`
	Members     map[string]any  `db:"members"`
	Attributes  map[string]any  `db:"attributes"`
	Stale       bool            `db:"stale"`
	Before      state           `db:"-"`
	Kept        json.RawMessage `db:"kept"`
	Made        map[string]any  `db:"made"` // what the account was made with

	why     []string
	lowered map[string]any // Attributes by their names in lower case
}

// accounts reads those that can be compared: managed, somebody's, and there.
func accounts(ctx context.Context, tx *pg.Tx, ids []string) ([]*account, error) {
	const sql = `
		select a.id::text, a.connector_id::text, a.identity_id::text, coalesce(a.username, '') as username, coalesce(a.native_identity, '') as native_identity,
		       jsonb_build_object('email', a.email, 'display_name', a.display_name, 'first_name', a.first_name, 'last_name', a.last_name,
		           'employee_number', a.employee_number) as members,
		       a.attributes, a.row_hash = '\x' as stale,
		       case when s.account_id is not null then jsonb_build_object('desired', s.desired, 'drift', s.drift, 'accepted', s.accepted, 'pushed', s.pushed) end as kept,
		       case when s.account_id is null then (
		           select t.payload -> 'account'
		             from provisioning_task t
		            where t.tenant_id = a.tenant_id
		              and t.account_id = a.id
		              and t.operation = 'create_account'
		              and t.state in ('done', 'verifying')
		            order by t.created_at desc
		            limit 1) end as made
		  from unnest($1::text[]::uuid[]) x (id)
		  join account a
		    on a.tenant_id = current_tenant()
		   and a.id = x.id
		  left join account_shape s
		    on s.tenant_id = a.tenant_id
		   and s.account_id = a.id
		 where a.managed = 'managed'
		   and a.account_type in ('person', 'unknown')
		   and a.identity_id is not null
		   and a.status in ('active', 'disabled', 'locked')
		 order by a.connector_id, a.id`
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return nil, fmt.Errorf("read accounts to compare: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[account])
	if err != nil {
		return nil, fmt.Errorf("read accounts to compare: %w", err)
	}
	for _, a := range found {
		if len(a.Kept) > 0 {
			if err := json.Unmarshal(a.Kept, &a.Before); err != nil {
				return nil, fmt.Errorf("read what is kept of account %s: %w", a.ID, err)
			}
		}
		a.lowered = make(map[string]any, len(a.Attributes))
		for name, v := range a.Attributes {
			a.lowered[strings.ToLower(name)] = v
		}
	}
	return found, nil
}

// forget drops what is kept of accounts that are not compared any more.
func forget(ctx context.Context, tx *pg.Tx, ids []string, kept []*account) error {
	for _, a := range kept {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == a.ID })
	}
	if len(ids) == 0 {
		return nil
	}
	const sql = `delete from account_shape s using unnest($1::text[]::uuid[]) x (id) where s.tenant_id = current_tenant() and s.account_id = x.id`
	if _, err := tx.Exec(ctx, sql, ids); err != nil {
		return fmt.Errorf("forget accounts: %w", err)
	}
	return nil
}

// look is one look at some accounts.
type look struct {
	s       *Service
	tx      *pg.Tx
	configs map[string]shape.Config
	facts   map[string]directory.Facts
	shown   map[string]map[string]bool // by connector: what its accounts show, in lower case
	room    map[string]int             // by connector: how much its rule may still write
	names   map[string]*shape.Names

	resolve  map[string]string
	resolver AcceptedDrift

	after  []kept
	orders []placing
	again  []string // accounts that have to be looked at later
}

type kept struct {
	AccountID   string          `json:"account_id"`
	ConnectorID string          `json:"connector_id"`
	State       state           `json:"-"`
	Desired     json.RawMessage `json:"desired"`
	Drift       json.RawMessage `json:"drift"`
	Accepted    json.RawMessage `json:"accepted"`
	Pushed      json.RawMessage `json:"pushed"`
	Problems    json.RawMessage `json:"problems"`
}

// placing is an order with what it is made of.
type placing struct {
	Order
	kept   int // of look.after
	before state
	pushes []push
	auto   bool // of a rule: that it cannot be placed is no fault of anybody's
}

// Look compares accounts. why tells by account what has changed. It gives the tasks that it has placed.
func (s *Service) look(ctx context.Context, tx *pg.Tx, why map[string][]string, resolve map[string]string, resolver AcceptedDrift) ([]string, error) {
	ids := make([]string, 0, len(why))
	for id := range why {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	all, err := accounts(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	if err := forget(ctx, tx, slices.Clone(ids), all); err != nil {
		return nil, err
	}
	l := &look{s: s, tx: tx, names: map[string]*shape.Names{}, room: map[string]int{}, resolve: resolve, resolver: resolver}
	if err := l.gather(ctx, all); err != nil {
		return nil, err
	}
	for _, a := range all {
		a.why = why[a.ID]
		if err := l.one(ctx, a); err != nil {
			return nil, err
		}
	}
	tasks, err := l.place(ctx)
	if err != nil {
		return nil, err
	}
	return tasks, l.store(ctx)
}

// gather reads what the comparison depends on, in a few questions for all accounts.
func (l *look) gather(ctx context.Context, all []*account) (err error) {
	connectors, people := map[string]bool{}, map[string]bool{}
	for _, a := range all {
		connectors[a.ConnectorID], people[a.IdentityID] = true, true
	}
	if l.configs, err = shape.Load(ctx, l.tx, keys(connectors)); err != nil {
		return err
	}
	l.facts = make(map[string]directory.Facts, len(people))
	err = directory.EachFacts(ctx, l.tx, keys(people), func(id string, f directory.Facts) error {
		l.facts[id] = f
		return nil
	})
	if err != nil {
		return err
	}
	if l.shown, err = shown(ctx, l.tx, keys(connectors)); err != nil {
		return err
	}
	for id, c := range l.configs {
		if c.Drift.Direction != shape.DriftPush || c.BreakerOpenSince != nil {
			continue
		}
		if l.room[id], err = room(ctx, l.tx, c); err != nil {
			return err
		}
	}
	return l.reserve(ctx, all)
}

func keys(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// shown tells which attributes and members a few hundred accounts of each connector have between them. What none of them has, the
// target does not show at all, and cannot be compared.
func shown(ctx context.Context, tx *pg.Tx, connectors []string) (map[string]map[string]bool, error) {
	const sql = `
		select c.id::text, lower(k.name)
		  from unnest($1::text[]::uuid[]) c (id)
		 cross join lateral (
		       select a.attributes || jsonb_strip_nulls(jsonb_build_object('email', a.email, 'display_name', a.display_name, 'first_name', a.first_name,
		                  'last_name', a.last_name, 'employee_number', a.employee_number)) as shows
		         from account a
		        where a.tenant_id = current_tenant()
		          and a.connector_id = c.id
		          and a.row_hash <> '\x'
		        order by a.external_id desc
		        limit 300) sample
		 cross join lateral jsonb_object_keys(sample.shows) k (name)
		 group by 1, 2`
	rows, err := tx.Query(ctx, sql, connectors)
	if err != nil {
		return nil, fmt.Errorf("read what targets show: %w", err)
	}
	out := map[string]map[string]bool{}
	var id, name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		if out[id] == nil {
			out[id] = map[string]bool{}
		}
		out[id][name] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what targets show: %w", err)
	}
	return out, nil
}

// room is how many changes the rule of drift may still order within the breaker's window.
func room(ctx context.Context, tx *pg.Tx, c shape.Config) (int, error) {
	const sql = `
		select count(*)
		  from provisioning_task
		 where tenant_id = current_tenant()
		   and connector_id = $1
		   and created_from = 'drift'
		   and created_at > now() - make_interval(secs => $2)`
	n := 0
	if err := tx.QueryRow(ctx, sql, c.ConnectorID, c.Breaker.Length().Seconds()).Scan(&n); err != nil {
		return 0, fmt.Errorf("count changes because of drift: %w", err)
	}
	return max(0, c.Breaker.MaxChanges-n), nil
}

// reserve looks up names for those whose account may get another.
func (l *look) reserve(ctx context.Context, all []*account) error {
	for id, c := range l.configs {
		if !c.Moves() {
			continue
		}
		var people []directory.Facts
		for _, a := range all {
			if a.ConnectorID == id && l.facts[a.IdentityID] != nil {
				people = append(people, l.facts[a.IdentityID])
			}
		}
		names, err := shape.NamesFor(ctx, l.tx, c, people)
		if err != nil {
			return err
		}
		l.names[id] = names
	}
	return nil
}

func (l *look) one(ctx context.Context, a *account) error {
	c, known := l.configs[a.ConnectorID]
	facts := l.facts[a.IdentityID]
	if !known || facts == nil {
		return nil
	}
	owned, err := c.Owned(facts, a.Username)
	if err != nil { // a template that was stored by another version: nothing can be said
		l.s.Log.WarnContext(ctx, "cannot compare an account with its template", "account", a.ID, "err", err)
		return nil
	}
	q := question{
		before: a.baseline(owned), owned: owned, rule: c.Drift, resolve: l.resolve, resolver: l.resolver, now: l.s.Now().UTC(),
		moved:   !slices.Contains(a.why, whyAdopted) && (slices.Contains(a.why, whyPerson) || slices.Contains(a.why, whyMade)),
		observe: func(target string) (any, bool) { return a.observe(target, c, l.shown[a.ConnectorID]) },
	}
	after, pushes := compare(q)
	l.after = append(l.after, kept{AccountID: a.ID, ConnectorID: a.ConnectorID, State: after})
	l.write(c, a, q.before, pushes)
	if l.names[a.ConnectorID] != nil && q.moved {
		return l.move(ctx, c, a, facts)
	}
	return nil
}

// baseline is what is kept of the account. Of one that we have just made it is what we made it with.
func (a *account) baseline(owned []shape.Owned) state {
	if len(a.Kept) > 0 || a.Made == nil {
		return a.Before
	}
	attributes, _ := a.Made["attributes"].(map[string]any)
	before := state{Desired: map[string]any{}}
	for _, o := range owned {
		v, member := a.Made[o.Target]
		if !member {
			v = attributes[o.Target]
		}
		before.Desired[o.Target] = v
	}
	return before
}

// observe is what the target has. It is not known where the target does not show it at all, and not before it is read again where
// we have written since.
func (a *account) observe(target string, c shape.Config, shown map[string]bool) (any, bool) {
	name := strings.ToLower(target)
	if v, member := a.Members[name]; member {
		return v, v != nil || shown[name]
	}
	if a.Stale {
		return nil, false
	}
	v, there := a.lowered[name]
	return v, there || shown[name] || c.Type == catalog.LDAP
}

// write makes orders of what is to be written.
func (l *look) write(c shape.Config, a *account, before state, pushes []push) {
	rule := slices.DeleteFunc(slices.Clone(pushes), func(p push) bool { return !p.byRule })
	pushes = slices.DeleteFunc(pushes, func(p push) bool { return p.byRule })
	origin, note := "lifecycle", "the person has changed"
	if l.resolve != nil {
		origin, note = "manual", "somebody has decided about drift"
	}
	if len(rule) > 0 && l.resolve == nil && l.room[c.ConnectorID] > 0 {
		if len(pushes) == 0 {
			origin, note = "drift", "the target has something else, and the connector's rule is to write it again"
			l.room[c.ConnectorID]--
		}
		pushes = append(pushes, rule...)
	}
	if len(pushes) == 0 {
		return
	}
	out := shape.Written(pushesOf(pushes))
	l.orders = append(l.orders, placing{Order: Order{Operation: "update_account", AccountID: a.ID, Account: out, CreatedFrom: origin, Note: note},
		kept: len(l.after) - 1, before: before, pushes: pushes, auto: l.resolve == nil})
}

func pushesOf(pushes []push) []shape.Owned {
	out := make([]shape.Owned, len(pushes))
	for i, p := range pushes {
		out[i] = p.Owned
	}
	return out
}

// move orders another name, or place, where the template always says it.
func (l *look) move(ctx context.Context, c shape.Config, a *account, f directory.Facts) error {
	names := l.names[a.ConnectorID]
	username, container, err := c.Moved(f, a.Username, names.Taken)
	var cannot *shape.Unmakable
	switch {
	case errors.As(err, &cannot):
		l.after[len(l.after)-1].State.Problems = append(l.after[len(l.after)-1].State.Problems, cannot.Problems...)
		return names.Err()
	case err != nil:
		return err
	}
	if err := names.Err(); err != nil {
		return err
	}
	if container != nil && strings.EqualFold(shape.Parent(a.Native), *container) {
		container = nil
	}
	if username == nil && container == nil {
		return nil
	}
	if username != nil {
		names.Take(*username)
	}
	l.orders = append(l.orders, placing{Order: Order{Operation: "rename_account", AccountID: a.ID, Account: v1.ProvisionAccount{Username: username, Container: container},
		CreatedFrom: "lifecycle", Note: "the person has changed"}, kept: len(l.after) - 1, auto: true})
	return nil
}

// place hands the orders in. One that cannot be placed by rule leaves what it is about as drift; where a change of the account is
// open already, it is looked at again when that has ended.
func (l *look) place(ctx context.Context) ([]string, error) {
	var tasks []string
	for _, o := range l.orders {
		id, err := l.s.Place(ctx, l.tx, o.Order)
		if err == nil {
			tasks = append(tasks, id)
			l.placed(o, id)
			continue
		}
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind == fault.Internal || f.Kind == fault.Unavailable || !o.auto {
			return nil, err
		}
		if f.Code == "task_open" && l.configs[l.after[o.kept].ConnectorID].WriteMode != shape.WriteSimulate {
			l.undo(o)
			l.again = append(l.again, l.after[o.kept].AccountID)
		}
	}
	return tasks, nil
}

func (l *look) placed(o placing, task string) {
	after := &l.after[o.kept].State
	for _, p := range o.pushes {
		after.Pushed[p.Target] = pushed{Desired: p.Value, Observed: p.observed, TaskID: task}
		for i := range after.Drift {
			if after.Drift[i].Field == p.Target {
				after.Drift[i].TaskID = &task
			}
		}
	}
}

// undo forgets that the template has changed, so that the next look finds it again.
func (l *look) undo(o placing) {
	after := &l.after[o.kept].State
	for _, p := range o.pushes {
		if was, known := o.before.Desired[p.Target]; known {
			after.Desired[p.Target] = was
		}
	}
}

// patience is after which time an account is looked at again that a change is open of.
const patience = time.Minute

func (l *look) store(ctx context.Context) error {
	for i := range l.after {
		k := &l.after[i]
		for _, part := range []struct {
			to   *json.RawMessage
			from any
		}{{&k.Desired, k.State.Desired}, {&k.Drift, k.State.Drift}, {&k.Accepted, k.State.Accepted}, {&k.Pushed, k.State.Pushed}, {&k.Problems, k.State.Problems}} {
			b, err := json.Marshal(part.from)
			if err != nil {
				return fmt.Errorf("keep what was compared: %w", err)
			}
			*part.to = b
		}
	}
	text, err := json.Marshal(l.after)
	if err != nil {
		return fmt.Errorf("keep what was compared: %w", err)
	}
	const sql = `
		insert into account_shape (tenant_id, account_id, connector_id, desired, drift, accepted, pushed, problems)
		select current_tenant(), r.account_id, r.connector_id, r.desired, r.drift, r.accepted, r.pushed, r.problems
		  from jsonb_to_recordset($1::jsonb) r (account_id uuid, connector_id uuid, desired jsonb, drift jsonb, accepted jsonb, pushed jsonb, problems jsonb)
		    on conflict (tenant_id, account_id) do update
		   set connector_id = excluded.connector_id, desired = excluded.desired, drift = excluded.drift, accepted = excluded.accepted, pushed = excluded.pushed,
		       problems = excluded.problems, looked_at = now()`
	if len(l.after) > 0 {
		if _, err := l.tx.Exec(ctx, sql, string(text)); err != nil {
			return fmt.Errorf("keep what was compared: %w", err)
		}
	}
	const later = `
		insert into shape_turn (tenant_id, account_id, why, not_before)
		select current_tenant(), a::uuid, 'person', now() + make_interval(secs => $2)
		  from unnest($1::text[]) a`
	if len(l.again) > 0 {
		if _, err := l.tx.Exec(ctx, later, l.again, patience.Seconds()); err != nil {
			return fmt.Errorf("put accounts off: %w", err)
		}
	}
	return nil
}
