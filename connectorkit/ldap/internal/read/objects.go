package read

import (
	"slices"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Bases are where searches start, none of them below another.
func (r *Run) Bases() []string {
	var list []string
	for _, o := range r.Objects() {
		list = append(list, o.Base)
	}
	return ldapdn.Outermost(list)
}

// Partition is a part of a phase that is read by a search of its own. The partitions of a phase cover it
// whatever the login may see of the places in between.
type Partition struct {
	Key     string // what it is known by in a checkpoint
	Base    string
	Filter  string
	Subtree bool // of a tree, so that its base may be gone by the time it is read
}

// SearchRequest is the search for a partition of some objects.
func (r *Run) SearchRequest(o Objects, p Partition, attributes []string) wire.Request {
	return wire.Request{Base: p.Base, Scope: r.Scope, Filter: p.Filter, Attributes: attributes, TimeLimit: r.TimeLimit}
}

// Whole is all of o in one search.
func (o Objects) Whole() Partition { return Partition{Key: "*", Base: o.Base, Filter: o.Filter} }

// WantedOf are those of some kinds that were asked for.
func (r *Run) WantedOf(kinds ...v1.ObjectKind) []v1.ObjectKind {
	return slices.DeleteFunc(kinds, func(k v1.ObjectKind) bool { return !r.Wanted[k] })
}

// Objects are the entries of one sort: people, or groups.
type Objects struct {
	Phase   string // users, groups
	Noun    string // people, groups
	Base    string
	Filter  string
	Classes []string
	Kinds   []v1.ObjectKind // of the records made of each, as far as wanted; grants come on top
	Handle  func(*wire.Entry) error
}

// Objects lists what has to be read, in order. Active Directory's primary groups are only named by the people
// in them, so there groups come first.
func (r *Run) Objects() []Objects {
	primary := r.Flavor.ActiveDirectory && r.Wanted[v1.Grants]
	var list []Objects
	if len(r.Persons.Kinds) > 0 || primary {
		list = append(list, r.Persons)
	}
	if len(r.Groups.Kinds) > 0 || r.Wanted[v1.Grants] {
		list = append(list, r.Groups)
	}
	if primary {
		slices.Reverse(list)
	}
	return list
}
