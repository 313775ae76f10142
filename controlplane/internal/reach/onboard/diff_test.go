package onboard_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// changed lets the target's people have another field, lack one, and have one of another type.
func (h *house) changed() {
	h.target.does(func() {
		h.target.objects = []v1.DiscoveredObject{
			{Kind: "identity", NativeType: "person", Fields: []v1.DiscoveredField{
				field(
					"mail",
					"string",
					"ann@x.test",
				),
				field("cn", "string", "Ann Archer"),
				field("badge", "integer", "17"),
				field("phone", "string", "1"),
				field("givenName", "string", "Ann"),
			}},
			{
				Kind:       "entitlement",
				NativeType: "group",
				Fields:     []v1.DiscoveredField{field("title", "string", "Staff"), field("owner", "string", "ann")},
			},
		}
	})
}

// brief is what a diff says, field by field.
func brief(diff object) map[string]string {
	out := map[string]string{}
	for _, kind := range []string{"added", "removed", "type_changed"} {
		for _, f := range diff[kind].([]any) {
			f := f.(object)
			said := kind
			if p, _ := f["proposal"].(object); p != nil {
				said += " " + p["action"].(string)
				if p["action"] == "map" {
					said += " " + p["target_field"].(string)
				}
			}
			for _, b := range some(f["breaks"]) {
				said += " breaks " + b.(object)["target_field"].(string)
			}
			if kind == "type_changed" {
				said += " " + f["from"].(string) + " " + f["to"].(string)
			}
			out[f["object"].(string)+":"+f["path"].(string)] = said
		}
	}
	return out
}

func some(list any) []any {
	out, _ := list.([]any)
	return out
}

func (h *house) fields(path string) (names []string) {
	h.t.Helper()
	for _, o := range h.do(200, "GET", path+"/schema", nil).list("objects") {
		for _, f := range o["fields"].([]any) {
			names = append(
				names,
				o["kind"].(string)[:1]+":"+f.(object)["name"].(string)+"/"+f.(object)["type"].(string)[:1],
			)
		}
	}
	slices.Sort(names)
	return names
}

// rules are the mappings in use, by source field.
func (h *house) rules(path string) map[string]string {
	h.t.Helper()
	out := map[string]string{}
	for _, m := range h.do(200, "GET", path+"/mappings", nil).list("mappings") {
		target, _ := m["target_field"].(string)
		out[m["source_path"].(string)] = m["action"].(string) + target
	}
	return out
}

// differing is a connector in use whose target has changed, with the diff that waits.
func (h *house) differing() (path, diff string) {
	h.t.Helper()
	h.ordinary()
	path = h.mapped("hr")
	h.ended(path, h.do(202, "POST", path+"/wizard/first-sync", nil).body["run_id"].(string))
	h.changed()
	a := h.do(200, "POST", path+"/rediscover", nil)
	return path, path + "/schema-diffs/" + a.body["diff"].(object)["id"].(string)
}

func TestAnotherLookShowsWhatHasChangedAndWhatItMeans(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	if a := h.do(409, "POST", path+"/rediscover", nil); a.code() != "discovery_required" {
		t.Errorf("nothing to compare with: %s", a.text)
	}
	h.do(200, "POST", path+"/discover", nil)
	h.do(200, "PUT", path+"/mappings", object{"mappings": []object{
		{"object": "identity", "source_path": "mail", "target_field": "email"},
		{"object": "identity", "source_path": "dept", "target_field": "department"},
		{
			"object":       "identity",
			"source_path":  "badge",
			"target_field": "attributes.badge",
			"transform":    "value + record['dept']",
		},
	}})
	if a := h.do(
		200,
		"POST",
		path+"/rediscover",
		nil,
	); a.body["success"] != true || a.body["diff"] != nil ||
		a.body["schema_snapshot_id"] == nil {
		t.Errorf("nothing has changed: %s", a.text)
	}
	h.changed()
	a := h.do(200, "POST", path+"/rediscover?stream=true", object{"sample_size": 5})
	if !strings.Contains(a.text, "event: progress") || !strings.Contains(a.text, "event: result") {
		t.Errorf("stream = %s", a.text)
	}
	open := h.do(200, "GET", path+"/schema-diffs?state=open", nil)
	if open.body["total"] != 1.0 {
		t.Fatalf("open diffs: %s", open.text)
	}
	diff := open.list("items")[0]
	want := map[string]string{
		"identity:phone":     "added ignore",
		"identity:givenName": "added map first_name",
		"entitlement:owner":  "added ignore",
		"identity:dept":      "removed breaks department breaks attributes.badge",
		"identity:badge":     "type_changed string integer",
	}
	if got := cmp.Diff(want, brief(diff)); got != "" {
		t.Errorf("diff (-want +got):\n%s", got)
	}
	if diff["undecided"] != 5.0 || diff["type_changed"].([]any)[0].(object)["samples"].([]any)[0] != "17" ||
		diff["type_changed"].([]any)[0].(object)["mapping"] == nil {
		t.Errorf("diff = %v", diff)
	}
	one := h.do(200, "GET", path+"/schema-diffs/"+diff["id"].(string), nil)
	if one.etag != `"1"` {
		t.Errorf("ETag = %s", one.etag)
	}
	if got := text(
		h,
		`select event::jsonb->'context'->>'added' from audit_event where action = 'connector.schema_changed'`,
	); got != "3" {
		t.Errorf("audited: %s", got)
	}
}

func TestSyncsGoOnAsBeforeUntilADiffIsDecided(t *testing.T) {
	h := open(t)
	path, diff := h.differing()
	fields, rules := h.fields(path), h.rules(path)
	r := h.ended(path, h.do(202, "POST", path+"/sync", nil).body["run_id"].(string))
	if r["status"] != "succeeded" || r["fallback_reason"] == "settings_changed" {
		t.Errorf("a run while a diff waits: %v %v", r["status"], r["fallback_reason"])
	}
	if got := cmp.Diff(fields, h.fields(path)) + cmp.Diff(rules, h.rules(path)); got != "" {
		t.Errorf("changed before anything was decided: %s", got)
	}
	d := h.do(200, "POST", diff+"/decide", object{"accept_all": true}, "If-Match", `"1"`)
	if d.body["state"] != "accepted" || d.body["undecided"] != 0.0 || d.body["closed_at"] == nil ||
		len(d.list("decisions")) != 5 {
		t.Errorf("accepted: %s", d.text)
	}
	want := []string{"e:owner/s", "e:title/s", "i:badge/i", "i:cn/s", "i:givenName/s", "i:mail/s", "i:phone/s"}
	if got := cmp.Diff(want, h.fields(path)); got != "" {
		t.Errorf("fields (-want +got):\n%s", got)
	}
	if got := cmp.Diff(
		map[string]string{
			"mail":      "mapemail",
			"cn":        "mapdisplay_name",
			"badge":     "ignore",
			"givenName": "mapfirst_name",
			"phone":     "ignore",
			"owner":     "ignore",
			"title":     "mapdisplay_name",
		},
		h.rules(path),
	); got != "" {
		t.Errorf("rules (-want +got):\n%s", got)
	}
	if a := h.do(200, "GET", path+"/schema", nil); a.body["id"] != d.body["to_snapshot_id"] {
		t.Errorf("the later look was not adopted: %s", a.text)
	}
	if a := h.do(409, "POST", diff+"/decide", object{"accept_all": true}); a.code() != "schema_diff_closed" {
		t.Errorf("decided twice: %s", a.text)
	}
	if a := h.do(200, "POST", path+"/rediscover", nil); a.body["diff"] != nil {
		t.Errorf("what was accepted differs again: %s", a.text)
	}
	r = h.ended(path, h.do(202, "POST", path+"/sync", nil).body["run_id"].(string))
	if r["fallback_reason"] != "settings_changed" {
		t.Errorf("the next run does not read everything: %v", r["fallback_reason"])
	}
}

func TestADecisionAboutAPersonsFieldAcceptsNoProposalForEntitlements(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	h.do(200, "POST", path+"/discover", nil)
	h.changed()
	diff := h.do(200, "POST", path+"/rediscover", nil).body["diff"].(object)["id"].(string)
	h.do(200, "POST", path+"/schema-diffs/"+diff+"/decide", object{"decisions": []object{
		{"object": "identity", "path": "givenName", "decision": "accept"},
	}})
	rules := h.rules(path)
	if _, accepted := rules["title"]; accepted || rules["givenName"] != "mapfirst_name" {
		t.Errorf("rules: %v", rules)
	}
}

func TestFieldsAreDecidedOneByOne(t *testing.T) {
	h := open(t)
	path, diff := h.differing()
	d := h.do(200, "POST", diff+"/decide", object{"decisions": []object{
		{
			"object":   "identity",
			"path":     "phone",
			"decision": "override",
			"mapping":  object{"target_field": "attributes.phone", "transform": "value.strip()"},
		},
		{"object": "identity", "path": "givenName", "decision": "ignore"},
	}})
	if d.body["state"] != "partially_accepted" || d.body["undecided"] != 3.0 || d.body["closed_at"] != nil {
		t.Errorf("half decided: %s", d.text)
	}
	want := []string{"e:title/s", "i:badge/s", "i:cn/s", "i:dept/s", "i:givenName/s", "i:mail/s", "i:phone/s"}
	if got := cmp.Diff(want, h.fields(path)); got != "" {
		t.Errorf("fields (-want +got):\n%s", got)
	}
	if got := cmp.Diff(
		map[string]string{
			"mail":      "mapemail",
			"cn":        "mapdisplay_name",
			"badge":     "ignore",
			"dept":      "mapdepartment",
			"phone":     "mapattributes.phone",
			"givenName": "ignore",
			"title":     "mapdisplay_name",
		},
		h.rules(path),
	); got != "" {
		t.Errorf("rules (-want +got):\n%s", got)
	}
	h.do(412, "POST", diff+"/decide", object{"accept_all": true}, "If-Match", `"1"`)
	h.do(
		200,
		"POST",
		diff+"/decide",
		object{"decisions": []object{{"object": "identity", "path": "dept", "decision": "accept"}}},
	)
	if _, there := h.rules(path)["dept"]; there {
		t.Error("the mapping of a removed field stays though that was accepted")
	}
	d = h.do(200, "POST", diff+"/decide", object{"dismiss": true})
	if d.body["state"] != "partially_accepted" || d.body["closed_at"] == nil || d.body["undecided"] != 2.0 {
		t.Errorf("the rest dismissed: %s", d.text)
	}
	again := h.do(200, "POST", path+"/rediscover", nil).body["diff"].(object)
	if got := cmp.Diff(
		map[string]string{"entitlement:owner": "added ignore", "identity:badge": "type_changed string integer"},
		brief(again),
	); got != "" {
		t.Errorf("the rest is not shown again (-want +got):\n%s", got)
	}
	if got := text(
		h,
		`select string_agg(event::jsonb->'context'->>'state', ' ' order by seq) from audit_event
			where action = 'connector.schema_decided'`,
	); got != "partially_accepted partially_accepted partially_accepted" {
		t.Errorf("audited: %s", got)
	}
}

func TestALaterLookTakesThePlaceOfAnOpenDiff(t *testing.T) {
	h := open(t)
	path, diff := h.differing()
	h.target.does(func() {
		h.target.objects[0].Fields = append(slices.Clone(h.target.objects[0].Fields), field("team", "string", "red"))
	})
	second := h.do(200, "POST", path+"/rediscover", nil).body["diff"].(object)
	first := h.do(200, "GET", diff, nil)
	if first.body["state"] != "dismissed" || first.body["replaced_by_id"] != second["id"] ||
		brief(second)["identity:team"] == "" {
		t.Errorf("first = %s, second = %v", first.text, second)
	}
	h.ordinary()
	if a := h.do(200, "POST", path+"/rediscover", nil); a.body["diff"] != nil {
		t.Errorf("all is as it was: %s", a.text)
	}
	if open := h.do(200, "GET", path+"/schema-diffs?state=open", nil); open.body["total"] != 0.0 {
		t.Errorf("open diffs: %s", open.text)
	}
	list := h.do(200, "GET", path+"/schema-diffs?limit=1", nil)
	if list.body["total"] != 2.0 || list.body["next_cursor"] == nil || list.list("items")[0]["id"] != second["id"] {
		t.Errorf("list = %s", list.text)
	}
	if next := h.do(
		200,
		"GET",
		path+"/schema-diffs?limit=1&cursor="+list.body["next_cursor"].(string),
		nil,
	); next.list("items")[0]["id"] != first.body["id"] {
		t.Errorf("second page = %s", next.text)
	}
}

func TestDecisionsThatCannotBeTakenWriteNothing(t *testing.T) {
	h := open(t)
	path, diff := h.differing()
	rules := h.rules(path)
	for name, tt := range map[string]struct {
		body any
		want map[string]string
	}{
		"nothing":  {object{}, map[string]string{"#/decisions": "required"}},
		"two ways": {object{"accept_all": true, "dismiss": true}, map[string]string{"#/decisions": "required"}},
		"strangers": {object{"decisions": []object{{"object": "identity", "path": "nowhere", "decision": "accept"}}},
			map[string]string{"#/decisions/0/path": "unknown_field"}},
		"twice": {object{"decisions": []object{{"object": "identity", "path": "phone", "decision": "accept"},
			{"object": "identity", "path": "phone", "decision": "ignore"}}},
			map[string]string{"#/decisions/1/path": "duplicate"}},
		"without": {object{"decisions": []object{{"object": "identity", "path": "phone", "decision": "override"}}},
			map[string]string{"#/decisions/0/mapping": "required"}},
		"with": {object{"decisions": []object{{"object": "identity", "path": "phone", "decision": "accept",
			"mapping": object{"target_field": "email"}}}},
			map[string]string{"#/decisions/0/mapping": "not_allowed"}},
		"taken": {object{"decisions": []object{{"object": "identity", "path": "phone", "decision": "override",
			"mapping": object{"target_field": "email"}}}},
			map[string]string{"#/decisions/0/mapping/target_field": "duplicate_target"}},
		"no Python": {object{"decisions": []object{{"object": "identity", "path": "phone", "decision": "override",
			"mapping": object{"target_field": "title", "transform": "value ++"}}}},
			map[string]string{"#/decisions/0/mapping/transform": "invalid_transform"}},
		"a group's": {object{"decisions": []object{{"object": "entitlement", "path": "owner", "decision": "override",
			"mapping": object{"target_field": "title"}}}},
			map[string]string{"#/decisions/0/mapping/target_field": "unknown_field"}},
	} {
		a := h.do(422, "POST", diff+"/decide", tt.body)
		if got := cmp.Diff(tt.want, a.points()); got != "" {
			t.Errorf("%s (-want +got):\n%s", name, got)
		}
	}
	if got := cmp.Diff(rules, h.rules(path)); got != "" {
		t.Errorf("rules changed: %s", got)
	}
	if d := h.do(200, "GET", diff, nil); d.body["state"] != "open" || d.body["version"] != 1.0 {
		t.Errorf("diff = %s", d.text)
	}
	h.do(
		200,
		"POST",
		diff+"/decide",
		object{"decisions": []object{{"object": "identity", "path": "phone", "decision": "ignore"}}},
	)
	a := h.do(
		422,
		"POST",
		diff+"/decide",
		object{"decisions": []object{{"object": "identity", "path": "phone", "decision": "accept"}}},
	)
	if a.points()["#/decisions/0/path"] != "already_decided" {
		t.Errorf("decided twice: %s", a.text)
	}
}

func TestALookThatFailsChangesNothing(t *testing.T) {
	h := open(t)
	path, diff := h.differing()
	h.target.does(func() {
		h.target.refuses = &v1.ErrorDetail{Class: v1.ClassAuth, Code: "http_401", Message: "the target answered 401"}
	})
	a := h.do(200, "POST", path+"/rediscover", nil)
	if failure, _ := a.body["error"].(object); a.body["success"] != false || failure["code"] != "http_401" ||
		a.body["schema_snapshot_id"] != nil {
		t.Errorf("got %s", a.text)
	}
	if d := h.do(200, "GET", diff, nil); d.body["state"] != "open" {
		t.Errorf("the diff that waits is %v", d.body["state"])
	}
}

func TestFieldsDiscoveredAnewOutdateADiff(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.mapped("hr")
	h.changed()
	diff := path + "/schema-diffs/" + h.do(200, "POST", path+"/rediscover", nil).body["diff"].(object)["id"].(string)
	h.do(200, "POST", path+"/discover", nil) // before the first sync the mappings are about the newest look
	if a := h.do(409, "POST", diff+"/decide", object{"accept_all": true}); a.code() != "schema_diff_outdated" {
		t.Errorf("got %s", a.text)
	}
}

func TestNobodyElseIsLedOrDecides(t *testing.T) {
	h := open(t)
	path, diff := h.differing()
	for _, tt := range []struct {
		method, path string
		body         any
		auditor      int
	}{
		{"GET", path + "/wizard", nil, 200}, {"POST", path + "/wizard/accept-mappings", nil, 403},
		{"POST", path + "/wizard/first-sync", nil, 403},
		{"POST", path + "/rediscover", nil, 403}, {"GET", path + "/schema-diffs", nil, 200}, {"GET", diff, nil, 200},
		{"POST", diff + "/decide", object{"accept_all": true}, 403},
	} {
		for as, want := range map[string]int{"auditor": tt.auditor, "manager": 403, "other": 404, "nobody": 401} {
			if a := h.call(as, tt.method, tt.path, tt.body); a.status != want {
				t.Errorf("%s: %s %s = %d, want %d: %s", as, tt.method, tt.path, a.status, want, a.text)
			}
		}
	}
	other := h.connect("another")
	h.do(404, "GET", other+"/schema-diffs/"+id(diff), nil)
	h.do(404, "POST", other+"/schema-diffs/"+id(diff)+"/decide", object{"accept_all": true})
}
