package ldap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// settleClasses adds to the classes of people those that the directory's own schema has beside the usual ones: 389 Directory Server
// makes people of class nsPerson, and others have classes of their own. It does nothing where the settings or the kind of directory
// say which entries are people.
func (se *session) settleClasses(ctx context.Context) error {
	if se.flavor.userFilter != "" || len(se.userClasses) > 0 || classTest.MatchString(classDenied.ReplaceAllString(se.userFilter, "")) {
		return nil
	}
	sc, err := se.readSchema(ctx)
	if err != nil {
		return err
	}
	se.flavor.userClasses = append(slices.Clone(se.flavor.userClasses), sc.moreClasses(se.flavor.userClasses)...)
	return nil
}

// moreClasses are the structural classes of people that do not descend from those that are listed.
func (sc schema) moreClasses(listed []string) []string {
	seen := map[*objectClass]bool{}
	var out []string
	for _, c := range sc.classes {
		if seen[c] || !c.concrete || !sc.isPerson(c.name) {
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
func (sc schema) isPerson(class string) bool {
	has := map[string]bool{}
	for name := range sc.collect([]string{class}) {
		has[strings.ToLower(name)] = true
	}
	return has["userpassword"] && (has["cn"] || has["uid"]) && (has["sn"] || has["displayname"] || has["givenname"])
}

// maxAncestors is more than any class has: a schema may go round in circles.
const maxAncestors = 50

func (sc schema) descends(class, from string, depth int) bool {
	c := sc.classes[strings.ToLower(class)]
	if c == nil || depth > maxAncestors {
		return false
	}
	if other := sc.classes[strings.ToLower(from)]; c == other || strings.EqualFold(class, from) {
		return true
	}
	return slices.ContainsFunc(c.sup, func(s string) bool { return sc.descends(s, from, depth+1) })
}

// cannotDisable says why accounts cannot be disabled, as far as the schema shows it. Empty: nothing speaks against it.
func (se *session) cannotDisable(ctx context.Context) (string, error) {
	how := se.closing()
	if how.attribute == "" {
		return "", nil // by userAccountControl, or by moving
	}
	sc, err := se.readSchema(ctx)
	if err != nil || len(sc.attributes) == 0 || sc.attributes[strings.ToLower(how.attribute)] != nil {
		return "", err
	}
	why := fmt.Sprintf("accounts cannot be disabled: the directory's schema has no attribute %s", how.attribute)
	if strings.EqualFold(how.attribute, "pwdAccountLockedTime") {
		why += ", since no password policy (overlay ppolicy) is loaded"
	}
	return why, nil
}

const disableHint = "Load the password policy of the directory, or set disable_strategy to attribute or to move, so that a leaver's account can be closed."

func disableUnavailable(why string) v1.Warning {
	return v1.Warning{Code: "disable_unavailable", Message: why + ". " + disableHint}
}
