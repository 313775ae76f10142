package membership

import (
	"bytes"
	"slices"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
)

// ListedValues are the values by which a group lists an account.
func (w *Writer) ListedValues(e *lookup.Account, g *lookup.Group) ([]wire.Change, error) {
	var out []wire.Change
	for _, attribute := range w.AttributesOf(g) {
		var values [][]byte
		for _, value := range MemberValues(e, attribute) {
			in, err := w.lists(g, attribute, value)
			if err != nil {
				return nil, err
			}
			if in {
				values = append(values, []byte(value))
			}
		}
		if len(values) == 0 && attribute == "uniqueMember" {
			var err error
			if values, err = w.bitStringValues(g, e); err != nil {
				return nil, err
			}
		}
		if len(values) > 0 {
			out = append(out, wire.Change{Name: attribute, Values: values})
		}
	}
	return out, nil
}

// bitStringValues are the values of a group that name an account with a bit string behind its DN (RFC 4517
// section 3.3.21). They are not equal to the DN alone, and so no filter finds them.
func (w *Writer) bitStringValues(g *lookup.Group, e *lookup.Account) ([][]byte, error) {
	var out [][]byte
	req := wire.Request{
		Base: g.DN, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"uniqueMember"},
		TimeLimit: w.TimeLimit,
	}
	_, err := w.Conn.Search(req, func(entry *wire.Entry) error {
		for _, a := range entry.Attributes {
			for _, v := range a.Values {
				if bytes.HasSuffix(v, []byte("'B")) && slices.Contains(
					[]string{e.NormalDN, e.FormerDN}, ldapdn.Member(string(v)),
				) {
					out = append(out, bytes.Clone(v))
				}
			}
		}
		return nil
	})
	if err != nil && !ldaperr.IsResult(err, goldap.LDAPResultNoSuchObject) {
		return nil, w.SearchError(w.Ctx, "membership", err)
	}
	return out, nil
}

// lists asks the directory whether a group holds a value. Large groups are not read for that.
func (w *Writer) lists(g *lookup.Group, attribute, value string) (bool, error) {
	seen := 0
	req := wire.Request{
		Base: g.DN, Scope: goldap.ScopeBaseObject, Filter: "(" + attribute + "=" + goldap.EscapeFilter(value) + ")",
		Attributes: []string{"1.1"}, TimeLimit: w.TimeLimit,
	}
	_, err := w.Conn.Search(req, func(*wire.Entry) error { seen++; return nil })
	switch {
	case ldaperr.IsResult(err, goldap.LDAPResultNoSuchObject):
		return false, nil
	case err != nil:
		return false, w.SearchError(w.Ctx, "membership", err)
	}
	return seen > 0, nil
}
