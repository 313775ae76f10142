package scim

import (
	"encoding/json"
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

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
)

// estate is a target that can be changed. Protocol, filters and PATCH are elimity's; unique names, versions and
// If-Match, which it leaves to others, are this file's.
type estate struct {
	mu      sync.Mutex
	users   *drawer
	groups  *drawer
	srv     http.Handler
	etags   bool
	patch   bool
	before  func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
	sent    []string                                          // changes, as method, path, If-Match and body
	bodies  []map[string]any
	got     []string // what was asked for
	headers []http.Header
}

type drawer struct {
	e      *estate
	prefix string
	schema schema.Schema
	more   []schema.Schema
	unique string
	all    []scim.Resource
	next   int
}

func (d *drawer) find(id string) int {
	return slices.IndexFunc(d.all, func(r scim.Resource) bool { return r.ID == id })
}

func (d *drawer) taken(a scim.ResourceAttributes, but string) bool {
	name, _ := a[d.unique].(string)
	return d.unique != "" && slices.ContainsFunc(d.all, func(r scim.Resource) bool {
		other, _ := r.Attributes[d.unique].(string)
		return r.ID != but && strings.EqualFold(other, name)
	})
}

func (d *drawer) keep(i int, a scim.ResourceAttributes) (scim.Resource, error) {
	was := d.all[i]
	if d.taken(a, was.ID) {
		return scim.Resource{}, scimerrors.ScimErrorUniqueness
	}
	for name, v := range a { // as their PATCH leaves attributes of extensions
		if i := strings.LastIndexByte(name, ':'); i > 0 && strings.HasSuffix(name[:i], ":User") {
			was, _ := a[name[:i]].(map[string]any)
			work := map[string]any(copied(was))
			work[name[i+1:]] = v
			a[name[:i]] = work
			delete(a, name)
		}
	}
	now := longAgo.Add(time.Hour)
	d.next++
	d.all[i] = scim.Resource{
		ID:         was.ID,
		Attributes: a,
		Meta:       scim.Meta{Created: was.Meta.Created, LastModified: &now, Version: fmt.Sprintf(`W/"%d"`, d.next)},
	}
	return d.shown(d.all[i]), nil
}

func (d *drawer) shown(r scim.Resource) scim.Resource {
	r.Attributes = copied(r.Attributes)
	delete(r.Attributes, "password")
	return r
}

func (d *drawer) Create(_ *http.Request, a scim.ResourceAttributes) (scim.Resource, error) {
	if d.taken(a, "") {
		return scim.Resource{}, scimerrors.ScimErrorUniqueness
	}
	d.next++
	d.all = append(
		d.all,
		scim.Resource{
			ID:         fmt.Sprintf("%s%d", d.prefix, d.next),
			Attributes: a,
			Meta:       scim.Meta{Created: &longAgo, Version: `W/"0"`},
		},
	)
	return d.shown(d.all[len(d.all)-1]), nil
}

func (d *drawer) Get(_ *http.Request, id string) (scim.Resource, error) {
	if i := d.find(id); i >= 0 {
		return d.shown(d.all[i]), nil
	}
	return scim.Resource{}, scimerrors.ScimErrorResourceNotFound(id)
}

func (d *drawer) GetAll(_ *http.Request, p scim.ListRequestParams) (scim.Page, error) {
	found := []scim.Resource{}
	for _, r := range d.all {
		a := copied(r.Attributes)
		a["id"] = r.ID
		if p.FilterValidator == nil || p.FilterValidator.PassesFilter(a) == nil {
			found = append(found, d.shown(r))
		}
	}
	from := min(p.StartIndex-1, len(found))
	return scim.Page{TotalResults: len(found), Resources: found[from:min(from+p.Count, len(found))]}, nil
}

func (d *drawer) Replace(_ *http.Request, id string, a scim.ResourceAttributes) (scim.Resource, error) {
	if i := d.find(id); i >= 0 {
		return d.keep(i, a)
	}
	return scim.Resource{}, scimerrors.ScimErrorResourceNotFound(id)
}

func (d *drawer) Delete(_ *http.Request, id string) error {
	i := d.find(id)
	if i < 0 {
		return scimerrors.ScimErrorResourceNotFound(id)
	}
	d.all = slices.Delete(d.all, i, i+1)
	return nil
}

func (d *drawer) Patch(_ *http.Request, id string, ops []scim.PatchOperation) (scim.Resource, error) {
	i := d.find(id)
	if i < 0 {
		return scim.Resource{}, scimerrors.ScimErrorResourceNotFound(id)
	}
	a, err := scim.ApplyPatch(d.all[i].Attributes, ops, d.schema, d.more...)
	if err != nil {
		return scim.Resource{}, err
	}
	return d.keep(i, a)
}

// newEstate has two users, ada and bob, and the groups staff with both of them and empty with nobody.
func newEstate(t testing.TB) (*estate, string) {
	t.Helper()
	e := &estate{patch: true}
	e.users = &drawer{
		e:      e,
		prefix: "u",
		schema: schema.CoreUserSchema(),
		more:   []schema.Schema{schema.ExtensionEnterpriseUser()},
		unique: "userName",
	}
	e.groups = &drawer{e: e, prefix: "g", schema: schema.CoreGroupSchema()}
	for _, name := range []string{"ada", "bob"} {
		e.users.all = append(
			e.users.all,
			scim.Resource{
				ID:   name,
				Meta: scim.Meta{Created: &longAgo, Version: `W/"0"`},
				Attributes: scim.ResourceAttributes{
					"userName":    name + "@example.test",
					"active":      true,
					"displayName": name,
					"title":       "Clerk",
					"name":        map[string]any{"givenName": name, "familyName": "Byron"},
					"emails": []any{
						map[string]any{"value": name + "@home.test", "type": "home"},
						map[string]any{"value": name + "@example.test", "type": "work", "primary": true},
					},
					resource.EnterpriseUser: map[string]any{"department": "D1"},
					"roles":                 []any{map[string]any{"value": "auditor"}},
				},
			},
		)
	}
	members := []any{map[string]any{"value": "ada", "type": "User"}, map[string]any{"value": "bob", "type": "User"}}
	for id, m := range map[string][]any{"staff": members, "empty": nil} {
		a := scim.ResourceAttributes{"displayName": id}
		if m != nil {
			a["members"] = m
		}
		e.groups.all = append(
			e.groups.all,
			scim.Resource{ID: id, Attributes: a, Meta: scim.Meta{Created: &longAgo, Version: `W/"0"`}},
		)
	}
	var err error
	e.srv, err = scim.NewServer(&scim.ServerArgs{
		ServiceProviderConfig: &scim.ServiceProviderConfig{MaxResults: 50, SupportFiltering: true, SupportPatch: true},
		ResourceTypes: []scim.ResourceType{
			{
				Name:             "User",
				Endpoint:         "/Users",
				Schema:           schema.CoreUserSchema(),
				Handler:          e.users,
				SchemaExtensions: []scim.SchemaExtension{{Schema: schema.ExtensionEnterpriseUser()}},
			},
			{Name: "Group", Endpoint: "/Groups", Schema: schema.CoreGroupSchema(), Handler: e.groups},
		},
	})
	if err != nil {
		t.Fatalf("elimity server: %v", err)
	}
	return e, serve(t, e)
}

func (e *estate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.URL.Path == "/ServiceProviderConfig" {
		w.Header().Set("Content-Type", "application/scim+json")
		fmt.Fprintf(
			w,
			`{"schemas":["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],"patch":{"supported":%t},`+
				`"filter":{"supported":true,"maxResults":50},`+
				`"etag":{"supported":%t},"changePassword":{"supported":true},"sort":{"supported":false},`+
				`"bulk":{"supported":false}}`,
			e.patch,
			e.etags,
		)
		return
	}
	if r.Method != http.MethodGet {
		e.note(r)
	} else {
		e.got = append(e.got, r.URL.Path)
	}
	if e.before != nil && e.before(w, r) {
		return
	}
	if want := r.Header.Get("If-Match"); want != "" {
		parts := strings.Split(r.URL.Path, "/")
		for _, d := range []*drawer{e.users, e.groups} {
			if i := d.find(parts[len(parts)-1]); i >= 0 && d.all[i].Meta.Version != want {
				scimError(w, 412, "", "the version is "+d.all[i].Meta.Version)
				return
			}
		}
	}
	e.srv.ServeHTTP(w, r)
}

// note keeps what was sent and gives it back to the request.
func (e *estate) note(r *http.Request) {
	b, _ := readAll(r)
	line := r.Method + " " + r.URL.RequestURI()
	if m := r.Header.Get("If-Match"); m != "" {
		line += " if " + m
	}
	if len(b) > 0 {
		line += " " + string(b)
	}
	var body map[string]any
	_ = json.Unmarshal(b, &body)
	e.sent, e.bodies, e.headers = append(e.sent, line), append(e.bodies, body), append(e.headers, r.Header.Clone())
}

// took gives what was sent since the last call.
func (e *estate) took() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.sent
	e.sent = nil
	return out
}

func (e *estate) user(id string) scim.ResourceAttributes {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := e.users.find(id); i >= 0 {
		return e.users.all[i].Attributes
	}
	return nil
}

func (e *estate) memberIDs(group string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	list, _ := e.groups.all[e.groups.find(group)].Attributes["members"].([]any)
	for _, m := range list {
		out = append(out, m.(map[string]any)["value"].(string))
	}
	return strings.Join(out, " ")
}
