package fulfil_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// world is a tenant in which access is given; the target is played by statements on accounts and grants.
type world struct {
	*recordtest.House
	t                *testing.T
	svc              *fulfil.Service
	told             []fulfil.Progress
	system, ann, acc string
}

func open(t *testing.T) *world {
	t.Helper()
	h := recordtest.Open(t, func(*pg.DB, *httpapi.Cursors) []httpapi.Route { return nil })
	w := &world{House: h, t: t, system: uuid.NewString()}
	w.svc = &fulfil.Service{
		DB:  h.DB,
		Log: slog.New(slog.DiscardHandler),
		Now: time.Now,
		Moved: func(_ context.Context, _ *pg.Tx, moved []fulfil.Progress) error {
			w.told = append(w.told, moved...)
			return nil
		},
	}
	w.ann = h.Person("ann", "")
	w.acc = h.Account(w.system, "ann", w.ann)
	return w
}

func (w *world) do(fn func(ctx context.Context, tx *pg.Tx) error) {
	w.t.Helper()
	ctx := context.Background()
	if err := w.DB.As(ctx, w.Tenant, func(tx *pg.Tx) error { return fn(ctx, tx) }); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) give(o fulfil.Order) string {
	w.t.Helper()
	o.ItemID, o.RequestID, o.Number, o.IdentityID = uuid.NewString(), uuid.NewString(), "REQ-000007", w.ann
	if o.Kind == "" {
		o.Kind = ledger.Request
	}
	w.do(func(ctx context.Context, tx *pg.Tx) error { return fulfil.Assign(ctx, tx, []fulfil.Order{o}) })
	return o.ItemID
}

// looks has everything looked at now, and gives what was told last of the item.
func (w *world) looks(item string) fulfil.Progress {
	w.t.Helper()
	w.Exec(`update fulfilment set due_at = now() where state <> 'closed'`)
	w.told = nil
	if _, err := w.svc.Part(context.Background(), w.Tenant.Tenant); err != nil {
		w.t.Fatal(err)
	}
	for _, p := range w.told {
		if p.ItemID == item {
			return p
		}
	}
	return fulfil.Progress{}
}

func (w *world) is(item, want string) fulfil.Progress {
	w.t.Helper()
	p := w.looks(item)
	if p.State != want {
		w.t.Fatalf("it is told to be %q; want %q: %+v", p.State, want, p)
	}
	return p
}

func (w *world) reasons(item string) int {
	w.t.Helper()
	return w.Count(`select count(*) from access_reason where details->>'item_id' = $1 and state <> 'ended'`, item)
}

func TestClockStartsWhenTheTargetWasSeenToHaveIt(t *testing.T) {
	w := open(t)
	staff := w.Entitlement(w.system, "staff")
	item := w.give(fulfil.Order{EntitlementID: &staff, Duration: 3 * time.Hour, ExternalReference: "CHG-1"})
	p := w.is(item, fulfil.Provisioning)
	if p.EndsAt != nil || p.VerifiedAt != nil || p.Total != 1 || p.Active != 0 {
		t.Errorf("before the target has it, it is %+v", p)
	}
	if n := w.Count(
		`select count(*) from access_reason where kind = 'request' and source_type = 'access_request' and source_id = $1
		and details->>'external_reference' = 'CHG-1' and ends_at between now() + interval '7 days'
		    and now() + interval '8 days'`,
		item,
	); n != 1 {
		t.Errorf("%d reasons as they should be", n)
	}
	// Half an hour goes by before anybody does it.
	w.Exec(`update fulfilment set created_at = created_at - interval '30 minutes'`)
	w.Grant(w.system, w.acc, staff)
	p = w.is(item, fulfil.Fulfilled)
	if p.VerifiedAt == nil || p.EndsAt == nil || p.EndsAt.Sub(*p.VerifiedAt) != 3*time.Hour ||
		time.Until(*p.EndsAt) < 2*time.Hour+59*time.Minute {
		t.Errorf("three hours were asked for, and it is %+v", p)
	}
	if n := w.Count(
		`select count(*) from access_reason where source_id = $1 and ends_at between now() + interval '179 minutes'
			and now() + interval '3 hours'`,
		item,
	); n != 1 {
		t.Error("the reason does not end when it should")
	}
	if again := w.looks(item); again.State != "" {
		t.Errorf("told again, although nothing moved: %+v", again)
	}
	// Its time is over, and the target still has it; then it has it no more.
	w.Exec(`update access_reason set ends_at = now() - interval '1 second'`)
	w.do(func(ctx context.Context, tx *pg.Tx) error {
		_, _, err := ledger.Settle(ctx, tx, time.Now())
		return err
	})
	if n := w.Count(`select count(*) from work_item where kind = 'fulfillment'`); n != 1 {
		t.Errorf("%d turns; want one, for the reason that ended", n)
	}
	w.is(item, fulfil.Ending)
	w.Exec(`update access_grant set status = 'revoked'`)
	if p = w.is(item, fulfil.Closed); p.Reason != "its time was over" {
		t.Errorf("it is told to have ended because %q", p.Reason)
	}
	if p = w.looks(item); p.State != "" {
		t.Error("what is closed is still looked at")
	}
}

func TestWhatIsReturnedEnds(t *testing.T) {
	w := open(t)
	staff := w.Entitlement(w.system, "staff")
	item := w.give(fulfil.Order{EntitlementID: &staff})
	grant := w.Grant(w.system, w.acc, staff)
	p := w.is(item, fulfil.Fulfilled)
	if p.EndsAt != nil || len(p.GrantIDs) != 1 || p.GrantIDs[0] != grant {
		t.Errorf("it is %+v; want the grant and no end", p)
	}
	w.Exec(`delete from work_item where kind = 'provisioning'`)
	w.do(func(ctx context.Context, tx *pg.Tx) error {
		return fulfil.End(ctx, tx, []string{item}, "returned by Ann")
	})
	if w.reasons(item) != 0 || w.Count(`select count(*) from work_item where kind = 'provisioning'`) == 0 {
		t.Error("the reason lives on, or nobody looks at the person")
	}
	w.is(item, fulfil.Ending)
	// Somebody else's reason keeps it: then nothing is to be awaited.
	w.do(func(ctx context.Context, tx *pg.Tx) error {
		_, err := ledger.Add(
			ctx,
			tx,
			[]ledger.Reason{
				{
					IdentityID:    w.ann,
					ConnectorID:   w.system,
					EntitlementID: &staff,
					Kind:          ledger.Manual,
					SourceType:    "user",
					SourceID:      uuid.NewString(),
				},
			},
		)
		return err
	})
	if p := w.is(item, fulfil.Closed); p.Reason != "returned by Ann" {
		t.Errorf("ended because %q", p.Reason)
	}
	w.do(func(ctx context.Context, tx *pg.Tx) error { return fulfil.End(ctx, tx, []string{item}, "again") })
}

func TestItemIsGivenAgainWhenItHasEnded(t *testing.T) {
	w := open(t)
	staff := w.Entitlement(w.system, "staff")
	item := w.give(fulfil.Order{EntitlementID: &staff})
	again := func() error {
		return w.DB.As(context.Background(), w.Tenant, func(tx *pg.Tx) error {
			return fulfil.Assign(
				context.Background(),
				tx,
				[]fulfil.Order{
					{
						ItemID:        item,
						RequestID:     uuid.NewString(),
						IdentityID:    w.ann,
						EntitlementID: &staff,
						Kind:          ledger.Request,
					},
				},
			)
		})
	}
	if err := again(); !fault.IsCode(err, "already_given") {
		t.Errorf("given twice: %v", err)
	}
	w.do(func(ctx context.Context, tx *pg.Tx) error {
		return fulfil.End(ctx, tx, []string{item}, "approval withdrawn")
	})
	if err := again(); err != nil ||
		w.Count(`select count(*) from access_reason where source_id = $1 and state = 'active'`, item) != 1 {
		t.Errorf("not given again: %v", err)
	}
	w.Grant(w.system, w.acc, staff)
	w.is(item, fulfil.Fulfilled)
}

func TestEndIsMoved(t *testing.T) {
	w := open(t)
	staff := w.Entitlement(w.system, "staff")
	lasting, short := w.give(fulfil.Order{EntitlementID: &staff}), ""
	extend := func(item string, until time.Time) error {
		return w.DB.As(
			context.Background(),
			w.Tenant,
			func(tx *pg.Tx) error { return fulfil.Extend(context.Background(), tx, item, until) },
		)
	}
	until := time.Now().Add(48 * time.Hour).Truncate(time.Second)
	if err := extend(lasting, until); err == nil {
		t.Error("what has no end was extended")
	}
	short = w.give(fulfil.Order{EntitlementID: &staff, Duration: time.Hour})
	w.Grant(w.system, w.acc, staff)
	w.is(short, fulfil.Fulfilled)
	if err := extend(short, until); err != nil {
		t.Fatal(err)
	}
	if p := w.is(short, fulfil.Fulfilled); p.EndsAt == nil || !p.EndsAt.Equal(until) {
		t.Errorf("it ends at %v; want %v", p.EndsAt, until)
	}
	w.do(func(ctx context.Context, tx *pg.Tx) error { return fulfil.End(ctx, tx, []string{short}, "x") })
	if err := extend(short, until); err == nil {
		t.Error("what has ended was extended")
	}
	if err := extend(uuid.NewString(), until); err == nil {
		t.Error("what was never given was extended")
	}
}

func TestWhatWillBeginLaterAndWhatFails(t *testing.T) {
	w := open(t)
	staff, books := w.Entitlement(w.system, "staff"), w.Entitlement(w.system, "books")
	soon := time.Now().Add(time.Hour)
	later := w.give(fulfil.Order{EntitlementID: &staff, StartsAt: &soon})
	w.is(later, fulfil.Scheduled)
	w.Exec(`update access_reason set starts_at = now() - interval '1 second'`)
	w.do(func(ctx context.Context, tx *pg.Tx) error {
		_, _, err := ledger.Settle(ctx, tx, time.Now())
		return err
	})
	w.is(later, fulfil.Provisioning)

	broken := w.give(fulfil.Order{EntitlementID: &books})
	w.is(broken, fulfil.Provisioning)
	w.Exec(
		`insert into provisioning_task (tenant_id, id, connector_id, operation, identity_id, account_id, entitlement_id, created_from, state, idempotency_key, error)
		values (current_tenant(), gen_random_uuid(), $1, 'grant', $2, $3, $4, 'request', 'failed', gen_random_uuid(), '{"code": "insufficientAccessRights"}')`,
		w.system,
		w.ann,
		w.acc,
		books,
	)
	if p := w.is(broken, fulfil.Failed); p.Error["code"] != "insufficientAccessRights" || len(p.TaskIDs) != 1 {
		t.Errorf("the target's words are not told: %+v", p)
	}
	// The target takes it after all.
	w.Grant(w.system, w.acc, books)
	w.is(broken, fulfil.Fulfilled)
	if w.reasons(broken) != 1 {
		t.Error("what failed is wanted no more")
	}
}

func TestWhatIsDeniedFails(t *testing.T) {
	w := open(t)
	staff := w.Entitlement(w.system, "staff")
	item := w.give(fulfil.Order{EntitlementID: &staff, Kind: ledger.Emergency})
	w.do(func(ctx context.Context, tx *pg.Tx) error {
		_, err := ledger.Add(
			ctx,
			tx,
			[]ledger.Reason{
				{
					IdentityID:    w.ann,
					ConnectorID:   w.system,
					EntitlementID: &staff,
					Effect:        ledger.Deny,
					Kind:          ledger.Policy,
					SourceType:    "policy",
					SourceID:      uuid.NewString(),
				},
			},
		)
		return err
	})
	if p := w.is(item, fulfil.Failed); p.FailedOnes != 1 {
		t.Errorf("it is %+v", p)
	}
}

func TestRoleIsFulfilledWithAllThatItHolds(t *testing.T) {
	w := open(t)
	staff, books := w.Entitlement(w.system, "staff"), w.Entitlement(w.system, "books")
	var made role.Role
	w.do(func(ctx context.Context, tx *pg.Tx) (err error) {
		made, err = role.Create(
			ctx,
			tx,
			role.New{RoleFields: role.RoleFields{Name: "Clerk", EntitlementIDs: []string{staff, books}}},
		)
		return err
	})
	item := w.give(fulfil.Order{RoleID: &made.ID, Duration: time.Hour})
	w.Grant(w.system, w.acc, staff)
	if p := w.is(item, fulfil.Provisioning); p.Total != 2 || p.Active != 1 {
		t.Errorf("half of it is there, and it is %+v", p)
	}
	w.Grant(w.system, w.acc, books)
	p := w.is(item, fulfil.Fulfilled)
	if p.EndsAt == nil || p.EndsAt.Sub(*p.VerifiedAt) != time.Hour {
		t.Errorf("its hour is %+v", p)
	}
	if n := w.Count(
		`select count(*) from access_reason where role_id = $1 and ends_at <= now() + interval '1 hour'
			and state = 'active'`,
		made.ID,
	); n != 2 {
		t.Errorf("%d reasons end within the hour; want 2", n)
	}
	w.do(func(ctx context.Context, tx *pg.Tx) error { return fulfil.End(ctx, tx, []string{item}, "returned") })
	w.is(item, fulfil.Ending)
	w.Exec(`update access_grant set status = 'revoked'`)
	w.is(item, fulfil.Closed)
	if n := w.Count(`select count(*) from role_assignment where state <> 'ended'`); n != 0 {
		t.Error("the assignment lives on")
	}
	empty := ""
	w.do(func(ctx context.Context, tx *pg.Tx) error {
		r, err := role.Create(ctx, tx, role.New{RoleFields: role.RoleFields{Name: "Nothing yet"}})
		empty = r.ID
		return err
	})
	w.is(w.give(fulfil.Order{RoleID: &empty}), fulfil.Fulfilled)
}
