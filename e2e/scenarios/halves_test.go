package scenarios

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/ldapdir"
	"github.com/grantwright/grantwright/e2e/targets/mishap"
)

// damage is a way in which a target tells less than it holds.
type damage struct {
	name  string
	do    func() // to the target; what it did is undone afterwards
	patch map[string]any
	sync  api.Sync

	status string // of the run
	code   string // of its error, or of the rule that holds it, or of a warning; empty where the numbers alone speak
	result int    // the target's own LDAP result code, or HTTP status
}

// torn is a system that can be damaged.
type torn struct {
	connector api.Connector
	heal      func()
	damages   []damage
}

func TestHalfADirectoryRemovesNobody(t *testing.T) {
	t.Parallel()
	h, s := open(t, 300, 0)
	for name, system := range map[string]torn{"directory": tornDirectory(s), "workspace": tornWorkspace(s),
		"hr": tornPersonnel(s)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := h.For(t)
			c := h.Tenant(name)
			connector := h.Connect(c, system.connector)
			h.Sync(c, connector, api.Sync{})
			before := recorded(h, c)
			for _, d := range system.damages {
				d.inflict(t, h, c, connector, system)
				after := recorded(h, c)
				for _, list := range lists {
					if diff := cmp.Diff(before[list], after[list]); diff != "" {
						t.Errorf("%s: %s has changed:\n%s", d.name, list, shorten(diff))
					}
				}
			}
			again := h.Sync(c, connector, api.Sync{})
			if k := again.Counters; k.Created+k.Updated+k.Removed+k.Missing+k.Reappeared != 0 {
				t.Errorf("when all was well again, the run changed something: %+v", k)
			}
		})
	}
}

// inflict reads a damaged system and checks what the run says.
func (d damage) inflict(t *testing.T, h *harness.House, c *api.Client, connector string, system torn) {
	t.Helper()
	if d.patch != nil {
		h.Patch(c, connector, d.patch)
		defer h.Patch(
			c,
			connector,
			map[string]any{"connection": undo(d.patch["connection"].(map[string]any), system.connector.Connection)},
		)
	}
	if d.do != nil {
		d.do()
		defer system.heal()
	}
	r := h.Try(c, connector, d.sync)
	if r.Status != d.status {
		t.Errorf("%s: the run is %s; want %s (%+v, %+v)", d.name, r.Status, d.status, r.Error, r.Warnings)
		return
	}
	if d.code != "" && !slices.Contains(said(h, c, r), d.code) {
		t.Errorf("%s: the run says %v; want %s", d.name, said(h, c, r), d.code)
	}
	if got := ownCode(r.Error); got != d.result {
		t.Errorf("%s: the target's own code is %d; want %d (%+v)", d.name, got, d.result, r.Error)
	}
}

// undo is the merge patch that gives settings their values back.
func undo(changed, was map[string]any) map[string]any {
	back := map[string]any{}
	for key := range changed {
		back[key] = was[key] // absent: null clears it
	}
	return back
}

// said are the codes by which a run tells what is wrong: of its error, its warnings and its holds.
func said(h *harness.House, c *api.Client, r api.Run) []string {
	var codes []string
	if r.Error != nil {
		codes = append(codes, r.Error.Code)
	}
	for _, w := range r.Warnings {
		codes = append(codes, w.Code)
	}
	for _, hold := range h.Holds(c, r).Items {
		codes = append(codes, hold.Kind, hold.Rule)
	}
	return codes
}

func ownCode(e *api.Failure) int {
	switch {
	case e == nil || e.Target == nil:
		return 0
	case e.Target.LDAP != nil:
		return e.Target.LDAP.ResultCode
	case e.Target.HTTP != nil:
		return e.Target.HTTP.Status
	}
	return 0
}

func tornDirectory(s *samples) torn {
	fault := func(f ldapdir.Faults) func() { return func() { s.ldap.SetFaults(f) } }
	return torn{
		s.state.Directory(),
		fault(ldapdir.Faults{}),
		[]damage{
			{name: "an empty success", do: fault(ldapdir.Faults{EndAfter: -1}), status: "held", code: "empty_result"},
			{
				name:   "half, as if that were all",
				do:     fault(ldapdir.Faults{EndAfter: 100}),
				status: "held",
				code:   "account_missing",
			},
			{
				name:   "the size limit",
				do:     fault(ldapdir.Faults{SizeAfter: 100}),
				status: "failed",
				code:   "ldap_4",
				result: 4,
			},
			{
				name:   "the administrative limit",
				do:     fault(ldapdir.Faults{LimitAfter: 100}),
				status: "failed",
				code:   "ldap_11",
				result: 11,
			},
			{name: "a connection that is cut", do: fault(ldapdir.Faults{CutAfter: 60}), status: "failed"},
			{
				name:   "no key attribute",
				do:     fault(ldapdir.Faults{Hidden: []string{"entryuuid"}}),
				status: "failed",
				code:   "no_key_attribute",
			},
			{
				name:   "another filter",
				patch:  settings("user_filter", "(uid=a*)"),
				status: "held",
				code:   "settings_changed",
			},
			{
				name:   "a place without anybody",
				patch:  settings("user_base_dn", "ou=services,"+s.ldap.BaseDN()),
				status: "held",
				code:   "settings_changed",
			},
			{name: "a cap", sync: api.Sync{MaxRecords: 10}, status: "partial"},
		},
	}
}

func settings(key string, value any) map[string]any {
	return map[string]any{"connection": map[string]any{key: value}}
}

func tornWorkspace(s *samples) torn {
	edit := func(change func(path string, a map[string]any) any) func() {
		return func() { s.scim.SetFaults(mishap.Faults{Edit: edited(change)}) }
	}
	users := func(path string) bool { return strings.HasSuffix(path, "/Users") }
	return torn{
		s.state.Workspace(),
		func() { s.scim.SetFaults(mishap.Faults{}) },
		[]damage{
			{name: "an empty success", do: edit(func(path string, a map[string]any) any {
				if _, list := a["totalResults"]; list {
					a["totalResults"], a["itemsPerPage"], a["Resources"] = 0, 0, []any{}
				}
				return a
			}), status: "held", code: "total_loss"},
			{name: "half, as if that were all", do: edit(func(path string, a map[string]any) any {
				if users(path) {
					a["totalResults"] = 100
					a["Resources"] = first(a["Resources"], 100)
				}
				return a
			}), status: "held", code: "account_missing"},
			{name: "fewer than announced", do: edit(func(path string, a map[string]any) any {
				if users(path) && a["startIndex"] != 1.0 {
					a["Resources"] = []any{}
				}
				return a
			}), status: "partial"},
			{name: "an error that comes with 200", do: edit(func(path string, a map[string]any) any {
				return map[string]any{
					"schemas": []any{"urn:ietf:params:scim:api:messages:2.0:Error"},
					"status":  "500",
					"detail":  "out of order",
				}
			}), status: "failed", result: 200},
			{name: "another name for the id", do: edit(func(path string, a map[string]any) any {
				return renamed(a, "Resources", "id", "identifier")
			}), status: "partial", code: "record_skipped"},
			{name: "too many results", do: func() {
				s.scim.SetFaults(mishap.Faults{Edit: func(r *http.Request, status int, body []byte) (int, []byte) {
					if !users(r.URL.Path) {
						return status, body
					}
					return 400, []byte(
						`{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":"400",` +
							`"scimType":"tooMany","detail":"too many"}`,
					)
				}})
			}, status: "failed", code: "http_400", result: 400},
			{
				name:   "another filter",
				patch:  settings("user_filter", `userName sw "a"`),
				status: "held",
				code:   "settings_changed",
			},
			{name: "a cap", sync: api.Sync{MaxRecords: 10}, status: "partial"},
		},
	}
}

func tornPersonnel(s *samples) torn {
	c := s.state.PersonnelWithRoles()
	c.Connection["streams"].([]any)[0].(map[string]any)["error"] = map[string]any{"message_path": "error.message"}
	edit := func(change func(path string, a map[string]any) any) func() {
		return func() { s.hr.SetFaults(mishap.Faults{Edit: edited(change)}) }
	}
	people := func(path string) bool { return strings.HasSuffix(path, "/employees") }
	leaver := func(status string) []any {
		streams := clone(c.Connection["streams"]).([]any)
		streams[0].(map[string]any)["request"] = map[string]any{
			"path":  "employees",
			"query": map[string]any{"status": status},
		}
		return streams
	}
	return torn{
		c,
		func() { s.hr.SetFaults(mishap.Faults{}) },
		[]damage{
			{name: "an empty success", do: edit(func(path string, a map[string]any) any {
				a["data"], a["total"], a["total_pages"] = []any{}, 0, 1
				return a
			}), status: "held", code: "total_loss"},
			{name: "half, as if that were all", do: edit(func(path string, a map[string]any) any {
				if people(path) {
					a["data"], a["total"], a["total_pages"] = first(a["data"], 150), 150, 1
				}
				return a
			}), status: "held", code: "identity_deactivation"},
			{name: "fewer than announced", do: edit(func(path string, a map[string]any) any {
				if people(path) && a["page"] != 1.0 {
					a["data"] = []any{}
				}
				return a
			}), status: "partial"},
			{name: "an error that comes with 200", do: edit(func(path string, a map[string]any) any {
				return map[string]any{"error": map[string]any{"code": "E42", "message": "out of order"}}
			}), status: "failed", code: "error_in_body", result: 200},
			{name: "an answer without a list", do: edit(func(path string, a map[string]any) any {
				return map[string]any{"notice": "we have moved"}
			}), status: "partial", code: "records_not_found"},
			{name: "another name for the key", do: edit(func(path string, a map[string]any) any {
				return renamed(a, "data", "employeeId", "personId")
			}), status: "partial", code: "record_without_key"},
			{
				name:   "another filter",
				patch:  settings("streams", leaver("Terminated")),
				status: "held",
				code:   "settings_changed",
			},
			{name: "a cap", sync: api.Sync{MaxRecords: 10}, status: "partial"},
		},
	}
}

// edited changes JSON answers.
func edited(change func(path string, a map[string]any) any) func(*http.Request, int, []byte) (int, []byte) {
	return func(r *http.Request, status int, body []byte) (int, []byte) {
		var a map[string]any
		if status != http.StatusOK || json.Unmarshal(body, &a) != nil {
			return status, body
		}
		var out bytes.Buffer
		if json.NewEncoder(&out).Encode(change(r.URL.Path, a)) != nil {
			return status, body
		}
		return status, out.Bytes()
	}
}

func first(list any, n int) []any {
	all, _ := list.([]any)
	return all[:min(n, len(all))]
}

// renamed gives a member of all records another name.
func renamed(a map[string]any, list, from, to string) any {
	all, _ := a[list].([]any)
	for _, r := range all {
		if record, ok := r.(map[string]any); ok && record[from] != nil {
			record[to] = record[from]
			delete(record, from)
		}
	}
	return a
}

// clone copies what came from, or can be, JSON.
func clone(v any) any {
	var out any
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // settings are JSON
	}
	return out
}
