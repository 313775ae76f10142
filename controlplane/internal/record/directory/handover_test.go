package directory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// role makes a role with owners, at its first version.
func role(h *recordtest.House, name, lifecycle string, owners ...string) string {
	h.T.Helper()
	id := newID()
	h.Exec(
		`insert into role (tenant_id, id, key, name, lifecycle, owner_ids) values (current_tenant(), $1, $2, $2, $3,
			$4::text[]::uuid[])`,
		id,
		name,
		lifecycle,
		owners,
	)
	h.Exec(
		`insert into role_version (tenant_id, role_id, version, content) select current_tenant(), id, version,
			jsonb_build_object('name', name, 'owner_ids', owner_ids) from role where id = $1`,
		id,
	)
	return id
}

// versions are who owned a role at each of its versions, and by whom that was so.
func versions(h *recordtest.House, id string) []string {
	h.T.Helper()
	return h.Strings(
		`select concat_ws(' ', v.version, v.content ->> 'name', (select string_agg(i.external_id, ',' order by o.nth)
		                from jsonb_array_elements_text(v.content -> 'owner_ids') with ordinality o (id, nth)
		                    join identity i on i.id = o.id::uuid), v.changed_by ->> 'type')
		from role_version v join role r on r.id = v.role_id where v.role_id = $1 and v.version <= r.version
		    order by v.version`,
		id,
	)
}

func TestRolesOfALeaverGoToWhoStandsIn(t *testing.T) {
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	h := openAt(t, &now)
	heir := hire(h, "heir", nil).Text("id")
	gone := hire(h, "gone", map[string]any{"backup_owner_id": heir}).Text("id")
	alone := hire(h, "alone", nil).Text("id")
	hers := role(h, "hers", "active", gone)
	both := role(h, "both", "active", heir, gone)
	left := role(h, "left", "draft", alone, heir)
	retired := role(h, "retired", "retired", gone, alone)

	at := "/identities/" + gone
	dry := h.Must(200, "admin", "POST", at+"/deactivate?dry_run=true", `{"reason":"left"}`)
	impact, _ := dry.Body["impact"].(map[string]any)
	if affects, _ := impact["affects"].(map[string]any); affects["owned_roles"] != 2.0 {
		t.Errorf("what hangs on them: %v; want two roles", affects)
	}
	h.Must(200, "admin", "POST", at+"/deactivate", `{"reason":"left"}`)
	h.Must(200, "admin", "POST", "/identities/"+alone+"/deactivate", `{"reason":"left"}`)
	for id, want := range map[string][]string{
		hers: {"1 hers gone", "2 hers heir user"}, both: {"1 both heir,gone", "2 both heir user"},
		left: {"1 left alone,heir"}, retired: {"1 retired gone,alone"},
	} {
		if diff := cmp.Diff(want, versions(h, id)); diff != "" {
			t.Errorf("a role's versions: -want +got\n%s", diff)
		}
	}
	if said := h.Strings(
		`select (e.event::jsonb -> 'subject' ->> 'display') || ' ' || (e.event::jsonb -> 'context' ->> 'reason')
			from audit_event e where e.action = 'role.updated' order by 1`,
	); !cmp.Equal(
		said,
		[]string{"both handover", "hers handover"},
	) {
		t.Errorf("the log says %v", said)
	}
	listed := func(of string) (out []string) {
		for _, each := range h.Must(200, "admin", "GET", "/identities/"+of+"/handover", nil).Items() {
			out = append(out, fmt.Sprint(each["type"], " ", each["display"], " ", each["as"]))
		}
		return out
	}
	if got := listed(gone); got != nil {
		t.Errorf("nobody takes %v of who has an heir", got)
	}
	if diff := cmp.Diff([]string{"role left owner"}, listed(alone)); diff != "" {
		t.Errorf("of who has none: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(
		[]string{"role both owner", "role hers owner", "role left owner", "identity gone Person backup_owner"},
		listed(heir),
	); diff != "" {
		t.Errorf("of the heir: -want +got\n%s", diff)
	}
}

func TestAMergeKeepsTheVersionOfARole(t *testing.T) {
	h := open(t)
	target, gone := hire(h, "target", nil).Text("id"), hire(h, "gone", nil).Text("id")
	owned := role(h, "owned", "active", gone)
	a := h.Must(
		200,
		"admin",
		"POST",
		"/identities/"+target+"/merge",
		map[string]any{"source_id": gone, "reason": "the same"},
	)
	impact, _ := a.Body["impact"].(map[string]any)
	if moved, _ := impact["moved"].(map[string]any); moved["owned_roles"] != 1.0 {
		t.Errorf("moved %v", moved)
	}
	if diff := cmp.Diff([]string{"1 owned gone", "2 owned target user"}, versions(h, owned)); diff != "" {
		t.Errorf("the role's versions: -want +got\n%s", diff)
	}
}
