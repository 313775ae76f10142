package scim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// club is a target in the shape of one vendor or another: groups with members, told in the way that its fields say.
type club struct {
	members map[string]int // of each group: u0 to n-1

	inList   int  // members told in the list at most; -1: the attribute is left out
	inGet    int  // the same of a group asked for by itself
	byUser   bool // users carry their groups
	filters  bool // users can be asked for by groups.value
	cursors  bool // pages by cursor only, and no attributes
	counts   bool // groups say how many members they have
	heavy    int  // a group of more members than this fails with 504 when asked for by itself
	requests []string
}

func (c *club) users() int {
	most := 0
	for _, n := range c.members {
		most = max(most, n)
	}
	return most
}

func (c *club) names() []string {
	var names []string
	for name := range c.members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (c *club) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests = append(c.requests, asked(r))
	switch {
	case r.URL.Path == "/ServiceProviderConfig":
		fmt.Fprintf(w, `{"filter":{"supported":%t,"maxResults":100}}`, c.filters)
	case r.URL.Path == "/Users":
		c.list(w, r, c.found(r.FormValue("filter")), c.user)
	case r.URL.Path == "/Groups":
		c.list(w, r, c.names(), func(id string) map[string]any { return c.group(id, c.inList, r) })
	default:
		id := strings.TrimPrefix(r.URL.Path, "/Groups/")
		n, ok := c.members[id]
		switch {
		case !ok:
			scimError(w, 404, "", "no such group")
		case c.heavy > 0 && n > c.heavy:
			w.WriteHeader(504)
		default:
			_ = json.NewEncoder(w).Encode(c.group(id, c.inGet, r))
		}
	}
}

func (c *club) found(filter string) (ids []string) {
	n := c.users()
	if filter != "" {
		n = 0
		if rest, ok := strings.CutPrefix(filter, `groups.value eq "`); ok && c.filters {
			n = c.members[strings.TrimSuffix(rest, `"`)]
		}
	}
	for i := range n {
		ids = append(ids, fmt.Sprintf("u%d", i))
	}
	return ids
}

func (c *club) user(id string) map[string]any {
	u := map[string]any{"id": id, "userName": id}
	i, _ := strconv.Atoi(id[1:])
	var groups []any
	for _, name := range c.names() {
		if c.byUser && i < c.members[name] {
			groups = append(
				groups,
				map[string]any{"value": name, "type": map[bool]string{true: "direct", false: "indirect"}[i%2 == 0]},
			)
		}
	}
	if len(groups) > 0 {
		u["groups"] = groups
	}
	return u
}

func (c *club) group(id string, most int, r *http.Request) map[string]any {
	g := map[string]any{"id": id, "displayName": id}
	if c.counts {
		g["urn:vendor:Group"] = map[string]any{"memberCount": c.members[id]}
	}
	if most < 0 || r.FormValue("excludedAttributes") == "members" && !c.cursors {
		return g
	}
	var members []any
	for i := range min(c.members[id], most) {
		members = append(members, map[string]any{"value": fmt.Sprintf("u%d", i), "type": "User"})
	}
	if members != nil {
		g["members"] = members
	}
	return g
}

func (c *club) list(w http.ResponseWriter, r *http.Request, ids []string, of func(string) map[string]any) {
	from, _ := strconv.Atoi(r.FormValue("startIndex"))
	from = max(from-1, 0)
	if c.cursors {
		from, _ = strconv.Atoi(r.FormValue("cursor"))
	}
	count, _ := strconv.Atoi(r.FormValue("count"))
	out := map[string]any{"totalResults": len(ids)}
	to := min(from+min(count, 100), len(ids))
	resources := []any{}
	for _, id := range ids[min(from, to):to] {
		resources = append(resources, of(id))
	}
	out["Resources"] = resources
	if c.cursors {
		delete(out, "totalResults")
		if to < len(ids) {
			out["nextCursor"] = strconv.Itoa(to)
		}
	}
	_ = json.NewEncoder(w).Encode(out)
}

// told is who the read found in each group.
func told(got reads) map[string]int {
	out := map[string]int{}
	seen := map[string]bool{}
	for _, g := range got.Grants {
		key := g.EntitlementExternalID + " " + resource.Principal(g)
		if !seen[key] {
			out[g.EntitlementExternalID]++
		}
		seen[key] = true
	}
	return out
}

const plenty = 1 << 20

func TestMembersAreFoundByTheWayTheTargetHas(t *testing.T) {
	sizes := map[string]int{"a": 3, "b": 150, "c": 0, "d": 7}
	for _, tt := range []struct {
		name string
		club club
		more []any
		warn string
		way  string // a request that must have been made
	}{
		{"in the list", club{inList: plenty, inGet: plenty}, nil, "", ""},
		{"group by group", club{inList: -1, inGet: plenty}, nil, "", "/Groups/b"},
		{"carried by users", club{inList: -1, inGet: -1, byUser: true}, nil, "members_by_user",
			"/Users attributes=id,groups count=100 startIndex=101"},
		{"carried by users, as told", club{inList: -1, inGet: -1, byUser: true},
			[]any{"member_strategy", settings.MembersByUser}, "", "/Users count=100 startIndex=101"},
		{"by asking for users", club{inList: -1, inGet: -1, filters: true}, nil, "members_by_filter",
			`/Users filter=groups.value eq "b" attributes=id count=100 startIndex=101`},
		{"by asking for users, as known of AWS", club{inList: 0, inGet: 0, filters: true, cursors: true},
			[]any{"vendor_profile", "aws-identity-center"}, "",
			`/Users filter=groups.value eq "b" count=100 cursor=100`},
		{"too heavy to ask for alone", club{inList: -1, inGet: plenty, heavy: 100, filters: true},
			[]any{"member_strategy", settings.MembersByGet}, "members_by_filter",
			`/Users filter=groups.value eq "b" attributes=id count=100 startIndex=1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.club.members = sizes
			got := mustSync(t, bearer(serve(t, &tt.club), tt.more...), nil)
			if diff := cmp.Diff(map[string]int{"a": 3, "b": 150, "d": 7}, told(got)); diff != "" {
				t.Errorf("members (-want +got):\n%s\nwarnings %v", diff, got.warns)
			}
			if tt.warn != "" && !got.warned(tt.warn) {
				t.Errorf("warnings = %v, want %s", got.warns, tt.warn)
			}
			want := "identities true 150, accounts true 150, entitlements true 4, grants true 160"
			if got.complete() != want {
				t.Errorf("scopes = %s; want %s", got.complete(), want)
			}
			if tt.way != "" && !slices.Contains(tt.club.requests, tt.way) {
				t.Errorf("%q was not asked in %q", tt.way, tt.club.requests)
			}
		})
	}
}

func TestAFilterByGroupThatIsIgnoredMakesNobodyAMember(t *testing.T) {
	everybody := page(2, `[{"id":"u1"},{"id":"u2"}]`, "")
	base := serve(
		t,
		answer(
			map[string]string{
				"/Users":  everybody,
				"/Groups": page(1, `[{"id":"g","displayName":"G","members":[]}]`, ""),
			},
		),
	)
	got := mustSync(t, bearer(base, "vendor_profile", "aws-identity-center"), nil)
	if len(got.Grants) != 0 || !got.warned("members_unreadable") ||
		!strings.Contains(got.complete(), "entitlements true 1, grants false 0") {
		t.Errorf("grants %v, scopes %s, warnings %v", got.Grants, got.complete(), got.warns)
	}
}

func TestMembersOfUntoldKindAreUsersWhereGroupsHoldOnlyUsers(t *testing.T) {
	base := serve(
		t,
		answer(
			map[string]string{
				"/Users":  noUsers,
				"/Groups": page(1, `[{"id":"g","members":[{"value":"u1","display":"Ana"}]}]`, ""),
			},
		),
	)
	got := mustSync(t, bearer(base, "vendor_profile", "slack"), nil)
	if diff := cmp.Diff(
		[]v1.RemoteGrant{{AccountExternalID: ptr("u1"), EntitlementExternalID: "g"}},
		got.Grants,
	); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

func TestIndirectMembershipsOfUsersAreInherited(t *testing.T) {
	c := &club{members: map[string]int{"a": 2}, inList: -1, inGet: -1, byUser: true}
	got := mustSync(t, bearer(serve(t, c), "member_strategy", settings.MembersByUser), nil)
	want := []v1.RemoteGrant{
		{AccountExternalID: ptr("u0"), EntitlementExternalID: "a"},
		{AccountExternalID: ptr("u1"), EntitlementExternalID: "a", Directness: "inherited"},
	}
	if diff := cmp.Diff(want, got.Grants); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

func TestMembersThatAreKeptBackAreNotTakenForGone(t *testing.T) {
	sizes := map[string]int{"a": 3, "b": 150, "c": 230, "d": 170}
	whole := map[string]int{"a": 3, "b": 150, "c": 230, "d": 170}
	short := map[string]int{"a": 3, "b": 100, "c": 100, "d": 100}
	for _, tt := range []struct {
		name   string
		club   club
		more   []any
		want   map[string]int
		warn   string
		grants string
	}{
		{"the list keeps back, the group does not", club{inList: 100, inGet: plenty}, nil, whole, "members_by_get",
			"grants true 553"},
		{"both do, users can be asked for", club{inList: 100, inGet: 100, filters: true}, nil, whole,
			"members_by_filter", "grants true 553"},
		{"nothing else is told", club{inList: 100, inGet: 100}, nil, short, "members_truncated", "grants false 303"},
		{"known of the vendor", club{inList: 100, inGet: 100}, []any{"vendor_profile", "fusionauth"}, short,
			"members_truncated", "grants false 303"},
		{"groups say how many they are", club{inList: 90, inGet: 90, counts: true}, nil,
			map[string]int{"a": 3, "b": 90, "c": 90, "d": 90}, "members_truncated", "grants false 273"},
		{"the way is set by hand", club{inList: 100, inGet: plenty}, []any{"member_strategy", settings.MembersInline}, short,
			"members_truncated", "grants false 303"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.club.members = sizes
			got := mustSync(t, bearer(serve(t, &tt.club), tt.more...), nil)
			if diff := cmp.Diff(tt.want, told(got)); diff != "" {
				t.Errorf("members (-want +got):\n%s", diff)
			}
			if !got.warned(tt.warn) || !strings.HasSuffix(got.complete(), tt.grants) {
				t.Errorf("scopes %s, warnings %v; want %s and %s", got.complete(), got.warns, tt.grants, tt.warn)
			}
			var single []v1.Scope
			if strings.Contains(tt.grants, "false") {
				single = []v1.Scope{{Kind: v1.Grants, Key: "entitlement:a", Complete: true, Count: 3}}
			}
			if diff := cmp.Diff(single, got.scopes, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("scopes of single groups (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGroupsThatReallyHaveARoundNumberOfMembersAreBelieved(t *testing.T) {
	for name, c := range map[string]*club{
		"one larger": {members: map[string]int{"a": 100, "b": 100, "c": 100, "d": 101}, inList: plenty,
			inGet: plenty},
		"only two": {members: map[string]int{"a": 100, "b": 100, "c": 3}, inList: plenty, inGet: plenty},
		"the filter says so": {members: map[string]int{"a": 100, "b": 100, "c": 100}, inList: plenty, inGet: plenty,
			filters: true},
		"not a number to fear": {members: map[string]int{"a": 99, "b": 99, "c": 99}, inList: plenty, inGet: plenty},
	} {
		got := mustSync(t, bearer(serve(t, c)), nil)
		if got.warned("members_truncated") || !strings.Contains(got.complete(), "grants true") {
			t.Errorf("%s: scopes %s, warnings %v", name, got.complete(), got.warns)
		}
	}
}

func TestAHeavyGroupThatNothingTellsLeavesTheOthersBe(t *testing.T) {
	c := &club{members: map[string]int{"a": 3, "b": 150}, inList: -1, inGet: plenty, heavy: 100}
	got := mustSync(t, bearer(serve(t, c), "member_strategy", settings.MembersByGet), nil)
	if diff := cmp.Diff(map[string]int{"a": 3}, told(got)); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if !strings.Contains(got.complete(), "entitlements true 2, grants false 3") || !got.warned("record_skipped") ||
		len(got.scopes) != 1 {
		t.Errorf("scopes %s and %v, warnings %v", got.complete(), got.scopes, got.warns)
	}
}

func TestMembershipsOfUsersAreKeptByTheirChanges(t *testing.T) {
	s := newStore()
	memberships := map[string][]string{"u0": {"a", "b"}, "u1": {"b"}, "u2": {"a"}}
	changed := map[string]bool{}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		filter := r.FormValue("filter")
		resources := []any{}
		switch r.URL.Path {
		case "/Users":
			for _, id := range []string{"u0", "u1", "u2"} {
				if strings.Contains(filter, "2199") || strings.Contains(filter, "2026") && !changed[id] {
					continue
				}
				u := map[string]any{"id": id, "meta": map[string]any{"lastModified": "2026-03-01T00:00:00Z"}}
				if r.FormValue("attributes") != "id" {
					groups := []any{}
					for _, g := range memberships[id] {
						groups = append(groups, map[string]any{"value": g})
					}
					u["groups"], u["displayName"] = groups, id
				}
				resources = append(resources, u)
			}
		case "/Groups":
			for _, id := range []string{"a", "b"} {
				resources = append(
					resources,
					map[string]any{
						"id":          id,
						"displayName": id,
						"meta":        map[string]any{"lastModified": "2026-01-01T00:00:00Z"},
					},
				)
			}
		default:
			scimError(w, 404, "", "no such endpoint")
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"totalResults": len(resources), "Resources": resources})
	}))
	s.read(t, base, "member_strategy", settings.MembersByUser)
	memberships["u0"], changed["u0"] = []string{"b"}, true
	got := s.read(t, base, "member_strategy", settings.MembersByUser)
	if got.way() != checkpoint.StrategyLastModified {
		t.Fatalf("read = %s", got.way())
	}
	want := map[string]bool{"b u0": true, "b u1": true, "a u2": true}
	if diff := cmp.Diff(want, s.grants); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}
