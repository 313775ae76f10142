package trail_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// age makes entries older than they are, and the chain anew. It comes before anything is signed.
func (h *house) age(days int, through int64) {
	h.t.Helper()
	h.tamper(`
		update audit_event
		   set at = at - make_interval(days => $1),
		       event = left(event, -26) || to_char((at - make_interval(days => $1)) at time zone 'UTC',
		       'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}'
		 where seq <= $2`, days, through)
	h.tamper(strings.ReplaceAll(rehash, "%[1]s", h.tenant.Tenant))
}

func TestWhatIsOlderThanTheRetentionGoesAndTheRestVerifies(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 6000)
	h.age(200, 5500)      // so that the last checkpoint among the old is at 5000
	h.sign()              // one checkpoint each 1000, and the export's entry
	h.write(h.tenant, 20) // …6021
	h.call(200, "admin", "PUT", "/settings/audit/retention", map[string]any{"days": 150})
	if err := h.log.TrimTenant(ctx, h.tenant); err != nil {
		t.Fatal(err)
	}
	if got := h.text(
		`select min(seq)::text || ' ' || (select string_agg(seq::text, ' ' order by seq) from audit_checkpoint)
			from audit_event`,
	); got != "5001 5000 6000" {
		t.Errorf("left: %s", got)
	}
	if got := h.text(
		`select actor_type || ' ' || (event::jsonb -> 'context')::text from audit_event where action = 'audit.trimmed'`,
	); got != `system {"days": 150, "entries": 5000, "through_seq": 5000}` {
		t.Errorf("recorded %s", got)
	}
	v := h.verify()
	if !v.OK || v.FromSeq != 5001 || v.Checkpoints != 2 {
		t.Errorf("verdict = %+v %+v", v, v.FirstBreak)
	}
	path, _ := h.exported()
	if r, err := chain.VerifyFile(path, h.public()); err != nil || r.Break != nil || r.First != 5001 || !r.Anchored {
		t.Errorf("export: %+v, %v", r, err)
	}
	if err := h.log.TrimTenant(ctx, h.tenant); err != nil {
		t.Fatal(err)
	}
	if n := h.text(`select count(*)::text from audit_event where action = 'audit.trimmed'`); n != "1" {
		t.Errorf("cut %s times", n)
	}
	h.tamper(`delete from audit_event where seq <= 5010`)
	if v := h.verify(); v.OK || v.FirstBreak.Seq != 5001 {
		t.Errorf("more went than the log says: %+v", v)
	}
}

func TestTheDatabaseKeepsWhatTheLogDoesNotSayIsCut(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 1000)
	h.age(400, 1000)
	h.sign()
	// The application's own role, by hand.
	for _, through := range []int64{999, 1000} {
		conn, err := h.db.Pool().Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(ctx, `select set_config('app.tenant_id', $1, false)`, h.tenant.Tenant); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(ctx, `select audit_trim($1, 10)`, through); err == nil {
			t.Errorf("the log was cut at %d without a word", through)
		}
		conn.Release()
	}
	h.call(422, "admin", "PUT", "/settings/audit/retention", map[string]any{"days": 89})
	h.call(403, "auditor", "PUT", "/settings/audit/retention", map[string]any{"days": 120})
	if r := h.call(200, "auditor", "GET", "/settings/audit/retention", nil); r["days"] != 400.0 || r["version"] != 0.0 {
		t.Errorf("retention = %v", r)
	}
}

// queue does the work on the log in the way of a process.
func (h *house) queue() *queue.Queue {
	return &queue.Queue{DB: h.db, Log: slog.New(slog.DiscardHandler), Kinds: h.log.Kinds()}
}

// dieSigning is a process that ends between writing a checkpoint and its commit.
func (h *house) dieSigning() {
	h.t.Helper()
	died := errors.New("killed")
	err := h.db.As(ctx, h.tenant, func(tx *pg.Tx) error {
		const sql = `insert into audit_checkpoint (tenant_id, seq, hash, kid, note)
			values (current_tenant(), 1000, '', 'k', 'half written')`
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
		return died
	})
	if !errors.Is(err, died) {
		h.t.Fatal(err)
	}
}

func TestALogIsCutWhereAProcessDiedInTheMiddle(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 3000)
	h.age(200, 2500)
	h.sign()
	h.tamper(`update audit_checkpoint set at = now() - interval '200 days' where seq <= 2000`)
	h.call(200, "admin", "PUT", "/settings/audit/retention", map[string]any{"days": 150})
	err := h.db.As(ctx, h.tenant, func(tx *pg.Tx) error { // it has announced the cut, and made a part of it
		said := map[string]any{"through_seq": 2000, "days": 150, "entries": 2000}
		if err := audit.Record(ctx, tx, audit.Entry{
			Action: "audit.trimmed", Subject: audit.Subject{Type: "audit_log", ID: h.tenant.Tenant}, Context: said,
		}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `select audit_trim(2000, 500)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	jobs := h.log.Jobs()
	if len(jobs) != 1 || jobs[0].Every != time.Hour {
		t.Fatalf("%d jobs; want the retention, once an hour", len(jobs))
	}
	if err := jobs[0].Run(ctx); err != nil {
		t.Fatal(err)
	}
	const left = `select min(seq)::text || ' ' || count(*) filter (where action = 'audit.trimmed') from audit_event`
	if got := h.text(left); got != "2001 1" {
		t.Errorf("the log begins at, and has announcements: %s; want 2001 1", got)
	}
	if v := h.verify(); !v.OK {
		t.Errorf("it does not verify: %+v", v.FirstBreak)
	}
}

func TestCheckpointsAreSignedByThemselvesAndOnlyOverWhatVerifies(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 2100)
	h.dieSigning()
	run, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); _ = h.queue().Run(run) }()
	for deadline := time.Now().Add(10 * time.Second); h.text(`select coalesce(max(seq), 0)::text
		from audit_checkpoint`) != "2100"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no checkpoint is signed")
		}
	}
	stop()
	<-done
	if got := h.text(`select string_agg(seq::text, ' ' order by seq) from audit_checkpoint`); got != "1000 2000 2100" {
		t.Errorf("checkpoints at %s", got)
	}
	out := h.call(200, "auditor", "GET", "/audit-events/checkpoints?limit=2", nil)
	items := out["items"].([]any)
	if out["total"] != 3.0 || len(items) != 2 || items[0].(map[string]any)["seq"] != 2100.0 ||
		out["next_cursor"] == nil ||
		len(out["keys"].([]any)) != 1 {
		t.Errorf("listed %v", out)
	}
	h.write(h.tenant, 1200)
	h.tamper(`update audit_event set event = replace(event, 'Lead', 'Boss') where seq = 2500`)
	h.sign()
	for range 2 {
		if n, err := h.queue().Look(ctx); n != 0 || err != nil {
			t.Errorf("signed %d, %v; want nothing", n, err)
		}
	}
	if got := h.text(`select max(seq)::text from audit_checkpoint`); got != "2100" {
		t.Errorf("what was tampered with is signed at %s", got)
	}
}
