package scan_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/scan"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const path = "/policies/separation-of-duties/scan"

// house is a world whose scans are served, and work when they are told to.
type house struct {
	*separationtest.World
	scans *scan.Service
	at    time.Time // what the scans take for now; zero: now
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{}
	h.World = separationtest.Open(t, func(db *pg.DB, _ *httpapi.Cursors) []httpapi.Route {
		h.scans = &scan.Service{DB: db, Log: slog.New(slog.DiscardHandler), Now: h.now}
		return h.scans.Routes()
	})
	return h
}

func (h *house) now() time.Time {
	if h.at.IsZero() {
		return time.Now()
	}
	return h.at
}

// part does one pass, and says how much was done.
func (h *house) part() int {
	h.T.Helper()
	n, err := h.scans.Part(context.Background(), h.Tenant.Tenant)
	if err != nil {
		h.T.Fatal(err)
	}
	return n
}

// settle works until there is nothing to do. Work that is due a little later is due now.
func (h *house) settle() {
	h.T.Helper()
	for range 1000 {
		h.Exec(`update work_item set due_at = now() - interval '1 second' where kind like 'separation%'`)
		if h.part() == 0 {
			return
		}
	}
	h.T.Fatal("the scan finds something to do again and again")
}

func (h *house) open() int {
	h.T.Helper()
	return h.Count(`select count(*) from violation where state = 'open'`)
}

// people makes n people with an account, every tenth of whom has both sides of Vendors and payments.
func (h *house) people(n int) {
	h.T.Helper()
	for i := range n {
		name := fmt.Sprint("p", i)
		account := h.House.Account(h.System, name, h.Person(name, ""))
		h.GrantTo(account, "FINANCE")
		if i%10 == 0 {
			h.GrantTo(account, "VENDOR-EDIT")
		}
	}
}

func TestRequestedScanFindsViolationsAndEndsWithItsFigures(t *testing.T) {
	h := open(t)
	h.people(30)
	h.Policy("Vendors and payments", "shadow", "block", "Maintain vendors", "Pay")
	h.Exec(`delete from work_item`)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	if a := h.Must(200, "auditor", "GET", path, nil); a.Text("state") != "never_run" || a.Body["id"] != nil {
		t.Errorf("before the first scan: %v", a.Body)
	}
	h.Refused(403, "read_only_role", "auditor", "POST", path, nil)
	a := h.Must(202, "admin", "POST", path, nil)
	if b := h.Must(202, "admin", "POST", path, nil); a.Text("state") != "waiting" || b.Text("id") != a.Text("id") {
		t.Errorf("the second request made another scan: %v", b.Body)
	}
	h.settle()
	a = h.Must(200, "auditor", "GET", path, nil)
	if a.Text("state") != "completed" || a.Body["total"] != 31.0 || a.Body["done"] != 31.0 || a.Body["found"] != 3.0 {
		t.Errorf("got %v", a.Body)
	}
	if n := h.open(); n != 3 {
		t.Errorf("%d violations; want 3", n)
	}
}

func TestScanGoesOnAfterItsLastPiece(t *testing.T) {
	h := open(t)
	h.people(30)
	h.Policy("Vendors and payments", "shadow", "block", "Maintain vendors", "Pay")
	h.Exec(`delete from work_item`)
	h.scans.Piece = 10
	h.Must(202, "admin", "POST", path, nil)
	h.part() // begins
	h.part()
	a := h.Must(200, "admin", "GET", path, nil)
	if a.Text("state") != "running" || a.Body["done"] != 10.0 {
		t.Fatalf("after one piece: %v", a.Body)
	}
	// Another process goes on, as after a crash of the first.
	h.scans = &scan.Service{DB: h.DB, Log: slog.New(slog.DiscardHandler), Now: time.Now, Piece: 10}
	h.settle()
	a = h.Must(200, "admin", "GET", path, nil)
	if a.Text("state") != "completed" || a.Body["done"] != 31.0 || h.open() != 3 {
		t.Errorf("got %v, and %d violations", a.Body, h.open())
	}
}

func TestCancelledScanStops(t *testing.T) {
	h := open(t)
	h.people(30)
	h.Policy("Vendors and payments", "shadow", "block", "Maintain vendors", "Pay")
	h.Exec(`delete from work_item`)
	h.Refused(409, "invalid_transition", "admin", "DELETE", path, nil)
	h.scans.Piece = 10
	h.Must(202, "admin", "POST", path, nil)
	h.part()
	h.part()
	if a := h.Must(200, "admin", "DELETE", path, nil); a.Text("state") != "cancelled" {
		t.Errorf("got %v", a.Body)
	}
	h.settle()
	if a := h.Must(200, "admin", "GET", path, nil); a.Body["done"] != 10.0 || a.Text("state") != "cancelled" {
		t.Errorf("the scan went on: %v", a.Body)
	}
	h.Refused(409, "invalid_transition", "admin", "DELETE", path, nil)
}

func TestChangedPolicyStartsAScan(t *testing.T) {
	h := open(t)
	h.people(10)
	id := h.Policy("Vendors and payments", "shadow", "block", "Maintain vendors", "Pay")
	h.settle()
	if n := h.open(); n != 1 {
		t.Fatalf("%d violations after the policy was made; want 1", n)
	}
	h.Exec(`update separation_policy set enabled = false, version = version + 1 where id = $1`, id)
	h.settle()
	if n := h.open(); n != 0 {
		t.Errorf("%d violations are open after the policy was disabled", n)
	}
	if a := h.Must(200, "admin", "GET", path, nil); a.Text("cause") != "change" || a.Body["remediated"] != 1.0 {
		t.Errorf("got %v", a.Body)
	}
}

func TestNightlyScanIsDueADayAfterTheLast(t *testing.T) {
	h := open(t)
	h.Policy("Vendors and payments", "shadow", "block", "Maintain vendors", "Pay")
	h.settle()
	first := h.Must(200, "admin", "GET", path, nil)
	h.at = time.Now().Add(23 * time.Hour)
	h.settle()
	if a := h.Must(200, "admin", "GET", path, nil); a.Text("id") != first.Text("id") {
		t.Errorf("a scan ran after 23 hours: %v", a.Body)
	}
	h.at = time.Now().Add(25 * time.Hour)
	h.settle()
	if a := h.Must(200, "admin", "GET", path, nil); a.Text("cause") != "night" || a.Text("state") != "completed" {
		t.Errorf("got %v; want a completed scan of the night", a.Body)
	}
}

// TestChangedAccessIsEvaluatedAtOnce makes each change that may begin or end a violation, by the statements of those
// who make it, and looks only at the work that the change itself has left.
func TestChangedAccessIsEvaluatedAtOnce(t *testing.T) {
	h := open(t)
	h.Policy("Vendors and payments", "shadow", "block", "Maintain vendors", "Pay")
	h.Grants("FINANCE")
	h.settle()
	expect := func(what string, want int) {
		t.Helper()
		if n := h.Count(`select count(*) from work_item where kind = 'separation' and subject = $1`, h.Ann); n == 0 {
			t.Errorf("%s: ann is not enqueued", what)
		}
		h.settle()
		if n := h.open(); n != want {
			t.Errorf("%s: %d violations are open; want %d", what, n, want)
		}
	}
	id := h.Grants("VENDOR-EDIT")
	expect("a new grant", 1)
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, id)
	expect("a revoked grant", 0)
	h.Exec(`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		source_id) values (current_tenant(), $1, $2, $3, $4, 'manual', 'user', $1)`, separationtest.NewID(), h.Ann,
		h.System, h.Groups["VENDOR-EDIT"])
	expect("a new reason", 1)
	h.Exec(`update access_reason set state = 'ended', ended_at = now()`)
	expect("an ended reason", 0)
	other := h.House.Account(h.System, "other", "")
	h.GrantTo(other, "VENDOR-EDIT")
	h.Exec(`update account set identity_id = $1 where id = $2`, h.Ann, other)
	expect("an account that is linked", 1)
	h.Exec(`update account set identity_id = null where id = $1`, other)
	expect("an account that is unlinked", 0)
	request := separationtest.NewID()
	h.Exec(`insert into access_request (tenant_id, id, number, requested_for, requested_by)
		values (current_tenant(), $1, 1, $2, '{}')`, request, h.Ann)
	h.Exec(`insert into access_request_item (tenant_id, id, request_id, position, beneficiary_id, kind, entitlement_id)
		values (current_tenant(), $1, $1, 0, $2, 'grant', $3)`, request, h.Ann, h.Groups["VENDOR-EDIT"])
	expect("a request", 1)
	h.Exec(`update access_request_item set status = 'rejected'`)
	expect("a rejected request", 0)
}

func TestNobodyIsEnqueuedWithoutAPolicy(t *testing.T) {
	h := open(t)
	h.Policy("Draft", "draft", "block", "Maintain vendors", "Pay")
	h.people(10)
	if n := h.Count(`select count(*) from work_item where kind = 'separation'`); n != 0 {
		t.Errorf("%d people are enqueued", n)
	}
}
