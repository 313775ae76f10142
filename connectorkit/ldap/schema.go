package ldap

import (
	"context"
	"strconv"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// schema is what a directory declares about its classes and attributes (RFC 4512 section 4.2), by lower-case name and OID.
type schema struct {
	classes    map[string]*objectClass
	attributes map[string]*attributeType
}

type objectClass struct {
	name      string
	concrete  bool // structural: entries are of one such class
	sup       []string
	must, may []string
	aux       []string // of its content rule
}

type attributeType struct {
	name        string
	description string
	sup         string
	syntax      string // OID
	single      bool
	readOnly    bool // NO-USER-MODIFICATION
}

// readSchema reads the subschema the rootDSE points to. A directory that hides it gives an empty schema.
func (se *session) readSchema(ctx context.Context) (schema, error) {
	sc := schema{classes: map[string]*objectClass{}, attributes: map[string]*attributeType{}}
	dn := se.root.first("subschemaSubentry")
	if dn == "" {
		return sc, nil
	}
	req := wire.Request{
		Base: dn, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)",
		Attributes: []string{"objectClasses", "attributeTypes", "dITContentRules"},
	}
	var rules [][]string
	_, err := se.conn.Search(req, func(e *wire.Entry) error {
		for _, a := range e.Attributes {
			for _, v := range a.Values {
				words := schemaWords(string(v))
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
	if err != nil && se.conn.Broken() {
		return sc, se.explain(ctx, "schema", err)
	}
	for _, words := range rules {
		sc.addRule(words)
	}
	return sc, nil
}

// schemaWords splits a definition into words. Quotes are taken off, and '$', which only separates, is left out.
func schemaWords(s string) []string {
	var words []string
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r', '$':
			i++
		case '(', ')':
			words = append(words, string(c))
			i++
		case '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return words
			}
			words = append(words, unescapeSchema(s[i+1:i+1+end]))
			i += end + 2
		default:
			end := strings.IndexAny(s[i:], " \t\n\r$()'")
			if end < 0 {
				end = len(s) - i
			}
			words = append(words, s[i:i+end])
			i += end
		}
	}
	return words
}

func unescapeSchema(s string) string {
	return strings.NewReplacer(`\27`, "'", `\5C`, `\`, `\5c`, `\`).Replace(s)
}

// definition gives a definition's OID and the values of its keywords. Flags have no values.
func definition(words []string) (oid string, values map[string][]string) {
	values = map[string][]string{}
	if len(words) < 2 || words[0] != "(" {
		return "", values
	}
	oid = words[1]
	for i := 2; i < len(words); i++ {
		key := words[i]
		if key == ")" {
			break
		}
		values[key] = []string{}
		if !takesValue(key) || i+1 >= len(words) {
			continue
		}
		i++
		if words[i] != "(" {
			values[key] = []string{words[i]}
			continue
		}
		for i++; i < len(words) && words[i] != ")"; i++ {
			values[key] = append(values[key], words[i])
		}
	}
	return oid, values
}

func takesValue(keyword string) bool {
	switch keyword {
	case "OBSOLETE", "ABSTRACT", "STRUCTURAL", "AUXILIARY", "SINGLE-VALUE", "COLLECTIVE", "NO-USER-MODIFICATION":
		return false
	}
	return true
}

func (sc schema) addClass(words []string) {
	oid, v := definition(words)
	_, abstract := v["ABSTRACT"]
	_, auxiliary := v["AUXILIARY"]
	c := &objectClass{concrete: !abstract && !auxiliary, sup: v["SUP"], must: v["MUST"], may: v["MAY"]}
	register(sc.classes, c, oid, v["NAME"], &c.name)
}

func (sc schema) addAttribute(words []string) {
	oid, v := definition(words)
	_, single := v["SINGLE-VALUE"]
	_, readOnly := v["NO-USER-MODIFICATION"]
	a := &attributeType{single: single, readOnly: readOnly}
	if d := v["DESC"]; len(d) > 0 {
		a.description = d[0]
	}
	if s := v["SUP"]; len(s) > 0 {
		a.sup = s[0]
	}
	if s := v["SYNTAX"]; len(s) > 0 {
		a.syntax, _, _ = strings.Cut(s[0], "{")
	}
	register(sc.attributes, a, oid, v["NAME"], &a.name)
}

// addRule adds what a content rule allows beyond the class it governs; Active Directory declares its auxiliary classes so.
func (sc schema) addRule(words []string) {
	oid, v := definition(words)
	c := sc.classes[strings.ToLower(oid)]
	if c == nil {
		for _, name := range v["NAME"] {
			c = sc.classes[strings.ToLower(name)]
		}
	}
	if c != nil {
		c.aux, c.must, c.may = append(c.aux, v["AUX"]...), append(c.must, v["MUST"]...), append(c.may, v["MAY"]...)
	}
}

func register[T any](in map[string]T, value T, oid string, names []string, name *string) {
	*name = oid
	if len(names) > 0 {
		*name = names[0]
	}
	for _, n := range append(names, oid) {
		if n != "" {
			in[strings.ToLower(n)] = value
		}
	}
}

// collect gathers the attributes of classes, of those they descend from and of their auxiliaries; true for required ones.
func (sc schema) collect(classes []string) map[string]bool {
	found, visited := map[string]bool{}, map[*objectClass]bool{}
	var visit func(name string)
	visit = func(name string) {
		c := sc.classes[strings.ToLower(name)]
		if c == nil || visited[c] {
			return
		}
		visited[c] = true
		for _, a := range c.may {
			n := sc.canonical(a)
			found[n] = found[n] || false
		}
		for _, a := range c.must {
			found[sc.canonical(a)] = true
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

// canonical is an attribute's first name: the one a directory answers with.
func (sc schema) canonical(name string) string {
	if a := sc.attributes[strings.ToLower(name)]; a != nil {
		return a.name
	}
	return name
}

// syntaxOf follows an attribute's ancestors to its syntax.
func (sc schema) syntaxOf(name string) string {
	for range 20 {
		a := sc.attributes[strings.ToLower(name)]
		if a == nil {
			return ""
		}
		if a.syntax != "" {
			return a.syntax
		}
		name = a.sup
	}
	return ""
}

const standardSyntax = "1.3.6.1.4.1.1466.115.121.1."

// typeOfSyntax maps a syntax (RFC 4517, MS-ADTS section 3.1.1.2.2.2) to a type and a format of protocol v1.
func typeOfSyntax(oid string) (kind, format string) {
	switch oid {
	case "1.2.840.113556.1.4.906": // large integer
		return "integer", ""
	case "1.2.840.113556.1.4.907": // security descriptor
		return "binary", ""
	case "1.2.840.113556.1.4.903", "1.2.840.113556.1.4.904": // DN with binary, DN with string
		return "string", ""
	case "1.3.6.1.1.16.1":
		return "string", "uuid"
	}
	number, err := strconv.Atoi(strings.TrimPrefix(oid, standardSyntax))
	if err != nil {
		return "string", ""
	}
	switch number {
	case 7:
		return "boolean", ""
	case 27:
		return "integer", ""
	case 24, 53:
		return "datetime", "generalizedtime"
	case 12, 34:
		return "reference", "dn"
	case 50, 22:
		return "string", "phone"
	case 4, 5, 8, 9, 10, 23, 28, 40, 49:
		return "binary", ""
	}
	return "string", ""
}
