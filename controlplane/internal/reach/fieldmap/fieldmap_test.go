package fieldmap_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// to is a mapping as somebody writes it.
func to(source, target string, transform ...string) object {
	m := object{"object": "identity", "source_path": source, "target_field": target}
	if len(transform) > 0 {
		m["transform"] = transform[0]
	}
	return m
}

func mappings(list ...object) object { return object{"mappings": list} }

func TestALookIsKeptAndNothingSecretIsInIt(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	if a := h.call("admin", "GET", path+"/schema", nil); a.status != 409 || a.code() != "discovery_required" {
		t.Errorf("the schema before a look: %s", a.text)
	}
	seen := h.do(200, "POST", path+"/discover", nil)
	if seen.body["success"] != true || seen.body["schema_snapshot_id"] == nil {
		t.Fatalf("discover = %s", seen.text)
	}
	schema := h.do(200, "GET", path+"/schema", nil)
	pii := map[string]string{}
	for _, o := range schema.list("objects") {
		for _, f := range o["fields"].([]any) {
			f := f.(object)
			pii[f["name"].(string)] = f["pii"].(string)
			if f["name"] == "mail" && (f["null_ratio"] != 0.5 || f["unique_ratio"] != 0.75) {
				t.Errorf("mail = %v", f)
			}
		}
	}
	want := map[string]string{
		"mail":         "personal",
		"cn":           "personal",
		"badge":        "none",
		"joined_on":    "none",
		"boss":         "none",
		"birthdate":    "sensitive",
		"userPassword": "secret",
		"login":        "personal",
		"shell":        "none",
	}
	if diff := cmp.Diff(want, pii); diff != "" {
		t.Errorf("pii (-want +got):\n%s", diff)
	}
	if strings.Contains(schema.text+seen.text, "CANARY") {
		t.Error("a secret was shown")
	}
	h.do(200, "POST", path+"/discover", nil)
	list := h.do(200, "GET", path+"/schema/snapshots", nil)
	if items := list.list("items"); len(items) != 2 || items[0]["current"] != true || items[1]["current"] != false ||
		items[0]["fields"] != 9.0 {
		t.Errorf("snapshots = %s", list.text)
	}
	one := h.do(200, "GET", path+"/schema/snapshots/"+seen.body["schema_snapshot_id"].(string), nil)
	if one.body["current"] != false {
		t.Errorf("the first look is current: %s", one.text)
	}
}

func TestAPartOfTheFieldsOrALookThatFailsIsNoBase(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	if a := h.do(
		200,
		"POST",
		path+"/discover",
		object{"objects": []string{"accounts"}},
	); a.body["success"] != true ||
		a.body["schema_snapshot_id"] != nil {
		t.Errorf("a part was kept: %s", a.text)
	}
	h.target.refuses = &v1.ErrorDetail{Class: v1.ClassAuth, Code: "http_401", Message: "the target answered 401"}
	a := h.do(200, "POST", path+"/discover", nil)
	if failure, _ := a.body["error"].(object); a.body["success"] != false || failure["code"] != "http_401" ||
		a.body["schema_snapshot_id"] != nil {
		t.Errorf("a look that failed: %s", a.text)
	}
	h.do(409, "GET", path+"/schema", nil)
	if got := text(
		h,
		`select string_agg(outcome, ' ' order by seq) from audit_event where action = 'connector.discovered'`,
	); got != "success failure" {
		t.Errorf("audited: %s", got)
	}
}

func TestALookTellsItsProgressAndThenItsResult(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	a := h.do(200, "POST", path+"/discover?stream=true", nil)
	progress, result := strings.Index(a.text, "event: progress"), strings.Index(a.text, "event: result")
	if progress < 0 || result < progress || !strings.Contains(a.text, "looking at people") ||
		!strings.Contains(a.text, `"success":true`) {
		t.Errorf("stream = %s", a.text)
	}
	h.do(200, "GET", path+"/schema", nil)
}

func TestProposalsSayWhichRuleFoundThem(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	if a := h.call(
		"admin",
		"POST",
		path+"/mappings/suggest",
		nil,
	); a.status != 409 ||
		a.code() != "discovery_required" {
		t.Errorf("proposals before a look: %s", a.text)
	}
	h.do(200, "POST", path+"/discover", nil)
	a := h.do(200, "POST", path+"/mappings/suggest", nil)
	got := map[string][]any{}
	for _, m := range a.list("mappings") {
		got[m["source_path"].(string)] = []any{m["action"], m["target_field"], m["heuristic"], m["confidence"]}
	}
	want := map[string][]any{
		"mail": {
			"map",
			"email",
			"synonym",
			0.9,
		},
		"cn":    {"map", "display_name", "synonym", 0.9},
		"badge": {"ignore", nil, nil, 0.0},
		"boss":  {"ignore", nil, nil, 0.0},
		"joined_on": {
			"map",
			"hire_date",
			"type_shape",
			0.5,
		},
		"birthdate":    {"ignore", nil, nil, 0.0},
		"userPassword": {"ignore", nil, nil, 0.0},
		"login":        {"map", "username", "synonym", 0.9},
		"shell":        {"ignore", nil, nil, 0.0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("proposals (-want +got):\n%s", diff)
	}
	if version := h.do(200, "GET", path+"/mappings", nil).body["mapping_version"]; version != 0.0 {
		t.Errorf("proposing wrote something: version %v", version)
	}
}

func TestNothingIsWrittenWhileOneMappingIsWrong(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	h.do(200, "POST", path+"/discover", nil)
	long := strings.Repeat("x", 10000)
	a := h.do(422, "PUT", path+"/mappings", mappings(
		to(
			"mail",
			"email",
		),
		to("cn", "email"),
		to("badge", "no_such"),
		to("boss", "manager", "value +"),
		object{"object": "identity", "source_path": "mail", "action": "ignore"},
		to(long, "attributes.long"),
		to("x", "attributes.1bad"),
		object{"object": "account", "source_path": "shell", "target_field": "hire_date"},
	))
	want := map[string]string{
		"#/mappings/1/target_field": "duplicate_target",
		"#/mappings/2/target_field": "unknown_field",
		"#/mappings/3/transform":    "invalid_transform",
		"#/mappings/4/source_path":  "duplicate_source",
		"#/mappings/6/target_field": "unknown_field",
		"#/mappings/7/target_field": "unknown_field",
	}
	if diff := cmp.Diff(want, a.points()); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	h.do(422, "PUT", path+"/mappings", mappings(to(long+"x", "attributes.long")))
	h.do(422, "PUT", path+"/mappings", mappings(to("", "email")))
	if m := h.do(200, "GET", path+"/mappings", nil); m.body["mapping_version"] != 0.0 || len(m.list("mappings")) != 0 {
		t.Errorf("written: %s", m.text)
	}
	h.do(
		200,
		"PUT",
		path+"/mappings",
		mappings(
			to("mail", "EMAIL"),
			to("a.b c", "displayName"),
			to(long, "attributes.long"),
			to("boss", "manager", "lower(value)"),
		),
	)
	if got := text(
		h,
		`select string_agg(target_field, ' ' order by position) from field_mapping`,
	); got != "email display_name attributes.long manager" {
		t.Errorf("targets = %s", got)
	}
}

func TestWhatAProposalSaidKeepsWhatFoundIt(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	unseen := h.do(200, "PUT", h.connect("unseen")+"/mappings", mappings(to("mail", "email"))).list("mappings")[0]
	if unseen["heuristic"] != "manual" || unseen["overridden"] != true {
		t.Errorf("without a look at the target a mapping is %v", unseen)
	}
	h.do(200, "POST", path+"/discover", nil)
	origin := func(m object) string { return fmt.Sprint(m["heuristic"], " ", m["confidence"], " ", m["overridden"]) }
	proposed, all := map[string]string{}, []any{}
	for _, m := range h.do(200, "POST", path+"/mappings/suggest", nil).list("mappings") {
		if proposed[m["source_path"].(string)] = origin(m); m["action"] == "ignore" && m["note"] == nil {
			proposed[m["source_path"].(string)] = "manual 1 true" // nothing was proposed
		}
		m = object{
			"object":       m["object"],
			"source_path":  m["source_path"],
			"action":       m["action"],
			"target_field": m["target_field"],
			"transform":    m["transform"],
		}
		maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
		all = append(all, m)
	}
	if len(all) < 5 || proposed["mail"] == "manual 1 true" {
		t.Fatalf("the proposals are %v", proposed)
	}
	changed, late := all[0].(object), all[1].(object)["source_path"].(string)
	name := changed["source_path"].(string)
	maps.Copy(changed, object{"action": "map", "target_field": "attributes.own"})
	want := maps.Clone(proposed)
	want[name] = "manual 1 true"
	for _, sent := range [][]any{append([]any{changed}, all[2:]...), all, all} { // one is decided about later
		got := map[string]string{}
		for _, m := range h.do(200, "PUT", path+"/mappings", object{"mappings": sent}).list("mappings") {
			got[m["source_path"].(string)] = origin(m)
		}
		expected := maps.Clone(want)
		if len(sent) < len(all) {
			delete(expected, late)
		}
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("what found each (-want +got):\n%s", diff)
		}
	}
}

func TestOneMappingIsChangedByMergePatch(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	h.do(200, "POST", path+"/discover", nil)
	first := h.do(
		200,
		"PUT",
		path+"/mappings",
		mappings(to("mail", "email", "value.lower()"), to("badge", "employee_number")),
	)
	one := first.list("mappings")[0]["id"].(string)
	if first.etag != `"1"` {
		t.Errorf("ETag = %s", first.etag)
	}
	h.do(412, "PATCH", path+"/mappings/"+one, object{"transform": nil}, "If-Match", `"0"`)
	second := h.do(200, "PATCH", path+"/mappings/"+one, object{"transform": nil}, "If-Match", first.etag)
	m := second.list("mappings")[0]
	if m["transform"] != nil || m["target_field"] != "email" || m["id"] != one || m["overridden"] != true ||
		second.etag != `"2"` {
		t.Errorf("patched = %v, %s", m, second.etag)
	}
	if m = h.do(200, "PATCH", path+"/mappings/"+one,
		object{"action": "ignore"}).list("mappings")[0]; m["action"] != "ignore" ||
		m["target_field"] != nil {
		t.Errorf("ignored = %v", m)
	}
	a := h.do(422, "PATCH", path+"/mappings/"+one, object{"action": "map", "target_field": "employee_number"})
	if len(a.points()) != 1 || !slices.Contains(slices.Collect(maps.Values(a.points())), "duplicate_target") {
		t.Errorf("errors = %v", a.points())
	}
	h.do(412, "PUT", path+"/mappings", mappings(to("mail", "email")), "If-Match", `"1"`)
	h.do(404, "PATCH", path+"/mappings/"+id(path), object{"action": "ignore"})
	if got := text(
		h,
		`select string_agg(event::jsonb->'context'->>'mapping_version', ' ' order by seq) from audit_event
			where action = 'connector.mappings_changed'`,
	); got != "1 2 3" {
		t.Errorf("audited versions: %s", got)
	}
	if got := text(
		h,
		`select event::jsonb->'changes'->0->>'after' from audit_event where action = 'connector.mappings_changed'
			order by seq desc limit 1`,
	); got != "ignore" {
		t.Errorf("audited: %s", got)
	}
}

func TestAPreviewTriesWhatIsGivenSavedOrProposed(t *testing.T) {
	h := open(t)
	h.ordinary()
	h.target.people = append(
		h.target.people,
		person("cy", object{"mail": "ANN@x.test", "cn": "Cy", "joined_on": "no date", "boss": "nobody@x.test"}),
	)
	path := h.connect("hr")
	row := func(a answer, id string) object {
		t.Helper()
		for _, r := range a.list("rows") {
			if r["external_id"] == id {
				return r
			}
		}
		t.Fatalf("no row %s in %s", id, a.text)
		return nil
	}
	if a := h.do(
		200,
		"POST",
		path+"/mappings/preview",
		nil,
	); a.body["mapped_by"] != "heuristics" ||
		row(a, "ann")["after"].(object)["email"] != "ann@x.test" {
		t.Errorf("before a look: %s", a.text)
	}
	h.do(200, "POST", path+"/discover", nil)
	proposed := h.do(200, "POST", path+"/mappings/preview", nil)
	ann := row(proposed, "ann")
	if proposed.body["mapped_by"] != "proposed" || ann["after"].(object)["hire_date"] != "2020-01-31" ||
		ann["before"].(object)["userPassword"] != "***" {
		t.Errorf("proposed: %v", ann)
	}
	if strings.Contains(proposed.text, "CANARY") {
		t.Error("a secret was shown")
	}
	given := h.do(
		200,
		"POST",
		path+"/mappings/preview",
		mappings(
			to("mail", "email"),
			to("joined_on", "hire_date"),
			to("boss", "manager"),
			to("badge", "attributes.badge", "value.upper()"),
		),
	)
	if given.body["mapped_by"] != "given" ||
		row(given, "ann")["after"].(object)["attributes"].(object)["badge"] != "B-1" ||
		row(given, "ann")["from"].(object)["manager"] != "boss" {
		t.Errorf("given: %s", given.text)
	}
	if cy := row(given, "cy"); cy["set_aside"] != true || !strings.Contains(given.text, "AttributeError") {
		t.Errorf("a transform that fails: %v", cy)
	}
	found := map[string]float64{}
	for _, f := range given.list("findings") {
		found[f["check"].(string)] = f["count"].(float64)
	}
	if found["duplicates"] != 1 || found["set_aside"] != 1 || found["unresolved_managers"] != 1 ||
		found["values_lost"] != 1 {
		t.Errorf("findings = %v", given.list("findings"))
	}
	only := h.do(200, "POST", path+"/mappings/preview", object{"external_ids": []string{"bob", "a-ann"}})
	if rows := only.list("rows"); len(rows) != 2 || rows[0]["external_id"] != "bob" || rows[1]["object"] != "account" {
		t.Errorf("by id: %s", only.text)
	}
	h.do(200, "PUT", path+"/mappings", mappings(to("cn", "username")))
	if saved := h.do(
		200,
		"POST",
		path+"/mappings/preview",
		object{"sample": 1},
	); saved.body["mapped_by"] != "saved" || row(saved, "ann")["after"].(object)["username"] != "Ann Archer" ||
		len(saved.list("rows")) != 2 {
		t.Errorf("saved: %s", saved.text)
	}
	wrong := h.do(422, "POST", path+"/mappings/preview", mappings(to("mail", "nothing")))
	if wrong.points()["#/mappings/0/target_field"] != "unknown_field" {
		t.Errorf("errors = %v", wrong.points())
	}
	h.target.refuses = &v1.ErrorDetail{Class: v1.ClassTransient, Code: "connection_refused", Message: "nobody listens"}
	if a := h.do(
		200,
		"POST",
		path+"/mappings/preview",
		nil,
	); a.body["error"].(object)["code"] != "connection_refused" ||
		len(a.list("rows")) != 0 {
		t.Errorf("a target that is away: %s", a.text)
	}
}

func TestNoMappingCarriesASecretIntoAPreview(t *testing.T) {
	h := open(t)
	h.ordinary()
	h.target.people[0].Attributes["login"] = object{
		"name":    "ann",
		"api_key": "CANARY-key",
		"all":     []any{object{"token": "CANARY-token"}},
	}
	h.target.people[0].Attributes["notes"] = "{SSHA}CANARY-hash"
	h.target.people[0].Attributes["odd"] = "CANARY-odd"
	odd := field("odd", "string")
	odd.Secret = true // as a directory knows of its own attributes
	h.target.objects[0].Fields = append(h.target.objects[0].Fields, odd)
	path := h.connect("hr")
	rules := mappings(
		to("userPassword", "attributes.a"),
		to("cn", "attributes.b", "record['userPassword'] + str(record['login'])"),
		to("notes", "attributes.c"),
		to("mail", "attributes.d", "int(record['userPassword'])"),
	)
	seen := h.do(
		200,
		"POST",
		path+"/mappings/preview",
		nil,
	).text + h.do(
		200,
		"POST",
		path+"/mappings/preview",
		rules,
	).text
	if n := strings.Count(seen, "CANARY"); n != 2 {
		t.Errorf("%d secrets were shown; want that alone which nobody can tell to be one: %s", n, seen)
	}
	h.do(200, "POST", path+"/discover", nil)
	seen = h.do(
		200,
		"POST",
		path+"/mappings/preview",
		nil,
	).text + h.do(
		200,
		"POST",
		path+"/mappings/preview",
		rules,
	).text
	if strings.Contains(seen, "CANARY") || !strings.Contains(seen, `"***"`) {
		t.Errorf("a secret was shown: %s", seen)
	}
}

func TestMappingsOfAnotherEnvironmentAreTakenOverAsFarAsTheyFit(t *testing.T) {
	h := open(t)
	h.ordinary()
	production, staging := h.connect("production"), h.connect("staging")
	h.do(200, "POST", production+"/discover", nil)
	copying := staging + "/mappings/copy-from/" + id(production)
	if a := h.do(409, "POST", copying, nil); a.code() != "no_mappings" {
		t.Errorf("nothing to copy: %s", a.text)
	}
	h.do(
		200,
		"PUT",
		production+"/mappings",
		mappings(to("mail", "email", "value.lower()"), to("badge", "attributes.badge"), to("boss", "manager")),
	)
	if a := h.do(409, "POST", copying, nil); a.code() != "discovery_required" {
		t.Errorf("before a look: %s", a.text)
	}
	h.target.objects[0].Fields = slices.DeleteFunc(
		h.target.objects[0].Fields,
		func(f v1.DiscoveredField) bool { return f.Name == "boss" },
	)
	h.target.objects[0].Fields[2].Type = "integer"
	h.do(200, "POST", staging+"/discover", nil)
	try := h.do(200, "POST", copying+"?dry_run=true", nil)
	misfits := map[string]string{}
	for _, m := range try.list("misfits") {
		misfits[m["source_path"].(string)] = m["code"].(string)
	}
	if diff := cmp.Diff(
		map[string]string{"badge": "other_type", "boss": "no_such_field"},
		misfits,
	); diff != "" ||
		try.body["copied"] != 1.0 {
		t.Errorf("misfits (-want +got):\n%s\n%s", diff, try.text)
	}
	if m := h.do(200, "GET", staging+"/mappings", nil); m.body["mapping_version"] != 0.0 {
		t.Errorf("a dry run wrote: %s", m.text)
	}
	h.do(412, "POST", copying, nil, "If-Match", `"7"`)
	h.do(200, "POST", copying, nil)
	m := h.do(200, "GET", staging+"/mappings", nil)
	if m.body["copied_mapping_from_id"] != id(production) || m.list("mappings")[0]["heuristic"] != "copied" ||
		m.list("mappings")[0]["transform"] != "value.lower()" {
		t.Errorf("copied: %s", m.text)
	}
	h.do(409, "POST", production+"/mappings/copy-from/"+id(production), nil)
}

func TestNobodyElseReadsOrWritesMappings(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	looked := h.do(200, "POST", path+"/discover", nil).body["schema_snapshot_id"].(string)
	one := h.do(200, "PUT", path+"/mappings", mappings(to("mail", "email"))).list("mappings")[0]["id"].(string)
	for _, tt := range []struct {
		method, path string
		body         any
		auditor      int
	}{
		{"POST", "/discover", nil, 403}, {"GET", "/schema", nil, 200}, {"GET", "/schema/snapshots", nil, 200},
		{"GET", "/schema/snapshots/" + looked, nil, 200},
		{"GET", "/mappings", nil, 200}, {"PUT", "/mappings", mappings(to("mail", "email")), 403},
		{"PATCH", "/mappings/" + one, object{"action": "ignore"}, 403},
		{"POST", "/mappings/suggest", nil, 403}, {"POST", "/mappings/preview", nil, 403},
		{"POST", "/mappings/copy-from/" + id(path), nil, 403},
	} {
		for as, want := range map[string]int{"auditor": tt.auditor, "manager": 403, "other": 404, "nobody": 401} {
			if a := h.call(as, tt.method, path+tt.path, tt.body); a.status != want {
				t.Errorf("%s: %s %s = %d, want %d: %s", as, tt.method, tt.path, a.status, want, a.text)
			}
		}
	}
	theirs := h.call(
		"other",
		"POST",
		"/connectors",
		object{
			"name":       "theirs",
			"type":       "rest",
			"connection": object{"base_url": "https://a.example.com", "auth_method": "none"},
		},
	)
	if a := h.call(
		"other",
		"POST",
		"/connectors/"+theirs.body["id"].(string)+"/mappings/copy-from/"+id(path),
		nil,
	); a.status != 404 {
		t.Errorf("another tenant's mappings were copied: %s", a.text)
	}
}
