package backup

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

// countRows counts every table's rows, tenant by tenant where row security shows one at a time.
func countRows(ctx context.Context, db *pg.DB) (map[string]int64, error) {
	var tables []table
	counts := map[string]int64{}
	err := db.Deployment(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, listTables)
		if err != nil {
			return err
		}
		if tables, err = pgx.CollectRows(rows, pgx.RowToStructByPos[table]); err != nil {
			return err
		}
		return count(ctx, tx, tables, false, counts)
	})
	if err != nil {
		return nil, err
	}
	tenants, _, err := database.TenantNames(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, tenant := range tenants {
		err := db.AsBulk(
			ctx,
			viewer.System(tenant),
			func(tx *pg.Tx) error { return count(ctx, tx, tables, true, counts) },
		)
		if err != nil {
			return nil, err
		}
	}
	counts["tenant"] = int64(len(tenants))
	return counts, nil
}

func count(ctx context.Context, tx *pg.Tx, tables []table, ofTenant bool, into map[string]int64) error {
	for _, t := range tables {
		if t.OfTenant != ofTenant || t.Name == "tenant" {
			continue
		}
		var n int64
		if err := tx.QueryRow(ctx, t.count()).Scan(&n); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		into[t.Name] += n
	}
	return nil
}

// settle makes a restored database fit to serve.
func (r *Restored) settle(ctx context.Context, db *pg.DB, ring *seal.Keyring, log *slog.Logger) (err error) {
	if r.Epoch, err = signing.BumpEpoch(ctx, db); err != nil {
		return err
	}
	tenants, _, err := database.TenantNames(ctx, db)
	if err != nil {
		return err
	}
	r.Tenants = len(tenants)
	if r.Secrets, err = (&seal.Rotation{DB: db, Ring: ring}).Verify(ctx, tenants); err != nil {
		return err
	}
	if err := CheckReferences(ctx, db); err != nil {
		return err
	}
	for _, tenant := range tenants {
		if err := r.settleTenant(ctx, db, ring, log, tenant); err != nil {
			return fmt.Errorf("tenant %s: %w", tenant, err)
		}
	}
	return nil
}

func (r *Restored) settleTenant(
	ctx context.Context,
	db *pg.DB,
	ring *seal.Keyring,
	log *slog.Logger,
	tenant string,
) error {
	v := viewer.System(tenant)
	checked, err := verifyLog(ctx, trail.New(db, ring, nil, log), v)
	if err != nil {
		return err
	}
	r.Audited += checked
	return db.As(ctx, v, func(tx *pg.Tx) error {
		deliveries, err := markRepeated(ctx, tx)
		if err != nil {
			return err
		}
		r.Deliveries += deliveries
		return audit.Record(ctx, tx, audit.Entry{
			Action:  "tenant.restored",
			Subject: audit.Subject{Type: "tenant", ID: tenant},
			Context: map[string]any{
				"backup_made_at":               r.Manifest.MadeAt,
				"epoch":                        r.Epoch,
				"deliveries_possibly_repeated": deliveries,
			},
		})
	})
}

// verifyLog follows a tenant's audit log to its end, and returns how many entries it has.
func verifyLog(ctx context.Context, log *trail.Service, v viewer.Viewer) (checked int64, err error) {
	for from := int64(0); ; {
		verdict, err := log.Verify(ctx, v, from, 0)
		if err != nil {
			return checked, fmt.Errorf("verify the audit log: %w", err)
		}
		checked += verdict.Checked
		if !verdict.OK {
			return checked, fmt.Errorf(
				"the audit log does not verify, from entry %d on: %s",
				verdict.FirstBreak.Seq,
				verdict.FirstBreak.Kind,
			)
		}
		if verdict.NextSeq == nil {
			return checked, nil
		}
		from = *verdict.NextSeq
	}
}

// markRepeated notes of what was under way that its outcome is not known: a delivery that is pending here may have been
// made after the backup, and is made again, under the same id. Writes that somebody was just answering are nobody's any
// more, so that their Idempotency-Key can be used again at once.
func markRepeated(ctx context.Context, tx *pg.Tx) (int64, error) {
	const deliveries = `
		update webhook_delivery
		   set repeats = repeats + 1, lease_owner = null, lease_until = null
		 where state = 'pending'`
	const answers = `
		delete from kept_answer
		 where status is null`
	marked, err := tx.Exec(ctx, deliveries)
	if err != nil {
		return 0, fmt.Errorf("mark deliveries that may be repeated: %w", err)
	}
	if err := pg.Exec(ctx, tx, "let go of writes that were under way", answers); err != nil {
		return 0, err
	}
	return marked.RowsAffected(), nil
}
