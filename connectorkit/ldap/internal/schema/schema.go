package schema

import (
	"context"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// Schema is what a directory declares about its classes and attributes (RFC 4512 section 4.2), by lower-case
// name and OID.
type Schema struct {
	classes    map[string]*objectClass
	Attributes map[string]*attributeType
}

// objectClass is one class. sup, must, may and aux are names as the definition spells them.
type objectClass struct {
	name       string
	structural bool // structural: entries are of one such class
	sup        []string
	must, may  []string
	aux        []string // of its content rule
}

// attributeType is one attribute type. Syntax and sup may be inherited; see SyntaxOf.
type attributeType struct {
	name        string
	Description string
	sup         string
	syntax      string // OID
	Single      bool
	ReadOnly    bool // NO-USER-MODIFICATION
}

// Read reads the subschema the rootDSE points to. A directory that hides it gives an empty schema.
func Read(ctx context.Context, se *session.Session) (Schema, error) {
	sc := Schema{classes: map[string]*objectClass{}, Attributes: map[string]*attributeType{}}
	dn := se.Root.First("subschemaSubentry")
	if dn == "" {
		return sc, nil
	}
	req := wire.Request{
		Base: dn, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)",
		Attributes: []string{"objectClasses", "attributeTypes", "dITContentRules"},
	}
	var rules [][]string
	_, err := se.Conn.Search(req, func(e *wire.Entry) error {
		for _, a := range e.Attributes {
			for _, v := range a.Values {
				words := tokens(string(v))
				switch strings.ToLower(string(a.Name)) {
				case "objectclasses":
					sc.addClass(words)
				case "attributetypes":
					sc.addAttribute(words)
				case "ditcontentrules":
					rules = append(rules, words)
				}
			}
		}
		return nil
	})
	if err != nil && se.Conn.Broken() {
		return sc, se.Explain(ctx, "schema", err)
	}
	for _, words := range rules {
		sc.addRule(words)
	}
	return sc, nil
}

// AttributesOf gathers the attributes of classes, of those they descend from and of their auxiliaries; true
// for required ones.
func (sc Schema) AttributesOf(classes []string) map[string]bool {
	found, visited := map[string]bool{}, map[*objectClass]bool{}
	var visit func(name string)
	visit = func(name string) {
		c := sc.classes[strings.ToLower(name)]
		if c == nil || visited[c] {
			return
		}
		visited[c] = true
		for _, a := range c.may {
			n := sc.canonicalName(a)
			found[n] = found[n] || false
		}
		for _, a := range c.must {
			found[sc.canonicalName(a)] = true
		}
		for _, s := range append(append([]string{}, c.sup...), c.aux...) {
			visit(s)
		}
	}
	for _, c := range classes {
		visit(c)
	}
	return found
}

// canonicalName is an attribute's first name: the one a directory answers with.
func (sc Schema) canonicalName(name string) string {
	if a := sc.Attributes[strings.ToLower(name)]; a != nil {
		return a.name
	}
	return name
}
