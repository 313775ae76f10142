package membership

import (
	"slices"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
)

// Directories without referential integrity keep the old DN of an entry that was renamed, moved or deleted in
// their groups. The account loses its memberships then, and the next entry of that name inherits them. So a
// rename rewrites what groups list, and a name is cleared of what an earlier holder left before it is given
// away.

// Names are the values by which groups list an account. An empty one is not looked for.
type Names struct {
	DN       string
	Username string
}

// listing is a value by which a group lists a member.
type listing struct {
	// group is the DN of the group.
	group     string
	attribute string
	value     string
}

// maintainsLinks says that the directory itself keeps members right, whatever is renamed, moved or deleted.
func (w *Writer) maintainsLinks() bool { return w.Flavor.ActiveDirectory }

// listings finds what groups list by a name, an attribute at a time: some directories refuse a filter with
// one they do not know.
func (w *Writer) listings(c Names) ([]listing, error) {
	var out []listing
	for _, attribute := range w.memberNames() {
		value := c.DN
		if byName(attribute) {
			value = c.Username
		}
		if value == "" {
			continue
		}
		for _, base := range w.groupBases() {
			req := wire.Request{
				Base: base, Scope: goldap.ScopeWholeSubtree,
				Filter:     "(" + attribute + "=" + goldap.EscapeFilter(value) + ")",
				Attributes: []string{"1.1"}, TimeLimit: w.TimeLimit,
			}
			_, err := w.SearchAll(w.Ctx, "memberships", req, func(e *wire.Entry) error {
				out = append(out, listing{string(e.DN), attribute, value})
				return nil
			}, nil)
			if err != nil && !isUnknownAttribute(err) {
				return nil, err
			}
		}
	}
	return out, nil
}

// isUnknownAttribute says whether a search failed because the directory does not have the attribute
// or the place, so that nothing can be listed there.
func isUnknownAttribute(err error) bool {
	codes := []int{
		goldap.LDAPResultUndefinedAttributeType, goldap.LDAPResultInappropriateMatching, goldap.LDAPResultNoSuchObject,
	}
	return slices.ContainsFunc(codes, func(code int) bool { return ldaperr.HasResult(err, code) })
}

// groupBases are where groups may list an account: also outside of where groups are read.
func (w *Writer) groupBases() []string {
	if w.BaseDN == "" || ldapdn.IsWithin(w.BaseDN, w.GroupBaseDN) {
		return []string{w.GroupBaseDN}
	}
	if ldapdn.IsWithin(w.GroupBaseDN, w.BaseDN) {
		return []string{w.BaseDN}
	}
	return []string{w.GroupBaseDN, w.BaseDN}
}
