package schema

import (
	"strings"
)

// tokens splits a definition into words. Quotes are taken off, and '$', which only separates, is left out.
func tokens(s string) []string {
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
			words = append(words, unescape(s[i+1:i+1+end]))
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

// unescape undoes the two escapes of a qdstring (RFC 4512 section 4.1).
func unescape(s string) string {
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

// takesValue says whether a keyword of a definition is followed by a value. All others are flags.
func takesValue(keyword string) bool {
	switch keyword {
	case "OBSOLETE", "ABSTRACT", "STRUCTURAL", "AUXILIARY", "SINGLE-VALUE", "COLLECTIVE", "NO-USER-MODIFICATION":
		return false
	}
	return true
}

// addClass adds an object class by its definition (RFC 4512 section 4.1.1). A class is structural
// unless it says otherwise.
func (sc Schema) addClass(words []string) {
	oid, v := definition(words)
	_, abstract := v["ABSTRACT"]
	_, auxiliary := v["AUXILIARY"]
	c := &objectClass{structural: !abstract && !auxiliary, sup: v["SUP"], must: v["MUST"], may: v["MAY"]}
	register(sc.classes, c, oid, v["NAME"], &c.name)
}

// addAttribute adds an attribute type by its definition (RFC 4512 section 4.1.2). A length after
// the syntax, as in 1.3.6…15{64}, is dropped.
func (sc Schema) addAttribute(words []string) {
	oid, v := definition(words)
	_, single := v["SINGLE-VALUE"]
	_, readOnly := v["NO-USER-MODIFICATION"]
	a := &attributeType{Single: single, ReadOnly: readOnly}
	if d := v["DESC"]; len(d) > 0 {
		a.Description = d[0]
	}
	if s := v["SUP"]; len(s) > 0 {
		a.sup = s[0]
	}
	if s := v["SYNTAX"]; len(s) > 0 {
		a.syntax, _, _ = strings.Cut(s[0], "{")
	}
	register(sc.Attributes, a, oid, v["NAME"], &a.name)
}

// addRule adds what a content rule allows beyond the class it governs; Active Directory declares its
// auxiliary classes so.
func (sc Schema) addRule(words []string) {
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

// register enters a definition under each of its names and its OID, in lower case. name receives
// the first name, or the OID of a definition without names.
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
