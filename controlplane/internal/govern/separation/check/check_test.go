package check_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

func open(t testing.TB) *separationtest.World {
	t.Helper()
	return separationtest.Open(t, func(*pg.DB, *httpapi.Cursors) []httpapi.Route { return nil })
}

// verdict is that about Ann with changes.
func verdict(w *separationtest.World, changes effective.Changes) (v check.SeparationVerdict) {
	w.T.Helper()
	w.As(func(ctx context.Context, tx *pg.Tx) (err error) {
		v, err = check.Person(ctx, tx, w.Ann, changes, time.Now())
		return err
	})
	return v
}

func adding(w *separationtest.World, groups ...string) (c effective.Changes) {
	for _, g := range groups {
		c.Add = append(c.Add, effective.Addition{ID: w.Groups[g], EntitlementID: w.Groups[g]})
	}
	return c
}

func TestEffectIsTheStrongestOfTheViolations(t *testing.T) {
	w := open(t)
	w.Grants("VENDOR-EDIT")
	for _, step := range []struct{ mode, onRequest, want string }{
		{"draft", "block", check.None},
		{"shadow", "block", check.Record},
		{"enforce", "record", check.Record},
		{"enforce", "warn", check.Warn},
		{"enforce", "block", check.Block},
	} {
		w.Policy(step.mode+" "+step.onRequest, step.mode, step.onRequest, "Maintain vendors", "Pay")
		if v := verdict(w, adding(w, "FINANCE")); v.Effect != step.want {
			t.Errorf("with a policy in %s that would %s: %s; want %s", step.mode, step.onRequest, v.Effect, step.want)
		}
	}
}

func TestUnrelatedRequestIsNotRefusedForAnOldViolation(t *testing.T) {
	w := open(t)
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	w.Grants("VENDOR-EDIT")
	w.Grants("FINANCE")
	if v := verdict(w, adding(w, "AUDIT")); v.Effect != check.None {
		t.Errorf("the request for AUDIT: %+v", v)
	}
	if v := verdict(w, effective.Changes{}); len(v.Violations) != 1 || v.Effect != check.Block {
		t.Errorf("what is held: %+v; want one violation", v)
	}
	if v := verdict(w, effective.Changes{Remove: []string{w.Grants("AUDIT")}}); len(v.Violations) != 1 {
		t.Errorf("without AUDIT: %+v; want one violation", v)
	}
}

func TestRefusalNamesPersonSidesAndTheSmallestWaysOut(t *testing.T) {
	w := open(t)
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	w.Grants("VENDOR-EDIT")
	err := verdict(w, adding(w, "FINANCE")).Refusal("Ann Lee")
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != "separation_of_duties" || f.Kind != fault.Conflict {
		t.Fatalf("got %v", err)
	}
	want := `Ann Lee would violate the policy "Vendors and payments": Maintain vendors (VENDOR-EDIT) and ` +
		`Pay (PAY-RUN through FINANCE). The smallest way out is to do without any one of these: VENDOR-EDIT; FINANCE.`
	if f.Message != want {
		t.Errorf("got  %s\nwant %s", f.Message, want)
	}
	if f := verdict(w, adding(w, "AUDIT")).Refusal("Ann Lee"); f != nil {
		t.Errorf("AUDIT is refused: %v", f)
	}
}

func TestTwoAdditionsViolateTogether(t *testing.T) {
	w := open(t)
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	if v := verdict(w, adding(w, "VENDOR-EDIT", "FINANCE")); v.Effect != check.Block ||
		v.Violations[0].Grade != "latent" || !strings.Contains(v.Violations[0].Sides[0].Access[0].Source.Kind, "added") {
		t.Errorf("got %+v", v)
	}
}

func TestCheckWithoutPoliciesCostsOneStatement(t *testing.T) {
	w := open(t)
	ctx := context.Background()
	db, count := w.Counted()
	once := func() int64 {
		before := count()
		if err := db.As(ctx, w.Tenant, func(tx *pg.Tx) error {
			_, err := check.Person(ctx, tx, w.Ann, adding(w, "FINANCE"), time.Now())
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return count() - before
	}
	once()
	if n := once(); n > 2 { // one of them is the transaction's own
		t.Errorf("%d statements; want 2", n)
	}
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	once()
	if n := once(); n > 12 {
		t.Errorf("%d statements with a policy; want at most 12", n)
	}
}

func BenchmarkCheckOfOneRequest(b *testing.B) {
	w := open(b)
	w.Grants("VENDOR-EDIT")
	for i := range 50 {
		w.Policy(fmt.Sprint("policy ", i), "enforce", "block", "Maintain vendors", "Pay")
	}
	ctx := context.Background()
	for b.Loop() {
		if err := w.DB.As(ctx, w.Tenant, func(tx *pg.Tx) error {
			_, err := check.Person(ctx, tx, w.Ann, adding(w, "FINANCE"), time.Now())
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
}
