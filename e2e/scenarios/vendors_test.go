package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// connectorType is a choice of the catalog.
type connectorType struct {
	Key     string `json:"key"`
	Type    string `json:"type"`
	Vendor  string `json:"vendor"`
	DocsURL string `json:"docs_url"`
	Fields  []struct {
		Key      string `json:"key"`
		Required bool   `json:"required"`
		Secret   bool   `json:"secret"`
	} `json:"fields"`
	Quirks []struct {
		Source string `json:"source"`
	} `json:"quirks"`
	Schema map[string]any `json:"connection_schema"`
}

func TestEveryVendorOfTheCatalogSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	var page api.Page[connectorType]
	if err := h.Admin.Get(harness.Context(t), "/connectors/types", &page); err != nil {
		t.Fatal(err)
	}
	found := map[string]connectorType{}
	for _, e := range page.Items {
		found[e.Key] = e
	}
	for _, key := range []string{
		"active-directory", "entra-id", "okta", "google-workspace", "github", "gitlab", "slack", "atlassian",
		"salesforce", "workday", "bamboohr",
		"aws-iam-identity-center",
	} {
		e, is := found[key]
		if !is || e.Vendor == "" || e.DocsURL == "" || len(e.Quirks) == 0 || e.Quirks[0].Source == "" ||
			e.Schema["properties"] == nil {
			t.Errorf("%s: %+v; want a vendor, documentation, habits with their sources and a schema", key, e)
			continue
		}
		var want []string
		for _, f := range e.Fields {
			place := map[bool]string{false: "#/connection/", true: "#/credentials/"}[f.Secret]
			if f.Required {
				want = append(want, place+f.Key)
			}
		}
		_, err := h.Admin.CreateConnector(harness.Context(t), api.Connector{
			BusinessID:  key,
			Name:        key,
			Type:        "vendor",
			VendorKey:   key,
			Connection:  map[string]any{},
			Credentials: map[string]any{},
		})
		var p *api.Problem
		if !errors.As(err, &p) || p.Status != 422 {
			t.Errorf("%s without settings: %v; want 422", key, err)
			continue
		}
		var named []string
		for _, e := range p.Errors {
			named = append(named, e.Pointer)
		}
		for _, pointer := range want {
			if !slices.Contains(named, pointer) {
				t.Errorf("%s: %s is missing and was not named among %v", key, pointer, named)
			}
		}
	}
	if got := h.Total(h.Admin, "/connectors"); got != 0 {
		t.Errorf("%d connectors were made of nothing", got)
	}
}

const oktaSecret = "canary-okta-00f1e2d3c4b5"

// okta answers as the documentation of Okta's API shows it: an organisation of so many people, three at a time.
func okta(t *testing.T, people int) string {
	t.Helper()
	const size = 3
	group := func(id, name string) any {
		return map[string]any{
			"id":          id,
			"type":        "OKTA_GROUP",
			"objectClass": []string{"okta:user_group"},
			"profile":     map[string]any{"name": name, "description": nil},
		}
	}
	person := func(i int) any {
		status := "ACTIVE"
		if i == 1 {
			status = "SUSPENDED"
		}
		login := fmt.Sprintf("p%02d@acme.example", i)
		return map[string]any{
			"id": fmt.Sprintf(
				"00u%02d",
				i,
			),
			"status":      status,
			"created":     "2024-02-01T09:00:00.000Z",
			"lastUpdated": "2026-05-01T10:00:00.000Z",
			"profile": map[string]any{
				"firstName":      "P",
				"lastName":       fmt.Sprint(i),
				"login":          login,
				"email":          login,
				"employeeNumber": fmt.Sprint(1000 + i),
				"department":     "Finance",
			},
		}
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "SSWS "+oktaSecret {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprint(w, `{"errorCode":"E0000011","errorSummary":"Invalid token provided"}`)
			return
		}
		var answer any
		switch path := strings.TrimPrefix(r.URL.Path, "/api/v1"); path {
		case "/users", "/groups/00g1/users":
			from, all := 0, []any{}
			_, _ = fmt.Sscan(r.URL.Query().Get("after"), &from) // absent: the beginning
			for i := from; i < min(from+size, people); i++ {
				all = append(all, person(i))
			}
			if from+size < people {
				w.Header().
					Set("Link", fmt.Sprintf(`<http://%s%s?after=%d&limit=200>; rel="next"`, r.Host, r.URL.Path,
						from+size))
			}
			answer = all
		case "/groups":
			answer = []any{group("00g1", "Everyone"), group("00g2", "Empty")}
		case "/groups/00g2/users", "/apps":
			answer = []any{}
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"errorCode":"E0000007","errorSummary":"Not found"}`)
			return
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

func TestAVendorsConnectorReadsWithTwoSettings(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	c := api.Connector{
		BusinessID: "okta", Name: "Okta", Type: "vendor", VendorKey: "okta", Purpose: "both",
		Connection: map[string]any{"org_url": okta(t, 8)}, Credentials: map[string]any{"api_token": oktaSecret},
	}
	connector := h.Connect(h.Admin, c)
	verdict, err := h.Admin.Test(harness.Context(t), connector)
	if err != nil || !verdict.Success {
		t.Errorf("the test said %+v, %v", verdict.Error, err)
	}
	r := h.Sync(h.Admin, connector, api.Sync{})
	want := api.Counters{Identities: 8, Accounts: 8, Entitlements: 2, Grants: 8}
	if diff := cmp.Diff(
		want,
		api.Counters{
			Identities:   r.Counters.Identities,
			Accounts:     r.Counters.Accounts,
			Entitlements: r.Counters.Entitlements,
			Grants:       r.Counters.Grants,
		},
	); diff != "" {
		t.Errorf("read: -want +got\n%s", diff)
	}
	if got := h.Total(h.Admin, "/accounts?status=disabled"); got != 1 {
		t.Errorf("%d accounts are disabled; want the suspended one", got)
	}
	if again := h.Sync(h.Admin, connector, api.Sync{}); again.Counters.Created+again.Counters.Updated != 0 {
		t.Errorf("a second reading did something: %+v", again.Counters)
	}
	near := c
	near.BusinessID, near.Mode, near.AgentID = "okta-near", "agent", h.Agent(h.Admin, "site").ID
	if r := h.Sync(
		h.Admin,
		h.Connect(h.Admin, near),
		api.Sync{},
	); r.Counters.Accounts != want.Accounts ||
		r.Counters.Grants != want.Grants {
		t.Errorf("through an agent: %+v", r.Counters)
	}
	c.BusinessID, c.Credentials = "okta-wrong", map[string]any{"api_token": oktaSecret + "x"}
	verdict, err = h.Admin.Test(harness.Context(t), h.Connect(h.Admin, c))
	if err != nil || verdict.Success || verdict.Error == nil || verdict.Error.Code != "http_401" {
		t.Errorf("with a wrong token the test said %+v, %v", verdict.Error, err)
	}
	h.NoSecret(oktaSecret)
}
