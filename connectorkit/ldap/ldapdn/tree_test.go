package ldapdn

import (
	"testing"
	"unicode/utf8"

	goldap "github.com/go-ldap/ldap/v3"
)

// FuzzEscapeValue checks that a value never changes the DN it stands in, and is read back as it was, up to
// case and spaces.
func FuzzEscapeValue(f *testing.F) {
	for _, s := range []string{
		"anna", "Doe, Jane", "#1", `a\b`, "a+b=c", "\x00", " lead", "trail ", `"<>;`, "é", "a=b", "two  spaces", ",",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := Fold(s)
		if folded == "" || !utf8.ValidString(s) {
			return
		}
		parsed, err := goldap.ParseDN("cn=" + escape(folded) + ",dc=x")
		if err != nil {
			t.Fatalf("%q becomes %q, which is no part of a DN: %v", s, escape(folded), err)
		}
		if len(parsed.RDNs) != 2 || len(parsed.RDNs[0].Attributes) != 1 {
			t.Fatalf("%q becomes %q, which is another DN", s, escape(folded))
		}
		if got := parsed.RDNs[0].Attributes[0].Value; got != folded {
			t.Errorf("%q becomes %q, which is read as %q", folded, escape(folded), got)
		}
		if Normalize("cn="+escape(folded)+",dc=x") != "cn="+escape(folded)+",dc=x" {
			t.Errorf("%q is not in normal form when escaped", folded)
		}
	})
}

func TestTheParentOfANameIsFoundBehindItsEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"uid=a,ou=b,dc=c": "ou=b,dc=c", `cn=doe\, jane,dc=x`: "dc=x", `cn=a\\,dc=x`: "dc=x", "dc=x": "", "": "",
		`cn=a\`: "",
	} {
		if got := Parent(in); got != want {
			t.Errorf("parentOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDNsAreCutBehindTheirFirstPart(t *testing.T) {
	for dn, want := range map[string][2]string{
		"uid=a,dc=x": {"uid=a", "dc=x"}, `cn=a\,b, dc=x`: {`cn=a\,b`, "dc=x"}, `cn=a\\,dc=x`: {`cn=a\\`, "dc=x"},
		"dc=x": {"dc=x", ""}, `cn=a\2C,dc=x`: {`cn=a\2C`, "dc=x"},
	} {
		if rdn, parent := Cut(dn); rdn != want[0] || parent != want[1] {
			t.Errorf("cutDN(%s) = %s, %s", dn, rdn, parent)
		}
	}
}
