package tenant_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

var ctx = context.Background()

func first() tenant.Bootstrap {
	return tenant.Bootstrap{
		Slug:              "acme",
		Name:              "Acme",
		AdminEmail:        "Ada@acme.example",
		AdminPassword:     "twelve or more",
		ControlPlaneAdmin: true,
	}
}

func TestBootstrapMakesATenantWithItsFirstAdmin(t *testing.T) {
	db := pgtest.New(t)
	got, err := first().Run(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	if got.Tenant.Slug != "acme" || got.Tenant.Name != "Acme" || got.Tenant.Stage != tenant.Bootstrapped ||
		got.Tenant.Status.Usable() != nil {
		t.Errorf("tenant = %+v", got.Tenant)
	}
	var user string
	err = db.As(ctx, viewer.System(got.Tenant.ID), func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select concat_ws(' ', id, email, roles, control_plane_admin, status,
			left(password_hash, 10)) from app_user`).
			Scan(&user)
	})
	if want := got.UserID + " Ada@acme.example {admin} t active $argon2id$"; err != nil || user != want {
		t.Errorf("user = %q, %v; want %q", user, err, want)
	}
}

func TestBootstrapTwiceSaysWhatIsThereAndChangesNothing(t *testing.T) {
	db := pgtest.New(t)
	var made, refused atomic.Int64
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			switch _, err := first().Run(ctx, db); {
			case err == nil:
				made.Add(1)
			case fault.IsCode(err, "tenant_exists") && strings.Contains(err.Error(), "is its admin"):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 || refused.Load() != 2 {
		t.Errorf("%d made, %d refused; want 1 and 2", made.Load(), refused.Load())
	}
	other := first()
	other.AdminEmail = "bob@acme.example"
	if _, err := other.Run(
		ctx,
		db,
	); !fault.IsCode(err, "tenant_exists") ||
		!strings.Contains(err.Error(), "no admin of it") {
		t.Errorf("another admin: %v", err)
	}
	var tenants, users int
	err := db.Across(ctx, func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select (select count(*) from tenant), (select count(*) from app_user)`).
			Scan(&tenants, &users)
	})
	if err != nil || tenants != 1 || users != 1 {
		t.Errorf("%d tenants, %d users, %v; want one each", tenants, users, err)
	}
}

func TestBootstrapRefusesWhatCannotBeUsed(t *testing.T) {
	db := pgtest.New(t)
	tests := map[string]func(*tenant.Bootstrap){
		"slug":           func(b *tenant.Bootstrap) { b.Slug = "Acme Inc" },
		"e-mail address": func(b *tenant.Bootstrap) { b.AdminEmail = "Ada <ada@acme.example>" },
		"12 characters":  func(b *tenant.Bootstrap) { b.AdminPassword = "short" },
	}
	for word, spoil := range tests {
		b := first()
		spoil(&b)
		if _, err := b.Run(ctx, db); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), word) {
			t.Errorf("err = %v; want words about %s", err, word)
		}
	}
	if _, err := first().Run(ctx, db); err != nil {
		t.Errorf("after the refusals: %v", err)
	}
}

func TestATenantMovesForwardOnceAndNeverBack(t *testing.T) {
	db := pgtest.New(t)
	v := viewer.System(uuid.Must(uuid.NewV7()).String())
	advance := func(to tenant.Stage) (moved bool, err error) {
		err = db.As(ctx, v, func(tx *pg.Tx) (err error) { moved, err = tenant.Advance(ctx, tx, to); return err })
		return moved, err
	}
	err := db.As(ctx, v, func(tx *pg.Tx) error { _, err := tenant.Create(ctx, tx, "acme", "Acme"); return err })
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if moved, err := advance(tenant.Connected); moved != want || err != nil {
			t.Errorf("moved = %v, %v; want %v", moved, err, want)
		}
	}
	for _, to := range []tenant.Stage{tenant.Bootstrapped, "governed"} {
		if _, err := advance(to); err == nil {
			t.Errorf("a tenant went to %q", to)
		}
	}
	var actions []string
	var stage tenant.Stage
	err = db.As(ctx, v, func(tx *pg.Tx) error {
		found, err := tenant.Find(ctx, tx)
		if err != nil {
			return err
		}
		stage = found.Stage
		return tx.QueryRow(ctx, `select array_agg(action order by seq) from audit_event`).Scan(&actions)
	})
	if diff := cmp.Diff(
		[]string{"tenant.created", "tenant.advanced"},
		actions,
	); err != nil || diff != "" ||
		stage != tenant.Connected {
		t.Errorf("stage %q, %v, audit (-want +got):\n%s", stage, err, diff)
	}
}
