package separation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
)

func TestDirectGrantThatViolatesAnEnforcedPolicyIsRefused(t *testing.T) {
	w := separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&access.Service{DB: db, Cursors: cursors, Now: time.Now, Admit: separation.AdmitGrant}).Routes()
	})
	order := func(group string) map[string]any {
		return map[string]any{"identity_id": w.Ann, "entitlement_id": w.Groups[group], "justification": "needed"}
	}
	w.Grants("VENDOR-EDIT")
	w.Policy("Shadow", "shadow", "block", "Maintain vendors", "Pay")
	w.Must(202, "admin", "POST", "/entitlements/grants", order("AUDIT"))
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	a := w.Refused(409, "separation_of_duties", "admin", "POST", "/entitlements/grants", order("FINANCE"))
	if !strings.Contains(a.Text("detail"), "VENDOR-EDIT; FINANCE") {
		t.Errorf("%q does not say the way out", a.Text("detail"))
	}
	if n := w.Count(`select count(*) from access_reason where entitlement_id = $1`, w.Groups["FINANCE"]); n != 0 {
		t.Errorf("%d reasons for what was refused", n)
	}
}
