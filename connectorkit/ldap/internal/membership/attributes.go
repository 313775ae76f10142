package membership

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// memberRequests is the request; of a group that lists a member in two ways both are removed at once.
func (w *Writer) memberRequests(
	e *lookup.Account, g *lookup.Group, in []wire.Change, grant bool,
) ([]change.Request, error) {
	s := change.Request{
		Op: wire.OpModify, DN: g.DN, Purpose: change.PurposeRevoke,
		Note: "take " + cmp.Or(e.Username(), e.DN, e.FormerDN) + " out of " + g.Name,
	}
	for _, m := range in {
		s.Changes = append(s.Changes, wire.Change{Kind: wire.ChangeDelete, Name: m.Name, Values: m.Values})
	}
	if grant {
		attribute, err := w.memberAttributeOf(g)
		if err != nil {
			return nil, err
		}
		value, err := memberValue(e, attribute)
		if err != nil {
			return nil, err
		}
		s.Purpose, s.Note = change.PurposeGrant, "add "+e.Username()+" to "+g.Name
		s.Changes = []wire.Change{{Kind: wire.ChangeAdd, Name: attribute, Values: wire.Values([]string{value})}}
	}
	if w.Offers(change.PermissiveModifyOID) {
		s.Controls = []string{change.PermissiveModifyOID}
	}
	return []change.Request{s}, nil
}

// memberAttributeOf returns the attribute in which a group lists its members.
func (w *Writer) memberAttributeOf(g *lookup.Group) (string, error) {
	c := g.Classes
	switch {
	case w.MemberAttribute != "":
		return w.MemberAttribute, nil
	case c["group"], c["groupofnames"], c["groupofmembers"], c["groupofentries"]:
		return "member", nil
	case c["groupofuniquenames"]:
		return "uniqueMember", nil
	case c["posixgroup"]:
		return "memberUid", nil
	case c["groupofurls"], c["dynamicgroup"]:
		return "", ldaperr.NotSent(
			v1.ClassConflict, "dynamic_group",
			fmt.Sprintf("the members of %s follow from a rule of the directory", g.Name),
			"Change the rule, or what it asks of the account.",
		)
	}
	return "member", nil
}

// byName reports whether an attribute lists members by user name.
func byName(attribute string) bool { return strings.HasSuffix(strings.ToLower(attribute), "uid") }

// MemberValues are all values by which a group may list an account in an attribute.
func MemberValues(e *lookup.Account, attribute string) []string {
	var out []string
	if value, err := memberValue(e, attribute); err == nil && value != "" {
		out = append(out, value)
	}
	if e.FormerDN != "" && !byName(attribute) {
		out = append(out, e.FormerDN)
	}
	return out
}

// memberValue is the value by which a group is to list an account.
func memberValue(e *lookup.Account, attribute string) (string, error) {
	if !byName(attribute) {
		return e.DN, nil
	}
	if uid := e.FirstValue("uid"); uid != "" {
		return uid, nil
	}
	if name := e.Username(); name != "" {
		return name, nil
	}
	return "", ldaperr.NotSent(
		v1.ClassData, "username_missing",
		fmt.Sprintf("%s has no user name, and the group lists its members by theirs", e.DN), "Give the account a uid.",
	)
}

// AttributesOf are those of memberNames that the group's classes have, all of them if the classes are unknown.
func (w *Writer) AttributesOf(g *lookup.Group) []string {
	if w.MemberAttribute != "" || w.Flavor.ActiveDirectory {
		return w.memberNames()
	}
	var out []string
	for _, x := range []struct {
		name    string
		classes []string
	}{
		{"member", []string{"group", "groupofnames", "groupofmembers", "groupofentries"}},
		{"uniqueMember", []string{"groupofuniquenames"}}, {"memberUid", []string{"posixgroup"}},
	} {
		if slices.ContainsFunc(x.classes, func(c string) bool { return g.Classes[c] }) {
			out = append(out, x.name)
		}
	}
	if len(out) == 0 {
		return entry.MemberAttributes
	}
	return out
}

// memberNames are the attributes in which a group may list its members.
func (w *Writer) memberNames() []string {
	switch {
	case w.MemberAttribute != "":
		return []string{w.MemberAttribute}
	case w.Flavor.ActiveDirectory:
		return entry.MemberAttributes[:1]
	}
	return entry.MemberAttributes
}
