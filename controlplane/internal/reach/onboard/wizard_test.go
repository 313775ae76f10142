package onboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// standing is how far a connector has come: the step, those completed, and of the step what blocks it and what is
// wrong.
func (h *house) standing(path string) (string, object) {
	h.t.Helper()
	w := h.do(200, "GET", path+"/wizard", nil)
	step := w.list("steps")[int(w.body["step"].(float64))-1]
	var wrong []any
	for _, p := range step["problems"].([]any) {
		wrong = append(wrong, p.(object)["code"])
	}
	return fmt.Sprintf("%v%v%v%v", w.body["step"], w.body["completed"], step["blocked_by"], wrong), step
}

func (h *house) stands(path, want string) {
	h.t.Helper()
	if got, step := h.standing(path); got != want {
		h.t.Errorf("the wizard stands at %s, want %s: %v", got, want, step["problems"])
	}
}

// refused wants the first sync refused.
func (h *house) refused(path, code string) {
	h.t.Helper()
	if a := h.do(409, "POST", path+"/wizard/first-sync", nil); a.code() != code {
		h.t.Errorf("the first sync is refused with %s, want %s", a.text, code)
	}
}

func TestADraftBecomesAConnectedSystemStepByStep(t *testing.T) {
	h := open(t)
	h.ordinary()
	draft := h.do(
		201,
		"POST",
		"/connectors",
		object{"name": "HR", "type": "rest", "draft": true, "connection": object{"auth_method": "basic"}},
	)
	path := "/connectors/" + draft.body["id"].(string)
	if draft.body["status"] != "draft" {
		t.Fatalf("made: %s", draft.text)
	}
	h.stands(path, "2[1][][required required required]")
	h.refused(path, "connector_incomplete")
	for _, call := range []string{"/test", "/discover", "/mappings/preview", "/sync"} {
		if a := h.do(
			409,
			"POST",
			path+call,
			object{},
		); a.code() != "connector_incomplete" ||
			a.points()["#/connection/base_url"] != "required" {
			t.Errorf("%s of a draft: %s", call, a.text)
		}
	}
	if a := h.do(
		422,
		"PATCH",
		path,
		object{"connection": object{"base_url": 7}},
	); a.points()["#/connection/base_url"] != "wrong_type" {
		t.Errorf("a wrong setting of a draft: %s", a.text)
	}
	h.do(200, "PATCH", path, object{"connection": object{"base_url": "https://hr.example.com"}})
	h.stands(path, "2[1][][required required]")
	if c := h.do(
		200,
		"PATCH",
		path,
		object{"connection": object{"username": "reader"}, "credentials": object{"password": "CANARY-pw"}},
	); c.body["status"] != "ready" {
		t.Errorf("completed: %s", c.text)
	}
	h.stands(path, "2[1][][test_required]")
	h.refused(path, "test_required")

	h.target.does(func() {
		h.target.refuses = &v1.ErrorDetail{
			Class:   v1.ClassAuth,
			Code:    "http_401",
			Message: "the target answered 401 Unauthorized",
		}
	})
	h.do(200, "POST", path+"/test", nil)
	h.stands(path, "2[1][][http_401]")
	h.target.does(func() { h.target.refuses = nil })
	h.do(200, "POST", path+"/test", nil)
	h.stands(path, "3[1 2][][]")
	h.do(200, "PATCH", path, object{"connection": object{"base_url": "https://hr.example.com/v2"}})
	h.stands(path, "2[1][][test_required]")
	h.do(200, "POST", path+"/test", nil)
	h.refused(path, "discovery_required")
	if a := h.do(409, "POST", path+"/wizard/accept-mappings", nil); a.code() != "discovery_required" {
		t.Errorf("accepted before a look: %s", a.text)
	}

	h.do(200, "POST", path+"/discover", nil)
	h.stands(path, "4[1 2 3][][]")
	h.refused(path, "mapping_required")
	m := h.do(200, "POST", path+"/wizard/accept-mappings", nil, "If-Match", `"0"`)
	if m.body["mapping_version"] != 1.0 || len(m.list("mappings")) != 5 {
		t.Errorf("accepted: %s", m.text)
	}
	if again := h.do(200, "POST", path+"/wizard/accept-mappings", nil); again.body["mapping_version"] != 1.0 {
		t.Errorf("accepting twice wrote twice: %s", again.text)
	}
	h.stands(path, "5[1 2 3 4][][]")

	run := h.do(202, "POST", path+"/wizard/first-sync", object{"chunk_size": 10}).body["run_id"].(string)
	if r := h.ended(
		path,
		run,
	); r["status"] != "succeeded" || r["trigger"] != "wizard" ||
		r["effective_incremental"] != false {
		t.Fatalf("the first sync: %v", r)
	}
	h.stands(path, "5[1 2 3 4 5][][]")
	w := h.do(200, "GET", path+"/wizard", nil)
	first := w.list("steps")[4]["first_sync"].(object)
	if diff := cmp.Diff(
		object{"identities_read": 2.0, "accounts_discovered": 1.0, "entitlements_mapped": 0.0, "grants_recorded": 0.0},
		first["counters"],
	); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
	if w.body["done"] != true || w.body["status"] != "active" || w.body["funnel_state"] != "connected" {
		t.Errorf("after the first sync: %s", w.text)
	}
	if a := h.do(409, "POST", path+"/wizard/first-sync", nil); a.code() != "first_sync_done" {
		t.Errorf("a second first sync: %s", a.text)
	}
	for trigger, want := range map[string]bool{"{}": true, `{"incremental":false}`: false} {
		r := h.ended(path, h.do(202, "POST", path+"/sync", rawJSON(trigger)).body["run_id"].(string))
		if r["incremental"] != want {
			t.Errorf("a later run by %s is incremental: %v, want %v", trigger, r["incremental"], want)
		}
	}
	r := h.ended(path, h.do(202, "POST", path+"/sync", nil).body["run_id"].(string))
	if r["incremental"] != true {
		t.Errorf("a later run without a body is not incremental: %v", r)
	}
	if all := w.text + draft.text; strings.Contains(all, "CANARY") {
		t.Error("a secret was shown")
	}
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func TestEveryTypeHasTheSameStepsAndItsOwnFieldsAlone(t *testing.T) {
	h := open(t)
	for _, e := range catalog.Entries() {
		payload := object{"name": "a " + e.Name, "type": e.Type, "draft": true}
		if e.Type == catalog.VendorType {
			payload["vendor_key"] = e.Key
		}
		path := "/connectors/" + h.do(201, "POST", "/connectors", payload).body["id"].(string)
		w := h.do(200, "GET", path+"/wizard", nil)
		var names []string
		for _, step := range w.list("steps") {
			names = append(names, step["name"].(string))
			for _, next := range step["next"].([]any) {
				if n := next.(object); n["method"] == "" ||
					!strings.HasPrefix(n["path"].(string), "/api/v1/connectors/") ||
					n["what"] == "" {
					t.Errorf("%s: %v", e.Key, n)
				}
			}
		}
		if diff := cmp.Diff([]string{"type", "connection", "discovery", "mapping", "first_sync"}, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.Key, diff)
		}
		if w.list("steps")[0]["type"].(object)["key"] != e.Key {
			t.Errorf("%s: %v", e.Key, w.list("steps")[0])
		}
		known := map[string]bool{}
		for _, f := range e.Fields {
			known[f.Key] = true
		}
		shown := w.list("steps")[1]["connection"].(object)["fields"].([]any)
		for _, f := range shown {
			if key := f.(object)["key"].(string); !known[key] {
				t.Errorf("%s shows %s, which it does not know", e.Key, key)
			}
		}
		if len(shown) == 0 {
			t.Errorf("%s shows no fields", e.Key)
		}
	}
}

func TestFieldsThatHangOnAChoiceAppearWithIt(t *testing.T) {
	h := open(t)
	path := "/connectors/" + h.do(201, "POST", "/connectors",
		object{"name": "s", "type": "scim2", "draft": true}).body["id"].(string)
	fields := func() (set, unset []string) {
		t.Helper()
		_, step := h.standing(path)
		for _, f := range step["connection"].(object)["fields"].([]any) {
			switch f := f.(object); {
			case f["set"] == true && f["secret"] == true && f["value"] != nil:
				t.Errorf("a secret is shown: %v", f)
			case f["set"] == true:
				set = append(set, f["key"].(string))
			default:
				unset = append(unset, f["key"].(string))
			}
		}
		return set, unset
	}
	h.do(
		200,
		"PATCH",
		path,
		object{
			"connection":  object{"base_url": "https://s.example.com", "auth_method": "oauth2_client_credentials"},
			"credentials": object{"client_secret": "CANARY-s"},
		},
	)
	set, unset := fields()
	if diff := cmp.Diff([]string{"base_url", "auth_method", "client_secret"}, set); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
	if !slices.Contains(unset, "token_url") || slices.Contains(unset, "bearer_token") {
		t.Errorf("unset = %v", unset)
	}
	h.do(
		200,
		"PATCH",
		path,
		object{"connection": object{"auth_method": "bearer"}, "credentials": object{"client_secret": nil}},
	)
	if _, unset = fields(); slices.Contains(unset, "token_url") || !slices.Contains(unset, "bearer_token") {
		t.Errorf("unset = %v", unset)
	}
}

func TestTheFourthStepOffersTheMappingsOfOtherEnvironments(t *testing.T) {
	h := open(t)
	h.ordinary()
	production := h.mapped("production")
	h.do(200, "PUT", production+"/mappings", object{"mappings": []object{
		{
			"object":       "identity",
			"source_path":  "mail",
			"target_field": "email",
		},
		{"object": "identity", "source_path": "badge", "target_field": "attributes.badge"},
	}})
	h.target.does(func() { h.target.objects[0].Fields = slices.Delete(slices.Clone(h.target.objects[0].Fields), 2, 3) })
	staging := h.connect("staging")
	h.do(200, "POST", staging+"/test", nil)
	h.do(200, "POST", staging+"/discover", nil)
	_, step := h.standing(staging)
	offers := step["mapping"].(object)["copy_from"].([]any)
	if len(offers) != 1 {
		t.Fatalf("offers = %v", offers)
	}
	offer := offers[0].(object)
	misfits := offer["misfits"].([]any)
	if offer["connector_id"] != id(production) || offer["fitting"] != 1.0 || len(misfits) != 1 ||
		misfits[0].(object)["code"] != "no_such_field" {
		t.Errorf("offer = %v", offer)
	}
	h.do(200, "POST", staging+"/mappings/copy-from/"+id(production), nil)
	h.stands(staging, "5[1 2 3 4][][]")
}

func TestAConnectorMaySyncWithoutTheWizard(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.connect("hr")
	r := h.ended(path, h.do(202, "POST", path+"/sync", object{"incremental": false}).body["run_id"].(string))
	if r["status"] != "succeeded" {
		t.Fatalf("run = %v", r)
	}
	if w := h.do(200, "GET", path+"/wizard", nil); w.body["done"] != true || w.body["step"] != 5.0 {
		t.Errorf("wizard = %s", w.text)
	}
}

func TestAFirstSyncThatFailsSaysWhyAndMayBeTriedAgain(t *testing.T) {
	h := open(t)
	h.ordinary()
	path := h.mapped("hr")
	h.target.does(func() {
		h.target.refuses = &v1.ErrorDetail{
			Class:   v1.ClassAuth,
			Code:    "http_403",
			Message: "the target answered 403 Forbidden",
		}
	})
	r := h.ended(path, h.do(202, "POST", path+"/wizard/first-sync", nil).body["run_id"].(string))
	if r["status"] != "failed" {
		t.Fatalf("run = %v", r)
	}
	h.stands(path, "5[1 2 3 4][][http_403]")
	h.target.does(func() { h.target.refuses = nil })
	if r = h.ended(
		path,
		h.do(202, "POST", path+"/wizard/first-sync", nil).body["run_id"].(string),
	); r["status"] != "succeeded" {
		t.Errorf("tried again: %v", r)
	}
}
