package changes

import (
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// anyClassFilter matches entries that may be people or groups, tombstones included: those have no
// objectCategory, and none of the attributes that a filter of the user's own may ask for.
func (r *Reader) anyClassFilter() string {
	if r.filterNamesClasses(r.UserFilter, r.UserClasses) || r.filterNamesClasses(r.GroupFilter, r.GroupClasses) {
		return "(objectClass=*)"
	}
	var classes []string
	for _, o := range r.Objects() {
		classes = append(classes, o.Classes...)
	}
	if slices.ContainsFunc(classes, func(c string) bool { return strings.EqualFold(c, "computer") }) {
		return settings.ClassFilter(classes, nil)
	}
	return "(&" + settings.ClassFilter(classes, nil) + "(!(objectCategory=computer)))" // their class is one of user's
}

// filterNamesClasses reports whether a configured filter itself says which classes it wants.
func (r *Reader) filterNamesClasses(filter string, classes []string) bool {
	return filter != "" && len(classes) == 0 && settings.JoinFilters("", filter, false) == filter
}

// changedKeyOf reads the key of an entry in a list of changes.
func (r *Reader) changedKeyOf(e *wire.Entry) (changedKey, bool) {
	var k changedKey
	for i := range e.Attributes {
		raw := &e.Attributes[i]
		if len(raw.Values) == 0 {
			continue
		}
		a := r.Dictionary.Lookup(raw.Name)
		switch {
		case a.ID:
			k.id = entry.KeyText(r.Flavor.Name, a.Format, raw.Values[0])
			k.filter = goldap.EscapeFilter(string(raw.Values[0]))
		case a.Key == "isDeleted":
			k.gone = syntax.IsTrue(raw.Values[0])
		}
	}
	return k, k.id != ""
}

// seesDeleted reports whether the login can see Active Directory's tombstones. That it can see their place
// proves nothing: it has to see one.
func (r *Reader) seesDeleted() (bool, error) {
	seen, _, err := r.SearchFirst(wire.Request{
		Base: r.deletedObjects(), Scope: goldap.ScopeSingleLevel,
		Filter: "(&(isDeleted=TRUE)" + r.anyClassFilter() + ")", Attributes: []string{"1.1"}, ShowDeleted: true,
	}, 1, func(*wire.Entry) {})
	if err != nil {
		return false, r.ErrIfBroken(r.Ctx, err)
	}
	return seen > 0, nil
}

// deletedObjects is where the tombstones of the naming context lie in which the read is made.
func (r *Reader) deletedObjects() string {
	return "CN=Deleted Objects," + r.namingContext(r.Bases()[0])
}
