package trail_test

import (
	"context"
	"strings"
	"testing"
	"time"

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

func TestCheckpointsAreSignedByThemselvesAndOnlyOverWhatVerifies(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 2100)
	run, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); _ = h.log.Sign(run) }()
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
	if got := h.text(`select max(seq)::text from audit_checkpoint`); got != "2100" {
		t.Errorf("what was tampered with is signed at %s", got)
	}
}
