package scimsvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/e2e/targets/mishap"
	"github.com/grantwright/grantwright/e2e/targets/people"
	"github.com/grantwright/grantwright/e2e/targets/scimsvc"
)

const token = "letmein"

func start(t *testing.T, n int) (*scimsvc.Server, people.Company) {
	t.Helper()
	c := people.NewCompany(1, n)
	s, err := scimsvc.Start(context.Background(), scimsvc.Config{System: c.SaaS, Domain: c.Domain, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s, c
}

// call sends a request with the token and decodes the answer.
func call(t *testing.T, method, url string, body any, into any) *http.Response {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(method, url, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/scim+json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if into != nil {
		if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
			t.Fatalf("%s %s: %d: %v", method, url, answer.StatusCode, err)
		}
	}
	return answer
}

type user struct {
	ID         string
	ExternalID string
	UserName   string
	Active     bool
	Emails     []struct{ Value string }
	Enterprise struct {
		EmployeeNumber, Department string
		Manager                    struct{ Value string }
	} `json:"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"`
	Meta struct{ LastModified, Location, ResourceType string }
}

type group struct {
	ID, DisplayName string
	Members         []struct{ Value, Type string }
}

type list[T any] struct {
	TotalResults, StartIndex int
	Resources                []T
}

func TestDiscoveryShowsWhatIsOffered(t *testing.T) {
	s, _ := start(t, 0)
	var config struct {
		Filter, Patch         struct{ Supported bool }
		AuthenticationSchemes []struct{ Type string }
	}
	call(t, "GET", s.BaseURL()+"/ServiceProviderConfig", nil, &config)
	if !config.Filter.Supported || !config.Patch.Supported ||
		config.AuthenticationSchemes[0].Type != "oauthbearertoken" {
		t.Errorf("ServiceProviderConfig is %+v", config)
	}
	var types list[struct{ Name, Endpoint string }]
	call(t, "GET", s.BaseURL()+"/ResourceTypes", nil, &types)
	if types.TotalResults != 2 {
		t.Errorf("ResourceTypes is %+v; want User and Group", types)
	}
	var schemas list[struct{ ID string }]
	call(t, "GET", s.BaseURL()+"/Schemas", nil, &schemas)
	found := false
	for _, x := range schemas.Resources {
		found = found || x.ID == "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
	}
	if !found {
		t.Errorf("Schemas is %+v; want the enterprise extension in it", schemas)
	}
}

func TestARequestWithoutTheTokenIsRefused(t *testing.T) {
	s, _ := start(t, 0)
	for _, header := range []string{"", "Bearer wrong", "Basic " + token} {
		r, _ := http.NewRequest("GET", s.BaseURL()+"/Users", nil)
		r.Header.Set("Authorization", header)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != 401 || !strings.HasPrefix(answer.Header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf(
				"%q: %d %q; want 401 with a challenge",
				header,
				answer.StatusCode,
				answer.Header.Get("WWW-Authenticate"),
			)
		}
	}
}

func TestPagesHoldEveryUserOnceAndManagersAreSCIMIDs(t *testing.T) {
	s, c := start(t, 1000)
	users := map[string]user{}
	for at := 1; ; {
		var page list[user]
		call(t, "GET", fmt.Sprintf("%s/Users?startIndex=%d&count=150", s.BaseURL(), at), nil, &page)
		if page.TotalResults != len(c.SaaS.Accounts) {
			t.Fatalf("totalResults is %d; want %d", page.TotalResults, len(c.SaaS.Accounts))
		}
		if len(page.Resources) == 0 {
			break
		}
		for _, u := range page.Resources {
			if _, twice := users[u.ID]; twice {
				t.Fatalf("user %s came twice", u.ID)
			}
			users[u.ID] = u
		}
		at += len(page.Resources)
	}
	if len(users) != len(c.SaaS.Accounts) || s.Users() != len(users) {
		t.Fatalf("%d users; want %d", len(users), len(c.SaaS.Accounts))
	}
	logins := map[string]string{}
	for _, a := range c.SaaS.Accounts {
		logins[a.Login] = a.ID
	}
	withManager := 0
	for _, a := range c.SaaS.Accounts {
		u := users[a.ID]
		if u.Enterprise.EmployeeNumber != a.Number || u.ExternalID != a.Number || u.Active != a.Enabled ||
			u.Meta.LastModified == "" {
			t.Errorf("user %s is %+v; want %+v", a.ID, u, a)
		}
		if got := u.Enterprise.Manager.Value; got != logins[a.Manager] {
			t.Errorf("manager of %s is %q; want %q", a.Login, got, logins[a.Manager])
		} else if got != "" {
			withManager++
		}
	}
	if withManager < len(users)/3 {
		t.Errorf("%d of %d users have a manager", withManager, len(users))
	}
}

func TestGroupsShowTheirMembersUnlessTheyAreLeftOut(t *testing.T) {
	s, c := start(t, 300)
	var page list[group]
	call(t, "GET", s.BaseURL()+"/Groups?count=200", nil, &page)
	if len(page.Resources) != len(c.SaaS.Groups) {
		t.Fatalf("%d groups; want %d", len(page.Resources), len(c.SaaS.Groups))
	}
	for i, g := range page.Resources {
		if len(g.Members) != len(c.SaaS.Groups[i].Members) {
			t.Errorf("%s has %d members; want %d", g.DisplayName, len(g.Members), len(c.SaaS.Groups[i].Members))
		}
	}
	for _, query := range []string{"excludedAttributes=members", "attributes=displayName"} {
		var bare list[group]
		call(t, "GET", s.BaseURL()+"/Groups?"+query, nil, &bare)
		if g := bare.Resources[0]; g.DisplayName == "" || g.ID == "" || g.Members != nil {
			t.Errorf("%s gave %+v; want the name and the id alone", query, g)
		}
	}
}

func TestFiltersFindUsers(t *testing.T) {
	s, c := start(t, 300)
	login := c.SaaS.Accounts[4].Login
	find := func(filter string) int {
		var page list[user]
		if r := call(t, "GET", s.BaseURL()+"/Users?filter="+url.QueryEscape(filter), nil, &page); r.StatusCode != 200 {
			t.Fatalf("%s: %d", filter, r.StatusCode)
		}
		return page.TotalResults
	}
	if got := find(`userName eq "` + login + "@" + c.Domain + `"`); got != 1 {
		t.Errorf("by userName: %d; want 1", got)
	}
	if got := find(`meta.lastModified gt "2026-07-01T00:00:00Z"`); got != 0 {
		t.Errorf("changed after the reference day: %d; want 0", got)
	}
	if err := s.SetActive(login, false); err != nil {
		t.Fatal(err)
	}
	if got := find(`meta.lastModified gt "2026-07-01T00:00:00Z"`); got != 1 {
		t.Errorf("changed since: %d; want 1", got)
	}
	if r := call(t, "GET", s.BaseURL()+"/Users?filter="+url.QueryEscape("userName eq"), nil, nil); r.StatusCode != 400 {
		t.Errorf("a broken filter gave %d; want 400", r.StatusCode)
	}
}

func TestChangesShowAtOnce(t *testing.T) {
	s, c := start(t, 300)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	boss := c.SaaS.Accounts[0].Login
	must(
		s.AddUser(
			people.Account{
				Login:      "new.person",
				GivenName:  "New",
				FamilyName: "Person",
				Mail:       "new.person@x.example",
				Number:     "900001",
				Manager:    boss,
				Enabled:    true,
			},
		),
	)
	must(s.AddMember("Power Users", "new.person"))
	id, err := s.UserID("new.person")
	must(err)
	var u user
	call(t, "GET", s.BaseURL()+"/Users/"+id, nil, &u)
	if u.UserName != "new.person@"+c.Domain || !u.Active || u.Enterprise.Manager.Value != c.SaaS.Accounts[0].ID {
		t.Errorf("the new user is %+v", u)
	}
	if got := powerUsers(t, s, id); !got {
		t.Error("the new user is not in the group")
	}
	must(s.RemoveMember("Power Users", "new.person"))
	if got := powerUsers(t, s, id); got {
		t.Error("the user is still in the group")
	}
	must(s.AddMember("Power Users", "new.person"))
	must(s.RemoveUser("new.person"))
	if got := powerUsers(t, s, id); got {
		t.Error("a removed user is still in the group")
	}
	if r := call(t, "GET", s.BaseURL()+"/Users/"+id, nil, nil); r.StatusCode != 404 {
		t.Errorf("a removed user gave %d; want 404", r.StatusCode)
	}
	if err := s.RemoveUser("new.person"); err == nil {
		t.Error("removing a user twice succeeded")
	}
}

func powerUsers(t *testing.T, s *scimsvc.Server, id string) bool {
	t.Helper()
	var page list[group]
	call(t, "GET", s.BaseURL()+"/Groups?filter="+url.QueryEscape(`displayName eq "Power Users"`), nil, &page)
	for _, m := range page.Resources[0].Members {
		if m.Value == id {
			return true
		}
	}
	return false
}

func TestWritesOverSCIMAreKept(t *testing.T) {
	s, c := start(t, 0)
	core := []string{"urn:ietf:params:scim:schemas:core:2.0:User"}
	var made user
	r := call(
		t,
		"POST",
		s.BaseURL()+"/Users",
		map[string]any{"schemas": core, "userName": "made@x.example", "active": true},
		&made,
	)
	if r.StatusCode != 201 || made.ID == "" {
		t.Fatalf("create: %d %+v", r.StatusCode, made)
	}
	if r = call(
		t,
		"POST",
		s.BaseURL()+"/Users",
		map[string]any{"schemas": core, "userName": "MADE@x.example"},
		nil,
	); r.StatusCode != 409 {
		t.Errorf("a second user of the name gave %d; want 409", r.StatusCode)
	}
	var patched user
	patch := map[string]any{"schemas": []string{"urn:ietf:params:scim:api:messages:2.0:PatchOp"},
		"Operations": []map[string]any{{"op": "replace", "path": "active", "value": false}}}
	if call(t, "PATCH", s.BaseURL()+"/Users/"+made.ID, patch, &patched); patched.Active {
		t.Error("the patched user is active")
	}
	var g group
	add := map[string]any{
		"schemas": patch["schemas"],
		"Operations": []map[string]any{
			{"op": "add", "path": "members", "value": []any{map[string]any{"value": made.ID}}},
		},
	}
	before := len(c.SaaS.Groups[0].Members)
	if call(t, "PATCH", s.BaseURL()+"/Groups/"+c.SaaS.Groups[0].ID, add, &g); len(g.Members) != before+1 {
		t.Errorf("the group has %d members; want %d", len(g.Members), before+1)
	}
	if r = call(t, "DELETE", s.BaseURL()+"/Users/"+made.ID, nil, nil); r.StatusCode != 204 {
		t.Errorf("delete gave %d; want 204", r.StatusCode)
	}
}

func TestFaultsReachTheClient(t *testing.T) {
	s, _ := start(t, 0)
	s.SetFaults(mishap.Faults{TooManyEvery: 2})
	if r := call(t, "GET", s.BaseURL()+"/Users?count=1", nil, nil); r.StatusCode != 200 {
		t.Errorf("the first request gave %d", r.StatusCode)
	}
	if r := call(
		t,
		"GET",
		s.BaseURL()+"/Users?count=1",
		nil,
		nil,
	); r.StatusCode != 429 ||
		r.Header.Get("Retry-After") != "1" {
		t.Errorf(
			"the second request gave %d, Retry-After %q; want 429 and 1",
			r.StatusCode,
			r.Header.Get("Retry-After"),
		)
	}
	if s.Requests() != 2 {
		t.Errorf("counted %d requests; want 2", s.Requests())
	}
}

func TestReadersAndChangesDoNotDisturbEachOther(t *testing.T) {
	s, c := start(t, 300)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 10 {
				var page list[user]
				call(t, "GET", s.BaseURL()+"/Users?count=100", nil, &page)
				var groups list[group]
				call(t, "GET", s.BaseURL()+"/Groups", nil, &groups)
			}
		})
	}
	for i := range 50 {
		login := c.SaaS.Accounts[i].Login
		if err := s.SetActive(login, i%2 == 0); err != nil {
			t.Fatal(err)
		}
		if err := s.AddMember("Power Users", login); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
}
