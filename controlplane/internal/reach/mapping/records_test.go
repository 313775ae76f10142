package mapping_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func entitled(source, target string, transform ...string) mapping.Mapping {
	return mapping.Mapping{Object: "entitlement", Source: source, Target: mapping.Field(target),
		Transform: strings.Join(transform, "")}
}

func granted(source, target string) mapping.Mapping {
	return mapping.Mapping{Object: "grant", Source: source, Target: mapping.Field(target)}
}

func yes(b bool) *bool { return &b }

func at(s string) *time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return &t
}

func TestAnEntitlementIsMapped(t *testing.T) {
	m := with(t,
		entitled("title", "display_name", "lower(value)"), entitled("notes", "description"), entitled("sort",
			"kind"), entitled("adminCount", "privileged"),
		entitled("open", "requestable"), entitled("assignable", "grantable"), entitled("removable", "revocable"),
		entitled("either", "exclusion_group"),
		entitled("limit", "max_members"), entitled("app", "resource_name"), entitled("app_id",
			"resource_external_id"), entitled("tier", "attributes.tier"),
	)
	shared := &v1.Resource{Type: "application", DisplayName: "Old"}
	r := v1.RemoteEntitlement{ExternalID: "1", Name: of("kept"), DisplayName: of("Old"), Resource: shared,
		Attributes: map[string]any{
			"title": "PAYROLL", "notes": "Pays", "sort": "Permission Set", "adminCount": 1.0, "open": "yes",
			"assignable": false, "removable": "0", "either": "pay",
			"limit": "12", "app": "Payroll", "app_id": "p1", "tier": 3.0,
		}}
	custom, problems := m.Entitlement(&r)
	limit := 12
	want := v1.RemoteEntitlement{
		ExternalID: "1", Name: of("kept"), DisplayName: of("payroll"), Description: of("Pays"),
		Kind: "permission_set", Privileged: yes(true), Requestable: yes(true),
		Grantable: yes(false), Revocable: yes(false), ExclusionGroup: "pay", MaxMembers: &limit,
		Resource: &v1.Resource{ExternalID: "p1", Type: "application", DisplayName: "Payroll"}, Attributes: r.Attributes,
	}
	if diff := cmp.Diff(want, r); diff != "" || len(problems) > 0 {
		t.Errorf("the entitlement (-want +got):\n%s\nproblems: %v", diff, problems)
	}
	if diff := cmp.Diff(map[string]any{"tier": 3.0}, custom); diff != "" {
		t.Errorf("custom (-want +got):\n%s", diff)
	}
	if shared.DisplayName != "Old" {
		t.Error("a resource that other records share was changed")
	}
}

func TestAGrantIsMapped(t *testing.T) {
	m := with(t, granted("from", "starts_at"), granted("until", "expires_at"), granted("given", "granted_at"),
		granted("used", "last_used_at"),
		granted("by", "assigned_by"), granted("fixed", "immutable"), granted("ticket", "attributes.ticket"))
	r := v1.RemoteGrant{AccountExternalID: of("ann"), EntitlementExternalID: "payroll",
		ExpiresAt: at("2020-01-01T00:00:00Z"), Attributes: map[string]any{
			"from": "2026-01-31", "until": "2026-02-28", "given": "2026-01-30T10:00:00+02:00",
			"used": "2026-02-01 08:00:00", "by": "bob", "fixed": true, "ticket": "T-1",
		}}
	custom, problems := m.Grant(&r)
	want := v1.RemoteGrant{AccountExternalID: of("ann"), EntitlementExternalID: "payroll",
		StartsAt: at("2026-01-31T00:00:00Z"), ExpiresAt: at("2026-03-01T00:00:00Z"),
		GrantedAt: at("2026-01-30T08:00:00Z"), LastUsedAt: at("2026-02-01T08:00:00Z"), AssignedBy: "bob",
		Immutable: yes(true), Attributes: r.Attributes}
	if diff := cmp.Diff(want, r); diff != "" || len(problems) > 0 || custom["ticket"] != "T-1" {
		t.Errorf("the grant (-want +got):\n%s\nproblems: %v, custom: %v", diff, problems, custom)
	}
}

func TestWhatNoRuleIsAboutStaysAsTheConnectorNamedIt(t *testing.T) {
	entitlement := v1.RemoteEntitlement{ExternalID: "1", Kind: "role", Name: of("n"), Description: of("d"),
		Privileged: yes(true), Resource: &v1.Resource{ExternalID: "r"},
		Attributes: map[string]any{"name": "other", "description": "other", "cn": "other", "kind": "other"}}
	grant := v1.RemoteGrant{ExternalID: "g", StartsAt: at("2026-01-31T00:00:00Z"), AssignedBy: "a",
		Attributes: map[string]any{"startDate": "2020-01-01", "assigned_by": "x"}}
	for name, m := range map[string]*mapper.Mapper{
		"no rules":              mapper.New(),
		"rules of people alone": with(t, mapping.Mapping{Source: "mail", Target: "email"}),
		"rules of other fields": with(t, entitled("tier", "attributes.tier"), granted("x", "attributes.x"),
			entitled("absent", "description")),
	} {
		e, g := entitlement, grant
		_, problems := m.Entitlement(&e)
		_, more := m.Grant(&g)
		if diff := cmp.Diff(entitlement, e) + cmp.Diff(grant, g); diff != "" || len(problems)+len(more) > 0 {
			t.Errorf("%s: changed (-want +got):\n%s\n%v %v", name, diff, problems, more)
		}
	}
}

func TestAnIgnoredFieldFillsNothing(t *testing.T) {
	ignore := func(object, source string) mapping.Mapping {
		return mapping.Mapping{Object: object, Source: source, Action: "ignore"}
	}
	m := with(t, ignore("entitlement", "description"), ignore("entitlement", "cn"), entitled("name", "name"),
		ignore("entitlement", "appName"), ignore("grant", "validUntil"))
	e := v1.RemoteEntitlement{ExternalID: "1", Name: of("named"), Description: of("d"),
		Resource: &v1.Resource{DisplayName: "Payroll"}}
	g := v1.RemoteGrant{ExpiresAt: at("2026-01-31T00:00:00Z"), AssignedBy: "kept"}
	m.Entitlement(&e)
	m.Grant(&g)
	if e.Description != nil || *e.Name != "named" || e.Resource != nil || g.ExpiresAt != nil || g.AssignedBy != "kept" {
		t.Errorf("entitlement %+v, grant %+v", e, g)
	}
}

func TestAValueThatDoesNotFitIsNotTaken(t *testing.T) {
	m := with(t, entitled("a", "privileged"), entitled("b", "max_members"), entitled("c", "name"),
		entitled("d", "kind"), granted("e", "expires_at"), granted("f", "immutable"))
	e := v1.RemoteEntitlement{Attributes: map[string]any{"a": "perhaps", "b": -1.0,
		"c": map[string]any{"x": 1.0}, "d": strings.Repeat("k", 101)}}
	g := v1.RemoteGrant{Attributes: map[string]any{"e": "soon", "f": "perhaps"}}
	_, problems := m.Entitlement(&e)
	_, more := m.Grant(&g)
	got := map[string]string{}
	for _, p := range append(problems, more...) {
		got[p.Field] = p.Code
		if p.Whole {
			t.Errorf("%s sets the record aside", p.Field)
		}
	}
	want := map[string]string{"a": "not_a_boolean", "b": "not_a_number", "c": "not_a_single_value",
		"d": "too_long", "e": "not_a_date", "f": "not_a_boolean"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if e.Privileged != nil || e.MaxMembers != nil || e.Name != nil || e.Kind != "" || g.ExpiresAt != nil ||
		g.Immutable != nil {
		t.Errorf("entitlement %+v, grant %+v", e, g)
	}
}

func TestAFailedTransformSetsAnEntitlementAside(t *testing.T) {
	m := with(t, entitled("a", "name", "record['secret!']"))
	_, problems := m.Entitlement(&v1.RemoteEntitlement{ExternalID: "1", Attributes: map[string]any{"a": "x"}})
	if len(problems) != 1 || !problems[0].Whole || problems[0].Code != "transform_failed" {
		t.Errorf("problems: %+v", problems)
	}
}

func TestGroupTypeOfActiveDirectoryIsUnderstood(t *testing.T) {
	m := with(t, entitled("groupType", "kind"))
	for value, want := range map[any]string{-2147483646.0: "group", "-2147483640": "group",
		8.0: "distribution_list", "BUILT_IN": "BUILT_IN"} {
		r := v1.RemoteEntitlement{Kind: "group", Attributes: map[string]any{"groupType": value}}
		if m.Entitlement(&r); r.Kind != want {
			t.Errorf("%v is %s; want %s", value, r.Kind, want)
		}
	}
	r := v1.RemoteEntitlement{Attributes: map[string]any{"code": "8"}}
	if with(t, entitled("code", "kind")).Entitlement(&r); r.Kind != "8" {
		t.Errorf("a number of another field is %s", r.Kind)
	}
}

func TestEntitlementsAndGrantsHaveProposals(t *testing.T) {
	several := []v1.DiscoveredObject{
		{Kind: "entitlement", NativeType: "groups", Fields: []v1.DiscoveredField{text("name"), text("cn"),
			text("description"), text("groupType"), text("displayName"), text("odd"), dated("joined", "date")}},
		{Kind: "entitlement", NativeType: "roles", Fields: []v1.DiscoveredField{text("name"), text("desc"),
			text("isPrivileged"), text("email")}},
		{Kind: "grant", NativeType: "memberships", Fields: []v1.DiscoveredField{text("validUntil"),
			text("assigned_by"), text("cn")}},
	}
	rules := proposal.Suggest(several, nil)
	got := map[string]string{}
	for _, r := range rules {
		got[r.Object+" "+r.Source] += string(r.Target) + " " + string(r.Heuristic)
	}
	want := map[string]string{
		"entitlement name": "name exact", "entitlement cn": " ", "entitlement description": "description exact",
		"entitlement groupType":   "kind vendor_template",
		"entitlement displayName": "display_name exact", "entitlement odd": " ", "entitlement joined": " ",
		"entitlement desc":         " ",
		"entitlement isPrivileged": "privileged synonym", "entitlement email": " ",
		"grant validUntil": "expires_at synonym", "grant assigned_by": "assigned_by exact", "grant cn": " ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("proposals (-want +got):\n%s", diff)
	}
	if wrong := mapping.Check(mapping.Normalise(rules), compile); len(wrong) > 0 {
		t.Errorf("proposals that cannot be accepted: %v", wrong)
	}
}

func TestThePreviewShowsEntitlementsAndGrants(t *testing.T) {
	m := with(t, entitled("label", "display_name"), entitled("app", "resource_name"), granted("until", "expires_at"))
	rows := m.Preview(mapper.Sample{
		Entitlements: []v1.RemoteEntitlement{{ExternalID: "1", Kind: "role", Name: of("n"),
			Attributes: map[string]any{"label": "L", "app": "A"}}},
		Grants: []v1.RemoteGrant{{AccountExternalID: of("ann"), EntitlementExternalID: "1",
			Attributes: map[string]any{"until": "soon"}}},
	}, today)
	after := map[string]any{"name": "n", "display_name": "L", "kind": "role", "resource_name": "A"}
	if diff := cmp.Diff(after,
		rows[0].After); diff != "" || rows[0].Object != "entitlement" || rows[0].From["display_name"] != "label" {
		t.Errorf("the entitlement (-want +got):\n%s\n%+v", diff, rows[0])
	}
	if rows[1].Object != "grant" || rows[1].ExternalID != "ann → 1" || len(rows[1].Errors) != 1 {
		t.Errorf("the grant: %+v", rows[1])
	}
	findings := mapper.Population(rows)
	if len(findings) != 1 || findings[0].Check != "values_lost" || findings[0].Object != "grant" {
		t.Errorf("findings: %+v", findings)
	}
}
