package ldapdir

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/e2e/targets/ldapdir/schema"
)

// truth is the three-valued logic of filters: undefined is neither true nor, negated, true (RFC 4511
// section 4.5.1.7).
type truth int

const (
	no truth = iota
	undefined
	yes
)

// matcher judges one entry.
type matcher func(*entry) truth

// compile turns a filter (RFC 4515) into a matcher. Extensible match is not supported.
func compile(filter string) (matcher, error) {
	packet, err := ldap.CompileFilter(filter)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	return build(packet)
}

func build(p *ber.Packet) (matcher, error) {
	switch p.Tag {
	case ldap.FilterAnd, ldap.FilterOr:
		return junction(p)
	case ldap.FilterNot:
		if len(p.Children) != 1 {
			return nil, errors.New("filter: not takes one filter")
		}
		inner, err := build(p.Children[0])
		if err != nil {
			return nil, err
		}
		return func(e *entry) truth { return yes - inner(e) }, nil
	case ldap.FilterPresent:
		return present(text(p)), nil
	case ldap.FilterSubstrings:
		return substrings(p)
	case ldap.FilterEqualityMatch, ldap.FilterApproxMatch, ldap.FilterGreaterOrEqual, ldap.FilterLessOrEqual:
		return comparison(p)
	default:
		return nil, fmt.Errorf("filter: %s is not supported", ldap.FilterMap[uint64(p.Tag)])
	}
}

// junction is and, the least of all, or or, the greatest. Empty, they are true and false (RFC 4526).
func junction(p *ber.Packet) (matcher, error) {
	parts := make([]matcher, 0, len(p.Children))
	for _, c := range p.Children {
		m, err := build(c)
		if err != nil {
			return nil, err
		}
		parts = append(parts, m)
	}
	if p.Tag == ldap.FilterAnd {
		return func(e *entry) truth {
			result := yes
			for _, m := range parts {
				if result = min(result, m(e)); result == no {
					break
				}
			}
			return result
		}, nil
	}
	return func(e *entry) truth {
		result := no
		for _, m := range parts {
			if result = max(result, m(e)); result == yes {
				break
			}
		}
		return result
	}, nil
}

func present(name string) matcher {
	name = schema.Canonical(name)
	return func(e *entry) truth { return verdict(name, len(e.find(name)) > 0) }
}

// verdict is undefined for an attribute that the schema does not know.
func verdict(name string, is bool) truth {
	switch {
	case is:
		return yes
	case schema.Known(name):
		return no
	default:
		return undefined
	}
}

// comparison is =, ~= (taken as =), >= and <=.
func comparison(p *ber.Packet) (matcher, error) {
	if len(p.Children) != 2 {
		return nil, errors.New("filter: a comparison takes an attribute and a value")
	}
	name, want := schema.Canonical(text(p.Children[0])), text(p.Children[1])
	fits := equal(name, want)
	switch p.Tag {
	case ldap.FilterGreaterOrEqual:
		fits = func(v string) bool { return order(v, want) >= 0 }
	case ldap.FilterLessOrEqual:
		fits = func(v string) bool { return order(v, want) <= 0 }
	}
	return anyValue(name, fits), nil
}

// equal compares without regard to case; values that are DNs compare as DNs.
func equal(name, want string) func(string) bool {
	if !schema.NamesEntries(name) {
		return func(v string) bool { return strings.EqualFold(v, want) }
	}
	norm, err := normalDN(want)
	if err != nil {
		return func(string) bool { return false }
	}
	return func(v string) bool {
		if strings.EqualFold(v, norm) {
			return true
		}
		return !plainDN(v) && key(v) == norm
	}
}

// order compares numbers as numbers and the rest as text without regard to case.
func order(a, b string) int {
	x, errA := strconv.ParseInt(a, 10, 64)
	y, errB := strconv.ParseInt(b, 10, 64)
	if errA == nil && errB == nil {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	return strings.Compare(strings.ToLower(a), strings.ToLower(b))
}

// substrings is initial*any*final, each part behind the one before.
func substrings(p *ber.Packet) (matcher, error) {
	if len(p.Children) != 2 {
		return nil, errors.New("filter: a substring match takes an attribute and parts")
	}
	name := schema.Canonical(text(p.Children[0]))
	type part struct {
		tag  ber.Tag
		text string
	}
	var parts []part
	for _, c := range p.Children[1].Children {
		parts = append(parts, part{c.Tag, strings.ToLower(text(c))})
	}
	return anyValue(name, func(v string) bool {
		v = strings.ToLower(v)
		for _, part := range parts {
			var ok bool
			switch part.tag {
			case ldap.FilterSubstringsInitial:
				v, ok = strings.CutPrefix(v, part.text)
			case ldap.FilterSubstringsFinal:
				ok = strings.HasSuffix(v, part.text)
			default:
				_, v, ok = strings.Cut(v, part.text)
			}
			if !ok {
				return false
			}
		}
		return true
	}), nil
}

func anyValue(name string, fits func(string) bool) matcher {
	return func(e *entry) truth {
		for _, v := range e.find(name) {
			if fits(v) {
				return yes
			}
		}
		return verdict(name, false)
	}
}

// text is the content of a primitive element.
func text(p *ber.Packet) string { return p.Data.String() }
