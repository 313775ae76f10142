package policy_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// world is a tenant as a naive reader of its rules sees it: whatever happens is noted here by its own means, and what
// people should hold is reckoned one by one.
type world struct {
	*house
	rnd      *rand.Rand
	people   []*human
	policies []*ruled  // beside the service of the house
	roles    [2]string // that policies give
	inside   [2][]string
	badge    string // a role that people are given by hand, which rules ask for
	holds    map[string]string
}

type human struct {
	id, department, status string
	manager                *human
	badge                  bool
}

type ruled struct {
	id              string
	fields          accesspolicy.Fields
	matches         func(*human) bool
	deleted, graces bool
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{house: open(t), rnd: rand.New(rand.NewPCG(seed, 1)), holds: map[string]string{}}
	for i := range w.roles {
		w.inside[i] = []string{w.groups[i], w.groups[i+1]}
		w.roles[i] = w.role(fmt.Sprintf("role-%d", i), w.inside[i]...)
	}
	w.badge = w.role("badge", w.groups[5])
	for range 12 {
		w.hire()
	}
	return w
}

func (w *world) role(key string, entitlements ...string) (id string) {
	w.as(func(ctx context.Context, tx *pg.Tx) error {
		made, err := role.Create(
			ctx,
			tx,
			role.New{Key: key, RoleFields: role.RoleFields{Name: key, EntitlementIDs: entitlements}},
		)
		id = made.ID
		return err
	})
	return id
}

func (w *world) as(fn func(ctx context.Context, tx *pg.Tx) error) {
	w.T.Helper()
	ctx := context.Background()
	if err := w.DB.As(ctx, w.Tenant, func(tx *pg.Tx) error { return fn(ctx, tx) }); err != nil {
		w.T.Fatal(err)
	}
}

func (w *world) hire() {
	p := &human{id: uuid.Must(uuid.NewV7()).String(), department: w.department(), status: "active"}
	w.Exec(
		`insert into identity (tenant_id, id, external_id, display_name, department) values (current_tenant(), $1,
			$1::uuid::text, 'x', $2)`,
		p.id,
		p.department,
	)
	w.people = append(w.people, p)
}

func (w *world) department() string { return []string{"Alpha", "Beta", "Gamma"}[w.rnd.IntN(3)] }

func (w *world) someone() *human { return w.people[w.rnd.IntN(len(w.people))] }

// above says whether the manager is among those above somebody, however they go in circles.
func above(p, manager *human) bool {
	seen := map[*human]bool{}
	for m := p.manager; m != nil && !seen[m]; m = m.manager {
		if m == manager && m != p {
			return true
		}
		seen[m] = true
	}
	return false
}

// subject draws a condition with what it means.
func (w *world) subject() (accesspolicy.Subject, func(*human) bool) {
	rule := func(m map[string]any) accesspolicy.Subject {
		return accesspolicy.Subject{"match": "all", "rules": []any{m}}
	}
	d, boss := w.department(), w.someone()
	switch w.rnd.IntN(5) {
	case 0:
		return rule(
			map[string]any{"field": "department", "op": "eq", "value": strings.ToUpper(d)},
		), func(p *human) bool { return p.department == d }
	case 1:
		return rule(
			map[string]any{"field": "department", "op": "ne", "value": d},
		), func(p *human) bool { return p.department != d }
	case 2:
		return rule(
			map[string]any{"field": "manager", "op": "in_tree", "value": boss.id},
		), func(p *human) bool { return above(p, boss) }
	case 3:
		return rule(map[string]any{"op": "has_role", "value": "badge"}), func(p *human) bool { return p.badge }
	}
	return accesspolicy.Subject{"expression": "identity['department'] == '" + d + "' and identity['manager'] is None"},
		func(p *human) bool { return p.department == d && p.manager == nil }
}

func (w *world) fields() (accesspolicy.Fields, func(*human) bool) {
	f := accesspolicy.Fields{
		Name:    "p",
		Enabled: w.rnd.IntN(5) > 0,
		Mode:    []string{accesspolicy.Enforce, accesspolicy.Enforce, accesspolicy.Shadow}[w.rnd.IntN(3)],
		Effect:  accesspolicy.Assign,
	}
	if w.rnd.IntN(4) == 0 {
		f.Effect = accesspolicy.Deny
	} else {
		f.Birthright = w.rnd.IntN(2) == 0
	}
	f.Resources.EntitlementIDs = []string{w.groups[2+w.rnd.IntN(3)]}
	if w.rnd.IntN(2) == 0 {
		f.Resources.RoleIDs = []string{w.roles[w.rnd.IntN(2)]}
	}
	if w.rnd.IntN(3) == 0 {
		f.Resources.ConnectorIDs = []string{w.system}
	}
	f.Lifecycle.OnNoMatch = accesspolicy.EndNow
	if w.rnd.IntN(3) == 0 {
		grace := "P5D"
		f.Lifecycle.OnNoMatch, f.Lifecycle.Grace = accesspolicy.Grace, &grace
	}
	if w.rnd.IntN(3) == 0 {
		f.Lifecycle.When = []string{"active"}
	}
	var matches func(*human) bool
	f.Subject, matches = w.subject()
	return f, matches
}

func (w *world) put(r *ruled) {
	fields, matches := w.fields()
	r.fields, r.matches = fields, matches
	r.graces = fields.Lifecycle.OnNoMatch == accesspolicy.Grace && fields.Effect == accesspolicy.Assign
	w.as(func(ctx context.Context, tx *pg.Tx) error {
		if r.id == "" {
			made, err := accesspolicy.Create(ctx, tx, accesspolicy.New{Fields: fields})
			r.id = made.ID
			return err
		}
		_, err := accesspolicy.Update(ctx, tx, r.id, fields)
		return err
	})
}

// happen lets something happen.
func (w *world) happen() {
	p := w.someone()
	switch w.rnd.IntN(11) {
	case 0:
		w.hire()
	case 1, 2:
		p.department = w.department()
		w.Exec(`update identity set department = $2 where id = $1`, p.id, p.department)
	case 3, 4:
		p.manager = w.someone()
		if w.rnd.IntN(4) == 0 {
			p.manager = nil
		}
		var id *string
		if p.manager != nil {
			id = &p.manager.id
		}
		w.Exec(`update identity set manager_id = $2 where id = $1`, p.id, id)
	case 5:
		p.status = []string{"active", "active", "on_leave", "notice", "deactivated", "archived"}[w.rnd.IntN(6)]
		w.Exec(`update identity set status = $2 where id = $1`, p.id, p.status)
		if p.status == "deactivated" || p.status == "archived" {
			p.badge = false
		}
	case 6:
		w.givesBadge(p)
	case 7, 8:
		r := &ruled{}
		if len(w.policies) > 6 || len(w.policies) > 0 && w.rnd.IntN(2) == 0 {
			r = w.policies[w.rnd.IntN(len(w.policies))]
		} else {
			w.policies = append(w.policies, r)
		}
		if !r.deleted {
			w.put(r)
		}
	case 9:
		if len(w.policies) > 0 && w.rnd.IntN(3) == 0 {
			r := w.policies[w.rnd.IntN(len(w.policies))]
			if !r.deleted {
				r.deleted = true
				w.as(func(ctx context.Context, tx *pg.Tx) error { return accesspolicy.Retire(ctx, tx, r.id) })
			}
		}
	case 10:
		i := w.rnd.IntN(2)
		w.inside[i] = []string{w.groups[w.rnd.IntN(3)], w.groups[3+w.rnd.IntN(2)]}
		w.as(func(ctx context.Context, tx *pg.Tx) error {
			_, err := role.Update(ctx, tx, w.roles[i], role.RoleFields{Name: "role", EntitlementIDs: w.inside[i]})
			return err
		})
	}
}

func (w *world) givesBadge(p *human) {
	if p.status == "deactivated" || p.status == "archived" {
		return
	}
	p.badge = !p.badge
	w.as(func(ctx context.Context, tx *pg.Tx) error {
		if !p.badge {
			_, err := ledger.End(
				ctx,
				tx,
				ledger.Which{IdentityIDs: []string{p.id}, Kind: ledger.Manual},
				time.Time{},
				"enough",
				false,
			)
			return err
		}
		_, err := ledger.Add(
			ctx,
			tx,
			[]ledger.Reason{{IdentityID: p.id, ConnectorID: w.system, EntitlementID: &w.groups[5], RoleID: &w.badge,
				Kind: ledger.Manual, SourceType: "user", SourceID: uuid.NewString()}},
		)
		return err
	})
}

// reckon says what lives once everything has been evaluated: "live", or "ending" after a rule's grace.
func (w *world) reckon() map[string]string {
	next := map[string]string{}
	for _, p := range w.people {
		if p.status == "deactivated" || p.status == "archived" {
			continue
		}
		for _, r := range w.policies {
			if r.deleted {
				continue
			}
			when := len(r.fields.Lifecycle.When) == 0 || slices.Contains(r.fields.Lifecycle.When, p.status)
			if r.fields.Enabled && r.fields.Mode == accesspolicy.Enforce && when && r.matches(p) {
				for _, k := range w.gives(r) {
					next[p.id+" "+r.id+" "+k] = "live"
				}
			}
		}
	}
	graces := map[string]bool{}
	for _, r := range w.policies {
		graces[r.id] = r.graces && !r.deleted
	}
	gone := map[string]bool{}
	for _, p := range w.people {
		gone[p.id] = p.status == "deactivated" || p.status == "archived"
	}
	for k := range w.holds {
		id, rest, _ := strings.Cut(k, " ")
		of, _, _ := strings.Cut(rest, " ")
		if next[k] == "" && graces[of] && !gone[id] {
			next[k] = "ending"
		}
	}
	return next
}

func (w *world) gives(r *ruled) []string {
	kind := "allow policy"
	switch {
	case r.fields.Effect == accesspolicy.Deny:
		kind = "deny policy"
	case r.fields.Birthright:
		kind = "allow birthright"
	}
	var keys []string
	for range r.fields.Resources.ConnectorIDs {
		keys = append(keys, "- - "+kind)
	}
	for _, e := range r.fields.Resources.EntitlementIDs {
		keys = append(keys, e+" - "+kind)
	}
	for _, of := range r.fields.Resources.RoleIDs {
		for _, e := range w.inside[slices.Index(w.roles[:], of)] {
			keys = append(keys, e+" "+of+" "+kind)
		}
	}
	return keys
}

func (w *world) check(step int) {
	w.T.Helper()
	w.holds = w.reckon()
	got := map[string]string{}
	for _, line := range w.Strings(`select concat_ws(' ', r.identity_id, r.source_id,
		    coalesce(r.entitlement_id::text, '-'), coalesce(r.role_id::text, '-'), r.effect, r.kind)
			|| '|' || case when r.ends_at is null then 'live' else 'ending' end
		from access_reason r where r.state <> 'ended' and r.source_type = 'policy'`) {
		k, state, _ := strings.Cut(line, "|")
		if got[k] != "" {
			w.T.Errorf("step %d: twice: %s", step, k)
		}
		got[k] = state
	}
	if maps.Equal(got, w.holds) {
		return
	}
	for k, state := range w.holds {
		if got[k] != state {
			w.T.Errorf("step %d: %s is %q; want %s", step, k, got[k], state)
		}
	}
	for k, state := range got {
		if w.holds[k] == "" {
			w.T.Errorf("step %d: %s is %s; want none", step, k, state)
		}
	}
	w.T.FailNow()
}

// crash evaluates and is cut off at any moment; whoever comes later goes on.
func (w *world) crash() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(w.rnd.IntN(12000))*time.Microsecond)
	defer cancel()
	for ctx.Err() == nil {
		n, err := w.house.policies.Part(ctx, w.Tenant.Tenant)
		if err != nil || n == 0 {
			return
		}
	}
}

// TestTheLedgerIsWhatTheRulesSay: after any sequence of changes, with evaluations that are cut off between and within
// batches and two evaluators at a time, the ledger is what a naive reader of the rules reckons.
func TestTheLedgerIsWhatTheRulesSay(t *testing.T) {
	defer policy.SetBatch(3)()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t, seed)
			for step := range 60 {
				for range 1 + w.rnd.IntN(3) {
					w.happen()
					if w.rnd.IntN(3) == 0 {
						w.crash()
						w.holds = w.settledSoFar()
					}
				}
				w.settleTogether()
				w.check(step)
			}
		})
	}
}

// settledSoFar is what lives in the middle of things: what began to run out there runs on.
func (w *world) settledSoFar() map[string]string {
	got := map[string]string{}
	for _, k := range w.Strings(`select concat_ws(' ', r.identity_id, r.source_id,
		    coalesce(r.entitlement_id::text, '-'), coalesce(r.role_id::text, '-'), r.effect, r.kind)
		from access_reason r where r.state <> 'ended' and r.source_type = 'policy'`) {
		got[k] = "live"
	}
	return got
}

// settleTogether has two evaluators at work until there is nothing to do.
func (w *world) settleTogether() {
	w.T.Helper()
	other := &policy.Service{DB: w.DB, Cursors: w.house.policies.Cursors, Log: w.house.policies.Log, Now: time.Now}
	var both sync.WaitGroup
	for _, s := range []*policy.Service{w.house.policies, other} {
		both.Go(func() {
			for range 20 {
				if _, err := s.Part(context.Background(), w.Tenant.Tenant); err != nil {
					w.T.Error(err)
				}
			}
		})
	}
	both.Wait()
	w.settle()
}
