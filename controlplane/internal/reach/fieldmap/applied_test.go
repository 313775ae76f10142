package fieldmap_test

import (
	"encoding/base64"
	"strings"
	"testing"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func (h *house) runs(path string, trigger any, status string) object {
	h.t.Helper()
	run := h.sync(path, trigger)
	if run["status"] != status {
		h.t.Fatalf("the run ended %v, want %s: %v %v", run["status"], status, run["error"], run["counters"])
	}
	return run
}

func TestMappingsApplyFromTheNextRunOn(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	h.runs(path, object{"incremental": false}, "succeeded")
	if got := text(
		h,
		`select email || ' ' || display_name from identity where external_id = 'ann'`,
	); got != "ann@x.test Ann Archer" {
		t.Errorf("by heuristics: %s", got)
	}
	h.do(200, "PUT", path+"/mappings", mappings(
		to(
			"mail",
			"email",
			"value.upper().lower()",
		),
		to("cn", "display_name", "value.split(' ')[-1]"),
		to("badge", "attributes.badge", "value.upper()"),
		to("boss", "manager"),
		object{"object": "identity", "source_path": "joined_on", "action": "ignore"},
		object{"object": "account", "source_path": "login", "target_field": "username", "transform": "'x-' + value"},
		object{
			"object":       "account",
			"source_path":  "shell",
			"target_field": "attributes.shell_name",
			"transform":    "value.rsplit('/', 1)[-1]",
		},
	))
	run := h.runs(path, object{"incremental": true}, "succeeded")
	if run["effective_incremental"] != false || run["fallback_reason"] != "settings_changed" {
		t.Errorf("after a change of mappings: %v, %v", run["effective_incremental"], run["fallback_reason"])
	}
	for what, want := range map[string]string{
		`select display_name from identity
			where external_id = 'ann'`: "Archer",
		`select hire_date from identity
			where external_id = 'ann'`: "",
		`select attributes->>'badge' from identity
			where external_id = 'ann'`: "B-1",
		`select m.external_id from identity i join identity m on m.tenant_id = i.tenant_id and m.id = i.manager_id
			where i.external_id = 'ann'`: "bob",
		`select username from account where external_id =
			'a-ann'`: "x-ann",
		`select attributes->>'shell_name' from account
			where external_id = 'a-ann'`: "sh",
	} {
		if got := text(h, what); got != want {
			t.Errorf("%s = %q, want %q", what, got, want)
		}
	}
	h.target.people[0].Attributes["badge"] = ""
	h.runs(path, object{"incremental": false}, "succeeded")
	if got := text(h, `select attributes from identity where external_id = 'ann'`); strings.Contains(got, "badge") {
		t.Errorf("a custom attribute that the source emptied stays: %s", got)
	}
}

func TestAFailingTransformSetsItsRecordAsideAndRemovesNobody(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	h.runs(path, nil, "succeeded")
	h.do(
		200,
		"PUT",
		path+"/mappings",
		mappings(to("mail", "email"), to("cn", "display_name"), to("boss", "manager", "record['boss'].strip()")),
	)
	for range 2 {
		run := h.runs(path, object{"incremental": false}, "partial")
		if counters := run["counters"].(object); counters["skipped"] != 1.0 || counters["removed"] != 0.0 ||
			counters["missing"] != 0.0 {
			t.Errorf("counters = %v", counters)
		}
		errors := h.do(200, "GET", path+"/sync-runs/"+run["id"].(string)+"/errors", nil)
		if e := errors.list(
			"items",
		); len(e) != 1 || e[0]["code"] != "transform_failed" || e[0]["external_id"] != "bob" ||
			e[0]["field"] != "boss" ||
			!strings.Contains(e[0]["message"].(string), "KeyError") {
			t.Errorf("errors = %s", errors.text)
		}
	}
	if got := text(
		h,
		`select status || ' ' || email from identity where external_id = 'bob'`,
	); got != "active bob@x.test" {
		t.Errorf("bob = %s", got)
	}
}

func TestAConnectorThatWasReadWithoutALookCanBeMappedLater(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	h.runs(path, nil, "succeeded")
	first := h.do(200, "POST", path+"/discover", nil).body["schema_snapshot_id"]
	if got := h.do(200, "GET", path+"/schema", nil).body["id"]; got != first {
		t.Errorf("the mappings are about %v, not about the first look %v", got, first)
	}
	h.do(200, "POST", path+"/discover", nil)
	if got := h.do(200, "GET", path+"/schema", nil).body["id"]; got != first {
		t.Errorf("a later look took the place of the first: %v", got)
	}
}

func TestOddFieldsAndRecordsOfDifferentShapeArrive(t *testing.T) {
	h := open(t)
	long := strings.Repeat("n", 10000)
	odd := []v1.DiscoveredField{
		field("work.mail", "string", "ann@x.test"),
		field("full name", "string", "Ann"),
		field(long, "string", "x"),
		field("photo", "binary"),
		field("mixed", "string"),
	}
	h.target.objects = []v1.DiscoveredObject{{Kind: "identity", NativeType: "person", Fields: odd}}
	photo := base64.StdEncoding.EncodeToString([]byte{0, 255, 254, 1})
	h.target.people = []v1.RemoteIdentity{
		person(
			"1",
			object{
				"work.mail": "ann@x.test",
				"full name": "Ann",
				long:        "far",
				"photo":     photo,
				"mixed":     []any{"a", "b"},
				"boss":      "uid=dan,ou=people",
			},
		),
		person(
			"2",
			object{
				"work.mail": "bob@x.test",
				"full name": "Bob",
				"mixed":     object{"deep": object{"er": 1}},
				"boss":      "ann@x.test",
			},
		),
		person("3", object{"work.mail": "cy@x.test", "full name": "Cy", "mixed": 7.5, "boss": 4711}),
		person("4", object{"work.mail": "dan@x.test", "full name": "Dan", "number": 4711}),
	}
	h.target.people[3].NativeRef = "uid=dan,ou=people"
	path := h.connect("hr")
	h.do(200, "POST", path+"/discover", nil)
	for _, m := range h.do(200, "POST", path+"/mappings/suggest", nil).list("mappings") {
		if m["source_path"] == "photo" && m["action"] != "ignore" {
			t.Errorf("a binary field is proposed: %v", m)
		}
	}
	rules := mappings(
		to("work.mail", "email"),
		to("full name", "display_name"),
		to(long, "attributes.far"),
		to("mixed", "attributes.mixed"),
		to("boss", "manager"),
		to("number", "employee_number"),
	)
	preview := h.do(200, "POST", path+"/mappings/preview", rules)
	if !strings.Contains(preview.text, "not_a_plain_value") {
		t.Errorf("a value of another shape is not told: %.2000s", preview.text)
	}
	h.do(200, "PUT", path+"/mappings", rules)
	counters := h.runs(path, nil, "succeeded")["counters"].(object)
	if counters["skipped"] != 0.0 || counters["errors"] != 1.0 {
		t.Errorf("records were set aside, or a value that cannot be used was not told: %v", counters)
	}
	got := text(
		h,
		`select string_agg(i.external_id || coalesce(m.external_id, '-') || coalesce(i.attributes->>'mixed', '-'), ' '
	                      order by i.external_id)
	                  from identity i left join identity m on m.tenant_id = i.tenant_id and m.id = i.manager_id`,
	)
	if got != `14["a", "b"] 21- 347.5 4--` {
		t.Errorf("people, their managers and mixed values: %s", got)
	}
	if far := text(h, `select attributes->>'far' from identity where external_id = '1'`); far != "far" {
		t.Errorf("the field of 10,000 characters gave %q", far)
	}
}
