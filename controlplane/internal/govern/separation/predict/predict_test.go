package predict_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/predict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const path = "/policies/separation-of-duties/predict"

func open(t testing.TB) *separationtest.World {
	t.Helper()
	return separationtest.Open(t, func(db *pg.DB, _ *httpapi.Cursors) []httpapi.Route {
		return (&predict.Service{DB: db, Now: time.Now}).Routes()
	})
}

func adding(who string, more ...any) map[string]any {
	return map[string]any{"identity_id": who, "add": more}
}

func TestPredictionSaysTheEffectOfAddedAndRemovedAccess(t *testing.T) {
	w := open(t)
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	vendor := w.Grants("VENDOR-EDIT")
	finance := map[string]any{"entitlement_id": w.Groups["FINANCE"]}
	a := w.Must(200, "admin", "POST", path, adding(w.Ann, finance))
	if a.Text("effect") != "block" || len(a.Body["violations"].([]any)) != 1 {
		t.Errorf("FINANCE beside VENDOR-EDIT: %v", a.Body)
	}
	body := adding(w.Ann, finance)
	body["remove"] = []string{vendor}
	if a := w.Must(200, "admin", "POST", path, body); a.Text("effect") != "none" {
		t.Errorf("FINANCE in place of VENDOR-EDIT: %v", a.Body)
	}
	if n := w.Count(`select count(*) from audit_event`); n != 0 {
		t.Errorf("%d entries of the audit log; a prediction writes nothing", n)
	}
}

func TestPredictionIsForWhoeverMayRequest(t *testing.T) {
	w := open(t)
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	w.Exec(`update entitlement set requestable = true where id = $1`, w.Groups["FINANCE"])
	boss, owner := w.Person("boss", ""), w.Person("owner", "")
	w.Exec(`update identity set manager_id = $1 where id = $2`, boss, w.Ann)
	w.Exec(`update entitlement set owner_ids = array[$1::uuid] where id = $2`, owner, w.Groups["VENDOR-EDIT"])
	w.Grants("VENDOR-EDIT")
	tenant := w.Tenant.Tenant
	w.Let("ann", tenant, w.Ann)
	w.Let("boss", tenant, boss, viewer.Manager)
	w.Let("owner", tenant, owner, viewer.ResourceOwner)
	w.Let("peer", tenant, w.Person("peer", ""))
	w.Let("auditor", tenant, "", viewer.Auditor)
	finance := map[string]any{"entitlement_id": w.Groups["FINANCE"]}
	for _, as := range []string{"ann", "boss", "admin"} {
		if a := w.Must(200, as, "POST", path, adding(w.Ann, finance)); a.Text("effect") != "block" {
			t.Errorf("%s: %v", as, a.Body)
		}
	}
	w.Refused(403, "not_allowed_to_ask_for", "owner", "POST", path, adding(w.Ann, finance))
	w.Refused(404, "not_found", "peer", "POST", path, adding(w.Ann, finance))
	w.Refused(403, "read_only_role", "auditor", "POST", path, adding(w.Ann, finance))
	if a := w.Must(200, "ann", "POST", path, map[string]any{"add": []any{finance}}); a.Text("effect") != "block" {
		t.Errorf("ann for herself: %v", a.Body)
	}
	hidden := map[string]any{"entitlement_id": w.Groups["AUDIT"]}
	w.Refused(422, "validation_failed", "ann", "POST", path, adding(w.Ann, hidden))
	w.Must(200, "admin", "POST", path, adding(w.Ann, hidden))
}

func TestRecordedViolationsAreForThoseWhoSeeAll(t *testing.T) {
	w := open(t)
	w.Policy("In shadow", "shadow", "block", "Maintain vendors", "Pay")
	w.Policy("Only recorded", "enforce", "record", "Pay", "Maintain vendors")
	w.Exec(`update entitlement set requestable = true where id = $1`, w.Groups["FINANCE"])
	w.Grants("VENDOR-EDIT")
	w.Let("ann", w.Tenant.Tenant, w.Ann)
	finance := map[string]any{"entitlement_id": w.Groups["FINANCE"]}
	a := w.Must(200, "ann", "POST", path, adding(w.Ann, finance))
	if a.Text("effect") != "none" || len(a.Body["violations"].([]any)) != 0 {
		t.Errorf("ann reads %v", a.Body)
	}
	a = w.Must(200, "admin", "POST", path, adding(w.Ann, finance))
	if a.Text("effect") != "record" || len(a.Body["violations"].([]any)) != 2 {
		t.Errorf("the administrator reads %v", a.Body)
	}
}

func TestPredictionRefusesWhatIsNoAccess(t *testing.T) {
	w := open(t)
	for _, add := range []map[string]any{
		{},
		{"entitlement_id": w.Groups["AUDIT"], "role_id": separationtest.NewID()},
		{"entitlement_id": separationtest.NewID()},
		{"role_id": w.Groups["AUDIT"]},
	} {
		w.Refused(422, "validation_failed", "admin", "POST", path, adding(w.Ann, add))
	}
	w.Refused(404, "not_found", "admin", "POST", path, adding(separationtest.NewID()))
	w.Refused(422, "validation_failed", "admin", "POST", path, map[string]any{}) // they have no identity
}
