package decision_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// crowded is a tenant with 50,000 open tasks of two hundred people, 5,000 of which are one reviewer's, beside as many
// that were decided.
func crowded(b *testing.B) *house {
	b.Helper()
	h := open(b)
	h.staff("reviewer")
	h.Exec(`insert into identity (tenant_id, id, external_id, display_name)
		select current_tenant(), gen_random_uuid(), 'R' || n, 'Reviewer ' || n from generate_series(1, 200) n`)
	h.Exec(
		`insert into decision_task (tenant_id, id, kind, key, subject, source, title, summary, context, actions, state, due_at, group_key, priority, created_at, decision, decided_at)
		select current_tenant(), gen_random_uuid(), 'sync_hold', 'k' || n, jsonb_build_object('type', 'identity', 'id', gen_random_uuid(), 'display', 'Person ' || n),
		       jsonb_build_object('type', 'sync_run', 'id', gen_random_uuid()), 'Decide about number ' || n, 'What it is about, in a sentence of the usual length, number ' || n,
		       jsonb_build_object('facts', repeat('what one has to know ', 20), 'n', n), $1::jsonb, case when n <= 50000 then 'open' else 'decided' end,
		       now() + make_interval(mins => (n * 7919) % 20000), 'group ' || n % 40, (array['low', 'normal', 'high', 'urgent'])[1 + n % 4], now() - make_interval(mins => n % 30000),
		       case when n > 50000 then '{"action": "approve", "by": {"type": "user", "id": "x", "display": "x"}, "at": "2026-01-01T00:00:00Z", "channel": "api"}'::jsonb end,
		       case when n > 50000 then now() end
		  from generate_series(1, 100000) n`,
		`[{"key": "approve", "label": "Approve", "style": "positive", "requires": []}, {"key": "reject", "label": "Reject", "style": "negative", "requires": ["comment"]}]`,
	)
	h.Exec(`insert into decision_assignee (tenant_id, task_id, identity_id, open)
		select current_tenant(), t.id, p.id, t.state = 'open'
		  from (select id, state, substr(key, 2)::int as n from decision_task) t
		  join (select id, display_name, row_number() over (order by display_name) as n from identity
		      where external_id like 'R%') p
		    on p.n = 1 + t.n % 200 and t.n % 10 <> 0`)
	h.Exec(`insert into decision_assignee (tenant_id, task_id, identity_id, open)
		select current_tenant(), t.id, p.id, t.state = 'open'
		  from decision_task t join identity p on p.external_id = 'reviewer' and substr(t.key, 2)::int % 10 = 0`)
	h.Analyze()
	return h
}

// spread reports how long calls took: the median, and what a share of them stayed under.
func spread(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[min(len(took)-1, int(share*float64(len(took))))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.95), "p95-ms")
	b.ReportMetric(at(0.99), "p99-ms")
}

// BenchmarkInbox is the time of the list of a reviewer with 5,000 open tasks among 50,000.
func BenchmarkInbox(b *testing.B) {
	h := crowded(b)
	for _, path := range []string{"", "/summary"} {
		b.Run("list"+path, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				a := h.Must(200, "reviewer", "GET", "/decision-tasks"+path, nil)
				took = append(took, time.Since(began))
				if path == "" && (a.Body["total"] != 5000.0 || len(a.Items()) != 50) {
					b.Fatalf("%v tasks", a.Body["total"])
				}
			}
			spread(b, took)
		})
	}
}

// BenchmarkInboxOfARole is the time of the list of somebody whose role is asked 5,000 tasks among 50,000.
func BenchmarkInboxOfARole(b *testing.B) {
	h := crowded(b)
	h.Let("owner", h.Tenant.Tenant, "", viewer.ResourceOwner)
	h.Exec(`update decision_task set roles = '{resource_owner}' where substr(key, 2)::int % 10 = 1`)
	h.Exec(`update decision_task set roles = '{admin}' where substr(key, 2)::int % 10 = 2`)
	h.Analyze()
	for _, who := range []string{"owner", "admin"} {
		b.Run(who, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				a := h.Must(200, who, "GET", "/decision-tasks", nil)
				if took = append(took, time.Since(began)); a.Body["total"] != 5000.0 {
					b.Fatalf("%v tasks", a.Body["total"])
				}
			}
			spread(b, took)
		})
	}
}

// BenchmarkBulkDecide is the time to decide 500 tasks in one call.
func BenchmarkBulkDecide(b *testing.B) {
	h := crowded(b)
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		prefix := uuid.NewString()
		h.Exec(`insert into decision_task (tenant_id, id, kind, key, subject, source, title, actions)
			select current_tenant(), gen_random_uuid(), 'schema_diff', $1 || n, jsonb_build_object('type', 'identity', 'id', gen_random_uuid(), 'display', 'Person ' || n), '{}', 'Decide ' || n,
			       '[{"key": "approve", "label": "Approve"}]' from generate_series(1, 500) n`, prefix)
		h.Exec(`insert into decision_assignee (tenant_id, task_id, identity_id)
			select tenant_id, id, (select id from identity where external_id = 'reviewer') from decision_task
			    where key like $1 || '%'`, prefix)
		ids := h.Strings(`select id::text from decision_task where key like $1 || '%'`, prefix)
		b.StartTimer()
		began := time.Now()
		a := h.Must(
			200,
			"reviewer",
			"POST",
			"/decision-tasks/bulk-decide",
			map[string]any{"ids": ids, "action": "approve", "comment": "all fine"},
		)
		took = append(took, time.Since(began))
		if a.Body["decided"] != 500.0 {
			b.Fatal(fmt.Sprint(a.Body["results"].([]any)[0]))
		}
	}
	spread(b, took)
}
