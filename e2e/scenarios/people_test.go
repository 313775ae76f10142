package scenarios

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
)

func TestEverybodySeesAndDoesWhatTheirRolesSay(t *testing.T) {
	t.Parallel()
	h, s := open(t, 150, 0)
	h.Sync(h.Admin, h.Connect(h.Admin, s.state.PersonnelWithRoles()), api.Sync{})
	h.Sync(h.Admin, h.Connect(h.Admin, s.state.Directory()), api.Sync{})
	second := h.Second()
	all := known(h, h.Admin)
	t.Run("each role sees its own part, and totals agree", func(t *testing.T) { parts(t, h.For(t), all) })
	t.Run(
		"a role works, and no longer works, with the next request",
		func(t *testing.T) { promoted(t, h.For(t), all, second) },
	)
	t.Run("whoever is disabled is out of every process", func(t *testing.T) { disabled(t, h.For(t), second) })
	t.Run("a tenant keeps its last administrator", func(t *testing.T) { lastAdmin(t, h.For(t), second) })
}

func parts(t *testing.T, h *harness.House, all world) {
	boss, clerk := all.boss(t)
	thing := all.popular()
	h.Expect("200", h.Admin, "PATCH", "/entitlements/"+thing, map[string]any{"owner_ids": []string{clerk.ID}})
	manager := h.Member(h.Admin, "manager@main.example", boss.ID, "manager")
	owner := h.Member(h.Admin, "owner@main.example", clerk.ID, "resource_owner")
	auditor := h.Member(h.Admin, "auditor@main.example", "", "auditor")
	peer := all.under(boss.ID).people[0].ID
	plain := h.Member(h.Admin, "plain@main.example", peer)
	for _, tt := range []struct {
		name   string
		who    harness.Member
		is     string // whose record is theirs
		sees   world
		refuse string // how a change is refused
	}{
		{"manager", manager, boss.ID, all.under(boss.ID), "403 forbidden"},
		{"resource owner", owner, clerk.ID, all.ownedIn(thing), "403 forbidden"},
		{"auditor", auditor, "", all, "403 read_only_role"},
		{"nobody in particular", plain, peer, world{}, "403 forbidden"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := h.For(t)
			sight(t, h, tt.who.Client, all, tt.sees)
			hidden(t, h, tt.who.Client, all, tt.sees, all.hangingOn(map[string]bool{tt.is: true}))
			h.Expect(
				tt.refuse,
				tt.who.Client,
				"POST",
				"/identities",
				map[string]any{"external_id": "x", "email": "x@main.example"},
			)
			h.Expect(tt.refuse, tt.who.Client, "PATCH", "/entitlements/"+thing, map[string]any{"owner_ids": []string{}})
			h.Expect(tt.refuse, tt.who.Client, "DELETE", "/settings/users/"+plain.ID, nil)
			h.Expect(
				tt.refuse,
				tt.who.Client,
				"POST",
				"/settings/api-tokens",
				map[string]any{"name": "x", "role": "admin", "scopes": []string{"users:write"}},
			)
		})
	}
	for who, want := range map[harness.Member]string{manager: boss.ID, owner: clerk.ID} {
		own := harness.Read[identity](h, h.Expect("200", who.Client, "GET", "/identities/me", nil))
		if own.ID != want {
			t.Errorf("the own record of %s is %s; want %s", who.Email, own.ID, want)
		}
		h.Expect("403 forbidden", who.Client, "GET", "/settings/users", nil)
		h.Expect("403 forbidden", who.Client, "GET", "/audit-events", nil)
		h.Expect("403 forbidden", who.Client, "GET", "/connectors", nil)
	}
	h.Expect("200", auditor.Client, "GET", "/settings/users", nil)
	h.Expect("200", auditor.Client, "GET", "/audit-events", nil)
}

// sight holds what somebody sees in lists, their totals and filters against what they should.
func sight(t *testing.T, h *harness.House, c *api.Client, all, want world) {
	t.Helper()
	wanted := want.ids()
	if diff := cmp.Diff(wanted, known(h, c).ids()); diff != "" {
		t.Errorf("sees -want +got\n%s", shorten(diff))
	}
	for list, ids := range wanted {
		if got := h.Total(c, list); got != int64(len(ids)) {
			t.Errorf("the total of %s is %d; want %d", list, got, len(ids))
		}
		if len(ids) > 0 {
			h.Expect("200", c, "GET", list+"/"+ids[0], nil)
		}
	}
	departments := map[string]int64{}
	for _, p := range all.people {
		if p.Department != nil {
			departments[*p.Department] += 0
		}
	}
	for _, p := range want.people {
		if p.Department != nil {
			departments[*p.Department]++
		}
	}
	for name, n := range departments {
		if got := h.Total(c, "/identities?"+url.Values{"department": {name}}.Encode()); got != n {
			t.Errorf("of the department %s %d people are counted; want %d", name, got, n)
		}
	}
	me := harness.Read[struct {
		Visibility struct {
			Identities int `json:"identities"`
		} `json:"visibility"`
	}](h, h.Expect("200", c, "GET", "/auth/me", nil))
	if me.Visibility.Identities != len(want.people) {
		t.Errorf("me tells of %d people; want %d", me.Visibility.Identities, len(want.people))
	}
}

// hidden looks at a few of the things that somebody must not see, each of which is not there for them. What is their
// own they can read, though no list shows it.
func hidden(t *testing.T, h *harness.House, c *api.Client, all, sees, own world) {
	t.Helper()
	visible, mine := sees.ids(), own.ids()
	for list, ids := range all.ids() {
		looked := 0
		for _, id := range ids {
			if slices.Contains(visible[list], id) || slices.Contains(mine[list], id) || looked == 5 {
				continue
			}
			looked++
			nothing := uuid.NewString()
			there := impersonal(t, h.Expect("404 not_found", c, "GET", list+"/"+id, nil))
			absent := impersonal(t, h.Expect("404 not_found", c, "GET", list+"/"+nothing, nil))
			if diff := cmp.Diff(nameless(absent, nothing), nameless(there, id)); diff != "" {
				t.Errorf("%s: what is hidden and what is not there differ:\n%s", list, diff)
			}
		}
		if len(mine[list]) > 0 {
			h.Expect("200", c, "GET", list+"/"+mine[list][0], nil)
		}
	}
}

// nameless is an answer without the id that was asked for, and without what changes from one request to the next.
func nameless(answer map[string]any, id string) string {
	delete(answer, "header")
	return strings.ReplaceAll(fmt.Sprint(answer), id, "ID")
}

func promoted(t *testing.T, h *harness.House, all world, second *rig.ControlPlane) {
	report := all.people[0] // a head, whom nobody below sees
	gil := h.Member(h.Admin, "gil@main.example", "")
	there := gil.At(second.URL())
	become := func(roles ...string) {
		t.Helper()
		h.Expect(
			"200",
			h.Admin,
			"PATCH",
			"/settings/users/"+gil.ID,
			map[string]any{"roles": append([]string{}, roles...)},
		)
	}
	h.Expect("404 not_found", gil.Client, "GET", "/identities/"+report.ID, nil)
	h.Expect("404 not_found", there, "GET", "/identities/"+report.ID, nil)
	become("auditor")
	h.Expect("200", gil.Client, "GET", "/identities/"+report.ID, nil)
	harness.Soon(
		t,
		"the second process knows the new role",
		func() bool { return h.Ask(there, "GET", "/identities/"+report.ID, nil).Status == 200 },
	)
	h.Expect("403 read_only_role", gil.Client, "PATCH", "/identities/"+report.ID, map[string]any{"title": "Head"})
	become("auditor", "admin")
	h.Expect("200", gil.Client, "PATCH", "/identities/"+report.ID, map[string]any{"location": "Bern"})
	become()
	h.Expect("404 not_found", gil.Client, "GET", "/identities/"+report.ID, nil)
	h.Expect("403 forbidden", gil.Client, "PATCH", "/identities/"+report.ID, map[string]any{"location": "Basel"})
	harness.Soon(
		t,
		"the second process has forgotten the roles",
		func() bool { return h.Ask(there, "GET", "/identities/"+report.ID, nil).Status == 404 },
	)
}

func disabled(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	hal := h.Member(h.Admin, "hal@main.example", "", "auditor")
	there := hal.At(second.URL())
	s := signIn(h, hal.Email)
	for _, c := range []*api.Client{hal.Client, there, hal.As(s.Access)} {
		h.Expect("200", c, "GET", "/identities?limit=1", nil)
	}
	h.Expect("200", h.Admin, "PATCH", "/settings/users/"+hal.ID, map[string]any{"enabled": false})
	h.Expect("401 token_revoked", hal.Client, "GET", "/identities?limit=1", nil)
	harness.Soon(t, "the second process lets nobody in who is disabled", func() bool {
		return harness.Outcome(h.Ask(there, "GET", "/identities?limit=1", nil)) == "401 token_revoked"
	})
	for _, c := range []*api.Client{hal.As(""), there.As("")} {
		h.Expect(
			"401 invalid_credentials",
			c,
			"POST",
			"/auth/login",
			credentials(hal.Email, harness.Password(hal.Email)),
		)
		h.Expect("401 invalid_grant", c.As(s.Refresh), "POST", "/auth/refresh", nil)
	}
	h.Expect("200", h.Admin, "PATCH", "/settings/users/"+hal.ID, map[string]any{"enabled": true})
	h.Expect("401 token_revoked", hal.Client, "GET", "/identities?limit=1", nil) // what has ended does not come back
	signIn(h, hal.Email)
}

func lastAdmin(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	first := h.Tenant("twins")
	email, _ := harness.Account("twins")
	me := harness.All[struct {
		ID string `json:"id"`
	}](h, first, "/settings/users", url.Values{"q": {email}})[0].ID
	demoted := map[string]any{"roles": []string{}}
	h.Expect("409 last_admin", first, "PATCH", "/settings/users/"+me, demoted)
	h.Expect("409 own_user", first, "PATCH", "/settings/users/"+me, map[string]any{"enabled": false})
	h.Expect("409 own_user", first, "DELETE", "/settings/users/"+me, nil)
	h.Expect(
		"201",
		first,
		"POST",
		"/settings/users",
		map[string]any{"email": "late@twins.example", "roles": []string{"admin"}},
	)
	h.Expect("409 last_admin", first, "PATCH", "/settings/users/"+me, demoted) // who was only invited may never come

	// Two administrators take each other's role away at the same moment, each by another process.
	twin := h.Member(first, "twin@twins.example", "", "admin")
	var answers [2]api.Answer
	var both sync.WaitGroup
	both.Go(func() { answers[0] = h.Ask(first, "PATCH", "/settings/users/"+twin.ID, demoted) })
	both.Go(func() { answers[1] = h.Ask(twin.At(second.URL()), "PATCH", "/settings/users/"+me, demoted) })
	both.Wait()
	got := []string{harness.Outcome(answers[0]), harness.Outcome(answers[1])}
	won := slices.Index(got, "200")
	if won < 0 || !slices.Contains([]string{"409 last_admin", "403 forbidden"}, got[1-won]) {
		t.Fatalf("they are answered %q; want that one of them has gone through, and not the other", got)
	}
	left := []*api.Client{first, twin.Client}[won]
	if n := h.Total(left, "/settings/users?role=admin&status=active"); n != 1 {
		t.Errorf("%d administrators are left; want one", n)
	}
}
