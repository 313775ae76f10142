package scimsvc

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/elimity-com/scim"
	scimerr "github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/optional"
	"github.com/elimity-com/scim/schema"

	"github.com/grantwright/grantwright/e2e/targets/people"
)

// store holds the resources of one type in the order they came. Resources are never changed in place.
type store struct {
	kind       string
	unique     string // attribute that no two resources share
	schema     schema.Schema
	extensions []schema.Schema

	mu    sync.RWMutex
	byID  map[string]*scim.Resource
	order []string
	names map[string]string // unique attribute in lower case: id
}

func newStore(kind, unique string, core schema.Schema, extensions ...schema.Schema) *store {
	return &store{
		kind:       kind,
		unique:     unique,
		schema:     core,
		extensions: extensions,
		byID:       map[string]*scim.Resource{},
		names:      map[string]string{},
	}
}

func (s *store) size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.order)
}

// put writes a resource; the caller holds the lock. Zero times mean now.
func (s *store) put(id string, a scim.ResourceAttributes, created, modified time.Time) (*scim.Resource, error) {
	name, _ := a[s.unique].(string)
	if owner, taken := s.names[strings.ToLower(name)]; taken && owner != id {
		return nil, scimerr.ScimErrorUniqueness
	}
	now := time.Now().UTC()
	if modified.IsZero() {
		modified = now
	}
	if created.IsZero() {
		created = now
	}
	old, there := s.byID[id]
	if there {
		created = *old.Meta.Created
		was, _ := old.Attributes[s.unique].(string)
		delete(s.names, strings.ToLower(was))
	} else {
		s.order = append(s.order, id)
	}
	r := &scim.Resource{ID: id, Attributes: a, Meta: scim.Meta{
		Created: &created, LastModified: &modified, Version: fmt.Sprintf(`W/"%d"`, modified.UnixNano()),
	}}
	if e, ok := a["externalId"].(string); ok {
		r.ExternalID = optional.NewString(e)
	}
	s.byID[id], s.names[strings.ToLower(name)] = r, id
	return r, nil
}

// remove deletes a resource; the caller holds the lock.
func (s *store) remove(id string) bool {
	old, ok := s.byID[id]
	if !ok {
		return false
	}
	name, _ := old.Attributes[s.unique].(string)
	delete(s.names, strings.ToLower(name))
	delete(s.byID, id)
	i := slices.Index(s.order, id)
	s.order = slices.Delete(s.order, i, i+1)
	return true
}

// find gives a resource by its unique name; the caller holds the lock.
func (s *store) find(name string) (*scim.Resource, error) {
	r, ok := s.byID[s.names[strings.ToLower(name)]]
	if !ok {
		return nil, fmt.Errorf("no %s %s", s.kind, name)
	}
	return r, nil
}

// copied gives a resource whose attributes the protocol may add to.
func copied(r *scim.Resource) scim.Resource {
	c := *r
	c.Attributes = make(scim.ResourceAttributes, len(r.Attributes)+4)
	for k, v := range r.Attributes {
		c.Attributes[k] = v
	}
	return c
}

// chosen leaves the attributes the client asked for (RFC 7644 section 3.9), which the protocol library
// leaves to its handlers. Only whole attributes are chosen; id, schemas and meta always stay.
func chosen(r *http.Request, c scim.Resource) scim.Resource {
	if r == nil {
		return c
	}
	if want := list(r, "attributes"); len(want) > 0 {
		for k := range c.Attributes {
			if !named(want, strings.ToLower(k)) {
				delete(c.Attributes, k)
			}
		}
		if !want["externalid"] {
			c.ExternalID = optional.String{}
		}
	}
	for name := range list(r, "excludedAttributes") {
		for k := range c.Attributes {
			if strings.EqualFold(k, name) {
				delete(c.Attributes, k)
			}
		}
	}
	return c
}

// named says whether an attribute is in the list, itself or by an attribute of the extension it is.
func named(list map[string]bool, attribute string) bool {
	if list[attribute] {
		return true
	}
	for n := range list {
		if strings.HasPrefix(n, attribute+":") {
			return true
		}
	}
	return false
}

// list reads a comma-separated parameter into lower-case attribute names without sub-attributes. The
// colons of a schema's URN stay.
func list(r *http.Request, parameter string) map[string]bool {
	names := map[string]bool{}
	for _, n := range strings.Split(r.URL.Query().Get(parameter), ",") {
		n = strings.ToLower(strings.TrimSpace(n))
		if !strings.HasPrefix(n, "urn:") {
			n, _, _ = strings.Cut(n, ".")
		}
		if n != "" {
			names[n] = true
		}
	}
	return names
}

// Create implements scim.ResourceHandler.
func (s *store) Create(_ *http.Request, a scim.ResourceAttributes) (scim.Resource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, _ := a[s.unique].(string)
	r, err := s.put(people.UUID("scim", s.kind, name, time.Now().String()), a, time.Time{}, time.Time{})
	if err != nil {
		return scim.Resource{}, err
	}
	return copied(r), nil
}

// Get implements scim.ResourceHandler.
func (s *store) Get(r *http.Request, id string) (scim.Resource, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found, ok := s.byID[id]
	if !ok {
		return scim.Resource{}, scimerr.ScimErrorResourceNotFound(id)
	}
	return chosen(r, copied(found)), nil
}

// GetAll implements scim.ResourceHandler.
func (s *store) GetAll(r *http.Request, p scim.ListRequestParams) (scim.Page, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	page := scim.Page{Resources: []scim.Resource{}}
	if p.FilterValidator == nil {
		page.TotalResults = len(s.order)
		from := min(p.StartIndex-1, len(s.order))
		for _, id := range s.order[from:min(from+p.Count, len(s.order))] {
			page.Resources = append(page.Resources, chosen(r, copied(s.byID[id])))
		}
		return page, nil
	}
	for _, id := range s.order {
		found := s.byID[id]
		if p.FilterValidator.PassesFilter(s.comparable(found)) != nil {
			continue
		}
		page.TotalResults++
		if page.TotalResults >= p.StartIndex && len(page.Resources) < p.Count {
			page.Resources = append(page.Resources, chosen(r, copied(found)))
		}
	}
	return page, nil
}

// comparable adds what filters may name but the store keeps apart.
func (s *store) comparable(r *scim.Resource) scim.ResourceAttributes {
	a := copied(r).Attributes
	a["id"] = r.ID
	a["meta"] = map[string]any{
		"created":      r.Meta.Created.Format(time.RFC3339),
		"lastModified": r.Meta.LastModified.Format(time.RFC3339),
		"resourceType": s.kind,
	}
	return a
}

// Replace implements scim.ResourceHandler.
func (s *store) Replace(_ *http.Request, id string, a scim.ResourceAttributes) (scim.Resource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.byID[id]; !ok {
		return scim.Resource{}, scimerr.ScimErrorResourceNotFound(id)
	}
	r, err := s.put(id, a, time.Time{}, time.Time{})
	if err != nil {
		return scim.Resource{}, err
	}
	return copied(r), nil
}

// Patch implements scim.ResourceHandler.
func (s *store) Patch(_ *http.Request, id string, ops []scim.PatchOperation) (scim.Resource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.byID[id]
	if !ok {
		return scim.Resource{}, scimerr.ScimErrorResourceNotFound(id)
	}
	a, err := scim.ApplyPatch(deepCopy(old.Attributes), ops, s.schema, s.extensions...)
	if err != nil {
		return scim.Resource{}, err
	}
	r, err := s.put(id, a, time.Time{}, time.Time{})
	if err != nil {
		return scim.Resource{}, err
	}
	return copied(r), nil
}

// Delete implements scim.ResourceHandler.
func (s *store) Delete(_ *http.Request, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.remove(id) {
		return scimerr.ScimErrorResourceNotFound(id)
	}
	return nil
}

// deepCopy copies attributes down to the values: patches change lists and objects in place, and
// answers under way still read the old ones.
func deepCopy(a scim.ResourceAttributes) scim.ResourceAttributes {
	return copyValue(map[string]any(a)).(map[string]any)
}

func copyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for k, x := range v {
			c[k] = copyValue(x)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, x := range v {
			c[i] = copyValue(x)
		}
		return c
	default:
		return v
	}
}
