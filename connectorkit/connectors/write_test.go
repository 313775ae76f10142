package connectors_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestCapabilitiesAreWhatTheConnectorCanWrite(t *testing.T) {
	for _, e := range catalog.Entries() {
		engine := e.Type
		settings := map[string]any{"base_url": "https://example.com", "bearer_token": "x"}
		if e.Type == catalog.VendorType {
			given := map[string]any{}
			for _, f := range e.Fields {
				if given[f.Key] = f.Default; f.Default == nil {
					switch {
					case f.Type == "integer":
						given[f.Key] = 1
					case strings.Contains(f.Key, "url") || strings.Contains(f.Key, "endpoint"):
						given[f.Key] = "https://example.com"
					default:
						given[f.Key] = "x"
					}
				}
			}
			engine, settings = catalog.Resolve(e.Key, given)
		}
		// what REST can is in its templates
		if engine != catalog.SCIM2 && (engine != catalog.REST || e.Type == catalog.REST) {
			continue
		}
		c, err := connectors.Open(world(), engine)
		if err != nil {
			t.Fatal(err)
		}
		w := c.(interface {
			Writes(v1.AuthConfig) connectorkit.Writes
		}).Writes(settings)
		can := func(op v1.ProvisionOp) bool { return slices.Contains(w.Ops, op) }
		got := [3]bool{can(v1.OpAccountUpdate), can(v1.OpEntitlementGrant), can(v1.OpAccountDisable)}
		if said := [3]bool{
			e.Capabilities.WriteAccount, e.Capabilities.WriteGrant, e.Capabilities.EnableDisable,
		}; got != said {
			t.Errorf("%s says it can write %v, and can %v: %s", e.Key, said, got, w.Why)
		}
		// where nothing is said, the target's own declaration decides
		if e.Capabilities.Password && !can(v1.OpAccountPassword) {
			t.Errorf("%s says it can set passwords, and cannot: %s", e.Key, w.Why)
		}
	}
}

// service answers as a vendor documents, and notes what was sent.
type service struct {
	t    *testing.T
	sent []string
	does func(method, path string, body map[string]any) (status int, answer any)
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body) // what is missing fails the comparison
	var body map[string]any
	_ = json.Unmarshal(b, &body)
	at := r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		at += "?" + r.URL.RawQuery
	}
	if r.Method != http.MethodGet {
		s.sent = append(s.sent, strings.TrimSpace(r.Method+" "+at+" "+string(b)))
	}
	status, answer := s.does(r.Method, r.URL.Path, body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if answer != nil {
		_ = json.NewEncoder(w).Encode(answer)
	}
}

func provision(t *testing.T, key string, given map[string]any, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	t.Helper()
	if problems := catalog.Validate(key, nil, given); len(problems) > 0 {
		t.Fatalf("the settings are refused: %+v", problems)
	}
	engine, settings := catalog.Resolve(key, given)
	c, err := connectors.Open(world(), engine)
	if err != nil {
		t.Fatal(err)
	}
	req.AuthConfig = settings
	return c.(connectorkit.Provisioner).Provision(t.Context(), req)
}

func TestOktaUsersAndGroupsAreChangedAsItsDocumentationHasIt(t *testing.T) {
	profile, status, groups := map[string]any{}, "", map[string]bool{}
	s := &service{t: t}
	user := func() map[string]any { return map[string]any{"id": "00u1", "status": status, "profile": profile} }
	s.does = func(method, path string, body map[string]any) (int, any) {
		path = strings.TrimPrefix(path, "/api/v1")
		switch key := method + " " + path; {
		case key == "POST /users":
			profile, status = body["profile"].(map[string]any), "ACTIVE"
			return 200, user()
		case method == "GET" && strings.HasPrefix(path, "/groups/00g"):
			return 200, map[string]any{
				"id": strings.TrimPrefix(path, "/groups/"), "profile": map[string]any{"name": "G"},
			}
		case status == "" || strings.HasPrefix(path, "/groups/0oa"):
			return 404, map[string]any{"errorCode": "E0000007", "errorSummary": "Not found: Resource not found"}
		case key == "GET /users/00u1", key == "GET /users/ada@acme.test" && profile["login"] == "ada@acme.test":
			return 200, user()
		case key == "POST /users/00u1":
			if more, ok := body["profile"].(map[string]any); ok {
				for name, v := range more {
					profile[name] = v
				}
			}
			return 200, user()
		case key == "POST /users/00u1/lifecycle/suspend":
			status = "SUSPENDED"
			return 200, map[string]any{}
		case key == "POST /users/00u1/lifecycle/unsuspend":
			status = "ACTIVE"
			return 200, map[string]any{}
		case key == "GET /users/00u1/groups":
			list := []any{}
			for id, in := range groups {
				if in {
					list = append(list, map[string]any{"id": id})
				}
			}
			return 200, list
		case key == "PUT /groups/00g1/users/00u1", key == "DELETE /groups/00g1/users/00u1":
			groups["00g1"] = method == "PUT"
			return 204, nil
		}
		return 404, map[string]any{"errorSummary": "not recorded: " + method + " " + path}
	}
	server := httptest.NewServer(s)
	defer server.Close()
	given := map[string]any{"org_url": server.URL, "api_token": "s3cret-token"}
	name, first, mail, on, display := "ada@acme.test", "Ada", "ada@acme.test", true, "Ada L."
	order := func(op v1.ProvisionOp) v1.ProvisionRequest {
		return v1.ProvisionRequest{
			Op: op, Target: v1.ProvisionTarget{RemoteID: "00u1"}, EntitlementRemoteIDs: []string{"00g1"},
		}
	}
	create := v1.ProvisionRequest{
		Op: v1.OpAccountCreate,
		Account: &v1.ProvisionAccount{
			Username: &name, Email: &mail, FirstName: &first, Enabled: &on,
			Attributes: map[string]any{"profile.department": "R&D"},
		},
	}
	update := order(v1.OpAccountUpdate)
	update.Account = &v1.ProvisionAccount{DisplayName: &display, Attributes: map[string]any{"profile.department": nil}}
	password := order(v1.OpAccountPassword)
	password.Credential = &v1.NewCredential{Mode: "password", Password: "s3cret-pass"}
	for _, req := range []v1.ProvisionRequest{
		create, update, order(v1.OpAccountDisable), order(v1.OpAccountEnable), order(v1.OpEntitlementGrant),
		order(v1.OpEntitlementRevoke),
	} {
		got, err := provision(t, "okta", given, req)
		if err != nil || got.Outcome != v1.OutcomeApplied || !got.Verified {
			t.Errorf("%s = %+v, %v", req.Op, got, err)
		}
		before := len(s.sent)
		if got, err := provision(t, "okta", given, req); err != nil || got.Outcome != v1.OutcomeAlready ||
			len(s.sent) != before {
			t.Errorf("%s again = %+v, %v", req.Op, got, err)
		}
	}
	if got, err := provision(t, "okta", given, password); err != nil || got.Outcome != v1.OutcomeApplied {
		t.Errorf("password = %+v, %v", got, err)
	}
	want := []string{
		`POST /api/v1/users?activate=true {"profile":{"department":"R\u0026D","email":"ada@acme.test","firstName":"Ada","login":"ada@acme.test"}}`,
		`POST /api/v1/users/00u1 {"profile":{"department":null,"displayName":"Ada L."}}`,
		`POST /api/v1/users/00u1/lifecycle/suspend`,
		`POST /api/v1/users/00u1/lifecycle/unsuspend`,
		`PUT /api/v1/groups/00g1/users/00u1`,
		`DELETE /api/v1/groups/00g1/users/00u1`,
		`POST /api/v1/users/00u1 {"credentials":{"password":{"value":"s3cret-pass"}}}`,
	}
	if diff := cmp.Diff(want, s.sent); diff != "" {
		t.Errorf("(-documented +sent):\n%s", diff)
	}
	app := order(v1.OpEntitlementRevoke)
	app.EntitlementRemoteIDs = []string{"0oa1"}
	var d *v1.ErrorDetail
	if got, err := provision(t, "okta", given, app); !errors.As(err, &d) || d.Class != v1.ClassNotFound {
		t.Errorf("an application's assignment was taken for revoked: %+v, %v", got, err)
	}
}

func TestGitHubTeamsAreChangedAsItsDocumentationHasIt(t *testing.T) {
	state := ""
	s := &service{t: t}
	s.does = func(method, path string, body map[string]any) (int, any) {
		switch key := method + " " + path; {
		case key == "GET /user/42":
			return 200, map[string]any{"id": 42, "login": "ada"}
		case key == "GET /orgs/acme":
			return 200, map[string]any{"id": 7, "login": "acme"}
		case key == "GET /organizations/7/team/9":
			return 200, map[string]any{"id": 9, "slug": "core"}
		case path != "/organizations/7/team/9/memberships/ada":
			return 404, map[string]any{"message": "Not Found"}
		case method == "PUT":
			if state = "active"; body["role"] != "member" {
				return 422, nil
			}
		case method == "DELETE":
			state = ""
			return 204, nil
		case state == "":
			return 404, map[string]any{"message": "Not Found"}
		}
		return 200, map[string]any{"state": state, "role": "member"}
	}
	server := httptest.NewServer(s)
	defer server.Close()
	given := map[string]any{"organization": "acme", "token": "s3cret-token", "api_url": server.URL}
	for _, op := range []v1.ProvisionOp{v1.OpEntitlementGrant, v1.OpEntitlementRevoke} {
		req := v1.ProvisionRequest{
			Op: op, Target: v1.ProvisionTarget{RemoteID: "42"}, EntitlementRemoteIDs: []string{"9"},
		}
		for i, want := range []v1.Outcome{v1.OutcomeApplied, v1.OutcomeAlready} {
			if got, err := provision(t, "github", given, req); err != nil || got.Outcome != want || !got.Verified {
				t.Errorf("%s, time %d = %+v, %v", op, i+1, got, err)
			}
		}
		// The organisation is an entitlement too, and not one that a team's template may answer for.
		req.EntitlementRemoteIDs = []string{"7"}
		if got, err := provision(t, "github", given, req); err == nil {
			t.Errorf("%s of the organisation = %+v", op, got)
		}
	}
	want := `[PUT /organizations/7/team/9/memberships/ada {"role":"member"} DELETE /organizations/7/team/9/memberships/ada]`
	if got := fmt.Sprint(s.sent); got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}
