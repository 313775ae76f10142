package decisionkind_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/removal"
)

// held is a run that misses twelve of the twenty accounts of a directory, which is held.
func (h *house) held(connector string) (run string) {
	h.T.Helper()
	run = newID()
	h.Exec(
		`insert into account (tenant_id, id, connector_id, external_id, native_ref, native_identity, username, row_hash)
		select current_tenant(), gen_random_uuid(), $1, 'a' || n, 'uid=a' || n || ',ou=people',
		    'uid=a' || n || ',ou=people', 'a' || n, 'h'
		  from generate_series(1, 20) n on conflict do nothing`,
		connector,
	)
	h.Exec(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status)
			values (current_tenant(), $1, $2, 'ldap', false, 500, 'evaluating')`,
		run,
		connector,
	)
	h.Exec(
		`insert into stage_account (tenant_id, run_id, seq, ord, new_id, row_hash, deleted, external_id, native_ref,
		    native_identity, username, account_type, attributes)
		select current_tenant(), $1, n, 0, gen_random_uuid(), 'h', false, 'a' || n, 'uid=a' || n || ',ou=people',
		    'uid=a' || n || ',ou=people', 'a' || n, 'person', '{}'
		  from generate_series(13, 20) n`,
		run,
	)
	h.Exec(
		`insert into stage_scope (tenant_id, run_id, kind, key, complete, count) values (current_tenant(), $1,
			'accounts', '*', true, 0)`,
		run,
	)
	h.engine(func(tx *pg.Tx) error {
		r := reconcile.Run{ID: run, Connector: connector, Complete: map[string]bool{"accounts": true}}
		v, err := evaluation.Evaluate(ctx, tx, r)
		if err != nil {
			return err
		}
		if err := hold.Supersede(ctx, tx, r); err != nil {
			return err
		}
		if _, err := removal.Apply(ctx, tx, r); err != nil {
			return err
		}
		if err := removal.Settle(ctx, tx, r); err != nil {
			return err
		}
		_, err = tx.Exec(
			ctx,
			`update sync_run set status = 'held', evaluated = true, held_until = $2 where id = $1`,
			run,
			v.HeldUntil,
		)
		return err
	})
	return run
}

// applied does what the engine does with a released run.
func (h *house) applied(connector, run string) {
	h.T.Helper()
	h.engine(func(tx *pg.Tx) error {
		r := reconcile.Run{ID: run, Connector: connector, Complete: map[string]bool{"accounts": true}}
		if _, err := removal.Apply(ctx, tx, r); err != nil {
			return err
		}
		if err := removal.Settle(ctx, tx, r); err != nil {
			return err
		}
		left, err := hold.Count(ctx, tx, r)
		if err != nil {
			return err
		}
		_, err = tx.Exec(
			ctx,
			`update sync_run set status = case when $2 then 'held' else 'succeeded' end where id = $1`,
			run,
			left > 0,
		)
		return err
	})
}

func (h *house) engine(fn func(tx *pg.Tx) error) {
	h.T.Helper()
	if err := h.DB.AsBulk(ctx, h.Tenant, fn); err != nil {
		h.T.Fatal(err)
	}
}

func (h *house) missing() int {
	h.T.Helper()
	return h.Count(`select count(*) from account where status = 'missing'`)
}

func TestAHeldSyncIsReleasedInTheInbox(t *testing.T) {
	h := open(t)
	dir := h.system("dir")
	run := h.held(dir)
	task := h.one(kind.SyncHold)
	h.shows(task, "12 changes of dir", "account missing: 12 of 20", "only 8 of 20 accounts came")
	if got := member(
		task,
		"context",
		"held",
	); got != 12.0 || task["due_at"] == nil || task["due_at"] != member(task, "context", "expires_at") ||
		task["risk_level"] != "high" {
		t.Errorf(
			"%v are held, due %v, expiring %v, of risk %v",
			got,
			task["due_at"],
			member(task, "context", "expires_at"),
			task["risk_level"],
		)
	}
	groups := member(task, "context", "groups").([]any)
	if len(groups) != 1 || len(groups[0].(object)["samples"].([]any)) != 5 {
		t.Errorf("groups: %v", groups)
	}
	if got := actions(task); got != "release release_part discard" {
		t.Errorf("it takes %s", got)
	}
	h.Refused(422, "validation_failed", "admin", "POST", at(task)+"/decide", choice("release", "", nil))
	h.decide(task, "release", "they moved to another site", nil)
	if got := h.Strings(`select status from sync_run where id = $1`, run)[0]; got != "applying" {
		t.Errorf("the run is %s", got)
	}
	h.applied(dir, run)
	h.became(task, "decided", "")
	if h.missing() != 12 || h.audited("sync_run.released", "admin") != 1 {
		t.Errorf(
			"%d accounts are missing; %d releases are audited",
			h.missing(),
			h.audited("sync_run.released", "admin"),
		)
	}
	h.none(kind.SyncHold)
}

func TestAPartOfAHeldSyncIsReleasedAndTheRestAskedAgain(t *testing.T) {
	h := open(t)
	dir := h.system("dir")
	run := h.held(dir)
	task := h.one(kind.SyncHold)
	some := object{"external_ids": []string{"a1", "a2"}}
	for name, inputs := range map[string]object{
		"an unknown member": {"subset": object{"people": []string{"a"}}, "expected_count": 2},
		"no object":         {"subset": "all", "expected_count": 2},
		"no count":          {"subset": some, "expected_count": "two"}, "half": {"subset": some, "expected_count": 1.5},
	} {
		if got := h.Refused(
			422,
			"validation_failed",
			"admin",
			"POST",
			at(task)+"/decide",
			choice("release_part", "why", inputs),
		); got.Status != 422 {
			t.Errorf("%s is taken", name)
		}
	}
	h.Refused(
		409,
		"count_mismatch",
		"admin",
		"POST",
		at(task)+"/decide",
		choice("release_part", "why", object{"subset": some, "expected_count": 3}),
	)
	h.Refused(
		409,
		"digest_mismatch",
		"admin",
		"POST",
		at(task)+"/decide",
		choice("release_part", "why", object{"subset": some, "expected_count": 2, "digest": "other"}),
	)
	h.decide(task, "release_part", "these two have left", object{"subset": some, "expected_count": 2})
	h.none(kind.SyncHold) // while it is applied
	h.applied(dir, run)
	rest := h.one(kind.SyncHold)
	if rest["id"] == task["id"] || member(rest, "context", "held") != 10.0 || h.missing() != 2 {
		t.Errorf("asked about the rest: %v, with %d missing", rest["title"], h.missing())
	}
	h.decide(rest, "discard", "the filter was wrong", nil)
	if h.audited("sync_run.discarded", "admin") != 1 || h.missing() != 2 {
		t.Error("it was not discarded")
	}
	h.none(kind.SyncHold)
}

func TestWhatWasHeldIsTakenBackWhenItIsDecidedElsewhere(t *testing.T) {
	h := open(t)
	dir := h.system("dir")
	run := h.held(dir)
	task := h.one(kind.SyncHold)
	h.held(dir) // a newer run computes it anew
	h.became(task, "superseded", "a newer run")
	task = h.one(kind.SyncHold)
	run = h.Strings(`select id::text from sync_run where status = 'held' and id <> $1`, run)[0]
	h.Must(200, "admin", "POST", "/connectors/"+dir+"/sync-runs/"+run+"/discard", object{"comment": "no"})
	// Nobody has looked yet: who decides now is told why that is too late.
	if got := h.Refused(
		409,
		"matter_settled",
		"admin",
		"POST",
		at(task)+"/decide",
		choice("release", "yes", nil),
	); got.Status == 409 {
		h.shows(object{"title": got.Text("detail")}, "what was held has been discarded")
	}
	h.became(task, "superseded", "what was held has been discarded")
}

func TestAStaleViewOfAHeldSyncIsRefused(t *testing.T) {
	h := open(t)
	dir := h.system("dir")
	run := h.held(dir)
	task := h.one(kind.SyncHold)
	// Something else is held meanwhile, and the task not brought up to date yet.
	h.Exec(
		`update sync_change set display = 'renamed', state = 'skipped' where run_id = $1 and external_id = 'a1'`,
		run,
	)
	h.Refused(409, "digest_mismatch", "admin", "POST", at(task)+"/decide", choice("release", "yes", nil))
	if h.missing() != 0 {
		t.Error("something was applied")
	}
	h.Exec(`insert into work_item (tenant_id, kind, subject) values (current_tenant(), 'inbox_sync_hold', $1)`, run)
	fresh := h.one(kind.SyncHold)
	if fresh["id"] != task["id"] || member(fresh, "context", "held") != 11.0 {
		t.Errorf("brought up to date: %v", member(fresh, "context", "held"))
	}
	h.decide(fresh, "release", "yes", nil)
}
