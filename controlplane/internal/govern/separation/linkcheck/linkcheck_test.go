package linkcheck_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/linkcheck"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
)

func open(t testing.TB) *separationtest.World {
	t.Helper()
	return separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return slices.Concat(
			(&directory.Service{DB: db, Cursors: cursors, Now: time.Now, AdmitLinks: linkcheck.Admit}).Routes(),
			(&correlate.Service{DB: db, Now: time.Now, AdmitLinks: linkcheck.Admit}).Routes())
	})
}

// stray is an account without an owner that has a group.
func stray(w *separationtest.World, name, group string) string {
	w.T.Helper()
	id := w.House.Account(w.System, name, "")
	w.GrantTo(id, group)
	return id
}

func to(who string) map[string]any { return map[string]any{"identity_id": who, "reason": "theirs"} }

func TestALinkThatViolatesAPolicyIsRefused(t *testing.T) {
	w := open(t)
	w.Grants("VENDOR-EDIT")
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	finance, audit := stray(w, "ann-fin", "FINANCE"), stray(w, "ann-audit", "AUDIT")
	a := w.Refused(409, "separation_of_duties", "admin", "POST", "/accounts/"+finance+"/link", to(w.Ann))
	if text := a.Text("detail"); !strings.Contains(text, `ann would violate the policy "Vendors and payments"`) ||
		!strings.Contains(text, "PAY-RUN through FINANCE") {
		t.Errorf("the refusal says %q", text)
	}
	w.Must(200, "admin", "POST", "/accounts/"+audit+"/link", to(w.Ann))
	w.Must(200, "admin", "POST", "/accounts/"+finance+"/link", to(w.Person("bob", "")))

	// A link that exists already is confirmed, whatever it violates.
	own := stray(w, "ann-own", "FINANCE")
	w.Exec(`update account set identity_id = $1, correlation_state = 'linked' where id = $2`, w.Ann, own)
	w.Must(200, "admin", "POST", "/accounts/"+own+"/link", to(w.Ann))
}

func TestALinkIsMadeWhereThePolicyOnlyRecordsOrTheViolationIsAccepted(t *testing.T) {
	for what, change := range map[string]string{
		"shadow": `update separation_policy set mode = 'shadow', version = version + 1`,
		"record": `update separation_policy set effects = '{"on_assign": "record"}', version = version + 1`,
	} {
		t.Run(what, func(t *testing.T) {
			w := open(t)
			w.Grants("VENDOR-EDIT")
			w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
			w.Exec(change)
			w.Must(200, "admin", "POST", "/accounts/"+stray(w, "ann-fin", "FINANCE")+"/link", to(w.Ann))
		})
	}
	w := open(t)
	w.Grants("VENDOR-EDIT")
	policy := w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	w.Exec(`insert into violation (tenant_id, id, policy_id, policy_version, identity_id, severity, grade, fingerprint,
		entitlement_ids, detected_by, conflict, state, false_positive)
		values (current_tenant(), $1, $2, 1, $3, 'high', 'potential', '', '{}', 'scan', '{}', 'false_positive',
		    jsonb_build_object('policy_version', 1, 'entitlement_ids', jsonb_build_array($4::text, $5::text)))`,
		separationtest.NewID(), policy, w.Ann, w.Groups["VENDOR-EDIT"], w.Groups["PAY-RUN"])
	w.Must(200, "admin", "POST", "/accounts/"+stray(w, "ann-fin", "FINANCE")+"/link", to(w.Ann))
}

func TestBulkLinksOfOnePersonCountTogether(t *testing.T) {
	w := open(t)
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	vendor, finance, audit := stray(w, "v", "VENDOR-EDIT"), stray(w, "f", "FINANCE"), stray(w, "a", "AUDIT")
	pairs := []any{}
	for _, id := range []string{vendor, finance, audit} {
		pairs = append(pairs, map[string]any{"account_id": id, "identity_id": w.Ann})
	}
	for _, dry := range []bool{true, false} {
		a := w.Must(200, "admin", "POST", "/accounts/bulk-link", map[string]any{"pairs": pairs, "dry_run": dry})
		var got []string
		for _, r := range a.Body["results"].([]any) {
			code, _ := r.(map[string]any)["code"].(string)
			got = append(got, r.(map[string]any)["status"].(string)+code)
		}
		if want := []string{"linked", "failedseparation_of_duties", "linked"}; !slices.Equal(got, want) {
			t.Errorf("dry run %v: got %q; want %q", dry, got, want)
		}
	}
	if n := w.Count(`select count(*) from account where identity_id = $1`, w.Ann); n != 3 {
		t.Errorf("ann has %d accounts; want 3", n)
	}
}
