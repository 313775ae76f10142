package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/rest/connection"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// staff writes to json-server: accounts, and memberships that are records of their own.
const staff = `{
  "stream": "users",
  "reads": {
    "account": {"path": "/users/{{target.remote_id}}"},
    "find": {"path": "/users", "query": {"login": "{{target.username}}"}, "record_path": "$[*]"},
    "membership": {"path": "/members", "query": {"groupId": "{{entitlement.remote_id}}", "userId": "{{target.remote_id}}"}, "record_path": "$[*]"}
  },
  "ops": {
    "account.create": {"path": "/users", "merge_attributes": true, "body": {"login": "{{account.username}}", "mail": "{{account.email}}",
      "displayName": "{{account.display_name}}", "names": ["{{account.first_name}}", "{{account.last_name}}"], "greeting": "Hello {{account.first_name}}!",
      "enabled": "{{account.enabled}}", "locked": true, "pass": "{{credential.password}}"}},
    "account.update": {"method": "PATCH", "path": "/users/{{target.remote_id}}", "merge_attributes": true,
      "body": {"mail": "{{account.email}}", "displayName": "{{account.display_name}}"}},
    "account.rename": {"method": "PATCH", "path": "/users/{{target.remote_id}}", "body": {"login": "{{account.username}}"}},
    "account.enable": {"method": "PATCH", "path": "/users/{{target.remote_id}}", "body": {"enabled": true}},
    "account.disable": {"method": "PATCH", "path": "/users/{{target.remote_id}}", "body": {"enabled": false}, "success": [200]},
    "account.unlock": {"method": "PATCH", "path": "/users/{{target.remote_id}}", "body": {"locked": false}},
    "account.reset_password": {"method": "PATCH", "path": "/users/{{target.remote_id}}", "body": {"pass": "{{credential.password}}"}},
    "account.delete": {"method": "DELETE", "path": "/users/{{target.remote_id}}"},
    "entitlement.grant": {"method": "POST", "path": "/members", "body": {"groupId": "{{entitlement.remote_id|number}}", "userId": "{{target.remote_id|number}}"}},
    "entitlement.revoke": {"method": "DELETE", "path": "/members/{{reads.membership.id}}"}
  }}`

const staffStreams = `[{"name":"users","object":"account","request":{"path":"users"},
  "fields":{"username":"login","email":"mail","display_name":"displayName","is_disabled":"!enabled","is_locked":"locked","first_name":"names[0]","last_name":"names[1]"}}]`

// between stands before a target, notes what passes, and may lose answers.
type between struct {
	mu    sync.Mutex
	sent  []string
	to    http.Handler
	lose  bool
	lost  int
	spoil func(w http.ResponseWriter, r *http.Request) bool
}

func (b *between) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Method != http.MethodGet {
		b.sent = append(b.sent, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		if b.spoil != nil && b.spoil(w, r) {
			return
		}
		if b.lose {
			b.lost++
			b.to.ServeHTTP(httptest.NewRecorder(), r)
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				_ = conn.Close()
			}
			return
		}
	}
	b.to.ServeHTTP(w, r)
}

func (b *between) losses() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}

func (b *between) took() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.sent
	b.sent = nil
	return out
}

func office(t *testing.T) (*between, v1.AuthConfig) {
	t.Helper()
	base := "http://" + targettest.StartNode(t, "testdata/jsonserver", "PEOPLE=10") + "/none"
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	b := &between{to: httputil.NewSingleHostReverseProxy(u)}
	srv := httptest.NewServer(b)
	t.Cleanup(srv.Close)
	return b, written(srv.URL, staff)
}

func written(base, writes string) v1.AuthConfig {
	auth := settings(base, staffStreams)
	var w map[string]any
	if err := json.Unmarshal([]byte(writes), &w); err != nil {
		panic(err)
	}
	auth["writes"] = w
	return auth
}

func some1[T any](v T) *T { return &v }

func order(op v1.ProvisionOp, id string, auth v1.AuthConfig) v1.ProvisionRequest {
	return v1.ProvisionRequest{AuthConfig: auth, Op: op, Target: v1.ProvisionTarget{Kind: "account", RemoteID: id}}
}

func do(t *testing.T, req v1.ProvisionRequest) v1.ProvisionResponse {
	t.Helper()
	out, err := newConnector().Provision(t.Context(), req)
	if err != nil {
		t.Fatalf("%s: %v", req.Op, err)
	}
	return out
}

func denied(t *testing.T, req v1.ProvisionRequest) *v1.ErrorDetail {
	t.Helper()
	out, err := newConnector().Provision(t.Context(), req)
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		t.Fatalf("%s = %+v, %v; want an ErrorDetail", req.Op, out, err)
	}
	return d
}

// orders are one change of each kind for the account id, and a new one.
func orders(id string, auth v1.AuthConfig) []v1.ProvisionRequest {
	create := order(v1.OpAccountCreate, "", auth)
	create.Account = &v1.ProvisionAccount{
		Username:    some1("grace"),
		Email:       some1("g@example.test"),
		DisplayName: some1(`Grace "Amazing" {{Hopper}}`),
		FirstName:   some1("Grace"),
		LastName:    some1("Hopper"),
		Enabled:     some1(true),
		Attributes:  map[string]any{"dept.code": "NAVY", "score": 7.5},
	}
	create.Credential = &v1.NewCredential{Mode: "password", Password: "s3cret-pass"}
	update := order(v1.OpAccountUpdate, id, auth)
	update.Account = &v1.ProvisionAccount{
		DisplayName: some1("Admiral"),
		Attributes:  map[string]any{"hired": nil, "dept.code": "X"},
	}
	rename := order(v1.OpAccountRename, id, auth)
	rename.Account = &v1.ProvisionAccount{Username: some1("renamed")}
	grant := order(v1.OpEntitlementGrant, id, auth)
	revoke := order(v1.OpEntitlementRevoke, id, auth)
	grant.EntitlementRemoteIDs = []string{"5"}
	revoke.EntitlementRemoteIDs = []string{"5"}
	return []v1.ProvisionRequest{
		create,
		update,
		rename,
		order(v1.OpAccountDisable, id, auth),
		order(v1.OpAccountEnable, id, auth),
		grant,
		revoke,
		order(v1.OpAccountDelete, id, auth),
	}
}

func TestJSONServerIsChangedOnceByEveryTemplate(t *testing.T) {
	b, auth := office(t)
	for _, req := range orders("3", auth) {
		req.DryRun = true
		dry := do(t, req)
		if sent := b.took(); dry.Outcome != v1.OutcomePlanned || len(sent) != 0 || len(dry.Plan) != 1 {
			t.Fatalf("%s planned = %+v, sent %v", req.Op, dry, sent)
		}
		req.DryRun = false
		first := do(t, req)
		sent := b.took()
		if first.Outcome != v1.OutcomeApplied || !first.Verified || len(first.Warnings) != 0 || len(sent) != 1 {
			t.Fatalf("%s = %s, sent %v", req.Op, asJSON(t, first), sent)
		}
		body, _ := json.Marshal(dry.Plan[0].HTTP.Body)
		if dry.Plan[0].HTTP.Body == nil {
			body = nil
		}
		at, _ := url.Parse(dry.Plan[0].HTTP.URL)
		if got := dry.Plan[0].HTTP.Method + " " + at.RequestURI() + " " + string(body); got != strings.ReplaceAll(
			sent[0],
			"s3cret-pass",
			"[secret]",
		) {
			t.Errorf("planned %s\n   sent %s", got, sent[0])
		}
		if diff := cmp.Diff(dry.Plan, first.Plan); diff != "" {
			t.Errorf("%s (-planned +done):\n%s", req.Op, diff)
		}
		second := do(t, req)
		if second.Outcome != v1.OutcomeAlready || !second.Verified || len(b.took()) != 0 {
			t.Errorf("%s again = %s", req.Op, asJSON(t, second))
		}
		if all := asJSON(t, dry) + asJSON(t, first) + asJSON(t, second); strings.Contains(all, "s3cret-pass") {
			t.Errorf("%s tells the password: %s", req.Op, all)
		}
		if req.Op == v1.OpAccountCreate {
			want := `POST /users {"dept":{"code":"NAVY"},"displayName":"Grace \"Amazing\" {{Hopper}}","enabled":true,` +
				`"greeting":"Hello Grace!","locked":true,` +
				`"login":"grace","mail":"g@example.test","names":["Grace","Hopper"],"pass":"s3cret-pass","score":7.5}`
			if sent[0] != want || first.Account.ExternalID == "" || first.Account.Attributes["dept.code"] != "NAVY" {
				t.Errorf("sent %s\nwant %s\nmade %s", sent[0], want, asJSON(t, first.Account))
			}
			for _, a := range mustRead(t, auth).Accounts {
				if a.Attributes["pass"] != nil {
					a.Attributes["pass"] = "[secret]" // this target tells everybody, we do not
				}
				if diff := cmp.Diff(&a, first.Account); a.ExternalID == first.Account.ExternalID && diff != "" {
					t.Errorf("(-sync +read back):\n%s", diff)
				}
			}
			unlock := do(t, order(v1.OpAccountUnlock, first.Account.ExternalID, auth))
			again := do(t, order(v1.OpAccountUnlock, first.Account.ExternalID, auth))
			if !unlock.Verified || *unlock.Account.IsLocked || again.Outcome != v1.OutcomeAlready {
				t.Errorf("unlock = %s, %s", asJSON(t, unlock), again.Outcome)
			}
			b.took()
		}
	}
	reset := order(v1.OpAccountPassword, "4", auth)
	reset.Credential = &v1.NewCredential{Mode: "random"}
	got := do(t, reset)
	if sent := b.took(); got.Outcome != v1.OutcomeApplied || got.Verified || len(sent) != 1 ||
		len(sent[0]) < len(`PATCH /users/4 {"pass":""}`)+24 {
		t.Errorf("reset = %s, sent %v", asJSON(t, got), sent)
	}
}

func TestALostAnswerLeavesTheOutcomeUnknownAndAReadFindsIt(t *testing.T) {
	b, auth := office(t)
	b.lose = true
	for i, req := range orders("3", auth)[:7] {
		got := do(t, req)
		if got.Success || got.Outcome != v1.OutcomeUnknown || got.ErrorDetail == nil || b.losses() != i+1 {
			t.Errorf("%s = %s after %d requests", req.Op, asJSON(t, got), b.losses())
		}
		if req.Op != v1.OpEntitlementGrant {
			continue
		}
		now, err := newConnector().Read(t.Context(), v1.ReadRequest{AuthConfig: auth,
			Accounts: []v1.ProvisionTarget{
				{Username: "grace"},
				{RemoteID: "3"},
				{RemoteID: "999"},
				{Username: "nobody"},
			},
			Entitlements: []v1.ProvisionTarget{{RemoteID: "5"}, {RemoteID: "6"}}})
		if err != nil || now.Accounts[0].Account == nil || *now.Accounts[1].Account.Username != "renamed" ||
			now.Accounts[2].Account != nil ||
			now.Accounts[3].Account != nil {
			t.Fatalf("Read = %s, %v", asJSON(t, now), err)
		}
		var held []string
		for _, g := range now.Grants {
			held = append(held, fmt.Sprint(g.AccountRemoteID, ">", g.EntitlementRemoteID, " ", g.Held))
		}
		if want := []string{"11>5 false", "11>6 false", "3>5 true", "3>6 false"}; !slices.Equal(held, want) {
			t.Errorf("held %v, want %v", held, want)
		}
	}
}

func TestARefusalIsToldInTheTargetsWords(t *testing.T) {
	b, auth := office(t)
	for _, tt := range []struct {
		status int
		class  v1.ErrorClass
	}{{400, v1.ClassData}, {401, v1.ClassAuth}, {403, v1.ClassPermission}, {409, v1.ClassConflict},
		{429, v1.ClassRateLimited}, {503, v1.ClassTransient}} {
		b.spoil = func(w http.ResponseWriter, _ *http.Request) bool {
			if tt.status == 429 || tt.status == 503 {
				w.Header().Set("Retry-After", "9")
			}
			w.WriteHeader(tt.status)
			fmt.Fprint(w, `{"message":"the words of the target"}`)
			return true
		}
		d := denied(t, orders("3", auth)[1])
		if d.Class != tt.class || !strings.Contains(d.Message, "the words of the target") || len(b.took()) != 1 {
			t.Errorf("%d = %s", tt.status, asJSON(t, d))
		}
	}
	b.spoil = nil
	taken := orders("3", auth)[0]
	taken.Account.Username = some1("user4")
	if d := denied(t, taken); d.Code != "account_exists" || !strings.Contains(d.Message, "email, display_name") ||
		len(b.took()) != 0 {
		t.Errorf("a taken name = %s", asJSON(t, d))
	}
	if d := denied(t, order(v1.OpAccountDisable, "999", auth)); d.Code != "account_not_found" {
		t.Errorf("nobody = %s", asJSON(t, d))
	}
	other := orders("4", auth)[1]
	other.Account = &v1.ProvisionAccount{Username: some1("other"), FirstName: some1("Ada")}
	if got := do(t, other); got.Outcome != v1.OutcomeNoop || got.Warnings[0].Code != "not_written" ||
		len(b.took()) != 0 {
		t.Errorf("what the template does not write = %s", asJSON(t, got))
	}
}

func TestHostileValuesStayValues(t *testing.T) {
	b, auth := office(t)
	for _, name := range []string{`x","admin":true,"y":"`, "../../groups/1", "a/b?c=d#e", "{{credential.password}}",
		"line\nbreak", "новый", `\`, "%2e%2e", "a&login=user4"} {
		create := order(v1.OpAccountCreate, "", auth)
		create.Account = &v1.ProvisionAccount{Username: &name, FirstName: &name}
		got := do(t, create)
		if got.Outcome != v1.OutcomeApplied || !got.Verified || *got.Account.Username != name ||
			got.Account.Attributes["admin"] != nil ||
			got.Account.Attributes["greeting"] != "Hello "+name+"!" {
			t.Errorf("%q = %s", name, asJSON(t, got))
		}
		if again := do(t, create); again.Outcome != v1.OutcomeAlready {
			t.Errorf("%q again = %s", name, again.Outcome)
		}
	}
	b.took()
	for _, id := range []string{"..", ".", "../groups/1", "1/../../groups/1", "1?_limit=1", "x\x00", "3;y"} {
		req := order(v1.OpAccountDelete, id, auth)
		out, err := newConnector().Provision(t.Context(), req)
		if sent := b.took(); len(sent) != 0 && sent[0] != "DELETE /users/"+url.PathEscape(id) ||
			err == nil && out.Outcome != v1.OutcomeAlready {
			t.Errorf("id %q: %+v, %v, sent %v", id, out, err, sent)
		}
	}
	all := mustRead(
		t,
		settings(auth["base_url"].(string), `[{"name":"groups","object":"entitlement","request":{"path":"groups"}}]`),
	)
	if len(all.Entitlements) != 7 {
		t.Errorf("%d groups are left", len(all.Entitlements))
	}
	header := written(serve(t, func(w http.ResponseWriter, r *http.Request) { t.Errorf("sent %v", r.Header) }),
		`{"ops":{"account.disable":{"path":"/x","headers":{"X-Id":"{{target.remote_id}}"}}}}`)
	if d := denied(t, order(v1.OpAccountDisable, "a\r\nX-Admin: 1", header)); d.Code != "template_value" {
		t.Errorf("a header = %s", asJSON(t, d))
	}
}

// team is a target whose memberships have states and whose refusals say what is so already.
func team(t *testing.T) (*string, v1.AuthConfig) {
	state := ""
	missing := http.StatusNotFound
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/user/7":
			fmt.Fprint(w, `{"id":7,"login":"ada/b"}`)
		case r.URL.EscapedPath() != "/teams/t1/memberships/ada%2Fb":
			w.WriteHeader(500)
			fmt.Fprintf(w, `{"message":"not to be asked: %s"}`, r.URL.EscapedPath())
		case r.Method == "GET" && state == "":
			w.WriteHeader(missing)
		case r.Method == "GET":
			fmt.Fprintf(w, `{"state":%q}`, state)
		case r.Method == "PUT" && state == "quiet":
			state = "active"
			w.WriteHeader(422)
			fmt.Fprint(w, `{"message":"is already a member"}`)
		case r.Method == "PUT" && state == "liar":
			w.WriteHeader(422)
			fmt.Fprint(w, `{"message":"is already a member"}`)
		case r.Method == "PUT":
			state = "pending"
			fmt.Fprint(w, `{"state":"pending"}`)
		case r.Method == "DELETE":
			state = ""
			w.WriteHeader(204)
		}
	})
	return &state, written(base, `{
	  "reads": {"account": {"path": "/user/{{target.remote_id}}"},
	    "membership": {"path": "/teams/{{entitlement.remote_id}}/memberships/{{reads.account.login}}", "state_path": "$.state", "held": ["active"], "pending": ["pending"]}},
	  "ops": {"entitlement.grant": {"method": "PUT", "path": "/teams/{{entitlement.remote_id}}/memberships/{{reads.account.login}}", "already": {"status": [422], "contains": "Already a member"}},
	    "entitlement.revoke": {"method": "DELETE", "path": "/teams/{{entitlement.remote_id}}/memberships/{{reads.account.login}}"}}}`)
}

func TestAMembershipMayHaveToWaitForSomebody(t *testing.T) {
	state, auth := team(t)
	grant := order(v1.OpEntitlementGrant, "7", auth)
	revoke := order(v1.OpEntitlementRevoke, "7", auth)
	grant.EntitlementRemoteIDs = []string{"t1"}
	revoke.EntitlementRemoteIDs = []string{"t1"}
	if got := do(t, grant); got.Outcome != v1.OutcomePending || got.Grant.Held || got.Verified {
		t.Errorf("an invitation = %s", asJSON(t, got))
	}
	if got := do(t, revoke); got.Outcome != v1.OutcomeApplied || *state != "" {
		t.Errorf("an invitation taken back = %s", asJSON(t, got))
	}
	if got := do(t, revoke); got.Outcome != v1.OutcomeAlready {
		t.Errorf("again = %s", asJSON(t, got))
	}
	*state = "quiet" // the target knows, and does not show it before it is asked
	if got := do(t, grant); got.Outcome != v1.OutcomeAlready || !got.Verified || !got.Grant.Held {
		t.Errorf("already by the target's word = %s", asJSON(t, got))
	}
	*state = "liar"
	if d := denied(t, grant); d.Class != v1.ClassData || !strings.Contains(d.Message, "already a member") {
		t.Errorf("a word that does not show = %s", asJSON(t, d))
	}
}

func TestWithoutReadsNothingIsTakenForDone(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	auth := written(
		base,
		`{"ops":{"account.disable":{"path":"/off/{{target.remote_id}}"},`+
			`"entitlement.grant":{"path":"/g/{{entitlement.remote_id}}"}}}`,
	)
	req := order(v1.OpAccountDisable, "7", auth)
	if got := do(t, req); got.Outcome != v1.OutcomeApplied || got.Verified || got.Warnings[0].Code != "not_read_back" {
		t.Errorf("disable = %s", asJSON(t, got))
	}
	grant := order(v1.OpEntitlementGrant, "7", auth)
	grant.EntitlementRemoteIDs = []string{"g"}
	if got := do(t, grant); got.Outcome != v1.OutcomeApplied || got.Verified ||
		got.Warnings[0].Code != "not_read_back" {
		t.Errorf("grant = %s", asJSON(t, got))
	}
	if d := denied(t, order(v1.OpAccountDelete, "7", auth)); d.Code != "operation_not_supported" {
		t.Errorf("delete = %s", asJSON(t, d))
	}
	if d := denied(
		t,
		order(v1.OpAccountDelete, "7", settings(base, staffStreams)),
	); d.Code != "operation_not_supported" ||
		!strings.Contains(d.Message, "only reads") {
		t.Errorf("without writes = %s", asJSON(t, d))
	}
	w := newConnector().Writes(auth)
	if !slices.Equal(w.Ops, []v1.ProvisionOp{v1.OpAccountDisable, v1.OpEntitlementGrant}) ||
		!strings.Contains(w.Why, "account.create, account.update") {
		t.Errorf("Writes = %+v", w)
	}
	if w := newConnector().Writes(settings(base, staffStreams)); len(w.Ops) != 0 || w.Why == "" {
		t.Errorf("Writes = %+v", w)
	}
	if _, err := newConnector().Read(context.Background(),
		v1.ReadRequest{AuthConfig: auth, Accounts: []v1.ProvisionTarget{{RemoteID: "7"}}}); err == nil ||
		!strings.Contains(err.Error(), "no read account") {
		t.Errorf("Read = %v", err)
	}
}

func TestAVersionOfYesterdayIsNotChanged(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" {
			t.Errorf("sent %s %s", r.Method, r.URL)
		}
		fmt.Fprint(w, `{"id":7,"login":"ada","enabled":true,"rev":"2"}`)
	})
	auth := written(
		base,
		`{"reads":{"account":{"path":"/u/{{target.remote_id}}"}},`+
			`"ops":{"account.disable":{"path":"/off/{{target.remote_id}}"},"account.delete":{"path":"/u"}}}`,
	)
	auth["streams"] = []any{
		map[string]any{
			"name":    "users",
			"object":  "account",
			"request": map[string]any{"path": "u"},
			"fields":  map[string]any{"is_disabled": "!enabled", "etag": "rev"},
		},
	}
	for _, op := range []v1.ProvisionOp{v1.OpAccountDisable, v1.OpAccountDelete} {
		req := order(op, "7", auth)
		req.Expect = &v1.Expect{Version: "1"}
		if d := denied(t, req); d.Class != v1.ClassConflict || d.Code != "version_changed" {
			t.Errorf("%s = %s", op, asJSON(t, d))
		}
	}
}

func TestTheExampleOfTheDocumentationIsRight(t *testing.T) {
	page, err := os.ReadFile("../../docs/connectors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "### Writing\n")
	section, _, _ := strings.Cut(after, "\n## ")
	examples := strings.Split(section, "```json\n")[1:]
	if len(examples) != 2 {
		t.Fatalf("there are %d examples; want 2", len(examples))
	}
	for _, example := range examples {
		text, _, _ := strings.Cut(example, "```")
		if err := connection.Check(written("https://example.com", text)); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

func TestMistakesInTemplatesAreToldWithTheirPlace(t *testing.T) {
	for writes, want := range map[string]string{
		`{"op":{}}`:                                                                                `writes: unknown member "op"`,
		`{"ops":{"account.make":{"path":"/x"}}}`:                                                   "writes.ops.account.make: there is no such change",
		`{"ops":{"account.create":{"body":{}}}}`:                                                   "writes.ops.account.create.path is missing",
		`{"ops":{"account.create":{"path":"https://elsewhere/x"}}}`:                                "must be a path below base_url",
		`{"ops":{"account.create":{"path":"/x?y={{account.email}}"}}}`:                             "path must have no query",
		`{"ops":{"account.create":{"path":"/x","method":"GET"}}}`:                                  "method must be one of POST, PUT, PATCH, DELETE",
		`{"ops":{"account.create":{"path":"/x/{{target.remote_id}}"}}}`:                            "{{target.remote_id}} has no value here",
		`{"ops":{"account.create":{"path":"/x","body":{"a":"{{account.salary}}"}}}}`:               "{{account.salary}} is no member of account",
		`{"ops":{"account.create":{"path":"/x","body":["{{account.email}"]}}}`:                     "has braces that are no placeholder",
		`{"ops":{"account.create":{"path":"/x","body":"{{account.email|upper}}"}}}`:                `"upper" is no filter`,
		`{"ops":{"account.disable":{"path":"/x","success":[302]}}}`:                                "success must be between 200 and 299",
		`{"ops":{"account.disable":{"path":"/x","already":{"contains":"x"}}}}`:                     "already.status must be",
		`{"ops":{"account.disable":{"path":"/x","query":{"q":"id eq \"{{target.remote_id}}\""}}}}`: "must be written {{…|quoted}}",
		`{"ops":{"account.disable":{"path":"/x","headers":{"authorization":"x"}}}}`:                "credentials are settings of their own",
		`{"ops":{"account.reset_password":{"path":"/x","body":{}}}}`:                               "must have {{credential.password}}",
		`{"ops":{"account.disable":{"path":"/x/{{reads.org.id}}"}}}`:                               "names no read",
		`{"reads":{"a":{"path":"/{{reads.b.x}}"},"b":{"path":"/{{reads.a.x}}"}}}`:                  "reads.a needs itself",
		`{"reads":{"account":{"path":"/x","key_path":"id"}}}`:                                      "belong to the read membership",
		`{"reads":{"membership":{"path":"/x","state_path":"state"}}}`:                              "held is missing",
		`{"reads":{"find":{"path":"/x"}},"stream":"people"}`:                                       `maps no username`,
		`{"stream":"nowhere"}`: `there is no stream "nowhere"`,
		`{"ops":{"account.create":{"path":"/x","id_path":"$.[","body":{"a":"{{account.attributes.x.y}}"}}}}`: "id_path",
	} {
		auth := written("https://example.com", writes)
		auth["streams"] = append(
			auth["streams"].([]any),
			map[string]any{
				"name":    "people",
				"object":  "user",
				"request": map[string]any{"path": "p"},
				"fields":  map[string]any{"email": "mail"},
			},
		)
		if err := connection.Check(auth); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", writes, err, want)
		}
	}
	if err := connection.Check(written("https://example.com", staff)); err != nil {
		t.Errorf("a right one: %v", err)
	}
}
