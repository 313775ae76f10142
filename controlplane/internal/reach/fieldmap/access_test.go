package fieldmap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// withAccess adds two types of entitlement and the grants of them to a system.
func (h *house) withAccess() {
	h.ordinary()
	secret := field("joinSecret", "string")
	secret.Secret = true
	h.target.objects = append(h.target.objects,
		v1.DiscoveredObject{Kind: "entitlement", NativeType: "group", Fields: []v1.DiscoveredField{
			field(
				"name",
				"string",
				"payroll",
			),
			field("label", "string", "Payroll"),
			field("tier", "integer", "3"),
			secret,
		}},
		v1.DiscoveredObject{Kind: "entitlement", NativeType: "role", Fields: []v1.DiscoveredField{field("name",
			"string"), field("isAdmin", "boolean", "true")}},
		v1.DiscoveredObject{Kind: "grant", NativeType: "membership",
			Fields: []v1.DiscoveredField{field("validUntil", "date", "2090-01-31"), field("ticket", "string", "T-1")}},
	)
	entitlement := func(id, description string, attributes object) v1.RemoteEntitlement {
		return v1.RemoteEntitlement{ExternalID: id, NativeRef: id, Kind: "group", Name: &id,
			Description: &description, Attributes: attributes}
	}
	h.target.entitlements = []v1.RemoteEntitlement{
		entitlement("payroll", "Pays", object{"name": "payroll", "label": "Payroll", "tier": 3.0,
			"joinSecret": "CANARY-join"}),
		entitlement("admins", "Rules", object{"name": "admins", "isAdmin": true}),
	}
	ann := "a-ann"
	h.target.grants = []v1.RemoteGrant{
		{AccountExternalID: &ann, EntitlementExternalID: "payroll",
			Attributes: object{"validUntil": "2090-01-31", "ticket": "T-1"}},
		{
			AccountExternalID:     &ann,
			EntitlementExternalID: "admins",
			AssignedBy:            "root",
			Attributes:            object{"ticket": "T-2"},
		},
	}
}

func of(kind, source, target string, transform ...string) object {
	m := to(source, target, transform...)
	m["object"] = kind
	return m
}

func (h *house) stored(want map[string]string) {
	h.t.Helper()
	for what, want := range want {
		if got := text(h, what); got != want {
			h.t.Errorf("%s = %q, want %q", what, got, want)
		}
	}
}

const (
	entitled = `select concat_ws('|', name, display_name, description, kind, privileged, requestable,
		resource->>'display_name', attributes->>'level') from entitlement where external_id = `
	holding = `select concat_ws('|', g.ends_at at time zone 'UTC', g.assigned_by, g.attributes->>'request')
		    from access_grant g
		join entitlement e on e.tenant_id = g.tenant_id and e.id = g.entitlement_id where e.external_id = `
)

func TestFieldsOfEntitlementsAndGrantsAreMapped(t *testing.T) {
	h := open(t)
	h.withAccess()
	path := h.connect("app")
	h.do(200, "POST", path+"/discover", nil)
	h.runs(path, object{"incremental": false}, "succeeded")
	unmapped := map[string]string{
		entitled + `'payroll'`: "payroll|payroll|Pays|group|f|f",
		entitled + `'admins'`:  "admins|admins|Rules|group|f|f",
		holding + `'payroll'`:  "",
		holding + `'admins'`:   "root",
	}
	h.stored(unmapped) // proposals that nobody accepted change nothing
	h.do(200, "PUT", path+"/mappings", mappings(to("mail", "email"), to("cn", "display_name")))
	h.runs(path, object{"incremental": false}, "succeeded")
	h.stored(unmapped)

	fields := h.do(200, "GET", path+"/mappings", nil).body["target_fields"].(object)
	if got := fmt.Sprint(fields["entitlement"], fields["grant"]); !strings.Contains(got,
		"resource_name") || !strings.Contains(got, "expires_at") {
		t.Errorf("targets: %s", got)
	}
	h.do(200, "PUT", path+"/mappings", mappings(to("mail", "email"), to("cn", "display_name"),
		of("entitlement", "label", "display_name", "value.upper() if value else record['name']"),
		of("entitlement", "tier", "attributes.level"),
		of("entitlement", "isAdmin", "privileged"), of("entitlement", "name", "resource_name"),
		object{"object": "entitlement", "source_path": "description", "action": "ignore"},
		of("grant", "validUntil", "expiresAt"), of("grant", "ticket", "attributes.request"),
		object{"object": "grant", "source_path": "grantedBy", "action": "ignore"},
	))
	run := h.runs(path, object{"incremental": true}, "succeeded")
	if run["fallback_reason"] != "settings_changed" {
		t.Errorf("after a change of mappings: %v", run["fallback_reason"])
	}
	h.stored(map[string]string{
		entitled + `'payroll'`: "payroll|PAYROLL|group|f|f|payroll|3",
		entitled + `'admins'`:  "admins|admins|group|t|f|admins",
		holding + `'payroll'`:  "2090-02-01 00:00:00|T-1",
		holding + `'admins'`:   "T-2",
	})
	if got := text(h, `select count(*) from sync_error`); got != "0" {
		t.Errorf("%s records or values were set aside", got)
	}
}

func TestWhatAPersonDecidedAboutPrivilegeStays(t *testing.T) {
	h := open(t)
	h.withAccess()
	path := h.connect("app")
	h.do(200, "PUT", path+"/mappings", mappings(of("entitlement", "isAdmin", "privileged")))
	h.runs(path, object{"incremental": false}, "succeeded")
	privileged := `select privileged from entitlement where external_id = 'admins'`
	h.stored(map[string]string{privileged: "true"})
	h.target.entitlements[1].Attributes = object{"name": "admins", "isAdmin": false}
	h.runs(path, object{"incremental": false}, "succeeded")
	h.stored(map[string]string{privileged: "false"})
	h.exec(`update entitlement set privileged = true, privileged_source = 'human' where external_id = 'admins'`)
	h.target.entitlements[1].Attributes = object{"name": "admins", "isAdmin": "no"}
	h.runs(path, object{"incremental": false}, "succeeded")
	h.stored(map[string]string{privileged: "true"})
}

func TestAnEntitlementOrGrantWhoseTransformFailsIsSetAside(t *testing.T) {
	h := open(t)
	h.withAccess()
	path := h.connect("app")
	h.runs(path, object{"incremental": false}, "succeeded")
	h.do(200, "PUT", path+"/mappings", mappings(of("entitlement", "label", "display_name", "value.lower()"),
		of("grant", "validUntil", "expires_at", "value[:10]"), of("grant", "ticket", "immutable")))
	run := h.sync(path, object{"incremental": false})
	if run["status"] != "partial" && run["status"] != "succeeded" {
		t.Fatalf("the run ended %v: %v", run["status"], run["error"])
	}
	errors := h.do(200, "GET", path+"/sync-runs/"+run["id"].(string)+"/errors", nil)
	got := map[string]string{}
	for _, e := range errors.list("items") {
		got[fmt.Sprint(e["object"], " ", e["external_id"])] = fmt.Sprint(e["code"], " ", e["field"])
	}
	want := map[string]string{"entitlement admins": "transform_failed label",
		"grant a-ann → admins": "transform_failed validUntil", "grant a-ann → payroll": "not_a_boolean ticket"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("set aside (-want +got):\n%s\n%s", diff, errors.text)
	}
	h.stored(map[string]string{
		entitled + `'payroll'`: "payroll|payroll|Pays|group|f|f",
		entitled + `'admins'`:  "admins|admins|Rules|group|f|f",
		`select count(*) from entitlement where removed_at is null`: "2",
		`select count(*) from access_grant where status = 'active'`: "2",
	})
}

func TestProposalsForEntitlementsAndGrantsAreAcceptedAndCopied(t *testing.T) {
	h := open(t)
	h.withAccess()
	production, staging := h.connect("production"), h.connect("staging")
	h.do(200, "POST", production+"/discover", nil)
	h.do(200, "POST", staging+"/discover", nil)
	a := h.do(200, "POST", production+"/mappings/suggest", nil)
	got, all := map[string]string{}, []object{}
	for _, m := range a.list("mappings") {
		if kind := m["object"].(string); kind == "entitlement" || kind == "grant" {
			got[kind+" "+m["source_path"].(string)] += fmt.Sprint(
				m["action"],
				" ",
				m["target_field"],
				" ",
				m["heuristic"],
			)
		}
		one := object{"object": m["object"], "source_path": m["source_path"], "action": m["action"]}
		if m["target_field"] != nil {
			one["target_field"] = m["target_field"]
		}
		all = append(all, one)
	}
	want := map[string]string{
		"entitlement name": "map name exact", "entitlement label": "map display_name synonym",
		"entitlement tier":       "ignore <nil> <nil>",
		"entitlement joinSecret": "ignore <nil> <nil>", "entitlement isAdmin": "map privileged synonym",
		"grant validUntil": "map expires_at synonym", "grant ticket": "ignore <nil> <nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("proposals (-want +got):\n%s", diff)
	}
	if unfilled := fmt.Sprint(a.body["unfilled"].(object)["entitlement"]); strings.Contains(unfilled,
		"display_name") || !strings.Contains(unfilled, "description") {
		t.Errorf("unfilled: %s", unfilled)
	}
	h.do(200, "PUT", production+"/mappings", mappings(all...))
	copied := h.do(200, "POST", staging+"/mappings/copy-from/"+id(production), nil)
	if copied.body["copied"] != float64(len(all)) || len(copied.list("misfits")) != 0 {
		t.Errorf("copied: %s", copied.text)
	}
	h.runs(staging, object{"incremental": false}, "succeeded")
	h.stored(
		map[string]string{
			entitled + `'payroll'`: "payroll|Payroll|Pays|group|f|f",
			holding + `'payroll'`:  "2090-02-01 00:00:00",
		},
	)
}

func TestAPreviewReadsTheKindsThatAreWanted(t *testing.T) {
	h := open(t)
	h.withAccess()
	path := h.connect("app")
	kinds := func(ask object) string {
		h.t.Helper()
		a := h.do(200, "POST", path+"/mappings/preview", ask)
		if strings.Contains(a.text, "CANARY") {
			t.Errorf("a secret was shown: %s", a.text)
		}
		n := map[string]int{}
		for _, r := range a.list("rows") {
			n[r["object"].(string)]++
		}
		return fmt.Sprint(n["identity"], n["account"], n["entitlement"], n["grant"])
	}
	h.do(200, "POST", path+"/discover", nil)
	for want, ask := range map[string]object{
		"2 1 2 2": {}, "2 1 0 0": mappings(to("mail", "email")), "2 1 0 2": mappings(of("grant", "validUntil",
			"expires_at")), "0 0 2 0": {"objects": []string{"entitlement"}},
		"1 0 1 0":  {"objects": []string{"identity", "entitlement"}, "sample": 1},
		"0 0 1 0":  {"external_ids": []string{"payroll"}, "objects": []string{"entitlement"}},
		"0 0 0 1":  {"external_ids": []string{"admins"}, "objects": []string{"grant"}},
		"1 0 1 0 ": {"external_ids": []string{"ann", "payroll"}},
	} {
		if got := kinds(ask); got != strings.TrimSpace(want) {
			t.Errorf("%v: %s, want %s", ask, got, want)
		}
	}
	row := h.do(200, "POST", path+"/mappings/preview", object{"objects": []string{"entitlement"},
		"mappings": []any{of("entitlement", "label", "description")}}).list("rows")[0]
	if row["after"].(object)["description"] != "Payroll" || row["from"].(object)["description"] != "label" ||
		row["before"].(object)["joinSecret"] != "***" {
		t.Errorf("the first row: %v", row)
	}
	before := len(h.target.asked)
	if kinds(object{"objects": []string{"account"}}); len(h.target.asked) != before+1 ||
		h.target.asked[before].Options.MaxRecords == nil {
		t.Errorf("reads: %+v", h.target.asked[before:])
	}
	if kinds(object{"objects": []string{"grant"}}); h.target.asked[before+1].Options.MaxRecords != nil {
		t.Error("a cap that counts people and accounts alone limits the read of grants")
	}
	h.do(422, "POST", path+"/mappings/preview", object{"objects": []string{"nesting"}})
}
