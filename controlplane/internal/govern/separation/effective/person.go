package effective

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
)

// Kinds of source.
const (
	KindGrant       = "grant"           // of an account, in a target system
	KindRequestItem = "request_item"    // waits for approval, or is approved and not provisioned
	KindAssignment  = "role_assignment" // of a role, not provisioned
	KindRole        = "role"            // the membership rule of a role, not provisioned
	KindPolicy      = "policy"          // an access grant policy, not provisioned
	KindOrder       = "order"           // an administrator's or integration's, not provisioned
	KindTask        = "task"            // a provisioning task without a reason
	KindAdded       = "added"           // added by a prediction or by what is being decided
)

// Source is access of a person that can be taken away as one.
type Source struct {
	Kind string
	// ID of the grant, request item, role assignment, role, policy, reason (of an order) or task. For added access, the
	// ID that the caller gave.
	ID string
	// Own are the IDs of its entitlements without those that they are nested in.
	Own []string
	// RoleID of a role that is requested, assigned or added. Empty: it is about entitlements.
	RoleID string
	// AccountID of the kind grant is the account that holds it.
	AccountID string
	// Pending says that the target system does not have it yet.
	Pending bool
	// Since is when it was held or asked for first. Nil: unknown.
	Since *time.Time
	// Name is what people read: of the role, the entitlement, or the request. Name fills it.
	Name string
	// RequestID is the access request of a request item. Name fills it.
	RequestID string
}

// Person is the access of one person: Access for the evaluation, and where it comes from.
type Person struct {
	ID     string
	Access conflict.Access
	// Sources describe Access.Sources, in the same order.
	Sources []Source

	nesting upward
}

// Path returns the entitlements from one of a source's own to another that it gives, both included. It returns nil if
// the source does not give it.
func (p *Person) Path(source int, entitlement string) []string {
	return p.nesting.path(p.Sources[source].Own, entitlement)
}

// Added returns the indices of the sources that a prediction added.
func (p *Person) Added() []int {
	var list []int
	for i, s := range p.Sources {
		if s.Kind == KindAdded {
			list = append(list, i)
		}
	}
	return list
}

// WithAdded returns the person with only some of the additions: those at these positions of Changes.Add.
func (p *Person) WithAdded(positions []int) *Person {
	leave := map[int]bool{}
	for position, source := range p.Added() {
		leave[source] = !slices.Contains(positions, position)
	}
	return p.Where(func(i int, _ Source) bool { return !leave[i] })
}

// Where returns the person with only the sources that keep reports true for, by their index.
func (p *Person) Where(keep func(i int, s Source) bool) *Person {
	q := &Person{ID: p.ID, Access: p.Access, nesting: p.nesting}
	q.Access.Sources = nil
	for i, s := range p.Sources {
		if keep(i, s) {
			q.Sources = append(q.Sources, s)
			q.Access.Sources = append(q.Access.Sources, p.Access.Sources[i])
		}
	}
	return q
}

// Changes are what a prediction adds to a person's access and removes from it.
type Changes struct {
	Add []Addition
	// Remove are the IDs of sources, such as grants or request items, to leave out.
	Remove []string
	// Decided leaves out request items that wait for approval.
	Decided bool
}

// Addition is a role or an entitlement that a prediction adds. Exactly one is given.
type Addition struct {
	ID            string // by which the caller finds it again
	EntitlementID string
	RoleID        string
}

// upward has, for each entitlement, those that it is nested in directly.
type upward map[string][]string

// closure returns the entitlements and everything that they are nested in, each once.
func (up upward) closure(of []string) []string {
	seen := make(map[string]bool, len(of))
	list := make([]string, 0, len(of))
	add := func(id string) {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	for _, id := range of {
		add(id)
	}
	for i := 0; i < len(list); i++ {
		for _, parent := range up[list[i]] {
			add(parent)
		}
	}
	return list
}

// path returns a shortest way upwards from one of some entitlements to another.
func (up upward) path(from []string, to string) []string {
	before := map[string]string{}
	todo := slices.Clone(from)
	for _, id := range from {
		before[id] = ""
	}
	for i := 0; i < len(todo); i++ {
		at := todo[i]
		if at == to {
			var way []string
			for ; at != ""; at = before[at] {
				way = append(way, at)
			}
			slices.Reverse(way)
			return way
		}
		for _, parent := range up[at] {
			if _, seen := before[parent]; !seen {
				before[parent] = at
				todo = append(todo, parent)
			}
		}
	}
	return nil
}
