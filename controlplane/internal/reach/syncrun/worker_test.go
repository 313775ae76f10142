package syncrun_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/worker"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// die leaves a run as a process does that is killed while it works on it.
func (w *world) die(run string) {
	w.exec(
		`update sync_run set status = 'running', lease_owner = $2, lease_until = now() - interval '1 second',
			attempt = attempt + 1 where id = $1`,
		run,
		uuid.NewString(),
	)
}

func (w *world) asked() int {
	w.source.mu.Lock()
	defer w.source.mu.Unlock()
	return len(w.source.asked)
}

func ended(r syncrun.Run) bool { return r.Status.Ended() }

func TestARunInWhichTwoProcessesDiedWaitsForAPerson(t *testing.T) {
	w := newWorld(t)
	w.stop()
	w.source.script = telling("c1", nil, staff(3)...)
	run := w.start(syncrun.Trigger{})
	w.exec(`update sync_run set lapsed = array[$2::uuid] where id = $1`, run.ID, uuid.NewString())
	w.die(run.ID)
	w.worker = w.service(t)
	got := w.await(run.ID, ended)
	if got.Status != syncrun.Failed || got.Error == nil || got.Error.Code != "process_died" || got.Error.Hint == "" {
		t.Errorf("the run is %s: %+v", got.Status, got.Error)
	}
	if n := w.asked(); n != 0 {
		t.Errorf("its target was read %d times more", n)
	}
	if status := one[string](
		w,
		`select status || ': ' || status_reason from connector where id = $1`,
		w.connector,
	); !strings.HasPrefix(
		status,
		"quarantined: The process",
	) {
		t.Errorf("the connector is %q", status)
	}
	if n := one[int](w, `select count(*) from audit_event where action = 'connector.quarantined'`); n != 1 {
		t.Errorf("%d audit events tell of it", n)
	}
	if _, err := w.runs.Start(t.Context(), w.admin, w.connector, "schedule", syncrun.Trigger{}); err == nil {
		t.Error("the schedule starts it again")
	}
	w.exec(`update connector set status = 'ready', status_reason = null where id = $1`, w.connector)
	if again := w.full(syncrun.Trigger{}); again.Status != syncrun.Succeeded {
		t.Errorf("once a person has cleared it, a run is %s: %+v", again.Status, again.Error)
	}
}

func TestARunInWhichOneProcessDiedGoesOn(t *testing.T) {
	w := newWorld(t)
	w.stop()
	w.source.script = telling("c1", nil, staff(3)...)
	run := w.start(syncrun.Trigger{})
	w.die(run.ID)
	w.worker = w.service(t)
	if got := w.await(run.ID, ended); got.Status != syncrun.Succeeded {
		t.Errorf("the run is %s: %+v", got.Status, got.Error)
	}
	if status := one[string](w, `select status from connector where id = $1`, w.connector); status != "active" {
		t.Errorf("the connector is %s", status)
	}
}

func TestAnOrderlyStopIsNoDeath(t *testing.T) {
	w := newWorld(t)
	begun := make(chan struct{}, 10)
	w.source.script = func(ctx context.Context, _ v1.SyncRequest, _ connectorkit.Emit) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	run := w.start(syncrun.Trigger{})
	for range 3 {
		<-begun
		w.stop()
		if n := one[int](w, `select cardinality(lapsed) from sync_run where id = $1`, run.ID); n != 0 {
			t.Fatalf("%d deaths are counted", n)
		}
		w.worker = w.service(t)
	}
	<-begun
	w.source.mu.Lock()
	w.source.script = telling("c1", nil, staff(3)...)
	w.source.mu.Unlock()
	w.stop()
	w.worker = w.service(t)
	if got := w.await(run.ID, ended); got.Status != syncrun.Succeeded {
		t.Errorf("the run is %s: %+v", got.Status, got.Error)
	}
}

func TestRunsInWhichAProcessDiedAreWorkedOnOneAtATime(t *testing.T) {
	w := newWorld(t)
	w.stop()
	begun := make(chan string, 10)
	w.source.script = func(ctx context.Context, req v1.SyncRequest, _ connectorkit.Emit) error {
		begun <- req.ConnectorBusinessID
		<-ctx.Done()
		return ctx.Err()
	}
	for _, name := range []string{"one", "two", "three"} {
		w.connector = w.connect(name, "both")
		w.die(w.start(syncrun.Trigger{}).ID)
	}
	w.connector = w.connect("sound", "both")
	w.start(syncrun.Trigger{})
	w.worker = w.service(t)
	got := []string{<-begun, <-begun}
	slices.Sort(got) // the two are started side by side
	if !slices.Equal(got, []string{"one", "sound"}) {
		t.Errorf("%v are worked on; want one of those in which a process died, and the one that is sound", got)
	}
	select {
	case more := <-begun:
		t.Errorf("%s is worked on as well", more)
	case <-time.After(2500 * time.Millisecond): // two looks
	}
}

func TestTheRunsOfOneTenantLeavePlacesToOthers(t *testing.T) {
	db := pgtest.New(t)
	many, other := worldOn(t, db), worldOn(t, db)
	many.stop()
	other.stop()
	many.source.script = func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
		if strings.HasPrefix(req.ConnectorBusinessID, "long-") {
			<-ctx.Done()
			return ctx.Err()
		}
		return telling("c1", nil, staff(2)...)(ctx, req, emit)
	}
	for i := range 10 {
		many.connector = many.connect("long-"+string(rune('a'+i)), "both")
		many.start(syncrun.Trigger{})
	}
	run := other.start(syncrun.Trigger{})
	many.service(t, func(s *worker.Service) { s.MaxRuns = 4 })
	if got := other.await(run.ID, ended); got.Status != syncrun.Succeeded {
		t.Errorf("the run is %s: %+v", got.Status, got.Error)
	}
	if n := one[int](many, `select count(*) from sync_run where status = 'running'`); n != 2 {
		t.Errorf("the tenant with many runs has %d of 4 places", n)
	}
}

func TestATenantThatIsAloneUsesAllPlaces(t *testing.T) {
	w := newWorld(t)
	w.stop()
	begun := make(chan struct{}, 10)
	w.source.script = func(ctx context.Context, _ v1.SyncRequest, _ connectorkit.Emit) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	for i := range 6 {
		w.connector = w.connect("long-"+string(rune('a'+i)), "both")
		w.start(syncrun.Trigger{})
	}
	w.worker = w.service(t, func(s *worker.Service) { s.MaxRuns = 4 })
	for range 4 {
		<-begun
	}
}

func TestRunsThatWaitForTheirAgentHideNoOthers(t *testing.T) {
	db := pgtest.New(t)
	away, w := worldOn(t, db), worldOn(t, db)
	away.stop()
	away.exec(`
		with c as (
		    insert into connector (tenant_id, id, business_id, name, type, purpose, mode, agent_group)
		    select current_tenant(), gen_random_uuid(), 'away-' || n, 'away', 'ldap', 'both', 'agent',
		        'gone' from generate_series(1, 600) n
		    returning id)
		insert into sync_run (tenant_id, id, connector_id, type, mode, agent_group, incremental, chunk_size, status,
		    wait_until, created_at)
		select current_tenant(), gen_random_uuid(), id, 'ldap', 'agent', 'gone', false, 500, 'waiting_agent',
		    now() + interval '1 hour', now() - interval '1 hour'
		  from c`)
	w.source.script = telling("c1", nil, staff(2)...)
	run := w.start(syncrun.Trigger{})
	if got := w.await(run.ID, ended); got.Status != syncrun.Succeeded {
		t.Errorf("the run is %s: %+v", got.Status, got.Error)
	}
}

// back serves the agents of one group.
type back struct{ group string }

func (b back) Serves(t dispatch.Target) bool                             { return t.AgentGroup == b.group }
func (b back) Online(_ context.Context, t dispatch.Target) (bool, error) { return b.Serves(t), nil }

func TestARunWhoseAgentHasComeIsFoundAmongManyThatWait(t *testing.T) {
	w := newWorld(t)
	w.stop()
	w.exec(`
		with c as (
		    insert into connector (tenant_id, id, business_id, name, type, purpose, mode, agent_group)
		    select current_tenant(), gen_random_uuid(), 'away-' || n, 'away', 'ldap', 'both', 'agent',
		        case when n = 1 then 'back' else 'gone' end
		      from generate_series(1, 1200) n
		    returning id, agent_group)
		insert into sync_run (tenant_id, id, connector_id, type, mode, agent_group, incremental, chunk_size, status,
		    wait_until)
		select current_tenant(), case when agent_group = 'back' then 'ffffffff-ffff-4fff-8fff-ffffffffffff'
		       else gen_random_uuid() end, id, 'ldap', 'agent', agent_group, false, 500, 'waiting_agent',
		           now() + interval '1 hour'
		  from c`)
	w.service(t, func(s *worker.Service) { s.Agents = back{"back"} })
	w.connector = one[string](w, `select id::text from connector where agent_group = 'back'`)
	w.await(
		"ffffffff-ffff-4fff-8fff-ffffffffffff",
		func(r syncrun.Run) bool { return r.Status != syncrun.WaitingAgent },
	)
}

func TestARunThatEndsWhileItWaitsKeepsItsCounters(t *testing.T) {
	for _, purpose := range []string{"apply", "preview"} {
		w := newWorld(t)
		w.stop()
		w.exec(`update connector set mode = 'agent', agent_group = 'gone' where id = $1`, w.connector)
		run := w.start(syncrun.Trigger{Mode: purpose})
		w.exec(
			`update sync_run set status = 'waiting_agent', wait_until = now() - interval '1 second', chunks = 1, warnings = '[{"code": "odd", "message": "odd"}]',
		               executed_by = '{"mode": "agent"}' where id = $1`,
			run.ID,
		)
		w.exec(`insert into sync_chunk (tenant_id, run_id, attempt, seq, records, counters)
		        values (current_tenant(), $1, 1, 1, 7, '{"counters": {"accounts_discovered": 7}}')`, run.ID)
		w.service(t)
		got := w.await(run.ID, ended)
		if got.Status != syncrun.Failed || got.Error.Code != "agent_offline" {
			t.Fatalf("%s: the run is %s: %+v", purpose, got.Status, got.Error)
		}
		if got.Counters.AccountsDiscovered != 7 || len(got.Warnings) != 1 || got.ExecutedBy == nil {
			t.Errorf(
				"%s: it ends with %+v, warnings %v, executed by %v",
				purpose,
				got.Counters,
				got.Warnings,
				got.ExecutedBy,
			)
		}
		if noted := one[bool](
			w,
			`select last_run_id is not null from connector where id = $1`,
			w.connector,
		); noted != (purpose == "apply") {
			t.Errorf("%s: the connector notes the failed run: %v", purpose, noted)
		}
		w.stop()
	}
}
