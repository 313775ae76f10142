package decisionkind_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// queue works on kinds alone.
func (h *house) queue() *queue.Queue {
	return &queue.Queue{DB: h.DB, Log: h.kinds.Log, Kinds: h.kinds.Kinds(), Jobs: h.kinds.Jobs()}
}

// orphaned are accounts of somebody who has left.
func (h *house) orphaned(n int) {
	h.T.Helper()
	dir, ada := h.system("old"), h.Person("una", "")
	h.Exec(
		`insert into account (tenant_id, id, connector_id, external_id, username, row_hash, identity_id,
		    correlation_state)
		select current_tenant(), gen_random_uuid(), $1, 'a' || n, 'a' || n, '', $2,
		    'linked' from generate_series(1, $3::int) n`,
		dir,
		ada,
		n,
	)
	h.left(ada)
}

func TestTheWorkerHearsOfMattersAndAsks(t *testing.T) {
	h := open(t)
	working, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- h.queue().Run(working) }()
	h.contested(h.system("dir"))
	for deadline := time.Now().Add(time.Minute); h.Count(`select count(*) from decision_task
		where kind = 'account_correlation'`) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody is asked")
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
}

func TestWhatCouldNotBeAskedIsAskedLater(t *testing.T) {
	h := open(t)
	h.contested(h.system("dir"))
	h.orphaned(3)
	h.due(h.Tenant)
	items := h.Count(`select count(*) from work_item where kind like 'inbox_%'`)
	// The inbox is out of reach: whoever holds it lets go only when this has been given up.
	hold, letGo := context.WithCancel(ctx)
	held := make(chan struct{})
	var holding sync.WaitGroup
	holding.Go(func() {
		_ = h.DB.As(hold, h.Tenant, func(tx *pg.Tx) error {
			if _, err := tx.Exec(hold, `lock table decision_task in access exclusive mode`); err != nil {
				t.Error(err)
			}
			close(held)
			<-hold.Done()
			return hold.Err()
		})
	})
	<-held
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if n, err := h.kinds.Part(short, h.Tenant.Tenant); err == nil {
		t.Errorf("%d kinds were looked at", n)
	}
	letGo()
	holding.Wait()
	if got := h.Count(
		`select count(*) from work_item where kind like 'inbox_%'`,
	); got != items ||
		h.Count(`select count(*) from decision_task`) != 0 {
		t.Errorf("%d items are left of %d", got, items)
	}
	if n := len(h.waiting(kind.OrphanAccount)) + len(h.waiting(kind.AccountCorrelation)); n != 4 {
		t.Errorf("%d tasks afterwards; want 4", n)
	}
}

func TestManyProcessesAskOnce(t *testing.T) {
	h := open(t)
	h.orphaned(700)
	h.due(h.Tenant)
	h.Exec(
		`insert into work_item (tenant_id, kind, subject) select tenant_id, kind,
			subject from work_item where kind like 'inbox_%'`,
	)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 30 {
				if _, err := h.queue().Look(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	h.look()
	if n, d := h.Count(
		`select count(*) from decision_task`,
	), h.Count(
		`select count(distinct key) from decision_task`,
	); n != 700 ||
		d != 700 {
		t.Errorf("%d tasks about %d accounts; want 700", n, d)
	}
	if n := h.Count(`select count(*) from work_item where kind like 'inbox_%'`); n != 0 {
		t.Errorf("%d items are left", n)
	}
}

func TestEachTenantIsAskedAboutItsOwn(t *testing.T) {
	h := open(t)
	second := pgtest.Tenant(t, h.DB, "second")
	h.Let("second", second.Tenant, "", viewer.Admin)
	h.orphaned(2)
	ada := h.PersonOf(second, "eve", "")
	connector := newID()
	h.ExecAs(
		second,
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'theirs',
			'theirs', 'rest')`,
		connector,
	)
	account := h.AccountOf(second, connector, "eve", ada)
	h.ExecAs(second, `update identity set status = 'deactivated' where id = $1`, ada)
	for _, v := range []viewer.Viewer{h.Tenant, second} {
		h.due(v)
	}
	for range 10 {
		if _, err := h.queue().Look(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(h.waiting(kind.OrphanAccount)); n != 2 {
		t.Errorf("%d tasks in the first tenant; want 2", n)
	}
	theirs := h.Must(200, "second", "GET", tasks+"?kind=orphan_account", nil).Items()
	if len(theirs) != 1 || member(theirs[0], "subject", "id") != account {
		t.Fatalf("the second is asked about %v", theirs)
	}
	h.Refused(404, "not_found", "admin", "POST", decidePath(theirs[0]), choice("keep", "x", nil))
	h.Must(200, "second", "POST", decidePath(theirs[0]), choice("keep", "x", nil))
	if n := h.Count(`select count(*) from decision_kept`); n != 0 {
		t.Error("what the second tenant keeps is the first one's")
	}
}

func TestWhatAFirstLoadBringsIsLookedAtWhereItMatters(t *testing.T) {
	h := open(t)
	dir := h.system("dir")
	h.Exec(`insert into account (tenant_id, id, connector_id, external_id, username, row_hash)
		select current_tenant(), gen_random_uuid(), $1, 'a' || n, 'a' || n, '' from generate_series(1, 1000) n`, dir)
	h.Exec(
		`insert into identity (tenant_id, id, external_id, display_name) select current_tenant(), gen_random_uuid(),
			'a' || n, 'a' || n from generate_series(1, 1000) n`,
	)
	h.Exec(
		`update account a set identity_id = i.id, correlation_state = 'linked' from identity i
			where i.external_id = a.external_id`,
	)
	h.Exec(`update account set last_login_at = now(), version = version + 1`)
	if n := h.Count(`select count(*) from work_item where kind like 'inbox_%'`); n != 0 {
		t.Errorf("%d items for accounts that find their owners; want none", n)
	}
}

func TestErasingATenantLeavesNothingToLookAt(t *testing.T) {
	h := open(t)
	h.orphaned(3)
	h.asked(3)
	h.Exec(`update tenant set status = 'closing', purge_after = now() - interval '1 second'`)
	for range 200 {
		if h.Strings(`select purge_tenant(current_tenant(), 5000) ->> 'state'`)[0] == "done" {
			return
		}
	}
	t.Error("erasing does not end")
}

func (h *house) asked(n int) {
	h.T.Helper()
	if got := len(h.waiting(kind.OrphanAccount)); got != n {
		h.T.Fatalf("%d orphans are asked about; want %d", got, n)
	}
}
