package provision_test

import (
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// story gives a test of its own a tenant of the house's, with a walk's help to read the target.
func story(t *testing.T, h *house, name string, tell func(t *testing.T, w *walk)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		before := h.T
		h.T = t
		defer func() { h.T = before }()
		w := start(t, h, 1)
		tell(t, w)
		h.Exec(`update tenant set status = 'suspended' where id = current_tenant()`)
	})
}

func (w *walk) status(who, what string) string {
	return w.grantOf(w.people[who], w.entitlements[what])
}

func (w *walk) holds(who, what string) bool {
	for _, a := range w.logins() {
		if a.name == who && a.groups[what] {
			return true
		}
	}
	return false
}

func (w *walk) rounds(n int) {
	for range n {
		w.due()
		w.drain()
		w.sync(true)
		w.look()
	}
	w.drain()
}

// Each of these left access in the target, or a task for ever, without anything that said so.
func TestAccessEndsWhenItIsSaidToHaveEnded(t *testing.T) {
	h := Open(t)
	story(
		t,
		h,
		"a grant that failed, was made by hand and is not wanted any more is revoked",
		func(t *testing.T, w *walk) {
			w.fault = "refused"
			w.give(w.people["bob"], w.entitlements["staff"])
			w.drain()
			w.wants("grant failed")
			w.logins()[0].groups["staff"] = true
			w.sync(true)
			w.take(w.people["bob"])
			w.fault = ""
			w.drain()
			w.wants("grant done", "revoke done")
			if w.holds("bob", "staff") || w.status("bob", "staff") != "revoked" {
				t.Errorf("bob has staff: %v, stored as %s", w.holds("bob", "staff"), w.status("bob", "staff"))
			}
		},
	)
	story(t, h, "a sync that shows the access completes the task that was to give it", func(t *testing.T, w *walk) {
		w.mode("manual")
		w.give(w.people["bob"], w.entitlements["staff"])
		w.drain()
		w.wants("grant manual")
		w.logins()[0].groups["staff"] = true
		w.sync(false)
		w.look()
		w.wants("grant done")
	})
	story(t, h, "cancelling a stale grant does not say that the access has ended", func(t *testing.T, w *walk) {
		w.fault = "refused"
		w.give(w.people["bob"], w.entitlements["staff"])
		w.drain()
		w.logins()[0].groups["staff"] = true
		w.sync(true)
		id := w.text(`select id::text from provisioning_task`)
		w.as(func(tx *pg.Tx) error { return order.Cancel(ctx, tx, id, httpapi.IfMatch{}) })
		if got := w.status("bob", "staff"); got != "active" {
			t.Errorf("the target has it, and it is stored as %s", got)
		}
	})
	for _, unsure := range []bool{false, true} {
		name := map[bool]string{false: "while an enabling has failed",
			true: "while nobody knows whether an enabling was made"}[unsure]
		story(t, h, "a leaver is disabled "+name, func(t *testing.T, w *walk) {
			bob := w.people["bob"]
			w.give(bob, "")
			w.drain()
			leaves := func(status string) {
				w.Exec(
					`update identity set status = $2, status_changed_at = clock_timestamp() where id = $1`,
					bob,
					status,
				)
			}
			leaves("on_leave")
			w.drain()
			leaves("active")
			w.fault = map[bool]string{false: "refused", true: "lost"}[unsure]
			for range 10 {
				w.drain()
				w.due()
			}
			if got := w.text(`select state from provisioning_task where operation = 'enable'`); got != "failed" {
				t.Fatalf("the enabling is %s", got)
			}
			w.logins()[0].disabled = false // somebody enables it by hand
			w.sync(true)
			w.fault = ""
			leaves("deactivated")
			w.drain()
			if !w.logins()[0].disabled || w.accountOf(bob) != "disabled" {
				t.Errorf("tasks %q leave the account usable: %s", w.tasks(), w.accountOf(bob))
			}
		})
	}
	story(
		t,
		h,
		"a leaver's disabling is tried for as long as the target is away, and people are told",
		func(t *testing.T, w *walk) {
			w.give(w.people["bob"], "")
			w.drain()
			w.fault = "lost"
			w.Exec(
				`update identity set status = 'deactivated', status_changed_at = clock_timestamp() where id = $1`,
				w.people["bob"],
			)
			for range 15 {
				w.drain()
				w.due()
			}
			w.wants("disable retrying")
			w.Exec(`update provisioning_task set created_at = now() - interval '5 hours'`)
			w.look()
			if n := w.Count(`select count(*) from provisioning_task where escalated_at is not null`); n != 1 {
				t.Error("after five hours nobody is told")
			}
			if n := w.Count(`select count(*) from work_item where kind = 'inbox_provisioning_failure'`); n == 0 {
				t.Error("it is no decision task")
			}
			w.fault = ""
			w.due()
			w.drain()
			w.wants("disable done")
		},
	)
	story(t, h, "a membership that is removed in the target is given again, from drift", func(t *testing.T, w *walk) {
		w.give(w.people["bob"], w.entitlements["staff"])
		w.drain()
		delete(w.logins()[0].groups, "staff")
		w.sync(true)
		w.rounds(2)
		if got := w.text(
			`select created_from from provisioning_task order by id desc limit 1`,
		); got != "drift" ||
			!w.holds("bob", "staff") {
			t.Errorf("it comes from %s, and bob has staff: %v", got, w.holds("bob", "staff"))
		}
	})
	story(
		t,
		h,
		"a membership that is removed in the target is asked about where the connector asks",
		func(t *testing.T, w *walk) {
			w.mode("auto")
			w.Exec(`update connector_provisioning set drift = '{"access": "ask"}'`)
			w.give(w.people["bob"], w.entitlements["staff"])
			w.drain()
			delete(w.logins()[0].groups, "staff")
			w.sync(true)
			w.rounds(2)
			if got := w.text(
				`select state || ' ' || (error ->> 'code') from provisioning_task order by id desc limit 1`,
			); got != "failed removed_in_target" ||
				w.holds("bob", "staff") {
				t.Errorf("it is %s, and bob has staff: %v", got, w.holds("bob", "staff"))
			}
			id := w.text(`select id::text from provisioning_task where state = 'failed'`)
			w.as(func(tx *pg.Tx) error { return order.Retry(ctx, tx, id, httpapi.IfMatch{}) })
			w.drain()
			if !w.holds("bob", "staff") {
				t.Error("retrying does not give it again")
			}
		},
	)
	story(t, h, "an account that is deleted in the target is created again", func(t *testing.T, w *walk) {
		w.give(w.people["bob"], w.entitlements["staff"])
		w.drain()
		clear(w.target.accounts)
		w.rounds(4)
		if len(w.logins()) != 1 || !w.logins()[0].groups["staff"] {
			t.Errorf("the target has %s; tasks %q", w.shownTarget(), w.tasks())
		}
	})
	story(t, h, "an account that was created by hand is the one of the task", func(t *testing.T, w *walk) {
		w.mode("manual")
		w.give(w.people["ann"], w.entitlements["staff"])
		w.drain()
		w.wants("create_account manual", "grant blocked")
		w.target.accounts["by-hand"] = &login{key: "by-hand", name: "ann", groups: map[string]bool{}}
		id := w.text(`select id::text from provisioning_task where operation = 'create_account'`)
		w.as(func(tx *pg.Tx) error { return w.s.Complete(ctx, tx, id, httpapi.IfMatch{}, "done by hand") })
		w.sync(true)
		w.look()
		w.wants("create_account done", "grant manual")
		if got := w.accountOf(w.people["ann"]); got != "active" {
			t.Errorf("ann's accounts are %s", got)
		}
	})
	story(
		t,
		h,
		"an account whose key was not learned is found by the reading that shows it",
		func(t *testing.T, w *walk) {
			w.target.blind = true
			w.give(w.people["ann"], w.entitlements["staff"])
			w.drain()
			w.wants("create_account verifying", "grant blocked")
			w.target.blind = false
			w.sync(true)
			w.look()
			w.drain()
			w.wants("create_account done", "grant done")
		},
	)
	story(t, h, "a lost answer is read back without a sync", func(t *testing.T, w *walk) {
		w.target.blind = true
		w.give(w.people["ann"], w.entitlements["staff"])
		w.drain()
		w.target.blind = false
		w.Exec(`update provisioning_task set finished_at = now() - interval '1 minute' where state = 'verifying'`)
		if err := w.s.ReadBack(ctx); err != nil {
			t.Fatal(err)
		}
		w.drain()
		w.wants("create_account done", "grant done")
	})
	story(t, h, "who was simulated is provisioned once the connector writes", func(t *testing.T, w *walk) {
		w.mode("simulate")
		w.give(w.people["ann"], w.entitlements["staff"])
		w.give(w.people["bob"], w.entitlements["staff"])
		w.drain()
		w.mode("auto")
		w.drain()
		if !w.holds("ann", "staff") || !w.holds("bob", "staff") {
			t.Errorf("the target has %s; tasks %q", w.shownTarget(), w.taskList())
		}
	})
	story(
		t,
		h,
		"who was planned in another mode is planned again, however short the mode was",
		func(t *testing.T, w *walk) {
			write := func(mode string) {
				w.Exec(
					`insert into connector_provisioning (tenant_id, connector_id, write_mode)
					values (current_tenant(), $1, $2)
					on conflict (tenant_id, connector_id) do update set write_mode = excluded.write_mode`,
					w.connector,
					mode,
				)
			}
			w.mode("auto")
			w.give(w.people["bob"], w.entitlements["mail"])
			w.drain()
			w.look()
			// The upkeep does not come by while the connector simulates, or writes nothing.
			write("simulate")
			w.give(w.people["ann"], w.entitlements["staff"])
			w.drain()
			write("off")
			w.give(w.people["bob"], w.entitlements["staff"])
			w.drain()
			write("auto")
			w.look()
			w.drain()
			if !w.holds("ann", "staff") || !w.holds("bob", "staff") {
				t.Errorf("the target has %s; tasks %q", w.shownTarget(), w.taskList())
			}
		},
	)
	story(t, h, "a failed grant of an entitlement that is gone is closed", func(t *testing.T, w *walk) {
		w.fault = "refused"
		w.give(w.people["bob"], w.entitlements["staff"])
		w.drain()
		w.Exec(`update entitlement set removed_at = now() where name = 'staff'`)
		w.look()
		w.wants("grant cancelled")
	})
	story(t, h, "rules do not write an account that is read only", func(t *testing.T, w *walk) {
		w.Exec(`update account set managed = 'read_only'`)
		w.give(w.people["bob"], w.entitlements["staff"])
		w.drain()
		w.Exec(
			`update identity set status = 'deactivated', status_changed_at = clock_timestamp() where id = $1`,
			w.people["bob"],
		)
		w.drain()
		w.wants()
	})
	story(t, h, "a record that is not seen does not end a revocation", func(t *testing.T, w *walk) {
		w.give(w.people["bob"], w.entitlements["staff"])
		w.drain()
		hidden := true
		w.target.wrong = func(v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
			return v1.ProvisionResponse{
				Outcome:  v1.OutcomeUnknown,
				Presence: v1.PresenceUnknown,
				ErrorDetail: &v1.ErrorDetail{
					Class:   v1.ClassNotFound,
					Code:    "account_not_visible",
					Message: "not seen",
				},
			}, nil, hidden
		}
		w.take(w.people["bob"])
		w.drain()
		kept := w.target.accounts
		w.target.accounts = map[string]*login{}
		w.sync(true)
		w.sync(true)
		w.look()
		w.wants("grant done", "revoke verifying")
		w.Exec(`update provisioning_task set finished_at = now() - interval '25 hours' where state = 'verifying'`)
		w.look()
		w.wants("grant done", "revoke failed")
		w.target.accounts, hidden = kept, false
	})
	story(t, h, "the daily round finds what nobody has noticed", func(t *testing.T, w *walk) {
		w.give(w.people["bob"], w.entitlements["staff"])
		w.drain()
		w.as(func(tx *pg.Tx) error {
			_, err := ledger.End(
				ctx,
				tx,
				ledger.Which{IdentityIDs: []string{w.people["bob"]}},
				time.Time{},
				"over",
				false,
			)
			return err
		})
		w.Exec(`delete from work_item where kind = 'provisioning'`)
		w.Exec(`update provisioning_round set began_at = now() - interval '25 hours', through = null`)
		w.look()
		w.drain()
		if w.holds("bob", "staff") {
			t.Errorf("bob still has staff; tasks %q", w.tasks())
		}
	})
}

func TestTasksAreGroupedByConnectorAndCauseAndRetriedTogether(t *testing.T) {
	h := Open(t)
	w := start(t, h, 1)
	w.fault = "refused"
	for _, p := range w.people {
		w.give(p, w.entitlements["staff"])
	}
	w.drain()
	groups, _ := h.Must(200, "admin", "GET", "/accounts/provisioning-tasks/groups", nil).Body["groups"].([]any)
	if len(groups) != 1 {
		t.Fatalf("groups %s; want one", pretty(groups))
	}
	g, _ := groups[0].(map[string]any)
	if g["cause"] != "ldap_50" || g["count"] != float64(2) || g["state"] != "failed" ||
		!strings.Contains(pretty(g["advice"]), "is not allowed to") {
		t.Errorf("the group is %s", pretty(g))
	}
	w.fault = ""
	body := object("connector_id", h.connector, "cause", "another")
	if got := h.Must(
		200,
		"admin",
		"POST",
		"/accounts/provisioning-tasks/retry-failed",
		body,
	).Body; got["retried"] != float64(0) {
		t.Errorf("of another cause %s", pretty(got))
	}
	body["cause"] = "ldap_50"
	if got := h.Must(
		200,
		"admin",
		"POST",
		"/accounts/provisioning-tasks/retry-failed",
		body,
	).Body; got["retried"] != float64(2) ||
		got["remaining"] != float64(0) {
		t.Errorf("of the cause %s", pretty(got))
	}
	h.Exec(
		`insert into connector_provisioning (tenant_id, connector_id, breaker_open_since, breaker_reason)
			values (current_tenant(), $1, now(), 'too many')`,
		h.connector,
	)
	groups, _ = h.Must(200, "admin", "GET", "/accounts/provisioning-tasks/groups", nil).Body["groups"].([]any)
	if text := pretty(groups); !strings.Contains(text, `"breaker_open"`) || !strings.Contains(text, "too many") {
		t.Errorf("with an open breaker the groups are %s", text)
	}
	h.as(func(tx *pg.Tx) error {
		health, err := taskview.Health(ctx, tx, h.connector)
		if health.Waiting == nil || health.Waiting.Code != "breaker_open" || health.OpenTasks == 0 {
			t.Errorf("the connector's provisioning is %s", pretty(health))
		}
		return err
	})
}
