package ledger_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Times that are past and to come whenever the tests run.
var (
	past   = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	soon   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	later  = soon.AddDate(1, 0, 0)
	system = uuid.NewString()
)

// book is a tenant's ledger under test.
type book struct {
	testing.TB
	db *pg.DB
	v  viewer.Viewer
}

func open(t testing.TB) book {
	t.Helper()
	db := pgtest.New(t)
	return book{t, db, pgtest.Tenant(t, db, "first")}
}

func (b book) do(fn func(ctx context.Context, tx *pg.Tx) error) {
	b.Helper()
	ctx := context.Background()
	if err := b.db.As(ctx, b.v, func(tx *pg.Tx) error { return fn(ctx, tx) }); err != nil {
		b.Fatal(err)
	}
}

func (b book) add(reasons ...ledger.Reason) (n int) {
	b.Helper()
	b.do(func(ctx context.Context, tx *pg.Tx) (err error) { n, err = ledger.Add(ctx, tx, reasons); return err })
	return n
}

func (b book) end(w ledger.Which, at time.Time) (n int) {
	b.Helper()
	b.do(func(ctx context.Context, tx *pg.Tx) (err error) {
		n, err = ledger.End(ctx, tx, w, at, "no longer needed", true)
		return err
	})
	return n
}

func (b book) settle(now time.Time) (started, ended int) {
	b.Helper()
	b.do(func(ctx context.Context, tx *pg.Tx) (err error) { started, ended, err = ledger.Settle(ctx, tx, now); return err })
	return started, ended
}

func (b book) desired(identity string) (wants []ledger.Want) {
	b.Helper()
	b.do(func(ctx context.Context, tx *pg.Tx) (err error) {
		wants, err = ledger.Desired(ctx, tx, []string{identity})
		return err
	})
	return wants
}

// turns takes the people whose access is to be looked at; an urgent one has a mark.
func (b book) turns() (ids []string) {
	b.Helper()
	b.do(func(ctx context.Context, tx *pg.Tx) error {
		return tx.QueryRow(ctx, `
			with taken as (delete from access_turn returning identity_id, urgent)
			select coalesce(array_agg(distinct case when urgent then '!' else '' end || identity_id), '{}') from taken`).Scan(&ids)
	})
	return ids
}

func (b book) count(sql string, args ...any) (n int) {
	b.Helper()
	b.do(func(ctx context.Context, tx *pg.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(&n) })
	return n
}

// by is a birthright that somebody holds by a policy.
func by(policy, identity, entitlement string) ledger.Reason {
	return ledger.Reason{IdentityID: identity, ConnectorID: system, EntitlementID: &entitlement, Kind: ledger.Birthright, SourceType: "policy", SourceID: policy}
}

func TestAccessEndsWithItsLastReason(t *testing.T) {
	b := open(t)
	ann, staff, first, second := uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString()
	if n := b.add(by(first, ann, staff), by(second, ann, staff)); n != 2 {
		t.Errorf("added %d; want 2", n)
	}
	if got := b.turns(); !slices.Equal(got, []string{ann}) {
		t.Errorf("turns %v; want %v once", got, ann)
	}
	b.end(ledger.Which{SourceID: first}, time.Time{})
	if w := b.desired(ann); len(w) != 1 || len(w[0].ReasonIDs) != 1 || *w[0].EntitlementID != staff {
		t.Errorf("one reason is left, and the access is %v", w)
	}
	if got := b.turns(); !slices.Equal(got, []string{"!" + ann}) {
		t.Errorf("turns %v; want %v, urgently", got, ann)
	}
	b.end(ledger.Which{IdentityIDs: []string{ann}, SourceID: second}, time.Time{})
	if w := b.desired(ann); len(w) != 0 {
		t.Errorf("no reason is left, and the access is %v", w)
	}
	if n := b.count(`select count(*) from access_reason where state = 'ended' and ended_at is not null and end_reason = 'no longer needed'`); n != 2 {
		t.Errorf("%d reasons are history; want 2", n)
	}
}
