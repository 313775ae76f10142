package revocation_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/revocation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

const path = "/policies/violations"

// house is a world whose violations are served.
type house struct{ *separationtest.World }

func open(t testing.TB) *house {
	t.Helper()
	return &house{separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&violation.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()
	})}
}

// evaluate has a person evaluated.
func (h *house) evaluate(person string) {
	h.T.Helper()
	h.As(func(ctx context.Context, tx *pg.Tx) error {
		b, err := rulebook.For(ctx, tx)
		if err != nil {
			return err
		}
		found, err := check.People(ctx, tx, b, []string{person}, time.Now())
		if err != nil {
			return err
		}
		_, err = violation.Record(ctx, tx, b, []string{person}, found, violation.ByScan, time.Now())
		return err
	})
}

func (h *house) state(id, want string) {
	h.T.Helper()
	if a := h.Must(200, "admin", "GET", path+"/"+id, nil); a.Text("state") != want {
		h.T.Errorf("the violation is %s; want %s", a.Text("state"), want)
	}
}

// revoking is a house in which Ann violates a policy that revokes the access with the lower risk. VENDOR-EDIT was
// granted first and has the lower risk.
func revoking(t testing.TB, mode string) (h *house, vendor, finance, id string) {
	t.Helper()
	h = open(t)
	h.Exec(`update entitlement set risk_level = case name when 'VENDOR-EDIT' then 'medium' when 'PAY-RUN' then 'high'
		else 'low' end`)
	policy := h.Policy("Vendors and payments", mode, "warn", "Maintain vendors", "Pay")
	h.Exec(`update separation_policy set effects = effects || '{"on_detect": "revoke_lower_risk"}'
		where id = $1`, policy)
	vendor, finance = h.Grants("VENDOR-EDIT"), h.Grants("FINANCE")
	h.evaluate(h.Ann)
	return h, vendor, finance, h.Strings(`select id::text from violation`)[0]
}

// settle does the work of automatic revocations.
func (h *house) settle() {
	h.T.Helper()
	s := &revocation.Service{DB: h.DB, Now: time.Now}
	q := queue.Queue{DB: h.DB, Log: slog.New(slog.DiscardHandler), Kinds: s.Kinds()}
	for {
		n, err := q.Pass(context.Background(), h.Tenant.Tenant)
		if err != nil {
			h.T.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// automatic checks what the policy did about a violation, and which access it would remove.
func (h *house) automatic(id, outcome, cause string, removed ...string) {
	h.T.Helper()
	body := h.Must(200, "admin", "GET", path+"/"+id, nil).Body
	a, _ := body["automatic_revocation"].(map[string]any)
	if a == nil {
		h.T.Fatal("the policy did nothing")
	}
	got, _ := a["cause"].(string)
	var names []string
	for _, r := range a["removed"].([]any) {
		names = append(names, r.(map[string]any)["name"].(string))
	}
	if a["outcome"] != outcome || got != cause || !slices.Equal(names, removed) {
		h.T.Errorf("the policy did %v; want %s because of %q about %v", a, outcome, cause, removed)
	}
}

func TestTheAccessWithTheLowerRiskIsRevokedOnce(t *testing.T) {
	h, vendor, _, id := revoking(t, "enforce")
	h.Exec(`update separation_policy set owner_ids = array[$1::uuid]`, h.Person("owner", ""))
	h.Exec(`insert into notification_settings (tenant_id, enabled, server) values (current_tenant(), true, 'own')`)
	h.settle()
	h.automatic(id, "revoked", "", "VENDOR-EDIT")
	h.state(id, "open")
	r := h.Must(200, "admin", "GET", path+"/"+id, nil).Body["remediation"].(map[string]any)
	if !strings.Contains(r["reason"].(string), "Vendors and payments") || r["by"].(map[string]any)["type"] != "system" {
		t.Errorf("the revocation is %v; want one by the system with the policy as its reason", r)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'violation.remediation_ordered'`); n != 1 {
		t.Errorf("%d revocations are audited; want 1", n)
	}
	told := h.Strings(`select n.kind || ' ' || i.external_id from notification n
		join identity i on i.id = n.person_id order by 1`)
	if want := []string{"access.revoked ann", "violation.revoked owner"}; !slices.Equal(told, want) {
		t.Errorf("told were %v; want %v", told, want)
	}

	// It is gone, and comes back: people decide about it now.
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, vendor)
	h.evaluate(h.Ann)
	h.state(id, "remediated")
	h.Exec(`update access_grant set status = 'active' where id = $1`, vendor)
	h.evaluate(h.Ann)
	h.settle()
	h.state(id, "open")
	h.automatic(id, "asked", "repeated")
	if n := h.Count(`select count(*) from audit_event where action = 'violation.remediation_ordered'`); n != 1 {
		t.Errorf("%d revocations are audited; want 1", n)
	}
}

func TestShadowModeRecordsWhatWouldBeRevoked(t *testing.T) {
	h, _, _, id := revoking(t, "shadow")
	h.settle()
	h.automatic(id, "recorded", "", "VENDOR-EDIT")
	if n := h.Count(`select count(*) from violation where remediation is not null`); n != 0 {
		t.Errorf("%d revocations are ordered; want none", n)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'violation.revocation_recorded'`); n != 1 {
		t.Errorf("%d records are audited; want 1", n)
	}
	h.Exec(`update separation_policy set mode = 'enforce', version = version + 1`)
	h.Exec(`select note_separation_change()`)
	h.evaluate(h.Ann)
	h.settle()
	h.automatic(id, "revoked", "", "VENDOR-EDIT")
}

func TestWhatOthersRequireIsNotRevoked(t *testing.T) {
	h, vendor, finance, id := revoking(t, "enforce")
	h.Exec(`insert into access_policy (tenant_id, id, name, mode, effect, subject, companion)
		select current_tenant(), $1, 'Everyone in purchasing', 'enforce', 'require', '{}',
		       jsonb_build_object('entitlement_ids', jsonb_build_array(e.id))
		  from entitlement e where e.name = 'VENDOR-EDIT'`, separationtest.NewID())
	h.settle()
	h.automatic(id, "revoked", "", "FINANCE")

	// The other side cannot be revoked either.
	h.Exec(`update violation set remediation = null, automatic_revocation = null, revoked_automatically_at = null`)
	h.Exec(`update access_grant set immutable = true where id = $1`, finance)
	h.Exec(`select enqueue_work('separation_revocation', array[$1::uuid])`, id)
	h.settle()
	h.automatic(id, "asked", "required")
	h.Exec(`update violation set automatic_revocation = null`)
	h.Exec(`update access_grant set immutable = true where id = $1`, vendor)
	h.Exec(`select enqueue_work('separation_revocation', array[$1::uuid])`, id)
	h.settle()
	h.automatic(id, "asked", "not_revocable")
	if n := h.Count(`select count(*) from audit_event where action = 'violation.revocation_asked'`); n != 2 {
		t.Errorf("%d questions are audited; want 2", n)
	}
}

func TestAcceptedViolationsAreNotRevoked(t *testing.T) {
	h, _, _, id := revoking(t, "enforce")
	h.Must(200, "admin", "POST", path+"/"+id+"/false-positive", map[string]any{"reason": "It only reads."})
	h.settle()
	h.state(id, "false_positive")
	h.Must(200, "admin", "DELETE", path+"/"+id+"/false-positive", nil)
	h.settle()
	h.state(id, "open")
	h.automatic(id, "asked", "accepted")

	// Access that is gone since the last evaluation is none to revoke.
	h.Exec(`update violation set automatic_revocation = null`)
	h.Exec(`update access_grant set status = 'revoked'`)
	h.Exec(`select enqueue_work('separation_revocation', array[$1::uuid])`, id)
	h.settle()
	if n := h.Count(`select count(*) from violation
		where automatic_revocation is null and remediation is null`); n != 1 {
		t.Error("a violation that is no longer there is answered")
	}
}

func TestAPolicyRevokesAtMostAHundredTimesADay(t *testing.T) {
	h, _, _, id := revoking(t, "enforce")
	h.Exec(`insert into violation (tenant_id, id, policy_id, policy_version, identity_id, severity, grade, conflict,
		       entitlement_ids, fingerprint, detected_by, revoked_automatically_at, state)
		select current_tenant(), gen_random_uuid(), v.policy_id, 1, gen_random_uuid(), 'low', 'potential', '{}', '{}',
		       '', 'scan', now() - interval '1 hour', 'remediated'
		  from violation v, generate_series(1, 100)`)
	h.settle()
	h.automatic(id, "asked", "limit")
}

func TestAccessThatAnExceptionAllowsIsNotRevoked(t *testing.T) {
	h, _, _, id := revoking(t, "enforce")
	h.Except(h.Strings(`select id::text from separation_policy`)[0], "fulfilled", "VENDOR-EDIT", "PAY-RUN")
	h.settle()
	if got := h.Must(200, "admin", "GET", path+"/"+id, nil).Body["automatic_revocation"]; got != nil {
		t.Errorf("the policy did %v; want nothing", got)
	}
	h.state(id, "open")
}
