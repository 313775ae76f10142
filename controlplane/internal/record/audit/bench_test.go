package audit_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// BenchmarkChain writes into the log of one tenant from eight sides, each transaction with so many entries.
func BenchmarkChain(b *testing.B) {
	for _, each := range []int{1, 10} {
		b.Run(fmt.Sprintf("%d_each", each), func(b *testing.B) {
			db := pgtest.New(b)
			v := pgtest.Tenant(b, db, "a")
			v.ID, v.Display, v.IP, v.RequestID = "01a1f99f-1d39-767a-8283-ef45f2482195", "ada@example.com", "192.0.2.7", "01a1f99f-1d39-767a-8283-ef45f2482196"
			entry := audit.Entry{
				Action: "identity.updated", Subject: audit.Subject{Type: "identity", ID: "01a1f99f-1d39-767a-8283-ef45f2482197", Display: "Ada Lovelace"},
				Changes: []audit.Change{{Field: "department", From: "Finance", To: "Sales"}, {Field: "title", From: "Analyst", To: "Lead"}},
			}
			const writers = 8
			b.ResetTimer()
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					for i := w * each; i < b.N; i += writers * each {
						err := db.As(ctx, v, func(tx *pg.Tx) error {
							for range each {
								if err := audit.Record(ctx, tx, entry); err != nil {
									return err
								}
							}
							return nil
						})
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
