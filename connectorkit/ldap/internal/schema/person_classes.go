package schema

import (
	"context"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// ResolvePersonClasses adds to the classes of people those that the directory's own schema has beside the
// usual ones: 389 Directory Server makes people of class nsPerson, and others have classes of their own. It
// does nothing where the settings or the kind of directory say which entries are people.
func ResolvePersonClasses(ctx context.Context, se *session.Session) error {
	if se.Flavor.UserFilter != "" || len(se.UserClasses) > 0 || settings.TestsClasses(se.UserFilter) {
		return nil
	}
	sc, err := Read(ctx, se)
	if err != nil {
		return err
	}
	se.Flavor.UserClasses = append(slices.Clone(se.Flavor.UserClasses), sc.personClasses(se.Flavor.UserClasses)...)
	return nil
}

// personClasses are the structural classes of people that do not descend from those that are listed.
func (sc Schema) personClasses(listed []string) []string {
	seen := map[*objectClass]bool{}
	var out []string
	for _, c := range sc.classes {
		if seen[c] || !c.structural || !sc.isPerson(c.name) {
			continue
		}
		seen[c] = true
		if !slices.ContainsFunc(listed, func(name string) bool { return sc.descends(c.name, name, 0) }) {
			out = append(out, c.name)
		}
	}
	slices.Sort(out)
	// A class whose ancestor is among them is found by the ancestor's name.
	return slices.DeleteFunc(out, func(name string) bool {
		return slices.ContainsFunc(out, func(other string) bool { return other != name && sc.descends(name, other, 0) })
	})
}

// isPerson says whether entries of a class have a name, the name of a person, and a password to sign in with.
func (sc Schema) isPerson(class string) bool {
	has := map[string]bool{}
	for name := range sc.AttributesOf([]string{class}) {
		has[strings.ToLower(name)] = true
	}
	return has["userpassword"] && (has["cn"] || has["uid"]) && (has["sn"] || has["displayname"] || has["givenname"])
}

// maxAncestors is more than any class has: a schema may go round in circles.
const maxAncestors = 50

// descends says whether a class is another one or inherits from it, at any distance. depth guards
// against a schema that goes round in circles.
func (sc Schema) descends(class, from string, depth int) bool {
	c := sc.classes[strings.ToLower(class)]
	if c == nil || depth > maxAncestors {
		return false
	}
	if other := sc.classes[strings.ToLower(from)]; c == other || strings.EqualFold(class, from) {
		return true
	}
	return slices.ContainsFunc(c.sup, func(s string) bool { return sc.descends(s, from, depth+1) })
}
