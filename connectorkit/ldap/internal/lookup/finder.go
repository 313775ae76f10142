package lookup

import (
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// attributes lists the attributes to read.
func (w *Finder) attributes() []string {
	list := append(w.Dictionary.Request(), w.ExtraAttributes...)
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return slices.CompactFunc(list, strings.EqualFold)
}

// First is the first of some accounts; nil where there are none.
func First(list []*Account) *Account {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// Bases are where accounts of ours can lie.
func (w *Finder) Bases() []string {
	list := []string{w.UserBaseDN}
	for _, dn := range []string{w.Write.DisabledContainer, w.Write.CreateContainer} {
		if dn != "" && !slices.ContainsFunc(list, func(base string) bool { return ldapdn.IsWithin(dn, base) }) {
			list = append(list, dn)
		}
	}
	return list
}

// anyPerson matches what a sync may have read as an account. The configured filter alone would not do: many
// leave out who is disabled, and an account must be found again after that.
func (w *Finder) anyPerson() string {
	whole, _ := settings.Filters(w.Settings, w.Flavor)
	class := w.Flavor.UserFilter
	if class == "" || len(w.UserClasses) > 0 {
		class = settings.ClassFilter(w.UserClasses, w.Flavor.UserClasses)
	}
	return anyOf(class, whole)
}

// anyOf matches what either filter matches. Equal filters are written once.
func anyOf(a, b string) string {
	if a == b {
		return a
	}
	return "(|" + a + b + ")"
}

// KeyFilter matches the entry with a key as records carry it.
func (w *Finder) KeyFilter(id string) string {
	lower := strings.ToLower(w.IdAttribute)
	if b, ok := syntax.ParseGUID(id); ok {
		switch {
		case entry.KnownAttributes[lower].Format == entry.AsGUID:
			return "(" + w.IdAttribute + "=" + goldap.EscapeFilter(string(syntax.SwapGUID(b))) + ")"
		case w.Flavor.Name == settings.FlavorEDir:
			return "(" + w.IdAttribute + "=" + goldap.EscapeFilter(string(b)) + ")"
		}
	}
	return "(" + w.IdAttribute + "=" + goldap.EscapeFilter(id) + ")"
}

// Finder finds accounts and groups as they are now.
type Finder struct {
	*entry.Reader
	ExtraAttributes   []string        // attributes to read beyond those that records are made of
	visibleContainers map[string]bool // whether the login sees a place
}
