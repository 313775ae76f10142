package access_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement/fields"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// catalogd is a house with one entitlement, and somebody who owns it.
func catalogd(t *testing.T) (h *recordtest.House, group, owner string) {
	t.Helper()
	h = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		s := &access.Service{
			DB:      db,
			Cursors: cursors,
			Now:     time.Now,
			Conditions: func(c fields.EntitlementCondition) (fields.EntitlementCondition, []fault.Field) {
				if c["match"] != "all" {
					return nil, []fault.Field{{Pointer: "#/match", Code: "invalid", Detail: "match is all"}}
				}
				return fields.EntitlementCondition{"match": "all", "rules": c["rules"]}, nil
			},
		}
		return s.Routes()
	})
	owner = h.Person("owner", "")
	h.Let("owner", h.Tenant.Tenant, owner, viewer.ResourceOwner)
	return h, h.Entitlement(ldap, "group", owner), owner
}

func TestAnEntitlementIsDescribedTaggedAndLimited(t *testing.T) {
	h, group, _ := catalogd(t)
	backup := h.Person("backup", "")
	rule := uuid.NewString()
	h.Exec(`insert into approval_rule (tenant_id, id, name, branches) values (current_tenant(), $1, 'r', '[]')`, rule)
	other := h.Entitlement(ldap, "other")
	set := map[string]any{
		"business_description": "pays people",
		"permission_summary":   []string{"reads", " reads ", "writes"},
		"compliance_tags":      []string{"SOX"},
		"duty_tags":            []string{"pay"},
		"data_classes": []string{
			"salary",
		},
		"backup_owner_ids": []string{backup},
		"privileged":       true,
		"risk_level":       "high",
		"requestable":      true,
		"max_duration":     "P90D",
		"default_duration": "P30D",
		"extension_max":    "P7D",
		"approval_rule_id": rule,
		"replacement_id":   other,
		"visible_to":       map[string]any{"match": "all", "rules": []any{}, "more": 1},
	}
	got := h.Must(200, "admin", "PATCH", "/entitlements/"+group, set)
	for member, want := range map[string]any{"permission_summary": []any{"reads", "writes"},
		"privileged_source": "human", "max_duration": "P90D", "approval_rule_id": rule,
		"replacement_id": other, "visible_to": map[string]any{"match": "all", "rules": []any{}},
		"duty_tags": []any{"pay"}, "backup_owner_ids": []any{backup}} {
		if diff := cmp.Diff(want, got.Body[member]); diff != "" {
			t.Errorf("%s: -want +got\n%s", member, diff)
		}
	}
	for query, want := range map[string]float64{"tag=SOX": 1, "tag=salary": 1, "tag=pay": 1, "tag=none": 0,
		"privileged=true": 1, "unused=P90D": 0} {
		if got := h.Must(200, "admin", "GET", "/entitlements?"+query, nil); got.Body["total"] != want {
			t.Errorf("%s: %v; want %v", query, got.Body["total"], want)
		}
	}
	for name, body := range map[string]map[string]any{
		"longer than the longest": {"default_duration": "P91D"}, "no duration": {"max_duration": "90 days"},
		"no time at all": {"extension_max": "PT0S"},
		"no rule":        {"approval_rule_id": uuid.NewString()}, "itself": {"replacement_id": group},
		"nothing that is there": {"replacement_id": uuid.NewString()},
		"nobody":                {"backup_owner_ids": []string{uuid.NewString()}},
		"no condition":          {"visible_to": map[string]any{"match": "some"}},
	} {
		if got := h.Refused(
			422,
			"validation_failed",
			"admin",
			"PATCH",
			"/entitlements/"+group,
			body,
		); got.Body["errors"] == nil {
			t.Errorf("%s: no member is named: %v", name, got.Body)
		}
	}
	h.Refused(
		422,
		"description_required",
		"admin",
		"PATCH",
		"/entitlements/"+other,
		map[string]any{"requestable": true},
	)
	h.Refused(400, "invalid_parameter", "admin", "GET", "/entitlements?unused=ninety", nil)
	if got := h.Must(
		200,
		"admin",
		"PATCH",
		"/entitlements/"+group,
		map[string]any{"visible_to": nil, "max_duration": nil, "approval_rule_id": nil},
	); got.Body["visible_to"] != nil ||
		got.Body["max_duration"] != nil {
		t.Errorf("cleared: %v, %v", got.Body["visible_to"], got.Body["max_duration"])
	}
}

func TestAnOwnerDescribesWhatTheyOwnAndNoMore(t *testing.T) {
	h, group, owner := catalogd(t)
	other := h.Entitlement(ldap, "other")
	h.Exec(`update entitlement set risk_level = 'medium', max_duration = 'P30D' where id = $1`, group)
	h.Must(
		200,
		"owner",
		"PATCH",
		"/entitlements/"+group,
		map[string]any{
			"business_description": "x",
			"compliance_tags":      []string{"SOX"},
			"requestable":          true,
			"risk_level":           "high",
			"max_duration":         "P7D",
		},
	)
	for _, body := range []map[string]any{{"risk_level": "low"}, {"max_duration": "P31D"}, {"max_duration": nil},
		{"owner_ids": []string{}}, {"privileged": false}, {"lifecycle": "retired"}, {"visible_to": nil}} {
		h.Refused(403, "forbidden", "owner", "PATCH", "/entitlements/"+group, body)
	}
	h.Must(
		200,
		"owner",
		"PATCH",
		"/entitlements/"+group,
		map[string]any{"compliance_tags": []string{"GDPR", "SOX"}, "duty_tags": []string{"pays"}},
	)
	for _, body := range []map[string]any{{"compliance_tags": []string{"GDPR"}}, {"compliance_tags": []string{}},
		{"duty_tags": nil}} {
		h.Refused(403, "tags_only_added", "owner", "PATCH", "/entitlements/"+group, body)
	}
	h.Refused(404, "not_found", "owner", "PATCH", "/entitlements/"+other, map[string]any{"business_description": "x"})
	h.Refused(
		403,
		"forbidden",
		"owner",
		"POST",
		"/entitlements/"+group+"/owners",
		map[string]any{"owner_ids": []string{owner}},
	)
	h.Refused(422, "validation_failed", "admin", "POST", "/entitlements/"+group+"/owners", map[string]any{})
	if got := h.Must(
		200,
		"admin",
		"POST",
		"/entitlements/"+group+"/owners",
		map[string]any{"owner_ids": []string{}},
	); len(got.Body["owner_ids"].([]any)) != 0 {
		t.Errorf("owners: %v", got.Body["owner_ids"])
	}
	h.Refused(404, "not_found", "owner", "PATCH", "/entitlements/"+group, map[string]any{"business_description": "x"})
}

func TestManyAreChangedAtOnceAndThoseThatCannotBeSayWhy(t *testing.T) {
	h, group, _ := catalogd(t)
	described := h.Entitlement(ldap, "described")
	h.Exec(`update entitlement set description = 'x' where id = $1`, described)
	missing := uuid.NewString()
	call := func(dry bool) map[string]any {
		return h.Must(
			200,
			"admin",
			"POST",
			"/entitlements/bulk-update",
			map[string]any{
				"ids":     []string{group, described, missing, group},
				"set":     map[string]any{"requestable": true},
				"dry_run": dry,
			},
		).Body
	}
	outcomes := func(body map[string]any) (out []any) {
		for _, r := range body["results"].([]any) {
			out = append(out, r.(map[string]any)["outcome"], r.(map[string]any)["code"])
		}
		return out
	}
	want := []any{"refused", "description_required", "updated", nil, "refused", "not_found"}
	if diff := cmp.Diff(
		want,
		outcomes(call(true)),
	); diff != "" ||
		h.Count(`select count(*) from entitlement where requestable`) != 0 {
		t.Errorf("played through: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(
		want,
		outcomes(call(false)),
	); diff != "" ||
		h.Count(`select count(*) from entitlement where requestable`) != 1 {
		t.Errorf("done: -want +got\n%s", diff)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'entitlement.updated'`); n != 1 {
		t.Errorf("%d entries in the log; want one", n)
	}
	all := h.Must(
		200,
		"admin",
		"POST",
		"/entitlements/bulk-update",
		map[string]any{
			"filter": map[string]any{"connector_id": ldap},
			"set":    map[string]any{"risk_level": "critical", "compliance_tags": []string{"SOX"}},
		},
	)
	if all.Body["updated"] != 2.0 {
		t.Errorf("by filter: %v", all.Body)
	}
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		"/entitlements/bulk-update",
		map[string]any{"ids": []string{group}, "filter": map[string]any{}, "set": map[string]any{"risk_level": "low"}},
	)
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		"/entitlements/bulk-update",
		map[string]any{"ids": []string{group}, "set": map[string]any{"name": "x"}},
	)
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		"/entitlements/bulk-update",
		map[string]any{"ids": []string{group}, "set": map[string]any{"owner_ids": []string{missing}}},
	)
}

func TestRetiringTellsWhatItMeans(t *testing.T) {
	h, group, _ := catalogd(t)
	other := h.Entitlement(ldap, "other")
	h.Grant(ldap, h.Account(ldap, "a", ""), group)
	path := "/entitlements/" + group + "/retire"
	if got := h.Must(
		200,
		"admin",
		"POST",
		path+"?dry_run=true",
		map[string]any{"replacement_id": other},
	); got.Body["holders"] != 1.0 ||
		got.Body["entitlement"].(map[string]any)["lifecycle"] != "active" {
		t.Errorf("played through: %v", got.Body)
	}
	got := h.Must(200, "admin", "POST", path,
		map[string]any{"replacement_id": other}).Body["entitlement"].(map[string]any)
	if got["lifecycle"] != "retired" || got["replacement_id"] != other {
		t.Errorf("retired: %v", got)
	}
	h.Refused(409, "invalid_transition", "admin", "POST", path, map[string]any{})
}

func TestAHierarchyTellsLevelsAndCircles(t *testing.T) {
	h, group, _ := catalogd(t)
	up, top, down := h.Entitlement(ldap, "up"), h.Entitlement(ldap, "top"), h.Entitlement(ldap, "down")
	for _, edge := range [][2]string{{group, up}, {up, top}, {top, group}, {down, group}} {
		h.Nest(ldap, edge[0], edge[1])
	}
	got := h.Must(200, "admin", "GET", "/entitlements/"+group+"/hierarchy", nil).Body
	level := func(id, name string, depth float64) any {
		return map[string]any{"id": id, "display": name, "depth": depth}
	}
	if diff := cmp.Diff([]any{level(up, "up", 1), level(top, "top", 2)}, got["ancestors"]); diff != "" {
		t.Errorf("ancestors: -want +got\n%s", diff)
	}
	ref := func(id, name string) any { return map[string]any{"id": id, "display": name} }
	if diff := cmp.Diff([]any{ref(group, "group"), ref(up, "up"), ref(top, "top")}, got["cycle"]); diff != "" {
		t.Errorf("the circle: -want +got\n%s", diff)
	}
	if got := h.Must(
		200,
		"admin",
		"GET",
		"/entitlements/"+down+"/hierarchy",
		nil,
	).Body; len(got["cycle"].([]any)) != 0 ||
		len(got["ancestors"].([]any)) != 3 {
		t.Errorf("of what lies beneath the circle: %v", got)
	}
	if got := h.Must(
		200,
		"owner",
		"GET",
		"/entitlements/"+group+"/hierarchy",
		nil,
	).Body; len(got["ancestors"].([]any)) != 0 ||
		got["hidden"] != 5.0 {
		t.Errorf("as its owner, who sees no other: %v", got)
	}
}

func TestUnusedAccessIsToldWhereTheSystemTells(t *testing.T) {
	h, group, _ := catalogd(t)
	silent := h.Entitlement(ldap, "silent")
	used, idle, fresh := h.Account(ldap, "used", ""), h.Account(ldap, "idle", ""), h.Account(ldap, "fresh", "")
	for _, a := range []string{used, idle, fresh} {
		h.Grant(ldap, a, group)
		h.Grant(ldap, a, silent)
	}
	h.Exec(`update access_grant set first_seen_at = now() - interval '200 days' where account_id <> $1`, fresh)
	h.Exec(
		`update access_grant set last_used_at = now() - interval '1 day' where account_id = $1 and entitlement_id = $2`,
		used,
		group,
	)
	got := h.Must(200, "admin", "GET", "/entitlements/"+group+"/usage", nil).Body
	if got["unused_grant_count"] != 1.0 || got["used_grant_count"] != 1.0 || got["holder_count"] != 3.0 ||
		got["told"] != true ||
		len(got["grants"].([]any)) != 1 {
		t.Errorf("usage: %v", got)
	}
	if got := h.Must(
		200,
		"admin",
		"GET",
		"/entitlements/"+silent+"/usage",
		nil,
	).Body; got["unused_grant_count"] != 0.0 ||
		got["told"] != false {
		t.Errorf("of a system that does not tell: %v", got)
	}
	if got := h.Must(
		200,
		"admin",
		"GET",
		"/entitlements?unused=P90D",
		nil,
	); got.Body["total"] != 1.0 ||
		got.Values("id")[0] != group {
		t.Errorf("listed as unused: %v", got.Values("name"))
	}
	if got := h.Must(200, "admin", "GET", "/entitlements?unused=P300D", nil); got.Body["total"] != 0.0 {
		t.Errorf("unused for longer than it is held: %v", got.Values("name"))
	}
	if got := h.Must(
		200,
		"admin",
		"GET",
		"/entitlements/"+group,
		nil,
	); got.Body["unused_grant_count"] != 1.0 ||
		got.Body["last_used_at"] == nil {
		t.Errorf("read: %v, %v", got.Body["unused_grant_count"], got.Body["last_used_at"])
	}
	h.Refused(400, "invalid_parameter", "admin", "GET", "/entitlements/"+group+"/usage?unused=x", nil)
}
