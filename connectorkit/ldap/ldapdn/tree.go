package ldapdn

import (
	"slices"
	"strings"
)

// Outermost leaves out the DNs that lie below, or are, others in the list.
func Outermost(dns []string) []string {
	var out []string
	for i, dn := range dns {
		inside := slices.ContainsFunc(dns[:i], func(o string) bool { return Normalize(o) == Normalize(dn) }) ||
			slices.ContainsFunc(dns, func(o string) bool { return Normalize(o) != Normalize(dn) && IsWithin(dn, o) })
		if !inside {
			out = append(out, dn)
		}
	}
	return out
}

// IsWithin reports whether dn is, or lies below, base.
func IsWithin(dn, base string) bool {
	dn, base = Normalize(dn), Normalize(base)
	return base == "" || dn == base || strings.HasSuffix(dn, ","+base)
}

// Parent cuts the first part off a DN in normal form.
func Parent(dn string) string {
	for i := 0; i < len(dn); i++ {
		switch dn[i] {
		case '\\':
			i++
		case ',':
			return dn[i+1:]
		}
	}
	return ""
}

// Cut divides a DN, as it is written, behind its first part.
func Cut(dn string) (rdn, parent string) {
	for i := 0; i < len(dn); i++ {
		switch dn[i] {
		case '\\':
			i++
		case ',', ';':
			return dn[:i], strings.TrimSpace(dn[i+1:])
		}
	}
	return dn, ""
}
