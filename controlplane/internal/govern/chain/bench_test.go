package chain_test

import (
	"slices"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// BenchmarkBulkApprove is the time in which 500 approvals are decided at once, with all that the inbox and the chains
// do: those that are approved by it, and those whose next stage is to be opened.
func BenchmarkBulkApprove(b *testing.B) {
	for name, stages := range map[string]int{"last": 1, "first of two": 2} {
		b.Run(name, func(b *testing.B) {
			h := company(b)
			h.Exec(`insert into identity (tenant_id, id, external_id, display_name, manager_id)
				select current_tenant(), gen_random_uuid(), 'p' || n, 'Person ' || n,
				    $1 from generate_series(1, 500) n`, h.people["mia"])
			h.Analyze()
			people := h.Strings(`select id::text from identity where external_id ~ '^p[0-9]+$'`)
			define := []approval.ApprovalStage{
				{Name: "manager", Groups: []approval.ApproverGroup{asks("any", 0, "manager")}},
				{Name: "owner", Groups: []approval.ApproverGroup{asks("any", 0, "entitlement_owner")}},
			}
			var took []time.Duration
			for b.Loop() {
				b.StopTimer()
				tasks := h.crowd(h.defined(define[:stages]...).Plan, people)
				b.StartTimer()
				began := time.Now()
				results, err := h.bulk("mia", tasks)
				took = append(took, time.Since(began))
				if err != nil || len(results) != 500 ||
					slices.ContainsFunc(results, func(e error) bool { return e != nil }) {
					b.Fatal(err, results[0])
				}
				b.StopTimer()
				h.Analyze()
				b.StartTimer()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-ms")
			b.ReportMetric(float64(took[min(len(took)-1, len(took)*95/100)].Milliseconds()), "p95-ms")
		})
	}
}

// crowd starts a chain for each of these people, and gives the tasks that mia has by it.
func (h *house) crowd(p approval.Plan, people []string) []string {
	h.T.Helper()
	started := make([]chain.Item, len(people))
	var items []string
	for i, id := range people {
		started[i] = h.item(p)
		started[i].Subject.BeneficiaryID = id
		items = append(items, started[i].ItemID)
	}
	if err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error { return h.chains.Start(ctx, tx, started) }); err != nil {
		h.T.Fatal(err)
	}
	return h.Strings(
		`select distinct task_id::text from chain_slot where item_id = any($1::text[]::uuid[]) and state = 'open'`,
		items,
	)
}
