package provision_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// walk is one tenant with a target, to which things happen in a random order. At its end everything works again: what
// is in the target then has to be what reasons ask for, or a task says that it is not.
type walk struct {
	*house
	r            *rand.Rand
	people       map[string]string // ids, by name
	entitlements map[string]string
	log          []string
	fault        string
}

// walks is how many walks are taken: few in the gate, since each is a tenant in a real database, and as many as
// PROVISION_WALKS says.
func walks() int {
	if n, err := strconv.Atoi(os.Getenv("PROVISION_WALKS")); err == nil {
		return n
	}
	return 40
}

// TestAccessIsWhatReasonsAskForHoweverTheWayThere takes the real planner over a real database through random events,
// and looks at the end whether anyone has access without a reason, or a reason without access, with no open task that
// says so.
func TestAccessIsWhatReasonsAskForHoweverTheWayThere(t *testing.T) {
	h := Open(t)
	first, _ := strconv.ParseUint(os.Getenv("PROVISION_SEED"), 10, 64)
	for seed := first; seed < first+uint64(walks()); seed++ {
		w := start(t, h, seed)
		for range 8 + w.r.IntN(10) {
			w.event()
		}
		w.settle()
		w.check()
		h.Exec(`update tenant set status = 'suspended' where id = current_tenant()`)
		if t.Failed() {
			t.Fatalf(
				"seed %d: %s\ntasks %q\ngrants %q\naccounts %q\ntarget %s",
				seed,
				strings.Join(w.log, "; "),
				w.taskList(),
				h.Strings(
					`select e.name || ' ' || g.status || ' ' || coalesce(a.username, '') from access_grant g
						join entitlement e on e.id = g.entitlement_id join account a on a.id = g.account_id`,
				),
				h.Strings(
					`select coalesce(username, '') || ' ' || status || ' ' || managed || ' ' || coalesce(disabled_for,
						'') from account order by id`,
				),
				w.shownTarget(),
			)
		}
	}
}

func start(t *testing.T, h *house, seed uint64) *walk {
	t.Helper()
	h.Tenant = pgtest.Tenant(t, h.DB, "walk-"+uuid.NewString())
	h.Let("admin", h.Tenant.Tenant, "", "admin")
	*h.target = target{
		accounts:    map[string]*login{},
		done:        map[string]int{},
		ops:         h.target.ops,
		nearsighted: seed%3 == 0,
	}
	h.connector = h.system("ad")
	w := &walk{
		house:        h,
		r:            rand.New(rand.NewPCG(seed, 7)),
		people:       map[string]string{},
		entitlements: map[string]string{},
	}
	for _, name := range []string{"ann", "bob"} {
		w.people[name] = h.person(name)
	}
	for _, name := range []string{"staff", "mail"} {
		w.entitlements[name] = h.Entitlement(h.connector, name)
	}
	h.account("bob", w.people["bob"])
	h.target.wrong, h.admit = w.wrong, nil
	return w
}

func one[T any](w *walk, of ...T) T { return of[w.r.IntN(len(of))] }

func (w *walk) who() string  { return one(w, "ann", "bob") }
func (w *walk) what() string { return one(w, "staff", "mail") }

func (w *walk) say(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

// event is one thing that happens.
func (w *walk) event() {
	w.T.Helper()
	switch n := w.r.IntN(37); {
	case n < 4:
		p, e := w.who(), w.what()
		w.say("give %s %s", p, e)
		w.give(w.people[p], w.entitlements[e])
	case n < 8:
		p, e := w.who(), w.what()
		w.say("take %s %s", p, e)
		w.take(w.people[p], w.entitlements[e])
	case n < 10:
		p, status := w.who(), one(w, "active", "deactivated", "on_leave", "active")
		w.say("%s is %s", p, status)
		w.Exec(
			`update identity set status = $2, status_changed_at = clock_timestamp() where id = $1 and status <> $2`,
			w.people[p],
			status,
		)
	case n < 16:
		w.fault = one(w, "", "", "refused", "busy", "lost", "lost after", "away")
		w.say("work (%s)", w.fault)
		w.work()
	case n < 18:
		w.say("plan")
		w.plan()
	case n < 21:
		full := w.r.IntN(3) > 0
		w.say("sync full=%v", full)
		w.sync(full)
		w.look()
	case n < 24:
		w.native()
	case n < 26:
		w.steer()
	case n < 28:
		mode := one(w, "auto", "auto", "manual", "simulate", "off")
		w.say("mode %s", mode)
		w.mode(mode)
	case n < 29:
		w.kill()
	case n < 32:
		w.move()
	case n < 33:
		w.breaker()
	case n < 34:
		w.probe(
			one(
				w,
				[][]v1.ProvisionOp{
					nil,
					{v1.OpAccountDisable, v1.OpAccountEnable},
					{v1.OpEntitlementRevoke},
					{v1.OpAccountCreate},
				}...),
		)
	case n < 36:
		w.policy(w.admit == nil)
	default:
		w.say("due")
		w.due()
		w.look()
	}
}

// wrong is how the target behaves now.
func (w *walk) wrong(req v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
	failed := func(class v1.ErrorClass, code string) (v1.ProvisionResponse, error, bool) {
		return v1.ProvisionResponse{}, &v1.ErrorDetail{Class: class, Code: code, Message: code}, true
	}
	switch w.fault {
	case "refused":
		return failed(v1.ClassPermission, "ldap_50")
	case "busy":
		return failed(v1.ClassRateLimited, "http_429")
	case "away":
		return failed(v1.ClassAgentUnavailable, "agent_unavailable")
	case "lost":
		return failed(v1.ClassTransient, "timeout")
	case "lost after":
		w.target.apply(req)
		return failed(v1.ClassTransient, "timeout")
	}
	return v1.ProvisionResponse{}, nil, false
}

// apply changes the target without saying anything.
func (t *target) apply(req v1.ProvisionRequest) {
	a := t.find(req.Target)
	switch {
	case req.Op == v1.OpAccountCreate && a == nil:
		a = &login{key: uuid.NewString(), name: *req.Account.Username, groups: map[string]bool{}}
		t.accounts[a.key] = a
	case a == nil:
	case req.Op == v1.OpAccountDisable || req.Op == v1.OpAccountEnable:
		a.disabled = req.Op == v1.OpAccountDisable
	case req.Op == v1.OpAccountDelete:
		delete(t.accounts, a.key)
	case req.Op == v1.OpEntitlementGrant:
		a.groups[req.EntitlementRemoteIDs[0]] = true
	case req.Op == v1.OpEntitlementRevoke:
		delete(a.groups, req.EntitlementRemoteIDs[0])
	}
}

func (w *walk) work() {
	w.T.Helper()
	w.drain()
}

// look is what happens every few seconds.
func (w *walk) look() {
	w.T.Helper()
	if err := w.s.KeepTenant(ctx, w.Tenant); err != nil {
		w.T.Fatal(err)
	}
}

func (w *walk) mode(mode string) {
	w.T.Helper()
	w.Exec(`insert into connector_provisioning (tenant_id, connector_id, write_mode) values (current_tenant(), $1, $2)
		on conflict (tenant_id, connector_id) do update set write_mode = excluded.write_mode`, w.connector, mode)
	w.look()
}

// native is a change in the target that is not ours.
func (w *walk) native() {
	w.T.Helper()
	p, e := w.who(), w.what()
	i := slices.IndexFunc(w.logins(), func(a *login) bool { return a.name == p })
	if i < 0 {
		if w.r.IntN(2) == 0 {
			w.say("%s is created in the target", p)
			key := uuid.NewString()
			w.target.accounts[key] = &login{key: key, name: p, groups: map[string]bool{}}
		}
		return
	}
	a := w.logins()[i]
	switch w.r.IntN(6) {
	case 0, 1:
		w.say("%s is added to %s in the target", p, e)
		a.groups[e] = true
	case 2, 3:
		w.say("%s is removed from %s in the target", p, e)
		delete(a.groups, e)
	case 4:
		w.say("%s is deleted in the target", p)
		delete(w.target.accounts, a.key)
	default:
		a.disabled = !a.disabled
		w.say("%s is disabled=%v in the target", p, a.disabled)
	}
}

// move takes an account out of what syncs read, or back into it.
func (w *walk) move() {
	w.T.Helper()
	if all := w.logins(); len(all) > 0 {
		a := all[w.r.IntN(len(all))]
		a.outside = !a.outside
		w.say("%s is moved, outside=%v", a.name, a.outside)
	}
}

// probe is a connection test that sees the target offer all changes but these.
func (w *walk) probe(without []v1.ProvisionOp) {
	w.T.Helper()
	w.say("tested, without %v", without)
	w.tested(without...)
	w.look()
}

// policy begins or ends a policy that holds every grant.
func (w *walk) policy(holds bool) {
	w.T.Helper()
	w.say("grants are held=%v", holds)
	if w.admit = nil; holds {
		w.admit = func(_ context.Context, _ *pg.Tx, ids []string) (held []taskstore.Held, err error) {
			for _, id := range ids {
				held = append(held, taskstore.Held{ID: id, Code: "separation_of_duties", Message: "no"})
			}
			return held, nil
		}
		return
	}
	held := w.Strings(`select id::text from provisioning_task where held_at is not null`)
	w.as(func(tx *pg.Tx) error { return taskstore.Resume(ctx, tx, held) })
}

// breaker opens the circuit breaker, or has an administrator reset it.
func (w *walk) breaker() {
	w.T.Helper()
	if w.Count(
		`select count(*) from connector_provisioning where connector_id = $1 and breaker_open_since is not null`,
		w.connector,
	) > 0 {
		w.say("reset the breaker")
		w.Must(200, "admin", "POST", "/connectors/"+w.connector+"/provisioning/breaker/reset", nil)
		return
	}
	w.say("the breaker opens")
	w.Exec(`insert into connector_provisioning (tenant_id, connector_id, write_mode, breaker_open_since, breaker_reason)
		values (current_tenant(), $1, 'auto', now(), 'too many failures') on conflict (tenant_id,
		    connector_id) do update
		set breaker_open_since = excluded.breaker_open_since, breaker_reason = excluded.breaker_reason`, w.connector)
}

func (w *walk) logins() []*login {
	var all []*login
	for _, a := range w.target.accounts {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *login) int { return strings.Compare(a.name+a.key, b.name+b.key) })
	return all
}

// steer is somebody who does something about a task: retries it, cancels it, completes it, or does it in the target
// without saying so.
func (w *walk) steer() {
	w.T.Helper()
	open := w.Strings(
		`select id::text from provisioning_task where state in ('failed', 'manual', 'queued', 'retrying', 'blocked')
			and mode <> 'simulate' order by id`,
	)
	if len(open) == 0 {
		return
	}
	id := open[w.r.IntN(len(open))]
	act := one(w, "retry", "cancel", "complete", "by hand")
	w.say("%s %s", act, w.text(`select operation || ' ' || state from provisioning_task where id = $1`, id))
	err := w.DB.As(ctx, w.Tenant, func(tx *pg.Tx) error {
		switch act {
		case "retry":
			return order.Retry(ctx, tx, id, httpapi.IfMatch{})
		case "cancel":
			return order.Cancel(ctx, tx, id, httpapi.IfMatch{})
		case "complete":
			w.byHand(id)
			return w.s.Complete(ctx, tx, id, httpapi.IfMatch{}, "done by hand")
		}
		w.byHand(id)
		return nil
	})
	if err != nil {
		w.say("(%v)", err)
	}
}

// byHand makes the change of a task in the target.
func (w *walk) byHand(id string) {
	w.T.Helper()
	row := strings.Split(
		w.text(
			`select t.operation || '|' || coalesce(t.payload #>> '{account,username}', a.username,
		    '') || '|' || coalesce(e.name, '') || '|' || case when a.status = 'provisioning' then ''
		    else coalesce(a.external_id, '') end
		from provisioning_task t left join account a on a.id = t.account_id left join entitlement e
		    on e.id = t.entitlement_id where t.id = $1`,
			id,
		),
		"|",
	)
	req := v1.ProvisionRequest{
		Op: map[string]v1.ProvisionOp{"create_account": v1.OpAccountCreate, "disable": v1.OpAccountDisable,
			"enable":         v1.OpAccountEnable,
			"delete_account": v1.OpAccountDelete, "grant": v1.OpEntitlementGrant,
			"revoke": v1.OpEntitlementRevoke}[row[0]],
		Target: v1.ProvisionTarget{
			RemoteID: row[3],
			Username: row[1],
		},
		Account:              &v1.ProvisionAccount{Username: &row[1]},
		EntitlementRemoteIDs: []string{row[2]},
	}
	w.target.apply(req)
}

// kill ends the process while it sends a task: nobody knows whether it arrived.
func (w *walk) kill() {
	w.T.Helper()
	open := w.Strings(
		`select id::text from provisioning_task where state in ('queued', 'retrying') and mode = 'auto' order by id`,
	)
	if len(open) == 0 {
		return
	}
	id, arrived := open[w.r.IntN(len(open))], w.r.IntN(2) == 0
	w.say("kill at %s, arrived=%v", w.text(`select operation from provisioning_task where id = $1`, id), arrived)
	if arrived {
		w.byHand(id)
	}
	w.Exec(
		`update provisioning_task set state = 'running', unsure = true, attempts = attempts + 1,
			lease_owner = gen_random_uuid(), lease_until = now() - interval '1 second' where id = $1`,
		id,
	)
}

// sync reads the target as a sync run does. What was revoked a while ago and is there again has come back.
func (w *walk) sync(full bool) {
	w.T.Helper()
	w.Exec(
		`update access_grant set suppress_reimport_until = now() - interval '1 second'
			where suppress_reimport_until is not null`,
	)
	keys, names, disabled, pairs := []string{}, []string{}, []string{}, []string{}
	for _, a := range w.logins() {
		if a.outside {
			continue
		}
		keys, names, disabled = append(
			keys,
			a.key,
		), append(
			names,
			a.name,
		), append(
			disabled,
			strconv.FormatBool(a.disabled),
		)
		for e := range a.groups {
			pairs = append(pairs, a.key+"|"+e)
		}
	}
	w.Exec(`
		insert into account as a (tenant_id, id, connector_id, external_id, username, is_disabled, status, row_hash)
		select current_tenant(), gen_random_uuid(), $1, s.key, s.name, s.off::boolean,
		    case when s.off::boolean then 'disabled' else 'active' end, s.off::bytea
		  from unnest($2::text[], $3::text[], $4::text[]) s (key, name, off)
		    on conflict (tenant_id, connector_id, external_id) do update
		   set username = excluded.username, is_disabled = excluded.is_disabled, status = excluded.status,
		       row_hash = excluded.row_hash, missing_since = null, missing_runs = 0, deleted_at = null,
		           updated_at = now(), version = a.version + 1
		 where a.row_hash is distinct from excluded.row_hash or a.missing_since is not null
		     or a.deleted_at is not null`, w.connector, keys, names, disabled)
	w.Exec(
		`update account a set identity_id = i.id, correlation_state = 'linked' from identity i
			where a.identity_id is null and i.username = a.username and a.status <> 'deleted'`,
	)
	w.Exec(`
		insert into access_grant as g (tenant_id, id, connector_id, account_id, entitlement_id, row_hash)
		select current_tenant(), gen_random_uuid(), $1, a.id, e.id, '\x01'
		  from unnest($2::text[]) s (pair)
		  join account a on a.external_id = split_part(s.pair, '|', 1)
		  join entitlement e on e.name = split_part(s.pair, '|', 2)
		    on conflict (tenant_id, account_id, entitlement_id) do update
		   set directness = 'direct', row_hash = excluded.row_hash,
		       status = case when g.status in ('missing', 'revoked', 'pending', 'requested', 'failed') then 'active'
		       else g.status end, reappeared = g.reappeared or g.status = 'revoked'
		       and g.suppress_reimport_until is not null, suppress_reimport_until = null, missing_since = null,
		           missing_runs = 0, revoked_at = null, updated_at = now(), version = g.version + 1
		 where g.row_hash is distinct from excluded.row_hash or g.missing_since is not null or g.revoked_at is not null
		     or g.status in ('pending', 'requested', 'failed')`,
		w.connector, pairs)
	if !full {
		return
	}
	w.Exec(`
		with gone as (
		    update access_grant g
		       set status = case when g.status = 'revoking' or g.missing_runs > 0 then 'revoked' else 'missing' end,
		           missing_since = coalesce(g.missing_since, now()), missing_runs = g.missing_runs + 1,
		               revoked_at = case when g.status = 'revoking' or g.missing_runs > 0 then now() end,
		               updated_at = now()
		      from account a, entitlement e
		     where a.id = g.account_id and e.id = g.entitlement_id
		       and g.status not in ('revoked', 'pending', 'requested', 'failed')
		       and not a.external_id || '|' || e.name = any($1::text[]))
		update account set status = case when missing_runs > 0 then 'deleted' else 'missing' end,
		    missing_since = coalesce(missing_since, now()), missing_runs = missing_runs + 1,
		       deleted_at = case when missing_runs > 0 then now() end
		 where status in ('active', 'disabled', 'locked', 'missing', 'deprovisioning')
		     and not external_id = any($2::text[])`, pairs, keys)
	w.Exec(
		`update access_grant g set status = 'revoked', revoked_at = now(),
		    missing_since = coalesce(g.missing_since, now())
		from account a where a.id = g.account_id and a.status = 'deleted' and a.missing_since is not null
		    and g.status <> 'revoked'`,
	)
	w.Exec(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, purpose, started_at,
		    finished_at)
		values (current_tenant(), gen_random_uuid(), $1, 'rest', false, 100, 'succeeded', 'apply', clock_timestamp(),
		    clock_timestamp())`,
		w.connector,
	)
}

// settle lets everything work again, and waits until nothing is left to do.
func (w *walk) settle() {
	w.T.Helper()
	w.fault = ""
	w.say("settle")
	if w.Count(
		`select count(*) from connector_provisioning where connector_id = $1 and breaker_open_since is not null`,
		w.connector,
	) > 0 {
		w.breaker()
	}
	w.Exec(`update provisioning_lane set counted_from = now()`)
	w.tested()
	w.mode("auto")
	w.policy(false)
	for n := range 6 {
		if n == 2 && w.r.IntN(2) == 0 {
			w.say("all are moved back")
			for _, a := range w.logins() {
				a.outside = false
			}
		}
		w.Exec(`update provisioning_task set look_at = now() - interval '1 second' where state = 'verifying'`)
		w.as(func(tx *pg.Tx) error { return ledger.Touch(ctx, tx, false, w.people["ann"], w.people["bob"]) })
		w.due()
		w.drain()
		if err := w.s.ReadBack(ctx); err != nil {
			w.T.Fatal(err)
		}
		w.sync(true)
		w.look()
	}
	w.due()
	w.drain()
	w.Exec(
		`update provisioning_task set finished_at = now() - interval '25 hours' where state = 'verifying'
			and error ->> 'code' like '%not_visible'`,
	)
	w.look()
}

func (w *walk) taskList() []string {
	return w.Strings(
		`select t.operation || ' ' || t.state || ' ' || t.mode || ' ' || coalesce(a.username,
		    '') || ' ' || coalesce(e.name, '') || ' ' || coalesce(t.error ->> 'code', '')
		|| case when t.unsure then ' unsure' else '' end || coalesce(' (' || t.note || ')', '')
		from provisioning_task t left join account a on a.id = t.account_id left join entitlement e
		    on e.id = t.entitlement_id order by t.id`,
	)
}

func (w *walk) shownTarget() string {
	var all []string
	for _, a := range w.logins() {
		all = append(all, fmt.Sprintf("%s off=%v outside=%v %v", a.name, a.disabled, a.outside, a.groups))
	}
	return strings.Join(all, ", ")
}

// check compares the target with the reasons, and what is stored with the target.
func (w *walk) check() {
	w.T.Helper()
	for name, id := range w.people {
		gone := w.text(`select status from identity where id = $1`, id) == "deactivated"
		for e, right := range w.entitlements {
			wanted := !gone &&
				w.Count(
					`select count(*) from access_reason where identity_id = $1 and entitlement_id = $2
						and state = 'active'`,
					id,
					right,
				) > 0
			w.compare(name, id, e, right, wanted)
		}
		for _, a := range w.logins() {
			known := w.Count(
				`select count(*) from account a join identity i on i.id = a.identity_id where a.external_id = $1
				and (a.created_at <= i.status_changed_at or a.wanted_at is not null or a.disabled_for is not null)`,
				a.key,
			) > 0
			if gone && a.name == name && !a.disabled && known &&
				w.Count(`select count(*) from provisioning_task t join account a on a.id = t.account_id
				where a.external_id = $1 and t.operation = 'disable' and t.state in ('failed', 'manual', 'retrying',
				    'queued')`, a.key) == 0 {
				w.T.Errorf("%s has left, and their account can be used without an open task", name)
			}
		}
	}
	if n := w.Count(
		`select count(*) from provisioning_task where mode <> 'simulate' and state in ('queued', 'running', 'retrying',
		    'verifying', 'manual')
		or state = 'blocked' and not exists (select from provisioning_task d
		    where d.id = any(provisioning_task.depends_on) and d.state in ('failed', 'manual'))`,
	); n > 0 {
		w.T.Errorf("%d tasks never end", n)
	}
	w.checkGrants()
}

// checkGrants looks whether grants are stored as the target has them.
func (w *walk) checkGrants() {
	w.T.Helper()
	for _, row := range w.Strings(`select g.status || '|' || a.external_id || '|' || e.name || '|' || (select count(*)
		    from provisioning_task t where t.grant_id = g.id
		and t.mode <> 'simulate' and t.state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual',
		    'verifying'))
		from access_grant g join account a on a.id = g.account_id join entitlement e on e.id = g.entitlement_id`) {
		f := strings.Split(row, "|")
		if a := w.target.accounts[f[1]]; a != nil && a.outside {
			continue // no sync shows it
		}
		held := w.target.accounts[f[1]] != nil && w.target.accounts[f[1]].groups[f[2]]
		switch f[0] {
		case "active", "ending":
			if !held {
				w.T.Errorf("%s is stored as %s, and the target does not have it", f[2], f[0])
			}
		case "revoked", "missing":
			if held {
				w.T.Errorf("%s is stored as %s, and the target has it", f[2], f[0])
			}
		default:
			if f[3] == "0" {
				w.T.Errorf("%s is %s, and no task is open", f[2], f[0])
			}
		}
	}
}

func (w *walk) compare(name, id, e, right string, wanted bool) {
	w.T.Helper()
	if slices.ContainsFunc(w.logins(), func(a *login) bool { return a.name == name && a.outside }) {
		return // no sync shows what it holds; that a leaver cannot use it is what check looks at
	}
	held := slices.ContainsFunc(w.logins(), func(a *login) bool {
		return a.groups[e] &&
			(a.name == name || slices.Contains(w.Strings(`select external_id from account where identity_id = $1
				and status <> 'deleted'`, id), a.key))
	})
	if held == wanted {
		return
	}
	open := w.Count(
		`select count(*) from provisioning_task t where t.identity_id = $1 and t.mode <> 'simulate'
		    and t.state in ('failed', 'manual', 'blocked', 'retrying')
		and (t.entitlement_id = $2 or t.operation = 'create_account')`,
		id,
		right,
	)
	native := w.Count(
		`select count(*) from access_grant g join account a on a.id = g.account_id where a.identity_id = $1
		    and g.entitlement_id = $2
		and (g.reappeared or g.wanted_at is null)`,
		id,
		right,
	)
	switch {
	case held && open == 0 && native == 0:
		w.T.Errorf("%s has %s in the target without a reason, and nothing says so", name, e)
	case wanted && open == 0 && w.text(`select status from identity where id = $1`, id) != "on_leave":
		w.T.Errorf("%s has a reason for %s and does not have it in the target, and nothing says so", name, e)
	}
}
