package audit_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail"
)

// ordinary is an entry of the usual size.
var ordinary = audit.Entry{
	Action:  "identity.updated",
	Subject: audit.Subject{Type: "identity", ID: "01a1f99f-1d39-767a-8283-ef45f2482197", Display: "Ada Lovelace"},
	Changes: []audit.Change{
		{Field: "department", From: "Finance", To: "Sales"},
		{Field: "title", From: "Analyst", To: "Lead"},
	},
}

// somebody is who writes it.
func somebody(b *testing.B, db *pg.DB) viewer.Viewer {
	v := pgtest.Tenant(b, db, "a")
	v.ID, v.Display, v.IP, v.RequestID = "01a1f99f-1d39-767a-8283-ef45f2482195", "ada@example.com", "192.0.2.7",
		"01a1f99f-1d39-767a-8283-ef45f2482196"
	return v
}

// BenchmarkVerify verifies a log in the database.
func BenchmarkVerify(b *testing.B) {
	const entries = 20000
	db := pgtest.New(b)
	v := somebody(b, db)
	ring, err := seal.New(bytes.Repeat([]byte("k7"), 16))
	if err != nil {
		b.Fatal(err)
	}
	err = db.As(ctx, v, func(tx *pg.Tx) error {
		for range entries {
			if err := audit.Record(ctx, tx, ordinary); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	log := trail.New(db, ring, nil, slog.New(slog.DiscardHandler))
	for b.Loop() {
		verdict, err := log.Verify(ctx, v, 0, 0)
		if err != nil || !verdict.OK || verdict.Checked != entries {
			b.Fatalf("%+v, %v", verdict, err)
		}
	}
	b.ReportMetric(float64(b.N*entries)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkChain writes into the log of one tenant from eight sides, each transaction with so many entries.
func BenchmarkChain(b *testing.B) {
	for _, each := range []int{1, 10} {
		b.Run(fmt.Sprintf("%d_each", each), func(b *testing.B) {
			db := pgtest.New(b)
			v := somebody(b, db)
			const writers = 8
			b.ResetTimer()
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					for i := w * each; i < b.N; i += writers * each {
						err := db.As(ctx, v, func(tx *pg.Tx) error {
							for range each {
								if err := audit.Record(ctx, tx, ordinary); err != nil {
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
