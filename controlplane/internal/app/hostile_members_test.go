package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// served are members that answers have and no body may: whose row it is, who it was, and what only the service decides.
// Some are somebody's to set elsewhere, so a member that an operation describes is left out there.
var served = []string{
	"id",
	"tenant_id",
	"tenant",
	"version",
	"revision",
	"status",
	"state",
	"created_at",
	"updated_at",
	"created_by",
	"deleted_at",
	"row_hash",
	"roles",
	"role",
	"scopes",
	"is_admin",
	"control_plane_admin",
	"password",
	"password_hash",
	"password_epoch",
	"email_verified",
	"identity_id",
	"user_id",
	"owner_id",
	"last_used_at",
	"last_login_at",
	"last_seen_at",
	"expires_at",
	"revoked_at",
	"jti",
	"token",
	"secret",
	"secrets",
	"sealed",
	"public_key",
	"identity_key",
	"key_thumb",
	"epoch",
	"enrollment_token",
	"correlation_state",
	"correlation",
	"managed",
	"source_connector_id",
	"manager_id",
	"connector_id",
	"run_id",
	"requested_by",
	"limits",
	"slug",
	"sector_packs",
	"links",
	"mfa",
	"rate_limit",
	"health",
	"failures",
	"last_seq",
	"sequence",
	"total",
	"$schema",
	"__proto__",
	"constructor",
	"_links",
	"",
}

// owned are refused by their own code whatever else a body may hold: decisions about them are the service's alone.
var owned = []string{"id", "tenant_id", "status", "version", "created_at", "updated_at", "created_by"}

func TestMembersThatAreNotForSettingAreRefusedAndNamed(t *testing.T) {
	r := newRaid(t)
	bodies := r.sound()
	before := r.standing()
	tried := 0
	for _, o := range r.aims() {
		sound := bodies[o.String()]
		if sound == "" || strings.HasPrefix(o.path, "/agent/") {
			continue // what an agent of a later version says more is passed over
		}
		described, _ := r.body(o)["properties"].(map[string]any)
		lenient := strings.HasPrefix(o.path, "/identities") &&
			(o.method == "POST" && o.path == "/identities" || o.method == "PATCH") ||
			o.path == "/access-requests" ||
			o.path == "/access-requests/preview"
		for _, member := range served {
			_, known := described[member]
			if known && member != "$schema" || lenient && !slices.Contains(owned, member) {
				continue
			}
			for _, spelt := range spellings(member, described) {
				tried++
				got := r.knock(
					o,
					r.filled(o.path),
					[]byte(with(sound, spelt, `"01a1f99f-1d39-767a-8283-ef45f2482195"`)),
					nil,
				)
				pointer := "#/" + spelt
				if got.status != 422 || got.code() != "unknown_field" && got.code() != "read_only_field" ||
					!slices.Contains(got.points(), pointer) {
					t.Errorf(
						"%s with %q = %d %s %q; want 422 unknown_field or read_only_field %q",
						o,
						spelt,
						got.status,
						got.code(),
						got.points(),
						pointer,
					)
				}
			}
		}
	}
	if tried < 2500 {
		t.Errorf("only %d members tried: the list is not whole", tried)
	}
	r.unchanged(before)
}

// spellings are the ways to write a member that a lenient decoder takes for one.
func spellings(member string, described map[string]any) []string {
	all := []string{member}
	if slices.Contains(owned, member) && described[member] == nil {
		all = append(all, strings.ToUpper(member), strings.ReplaceAll(member, "s", "ſ"))
	}
	return slices.Compact(all)
}

// TestWhatAnIdentityDoesNotKnowIsIgnoredAndNamed tries, at the two operations that pass over members they do not know,
// those that would change what is nobody's to change.
func TestWhatAnIdentityDoesNotKnowIsIgnoredAndNamed(t *testing.T) {
	r := newRaid(t)
	bodies := r.sound()
	plain := r.as(r.token, "GET", "/identities/"+r.ids["/identities/"], nil)
	for i, member := range served {
		if slices.Contains(owned, member) || member == "$schema" {
			continue
		}
		body := with(bodies["PATCH /identities/{id}"], member, `"01a1f99f-1d39-767a-8283-ef45f2482195"`)
		got := r.as(r.token, "PATCH", "/identities/"+r.ids["/identities/"], body)
		if got.status == 200 && !strings.Contains(got.header.Get("Ignored-Fields"), fmt.Sprintf("%q", member)) {
			t.Errorf("PATCH with %q = 200 and ignores %s", member, got.header.Get("Ignored-Fields"))
		}
		body = with(
			with(bodies["POST /identities"], "external_id", fmt.Sprintf(`"N%d"`, i)),
			member,
			`"01a1f99f-1d39-767a-8283-ef45f2482195"`,
		)
		made := r.as(r.token, "POST", "/identities", body)
		if made.status == 201 && !strings.Contains(made.header.Get("Ignored-Fields"), fmt.Sprintf("%q", member)) {
			t.Errorf("POST with %q = 201 and ignores %s", member, made.header.Get("Ignored-Fields"))
		}
		if strings.Contains(made.raw, "01a1f99f") || strings.Contains(got.raw, "01a1f99f") {
			t.Errorf("%q was taken: %s %s", member, got.raw, made.raw)
		}
	}
	after := r.as(r.token, "GET", "/identities/"+r.ids["/identities/"], nil)
	for _, member := range []string{"id", "status", "created_at", "manager_id", "source_connector_id", "external_id"} {
		if fmt.Sprint(plain.body[member]) != fmt.Sprint(after.body[member]) {
			t.Errorf("%s was %v and is %v", member, plain.body[member], after.body[member])
		}
	}
}

// TestIdsOfAnotherTenantInABodyNameNothing puts the ids of what another tenant has where a body names something.
func TestIdsOfAnotherTenantInABodyNameNothing(t *testing.T) {
	r := newRaid(t)
	bodies, own := r.sound(), r.ids
	// The same site for another tenant: what it makes is not acme's.
	other := *r
	site := *r.site
	other.estate = &estate{site: &site, home: r.home, operator: r.operator}
	site.tenant.Tenant, site.token = r.ids["/control-plane/tenants/"], r.signIn("a@spare.test")
	foreign := other.furnish()
	before := r.standing()
	for _, tt := range []struct{ operation, member, value, kind string }{
		{"POST /accounts/bulk-link", "pairs", `[{"account_id":"` + own["/accounts/"] + `","identity_id":"<>"}]`,
			"/identities/"},
		{"POST /accounts/bulk-link", "pairs", `[{"account_id":"<>","identity_id":"` + own["/identities/"] + `"}]`,
			"/accounts/"},
		{"POST /accounts/bulk-link", "connector_id", `"<>"`, "/connectors/"},
		{"POST /accounts/correlation/preview", "connector_id", `"<>"`, "/connectors/"},
		{"POST /accounts/correlation/run", "connector_id", `"<>"`, "/connectors/"},
		{"POST /accounts/{id}/link", "identity_id", `"<>"`, "/identities/"},
		{"POST /connectors", "agent_id", `"<>","mode":"agent"`, "/settings/agents/"},
		{"POST /connectors/test", "agent_id", `"<>","mode":"agent"`, "/settings/agents/"},
		{"PATCH /connectors/{id}", "agent_id", `"<>","mode":"agent"`, "/settings/agents/"},
		{"PATCH /entitlements/{id}", "owner_ids", `["<>"]`, "/identities/"},
		{"POST /identities", "sponsor_id", `"<>"`, "/identities/"},
		{"POST /identities", "backup_owner_id", `"<>"`, "/identities/"},
		{"PATCH /identities/{id}", "sponsor_id", `"<>"`, "/identities/"},
		{"PATCH /identities/{id}", "backup_owner_id", `"<>"`, "/identities/"},
		{"POST /settings/api-tokens", "bound_identity_id", `"<>","role":"manager"`, "/identities/"},
		{"POST /settings/users", "identity_id", `"<>"`, "/identities/"},
		{"PATCH /settings/users/{id}", "identity_id", `"<>"`, "/identities/"},
		{"POST /settings/webhooks", "owner_ids", `["<>"]`, "/settings/users/"},
		{"PATCH /settings/webhooks/{id}", "owner_ids", `["<>"]`, "/settings/users/"},
	} {
		method, path, _ := strings.Cut(tt.operation, " ")
		sound := bodies[tt.operation]
		if strings.Contains(tt.value, `"role"`) {
			sound = strings.Replace(sound, `"role":"auditor",`, "", 1)
		}
		tried := map[string]received{}
		for kind, id := range map[string]string{"foreign": foreign[tt.kind],
			"none's": uuid.Must(uuid.NewV7()).String()} {
			got := r.knock(
				aimed{method: method, path: path},
				r.filled(path),
				[]byte(with(sound, tt.member, strings.ReplaceAll(tt.value, "<>", id))),
				nil,
			)
			tried[kind] = got
			if got.status != 404 && got.status != 422 && !strings.Contains(got.raw, "_not_found") {
				t.Errorf("%s with the %s %s %s = %d %s", tt.operation, kind, tt.member, id, got.status, got.raw)
			}
		}
		if a, b := tried["foreign"], tried["none's"]; a.status != b.status || a.code() != b.code() ||
			fmt.Sprint(a.points()) != fmt.Sprint(b.points()) {
			t.Errorf(
				"%s tells %s of another tenant (%d %s %v) from none (%d %s %v)",
				tt.operation,
				tt.member,
				a.status,
				a.code(),
				a.points(),
				b.status,
				b.code(),
				b.points(),
			)
		}
	}
	r.unchanged(before)
}
