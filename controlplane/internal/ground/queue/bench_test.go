package queue_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// BenchmarkFiftyThousandItems is the time to enqueue, take and delete fifty thousand items, two thousand in a
// transaction.
func BenchmarkFiftyThousandItems(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		db := pgtest.New(b)
		v := pgtest.Tenant(b, db, "acme")
		var r record
		q := &queue.Queue{DB: db, Log: quiet, Kinds: []queue.Kind{{Name: "k", Batch: 2000, Work: r.work}}}
		b.StartTimer()
		exec(b, db, v, `select enqueue_work('k', array(select gen_random_uuid() from generate_series(1, 50000)))`)
		for look(b, q) > 0 {
		}
	}
}
