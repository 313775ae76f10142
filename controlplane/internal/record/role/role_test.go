package role_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/content"
)

const roles = "/entitlements/roles"

func house(t *testing.T) *recordtest.House {
	t.Helper()
	return recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&role.Service{DB: db, Cursors: cursors}).Routes()
	})
}

func do(h *recordtest.House, fn func(ctx context.Context, tx *pg.Tx) error) {
	h.T.Helper()
	ctx := context.Background()
	if err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error { return fn(ctx, tx) }); err != nil {
		h.T.Fatal(err)
	}
}

// holds gives somebody an entitlement through a role, by a policy.
func holds(h *recordtest.House, person, connector, entitlement, roleID, policy string) {
	h.T.Helper()
	do(h, func(ctx context.Context, tx *pg.Tx) error {
		_, err := ledger.Add(
			ctx,
			tx,
			[]ledger.Reason{{IdentityID: person, ConnectorID: connector, EntitlementID: &entitlement, RoleID: &roleID,
				Kind: ledger.Birthright, SourceType: "policy", SourceID: policy}},
		)
		return err
	})
	h.Exec(`delete from work_item where kind = 'provisioning'`)
}

func TestRolesAreMadeReadChangedAndRetired(t *testing.T) {
	h := house(t)
	connector := uuid.NewString()
	staff, books := h.Entitlement(connector, "staff"), h.Entitlement(connector, "books")
	made := h.Must(
		201,
		"admin",
		"POST",
		roles,
		map[string]any{"name": "Finance clerk", "entitlement_ids": []string{staff}},
	)
	if made.Body["key"] != "finance-clerk" || made.Body["lifecycle"] != "active" ||
		made.Body["role_type"] != "business" {
		t.Errorf("the role is %v", made.Body)
	}
	path := roles + "/" + made.Text("id")
	h.Refused(409, "duplicate_key", "admin", "POST", roles, map[string]any{"name": "Another", "key": "finance-clerk"})
	h.Refused(412, "precondition_failed", "admin", "PATCH", path, map[string]any{"name": "x"}, "If-Match", `"v9"`)
	changed := h.Must(
		200,
		"admin",
		"PATCH",
		path,
		map[string]any{"entitlement_ids": []string{books, staff}, "description": "keeps books"},
		"If-Match",
		made.Header.Get("ETag"),
	)
	if held, _ := changed.Body["entitlement_ids"].([]any); len(held) != 2 || changed.Header.Get("ETag") != `"2"` {
		t.Errorf("after the change it is %v, %s", changed.Body, changed.Header.Get("ETag"))
	}
	if got := h.Must(200, "admin", "GET", roles+"?entitlement_id="+books, nil); got.Body["total"] != 1.0 {
		t.Errorf("%v roles hold books; want 1", got.Body["total"])
	}
	h.Must(204, "admin", "DELETE", path, nil)
	if got := h.Must(200, "admin", "GET", path, nil); got.Body["lifecycle"] != "retired" {
		t.Errorf("a deleted role is %v; want retired", got.Body["lifecycle"])
	}
	if got := h.Must(200, "admin", "GET", roles, nil); got.Body["total"] != 0.0 {
		t.Errorf("%v roles are listed; want none, since the only one is retired", got.Body["total"])
	}
	back := h.Refused(409, "invalid_transition", "admin", "PATCH", path, map[string]any{"lifecycle": "active"})
	if allowed, there := back.Body["allowed"].([]any); !there || len(allowed) != 0 {
		t.Errorf("allowed is %v; want an empty list", back.Body["allowed"])
	}
	actions := h.Strings(`select action from audit_event where action like 'role.%' order by seq`)
	if want := []string{"role.created", "role.updated", "role.retired"}; !slices.Equal(actions, want) {
		t.Errorf("the log says %v; want %v", actions, want)
	}
}

func TestLabelOfARoleIsTakenAwayByNull(t *testing.T) {
	h := house(t)
	made := h.Must(
		201,
		"admin",
		"POST",
		roles,
		map[string]any{"name": "Clerk", "labels": map[string]any{"site": "hq", "floor": "2"}},
	)
	changed := h.Must(
		200,
		"admin",
		"PATCH",
		roles+"/"+made.Text("id"),
		map[string]any{"labels": map[string]any{"site": nil, "room": "12"}},
	)
	labels, _ := changed.Body["labels"].(map[string]any)
	if want := map[string]any{"floor": "2", "room": "12"}; !maps.Equal(labels, want) {
		t.Errorf("the labels are %v; want %v", labels, want)
	}
}

func TestRoleHoldsOnlyWhatCanBeGiven(t *testing.T) {
	h := house(t)
	connector := uuid.NewString()
	old, fixed, fine := h.Entitlement(
		connector,
		"old",
	), h.Entitlement(
		connector,
		"fixed",
	), h.Entitlement(
		connector,
		"fine",
	)
	h.Exec(`update entitlement set lifecycle = 'retired' where id = $1`, old)
	h.Exec(`update entitlement set grantable = false where id = $1`, fixed)
	refused := h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		roles,
		map[string]any{"name": "All", "entitlement_ids": []string{fine, old, fixed, uuid.NewString()}},
	)
	if errors, _ := refused.Body["errors"].([]any); len(errors) != 3 {
		t.Errorf("told of %v; want three of the four", refused.Body["errors"])
	}
	h.Refused(422, "validation_failed", "admin", "POST", roles, map[string]any{"name": "  "})
	h.Refused(422, "validation_failed", "admin", "POST", roles, map[string]any{"name": "x", "key": "Not a key"})
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		roles,
		map[string]any{"name": "x", "owner_ids": []string{uuid.NewString()}},
	)
	// One that the role has held before does not keep the rest from being changed.
	made := h.Must(201, "admin", "POST", roles, map[string]any{"name": "One", "entitlement_ids": []string{fine}})
	h.Exec(`update entitlement set lifecycle = 'retired' where id = $1`, fine)
	h.Must(200, "admin", "PATCH", roles+"/"+made.Text("id"), map[string]any{"name": "Two"})
	do(h, func(ctx context.Context, tx *pg.Tx) error {
		held, err := content.Entitlements(ctx, tx, []string{made.Text("id")})
		if len(held) != 0 {
			t.Errorf("the role gives %v, which is retired", held)
		}
		return err
	})
}

func TestRoleThatIsHeldIsRetiredByForceAlone(t *testing.T) {
	h := house(t)
	connector, ann := uuid.NewString(), h.Person("ann", "")
	staff := h.Entitlement(connector, "staff")
	made := h.Must(201, "admin", "POST", roles, map[string]any{"name": "Staff", "entitlement_ids": []string{staff}})
	id := made.Text("id")
	holds(h, ann, connector, staff, id, uuid.NewString())
	if got := h.Must(200, "admin", "GET", roles+"/"+id, nil); got.Body["holder_count"] != 1.0 {
		t.Errorf("%v hold it; want 1", got.Body["holder_count"])
	}
	h.Refused(409, "role_in_use", "admin", "DELETE", roles+"/"+id, nil)
	h.Refused(409, "role_in_use", "admin", "PATCH", roles+"/"+id, map[string]any{"lifecycle": "retired"})
	h.Must(204, "admin", "DELETE", roles+"/"+id+"?force=true", nil)
	if n := h.Count(`select count(*) from access_reason where state = 'ended' and role_id = $1`, id); n != 1 {
		t.Errorf("%d reasons ended; want 1", n)
	}
	if n := h.Count(`select count(*) from work_item where kind = 'provisioning' and subject = $1`, ann); n == 0 {
		t.Error("nobody looks at the access of who held it")
	}
}

func TestHoldersAreLookedAtWhenTheirRoleGivesSomethingElse(t *testing.T) {
	h := house(t)
	connector, ann, ben := uuid.NewString(), h.Person("ann", ""), h.Person("ben", "")
	staff, books := h.Entitlement(connector, "staff"), h.Entitlement(connector, "books")
	made := h.Must(201, "admin", "POST", roles, map[string]any{"name": "Staff", "entitlement_ids": []string{staff}})
	path := roles + "/" + made.Text("id")
	holds(h, ann, connector, staff, made.Text("id"), uuid.NewString())
	h.Exec(`delete from work_item where kind = 'policy'`)
	looked := func() []string {
		t.Helper()
		return h.Strings(
			`with taken as (delete from work_item where kind = 'policy'
				returning subject) select distinct subject::text from taken order by 1`,
		)
	}
	h.Must(200, "admin", "PATCH", path, map[string]any{"description": "the same rights in other words"})
	if got := looked(); len(got) != 0 {
		t.Errorf("%v are looked at because of words", got)
	}
	h.Must(200, "admin", "PATCH", path, map[string]any{"entitlement_ids": []string{staff, books}})
	if got := looked(); !slices.Equal(got, []string{ann}) {
		t.Errorf("%v are looked at; want %v, who holds it", got, ann)
	}
	// Of a role that gave nothing yet nobody can say who will hold it, but rules can.
	draft := h.Must(201, "admin", "POST", roles,
		map[string]any{"name": "Draft", "lifecycle": "draft", "entitlement_ids": []string{books}}).
		Text("id")
	h.Exec(
		`insert into access_policy (tenant_id, id, name, subject, resources) values (current_tenant(), $1, 'p', '{}',
			jsonb_build_object('role_ids', jsonb_build_array($2::text)))`,
		uuid.NewString(),
		draft,
	)
	h.Exec(`delete from work_item where kind = 'policy'`)
	h.Must(200, "admin", "PATCH", roles+"/"+draft, map[string]any{"lifecycle": "active"})
	want := []string{ann, ben}
	slices.Sort(want)
	if got := looked(); !slices.Equal(got, want) {
		t.Errorf("%v are looked at; want everybody", got)
	}
}

func TestRolesAreForAdministratorsAuditorsAndTheirOwners(t *testing.T) {
	h := house(t)
	ann := h.Person("ann", "")
	h.Let("manager", h.Tenant.Tenant, h.Person("boss", ""), viewer.Manager)
	h.Let("owner", h.Tenant.Tenant, ann)
	h.Let("nobody", h.Tenant.Tenant, "")
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	made := h.Must(201, "admin", "POST", roles, map[string]any{"name": "Staff"})
	own := h.Must(
		201,
		"admin",
		"POST",
		roles,
		map[string]any{"name": "Own", "backup_owner_ids": []string{ann}, "risk_level": "medium"},
	)
	path, mine := roles+"/"+made.Text("id"), roles+"/"+own.Text("id")
	h.Must(200, "auditor", "GET", path, nil)
	h.Refused(403, "read_only_role", "auditor", "PATCH", path, map[string]any{"name": "x"})
	for who, want := range map[string]int{"admin": 2, "auditor": 2, "owner": 1, "manager": 0, "nobody": 0} {
		a := h.Must(200, who, "GET", roles, nil)
		if len(a.Items()) != want || a.Body["total"] != float64(want) {
			t.Errorf("%s sees %d of %v roles; want %d", who, len(a.Items()), a.Body["total"], want)
		}
	}
	h.Refused(404, "not_found", "manager", "GET", path, nil)
	h.Refused(404, "not_found", "owner", "GET", path, nil)
	h.Refused(404, "not_found", "owner", "PATCH", path, map[string]any{"description": "x"})
	h.Refused(404, "not_found", "admin", "GET", roles+"/"+uuid.NewString(), nil)
	h.Must(200, "owner", "GET", mine, nil)
	changed := h.Must(
		200,
		"owner",
		"PATCH",
		mine,
		map[string]any{
			"description": "what it is for",
			"requestable": true,
			"duty_tags":   []string{"pay"},
			"risk_level":  "high",
		},
	)
	if changed.Body["requestable"] != true || changed.Text("effective_risk_level") != "high" {
		t.Errorf("after the owner's change: %v", changed.Body)
	}
	h.Refused(403, "forbidden", "owner", "PATCH", mine, map[string]any{"risk_level": "low"})
	h.Refused(403, "forbidden", "owner", "PATCH", mine, map[string]any{"risk_level": nil})
	h.Refused(403, "forbidden", "owner", "PATCH", mine, map[string]any{"entitlement_ids": []string{}})
	h.Refused(403, "forbidden", "owner", "DELETE", mine, nil)
}
