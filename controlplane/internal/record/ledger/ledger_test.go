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
	b.do(func(ctx context.Context, tx *pg.Tx) (err error) {
		started, ended, err = ledger.Settle(ctx, tx, now)
		return err
	})
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
			with taken as (delete from work_item where kind = 'provisioning' returning subject as identity_id,
			    priority > 0 as urgent)
			select coalesce(array_agg(distinct case when urgent then '!' else '' end || identity_id), '{}')
			    from taken`).Scan(&ids)
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
	return ledger.Reason{
		IdentityID:    identity,
		ConnectorID:   system,
		EntitlementID: &entitlement,
		Kind:          ledger.Birthright,
		SourceType:    "policy",
		SourceID:      policy,
	}
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
	if n := b.count(
		`select count(*) from access_reason where state = 'ended' and ended_at is not null
			and end_reason = 'no longer needed'`,
	); n != 2 {
		t.Errorf("%d reasons are history; want 2", n)
	}
}

func TestReasonOfTheSameKeyIsKeptAndRenewed(t *testing.T) {
	b := open(t)
	ann, staff, policy := uuid.NewString(), uuid.NewString(), uuid.NewString()
	limited := by(policy, ann, staff)
	limited.EndsAt = &soon
	b.add(limited)
	b.turns()
	if n := b.add(limited, limited); n != 0 || len(b.turns()) != 0 {
		t.Errorf("the same again changed %d reasons", n)
	}
	limited.EndsAt, limited.SourceVersion = &later, 2
	if n := b.add(limited); n != 1 || len(b.turns()) != 1 {
		t.Errorf("a later end changed %d reasons; want 1, and its holder looked at", n)
	}
	if w := b.desired(ann); len(w) != 1 || !w[0].EndsAt.Equal(later) {
		t.Errorf("desired %v; want until %s", w, later)
	}
	limited.EndsAt = nil
	b.add(limited)
	if w := b.desired(ann); w[0].EndsAt != nil {
		t.Errorf("it ends at %s; want never", w[0].EndsAt)
	}
	if n := b.count(`select count(*) from access_reason where source_version = 1`); n != 1 {
		t.Errorf("%d reasons with the version that first gave them; want 1", n)
	}
	b.end(ledger.Which{SourceID: policy}, time.Time{})
	if n := b.add(limited); n != 1 {
		t.Errorf("%d added after the end of the first; want 1", n)
	}
	if n := b.count(`select count(*) from access_reason`); n != 2 {
		t.Errorf("%d rows; want the one that ended and the new one", n)
	}
}

func TestEndInTimeToComeIsKeptThoughItIsAskedForAgain(t *testing.T) {
	b := open(t)
	ann, staff, policy := uuid.NewString(), uuid.NewString(), uuid.NewString()
	b.add(by(policy, ann, staff))
	if n := b.end(ledger.Which{SourceID: policy}, soon); n != 1 {
		t.Errorf("%d got an end; want 1", n)
	}
	if n := b.end(ledger.Which{SourceID: policy}, later); n != 0 {
		t.Errorf("asked again, %d got a later end", n)
	}
	if w := b.desired(ann); len(w) != 1 || !w[0].EndsAt.Equal(soon) {
		t.Errorf("desired %v; want until %s", w, soon)
	}
	if started, ended := b.settle(soon.Add(-time.Second)); started+ended != 0 {
		t.Errorf("before its time %d began and %d ended", started, ended)
	}
	b.turns()
	if _, ended := b.settle(soon); ended != 1 || len(b.desired(ann)) != 0 {
		t.Errorf("%d ended at its time; want 1", ended)
	}
	if got := b.turns(); !slices.Equal(got, []string{ann}) {
		t.Errorf("turns %v; want %s", got, ann)
	}
	if n := b.count(`select count(*) from access_reason where end_reason = 'no longer needed'`); n != 1 {
		t.Error("the reason of its end is lost")
	}
}

func TestScheduledReasonBeginsAtItsTime(t *testing.T) {
	b := open(t)
	ann, staff, never := uuid.NewString(), uuid.NewString(), uuid.NewString()
	hired, short := by(uuid.NewString(), ann, staff), by(uuid.NewString(), ann, never)
	hired.StartsAt, short.StartsAt, short.EndsAt = soon, soon, &soon
	b.add(hired, short)
	if w := b.desired(ann); len(w) != 0 {
		t.Errorf("before its time, %v is desired", w)
	}
	if started, ended := b.settle(soon); started != 1 || ended != 1 {
		t.Errorf("%d began, %d ended; want 1 and the one that was over at once", started, ended)
	}
	if w := b.desired(ann); len(w) != 1 || *w[0].EntitlementID != staff {
		t.Errorf("desired %v; want %s", w, staff)
	}
	cancelled := by(uuid.NewString(), ann, never)
	cancelled.StartsAt = later
	b.add(cancelled)
	b.end(ledger.Which{SourceID: cancelled.SourceID}, soon)
	if started, _ := b.settle(later); started != 0 {
		t.Error("what was called off before it began began all the same")
	}
	// A rule that now gives it at once lets it begin at once.
	first := by(uuid.NewString(), ann, never)
	first.StartsAt = later.AddDate(1, 0, 0)
	b.add(first)
	first.StartsAt = time.Time{}
	b.add(first)
	if w := b.desired(ann); len(w) != 2 {
		t.Errorf("desired %v; want both", w)
	}
}

func TestDenialBeatsEveryReason(t *testing.T) {
	b := open(t)
	ann, staff, books, account := uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString()
	second := by(uuid.NewString(), ann, staff)
	second.AccountID = &account
	door := ledger.Reason{
		IdentityID:  ann,
		ConnectorID: system,
		Kind:        ledger.Birthright,
		SourceType:  "policy",
		SourceID:    uuid.NewString(),
	}
	b.add(by(uuid.NewString(), ann, staff), second, by(uuid.NewString(), ann, books), door)
	if w := b.desired(ann); len(w) != 4 || w[0].EntitlementID != nil {
		t.Fatalf("desired %v; want an account, and three entitlements", w)
	}
	deny := by(uuid.NewString(), ann, staff)
	deny.Effect, deny.AccountID = ledger.Deny, &account
	b.add(deny)
	if w := b.desired(ann); len(w) != 3 {
		t.Errorf("denied for one account, desired %v", w)
	}
	deny.AccountID = nil
	b.add(deny)
	if w := b.desired(ann); len(w) != 2 {
		t.Errorf("denied for all accounts, desired %v; want the account and the books", w)
	}
	whole := door
	whole.Effect, whole.Kind = ledger.Deny, ledger.Policy
	b.add(whole)
	if w := b.desired(ann); len(w) != 0 {
		t.Errorf("denied the whole system, desired %v", w)
	}
	b.end(ledger.Which{SourceID: whole.SourceID, Kind: ledger.Policy}, time.Time{})
	b.end(ledger.Which{SourceID: deny.SourceID}, time.Time{})
	if w := b.desired(ann); len(w) != 4 {
		t.Errorf("desired %v after the denials; want all four again", w)
	}
}

func TestEndNeedsToBeToldOfWhich(t *testing.T) {
	b := open(t)
	ann := uuid.NewString()
	b.add(by(uuid.NewString(), ann, uuid.NewString()))
	ctx := context.Background()
	err := b.db.As(ctx, b.v, func(tx *pg.Tx) error {
		_, err := ledger.End(ctx, tx, ledger.Which{}, time.Time{}, "", false)
		return err
	})
	if err == nil {
		t.Error("every reason of the tenant was ended without a word")
	}
	if n := b.end(ledger.Which{IdentityIDs: []string{}}, time.Time{}); n != 0 {
		t.Errorf("%d reasons of nobody ended", n)
	}
	if n := b.end(ledger.Which{IdentityIDs: []string{ann}}, past); n != 1 {
		t.Errorf("%d ended by a moment that has passed; want 1", n)
	}
}

func TestReasonsAddedAtTheSameTimeAreOne(t *testing.T) {
	b := open(t)
	var reasons []ledger.Reason
	policy := uuid.NewString()
	for range 300 {
		reasons = append(reasons, by(policy, uuid.NewString(), uuid.NewString()))
	}
	done := make(chan error)
	for i := range 8 {
		go func() {
			mine := slices.Clone(reasons)
			if i%2 == 1 {
				slices.Reverse(mine) // another order must not make them wait for one another
			}
			ctx := context.Background()
			done <- b.db.As(ctx, b.v, func(tx *pg.Tx) error { _, err := ledger.Add(ctx, tx, mine); return err })
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := b.count(`select count(*) from access_reason`); n != len(reasons) {
		t.Errorf("%d reasons; want %d", n, len(reasons))
	}
}

func TestWholeCompanyAtOnce(t *testing.T) {
	b := open(t)
	const people, each = 10_000, 15
	policy := uuid.NewString()
	entitlements := make([]string, each)
	for i := range entitlements {
		entitlements[i] = uuid.NewString()
	}
	reasons := make([]ledger.Reason, 0, people*each)
	for range people {
		who := uuid.NewString()
		for _, e := range entitlements {
			reasons = append(reasons, by(policy, who, e))
		}
	}
	began := time.Now()
	if n := b.add(reasons...); n != people*each {
		t.Errorf("added %d; want %d", n, people*each)
	}
	t.Logf("%d reasons added in %s", people*each, time.Since(began).Round(time.Millisecond))
	if n := len(b.turns()); n != people {
		t.Errorf("%d people to look at; want %d", n, people)
	}
	began = time.Now()
	if n := b.add(reasons...); n != 0 {
		t.Errorf("the same again changed %d", n)
	}
	t.Logf("found unchanged in %s", time.Since(began).Round(time.Millisecond))
	began = time.Now()
	if n := b.end(ledger.Which{SourceID: policy}, time.Time{}); n != people*each {
		t.Errorf("ended %d; want %d", n, people*each)
	}
	t.Logf("ended in %s", time.Since(began).Round(time.Millisecond))
}
