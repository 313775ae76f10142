package exemption_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/scan"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// exempting makes the enforced policy "Vendors and payments" with a condition on people to whom it does not apply.
func exempting(w *separationtest.World, condition string) {
	w.T.Helper()
	id := w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	w.Exec(`update separation_policy set exemptions = $1::text::jsonb where id = $2`, condition, id)
}

func TestAPolicyDoesNotApplyToPeopleWhoAreExempt(t *testing.T) {
	for _, tt := range []struct{ condition, field, want string }{
		{`{"match": "all", "rules": [{"field": "department", "op": "eq", "value": "Audit"}]}`, "department", check.None},
		{`{"match": "all", "rules": [{"field": "department", "op": "eq", "value": "Sales"}]}`, "department", check.Block},
		{`{"expression": "identity.title == 'Auditor'"}`, "title", check.Block},
		{`{"match": "all", "rules": [{"field": "start_date", "op": "after", "value": "2020-01-01"}]}`, "", check.Block},
	} {
		w := separationtest.Open(t, func(*pg.DB, *httpapi.Cursors) []httpapi.Route { return nil })
		exempting(w, tt.condition)
		w.Exec(`update identity set department = 'Audit' where id = $1`, w.Ann)
		w.Grants("VENDOR-EDIT")
		w.As(func(ctx context.Context, tx *pg.Tx) error {
			v, err := check.Person(ctx, tx, w.Ann, effective.Changes{Add: []effective.Addition{
				{ID: w.Groups["PAY-RUN"], EntitlementID: w.Groups["PAY-RUN"]}}}, time.Now())
			if v.Effect != tt.want {
				t.Errorf("%s: %s; want %s", tt.condition, v.Effect, tt.want)
			}
			return err
		})
	}
}

func TestExemptionsMayAskForRolesEntitlementsAndManagers(t *testing.T) {
	w := separationtest.Open(t, func(*pg.DB, *httpapi.Cursors) []httpapi.Route { return nil })
	boss := w.Person("boss", "")
	w.Exec(`update identity set manager_id = $1 where id = $2`, boss, w.Ann)
	exempting(w, `{"match": "any", "rules": [
		{"field": "manager", "op": "in_tree", "value": "nobody"},
		{"op": "has_role", "value": "none"},
		{"op": "has_entitlement", "value": "`+w.Groups["AUDIT"]+`"}]}`)
	w.Grants("VENDOR-EDIT")
	w.Grants("PAY-RUN")
	found := func() (n int) {
		w.As(func(ctx context.Context, tx *pg.Tx) error {
			v, err := check.Person(ctx, tx, w.Ann, effective.Changes{}, time.Now())
			n = len(v.Violations)
			return err
		})
		return n
	}
	if n := found(); n != 1 {
		t.Errorf("%d violations without the entitlement; want 1", n)
	}
	w.Grants("AUDIT")
	if n := found(); n != 0 {
		t.Errorf("%d violations with the entitlement; want none", n)
	}
}

func TestAChangeOfTheRecordQueuesThePerson(t *testing.T) {
	var scans *scan.Service
	w := separationtest.Open(t, func(db *pg.DB, _ *httpapi.Cursors) []httpapi.Route {
		scans = &scan.Service{DB: db, Log: slog.New(slog.DiscardHandler), Now: time.Now}
		return scans.Routes()
	})
	exempting(w, `{"match": "all", "rules": [{"field": "department", "op": "eq", "value": "Audit"}]}`)
	w.Exec(`update identity set department = 'Audit' where id = $1`, w.Ann)
	w.Grants("VENDOR-EDIT")
	w.Grants("PAY-RUN")
	open := func() int {
		for range 20 {
			w.Exec(`update work_item set due_at = now() - interval '1 second' where kind like 'separation%'`)
			n, err := scans.Part(context.Background(), w.Tenant.Tenant)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
		}
		return w.Count(`select count(*) from violation where state = 'open'`)
	}
	if n := open(); n != 0 {
		t.Errorf("%d violations while Ann is exempt; want none", n)
	}
	w.Exec(`update identity set department = 'Sales' where id = $1`, w.Ann)
	if n := open(); n != 1 {
		t.Errorf("%d violations after Ann moved; want 1", n)
	}
	w.Exec(`update identity set department = 'Audit' where id = $1`, w.Ann)
	if n := open(); n != 0 {
		t.Errorf("%d violations after Ann came back; want none", n)
	}
}
