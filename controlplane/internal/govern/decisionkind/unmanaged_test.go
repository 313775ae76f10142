package decisionkind_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
)

// imported is a system whose first import is over. ada held staff before; ops and root appeared in the target since.
func (h *house) imported() (crm, staff, ops, root string) {
	h.T.Helper()
	crm = h.system("crm")
	ada := h.Person("ada", "")
	account := h.Account(crm, "ada", ada)
	h.Exec(`update account set account_type = 'person', is_disabled = false`)
	staff = h.Grant(crm, account, h.Entitlement(crm, "staff"))
	h.Exec(`update connector set first_imported_at = now()`)
	ops, root = h.Grant(crm, account, h.Entitlement(crm, "ops")), h.Grant(crm, account, h.Entitlement(crm, "root"))
	h.Exec(`update entitlement set privileged = true where name = 'root' or display_name = 'root'`)
	h.Exec(`update grant_review set found_at = now() - interval '1 hour'`)
	h.Exec(`insert into work_item (tenant_id, kind, subject) values (current_tenant(), 'inbox_native_grant', $1)`, crm)
	return crm, staff, ops, root
}

func (h *house) nativePolicy(connector, policy string) {
	h.T.Helper()
	h.Exec(
		`insert into connector_provisioning (tenant_id, connector_id, native_grant_policy) values (current_tenant(), $1,
		    $2)
		on conflict (tenant_id, connector_id) do update set native_grant_policy = excluded.native_grant_policy`,
		connector,
		policy,
	)
}

func (h *house) reviewState(grant string) any {
	h.T.Helper()
	return h.Must(200, "admin", "GET", "/entitlements/grants/"+grant, nil).Body["review_state"]
}

// Access that appears in a target after the first import is asked about once for the system, and never what the import
// brought.
func TestUnmanagedAccessIsAskedAboutOncePerSystem(t *testing.T) {
	h := open(t)
	crm, staff, ops, root := h.imported()
	task := h.one(kind.NativeGrant)
	h.shows(task, "2 grants in crm were given outside Grantwright")
	if listed := member(task, "context", "grant_ids").([]any); len(listed) != 2 || listed[0] != root ||
		listed[1] != ops {
		t.Errorf("asked about %v; want root first, then ops, and not staff", listed)
	}
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		decidePath(task),
		choice("accept", "fine", object{"grant_ids": []any{staff}}),
	)
	h.decide(task, "accept", "the vendor gives it", object{"grant_ids": []any{ops}})
	task = h.one(kind.NativeGrant)
	h.shows(task, "ada has root in crm, given outside Grantwright")
	h.decide(task, "revoke", "nobody asked for it", nil)
	if n := h.Count(`select count(*) from access_grant where id = $1 and wanted_at is not null`, root); n != 1 {
		t.Error("the revocation of root was not ordered")
	}
	h.none(kind.NativeGrant)
	if h.audited("grant.accepted_as_found", "admin") != 1 || h.audited("grant.revoke_ordered", "admin") != 1 {
		t.Error("the two answers are not in the audit log")
	}
	if a, b := h.reviewState(ops), h.reviewState(staff); a != "accepted" || b != "found_at_first_import" {
		t.Errorf("ops is %v and staff %v; want accepted and found_at_first_import", a, b)
	}
	_ = crm
}

func TestTheNativeGrantPolicyDoesWhatItSays(t *testing.T) {
	h := open(t)
	crm, staff, ops, root := h.imported()
	h.nativePolicy(crm, "tolerate")
	h.none(kind.NativeGrant)
	h.nativePolicy(crm, "revoke")
	h.none(kind.NativeGrant)
	ordered := `select count(*) from access_grant where id = any($1::text[]::uuid[]) and wanted_at is not null`
	if n := h.Count(ordered, []string{ops, root}); n != 2 {
		t.Errorf("%d of 2 unmanaged grants are being revoked", n)
	}
	if h.Count(ordered, []string{staff}) != 0 {
		t.Error("access of the first import is being revoked")
	}
}

// The policy revoke takes away a few grants by itself. Many at once are asked about.
func TestManyUnmanagedGrantsAreNotRevokedWithoutAPerson(t *testing.T) {
	h := open(t)
	crm, _, _, _ := h.imported()
	account := h.Account(crm, "eve", h.Person("eve", ""))
	h.Exec(`update account set account_type = 'person', is_disabled = false`)
	for i := range 30 {
		h.Grant(crm, account, h.Entitlement(crm, string(rune('A'+i))))
	}
	h.Exec(`update grant_review set found_at = now() - interval '1 hour'`)
	h.nativePolicy(crm, "revoke")
	task := h.one(kind.NativeGrant)
	h.shows(task, "32 grants in crm were given outside Grantwright")
	if n := h.Count(`select count(*) from access_grant where wanted_at is not null`); n != 0 {
		t.Errorf("%d grants are being revoked without a person", n)
	}
}

// What the first import brought can be accepted in bulk, but nobody accepts their own access.
func TestAccessOfTheFirstImportIsAcceptedInBulk(t *testing.T) {
	h := open(t)
	crm, staff, _, _ := h.imported()
	body := object{"connector_id": crm, "comment": "as the system was"}
	dry := h.Must(200, "admin", "POST", "/entitlements/grants/accept-as-found?dry_run=true", body)
	if dry.Body["accepted"] != 3.0 || h.reviewState(staff) != "found_at_first_import" {
		t.Errorf("a dry run says %v and leaves staff %v", dry.Body, h.reviewState(staff))
	}
	h.Must(200, "admin", "POST", "/entitlements/grants/accept-as-found", body)
	if h.reviewState(staff) != "accepted" {
		t.Errorf("staff is %v; want accepted", h.reviewState(staff))
	}
	h.none(kind.NativeGrant)
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		"/entitlements/grants/accept-as-found",
		object{"comment": "all"},
	)
}

// An acceptance that names what does not exist is refused and accepts nothing, also of what exists.
func TestAnAcceptanceNamesWhatIsUnknown(t *testing.T) {
	h := open(t)
	crm, staff, _, _ := h.imported()
	const nobody = "018f0000-0000-7000-8000-000000000000"
	for _, tt := range []struct {
		body          object
		pointer, code string
	}{
		{object{"connector_id": nobody}, "#/connector_id", "unknown_connector"},
		{object{"connector_id": crm, "entitlement_id": nobody}, "#/entitlement_id", "unknown_entitlement"},
		{object{"ids": []any{staff, nobody}}, "#/ids/1", "unknown_grant"},
	} {
		tt.body["comment"] = "as the system was"
		for _, query := range []string{"", "?dry_run=true"} {
			path := "/entitlements/grants/accept-as-found" + query
			got := h.Refused(422, "validation_failed", "admin", "POST", path, tt.body)
			first, _ := got.Body["errors"].([]any)
			if len(first) != 1 || member(first[0], "pointer") != tt.pointer || member(first[0], "code") != tt.code {
				t.Errorf("%v is refused by %v; want %s at %s", tt.body, first, tt.code, tt.pointer)
			}
		}
	}
	if h.reviewState(staff) != "found_at_first_import" {
		t.Errorf("staff is %v; want it untouched", h.reviewState(staff))
	}
}
