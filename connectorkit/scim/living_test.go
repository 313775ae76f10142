package scim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/schema"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// living is a target whose users and groups change between reads. The protocol and its filters are elimity's.
type living struct {
	mu     sync.Mutex
	clock  time.Time // of the target: moves only when a test says so
	users  []scim.Resource
	groups []scim.Resource

	still       bool // meta.lastModified of a group does not move with its members
	undated     bool // groups have no meta.lastModified
	whole       bool // attributes and excludedAttributes are ignored
	noFilter    func(w http.ResponseWriter, r *http.Request, all http.Handler) bool
	asked       []string // path and query of the requests but those for the declaration
	beforeAsked func(n int)
}

var longAgo = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// settlement is a living target of n users u0…, roles for every fifth, and groups of ten users each.
func settlement(users, groups int) *living {
	l := &living{clock: longAgo.Add(240 * time.Hour)}
	for i := range users {
		l.users = append(l.users, scim.Resource{ID: fmt.Sprintf("u%d", i), Meta: dated(longAgo), Attributes: person(i)})
	}
	if users > 0 {
		l.users[0].Meta = dated(longAgo.Add(48 * time.Hour)) // the latest of all
	}
	for i := range groups {
		var members []string
		for k := range min(10, users) {
			members = append(members, fmt.Sprintf("u%d", (i*10+k)%users))
		}
		l.groups = append(l.groups, crowd(fmt.Sprintf("g%d", i), members, longAgo))
	}
	return l
}

func dated(t time.Time) scim.Meta { return scim.Meta{Created: &longAgo, LastModified: &t} }

func person(i int) scim.ResourceAttributes {
	a := scim.ResourceAttributes{
		"userName":    fmt.Sprintf("user%d", i),
		"displayName": fmt.Sprintf("User %d", i),
		"active":      true,
	}
	if i%5 == 0 {
		a["roles"] = []any{map[string]any{"value": "auditor"}}
	}
	return a
}

func crowd(id string, members []string, at time.Time) scim.Resource {
	var list []any
	for _, m := range members {
		list = append(list, map[string]any{"value": m, "type": "User"})
	}
	return scim.Resource{
		ID:         id,
		Meta:       dated(at),
		Attributes: scim.ResourceAttributes{"displayName": "Group " + id, "members": list},
	}
}

// later lets a day pass.
func (l *living) later() { l.clock = l.clock.Add(24 * time.Hour) }

func (l *living) user(id string, change func(a scim.ResourceAttributes)) {
	i := slices.IndexFunc(l.users, func(r scim.Resource) bool { return r.ID == id })
	a := copied(l.users[i].Attributes)
	change(a)
	l.users[i] = scim.Resource{ID: id, Meta: dated(l.clock), Attributes: a}
}

func (l *living) regroup(id string, members ...string) {
	i := slices.IndexFunc(l.groups, func(r scim.Resource) bool { return r.ID == id })
	at := l.clock
	if l.still {
		at = *l.groups[i].Meta.LastModified
	}
	l.groups[i] = crowd(id, members, at)
}

func (l *living) remove(id string) {
	gone := func(r scim.Resource) bool { return r.ID == id }
	l.users, l.groups = slices.DeleteFunc(l.users, gone), slices.DeleteFunc(l.groups, gone)
	for i, g := range l.groups {
		var left []string
		members, _ := g.Attributes["members"].([]any)
		for _, m := range members {
			if member := m.(map[string]any)["value"].(string); member != id {
				left = append(left, member)
			}
		}
		l.groups[i] = crowd(g.ID, left, *g.Meta.LastModified)
	}
}

func copied(a scim.ResourceAttributes) scim.ResourceAttributes {
	out := scim.ResourceAttributes{}
	for k, v := range a {
		out[k] = v
	}
	return out
}

// side is one resource type of a living target.
type side struct {
	*shelf
	l   *living
	all func() []scim.Resource
}

func (s side) GetAll(req *http.Request, p scim.ListRequestParams) (scim.Page, error) {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	var found []scim.Resource
	for _, r := range s.all() {
		a := copied(r.Attributes)
		a["id"] = r.ID
		a["meta"] = map[string]any{"lastModified": r.Meta.LastModified.Format(time.RFC3339)}
		if p.FilterValidator == nil || p.FilterValidator.PassesFilter(a) == nil {
			found = append(found, s.l.shown(req, r))
		}
	}
	from := min(p.StartIndex-1, len(found))
	return scim.Page{TotalResults: len(found), Resources: found[from:min(from+p.Count, len(found))]}, nil
}

func (s side) Get(req *http.Request, id string) (scim.Resource, error) {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	for _, r := range s.all() {
		if r.ID == id {
			return s.l.shown(req, r), nil
		}
	}
	return scim.Resource{}, scimerrors.ScimErrorResourceNotFound(id)
}

// shown leaves what the client asked for (RFC 7644 section 3.9).
func (l *living) shown(req *http.Request, r scim.Resource) scim.Resource {
	r.Attributes = copied(r.Attributes)
	if l.undated && strings.HasPrefix(r.ID, "g") {
		r.Meta.LastModified = nil
	}
	if l.whole {
		return r
	}
	if want := req.FormValue("attributes"); want != "" {
		for name := range r.Attributes {
			if !slices.Contains(strings.Split(want, ","), name) {
				delete(r.Attributes, name)
			}
		}
	}
	for _, name := range strings.Split(req.FormValue("excludedAttributes"), ",") {
		delete(r.Attributes, name)
	}
	return r
}

// start serves the target and gives its address.
func (l *living) start(t testing.TB) string {
	t.Helper()
	srv, err := scim.NewServer(&scim.ServerArgs{
		ServiceProviderConfig: &scim.ServiceProviderConfig{MaxResults: 50, SupportFiltering: true},
		ResourceTypes: []scim.ResourceType{
			{
				Name:     "User",
				Endpoint: "/Users",
				Schema:   schema.CoreUserSchema(),
				Handler:  side{&shelf{}, l, func() []scim.Resource { return l.users }},
			},
			{
				Name:     "Group",
				Endpoint: "/Groups",
				Schema:   schema.CoreGroupSchema(),
				Handler:  side{&shelf{}, l, func() []scim.Resource { return l.groups }},
			},
		},
	})
	if err != nil {
		t.Fatalf("elimity server: %v", err)
	}
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		w.Header().Set("Date", l.clock.Format(http.TimeFormat))
		if r.URL.Path != "/ServiceProviderConfig" {
			l.asked = append(l.asked, asked(r))
			if l.beforeAsked != nil {
				l.beforeAsked(len(l.asked))
			}
		}
		l.mu.Unlock()
		if l.noFilter != nil && r.FormValue("filter") != "" && l.noFilter(w, r, srv) {
			return
		}
		srv.ServeHTTP(w, r)
	}))
}

func asked(r *http.Request) string {
	q := r.URL.Query()
	out := r.URL.Path
	for _, name := range []string{"filter", "attributes", "excludedAttributes", "count", "startIndex", "cursor"} {
		if q.Has(name) {
			out += " " + name + "=" + q.Get(name)
		}
	}
	return out
}

// store is what a control plane would know after some reads: every record and what was taken for gone.
type store struct {
	identities, accounts, entitlements map[string]string // id: attributes as text
	grants                             map[string]bool
	cursor                             string
}

func newStore() *store {
	return &store{map[string]string{}, map[string]string{}, map[string]string{}, map[string]bool{}, ""}
}

// read reads the target into the store: changes where there is a cursor.
func (s *store) read(t testing.TB, base string, more ...any) reads {
	t.Helper()
	got, err := s.try(t, connector(), base, "", -1, more...)
	if err != nil {
		t.Fatalf("Sync: %v", err)
	}
	s.take(got)
	return got
}

// try reads; with stop at least 0 the receiver fails after so many pages.
func (s *store) try(
	t testing.TB,
	k connectorkit.Connector,
	base, checkpoint string,
	stop int,
	more ...any,
) (reads, error) {
	t.Helper()
	req := v1.SyncRequest{
		Incremental: s.cursor != "",
		AuthConfig:  bearer(base, more...),
		Options:     &v1.SyncOptions{Cursor: s.cursor, Checkpoint: checkpoint},
	}
	return gather(t, k, req, stop)
}

// take does with a read what a control plane does, but at once: what lies in a complete scope and was not seen is gone.
func (s *store) take(got reads) {
	seen := map[v1.ObjectKind]map[string]bool{v1.Identities: {}, v1.Accounts: {}, v1.Entitlements: {}, v1.Grants: {}}
	for _, r := range got.Identities {
		s.identities[r.ExternalID], seen[v1.Identities][r.ExternalID] = fmt.Sprint(r.Attributes), true
	}
	for _, r := range got.Accounts {
		s.accounts[r.ExternalID], seen[v1.Accounts][r.ExternalID] = fmt.Sprint(r.Attributes), true
	}
	for _, r := range got.Entitlements {
		s.entitlements[r.ExternalID], seen[v1.Entitlements][r.ExternalID] = *r.DisplayName, true
	}
	for _, g := range got.Grants {
		key := g.EntitlementExternalID + " " + resource.Principal(g)
		if s.grants[key], seen[v1.Grants][key] = true, true; g.Deleted {
			delete(s.grants, key)
		}
	}
	for _, p := range got.present {
		for _, id := range p.ExternalIDs {
			seen[p.Kind][id] = true
		}
	}
	for _, sc := range append(slices.Clone(got.scopes), got.last.Scopes...) {
		if sc.Complete {
			s.sweep(sc, seen[sc.Kind])
		}
	}
	s.cursor = got.last.Cursor
}

func (s *store) sweep(sc v1.Scope, seen map[string]bool) {
	records := map[v1.ObjectKind]map[string]string{v1.Identities: s.identities, v1.Accounts: s.accounts,
		v1.Entitlements: s.entitlements}[sc.Kind]
	for id := range records {
		if !seen[id] {
			delete(records, id)
			for key := range s.grants {
				if sc.Kind != v1.Identities && (strings.HasPrefix(key, id+" ") || strings.HasSuffix(key, " "+id)) {
					delete(s.grants, key)
				}
			}
		}
	}
	if sc.Kind != v1.Grants {
		return
	}
	what, id, _ := strings.Cut(sc.Key, ":")
	for key := range s.grants {
		in := what == "*" || what == "entitlement" && strings.HasPrefix(key, id+" ") ||
			what == "account" && strings.HasSuffix(key, " "+id)
		if in && !seen[key] {
			delete(s.grants, key)
		}
	}
}
