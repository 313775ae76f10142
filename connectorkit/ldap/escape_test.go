package ldap

import (
	"strings"
	"testing"
	"unicode/utf8"

	goldap "github.com/go-ldap/ldap/v3"
)

// FuzzEscapeFilter checks that a value never changes the filter it stands in, and is read back as it was.
func FuzzEscapeFilter(f *testing.F) {
	for _, s := range []string{"", "anna", "*", "a)(objectClass=*", `\2a`, "\x00", "(&", "é", "\xff\xfe", "a b,c=d", "!x", ">=1", "~=", ":dn:="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, escaped := range []string{escapeFilter(s), escapeBytes([]byte(s))} {
			p, err := goldap.CompileFilter("(&(uid=" + escaped + ")(cn=x))")
			if err != nil {
				t.Fatalf("%q becomes %q, which is no part of a filter: %v", s, escaped, err)
			}
			if len(p.Children) != 2 || p.Children[0].Tag != goldap.FilterEqualityMatch || len(p.Children[0].Children) != 2 {
				t.Fatalf("%q becomes %q, which is another filter", s, escaped)
			}
			if got := p.Children[0].Children[1].Data.String(); got != s {
				t.Errorf("%q becomes %q, which is read as %q", s, escaped, got)
			}
		}
	})
}

// FuzzEscapeValue checks that a value never changes the DN it stands in, and is read back as it was, up to case and spaces.
func FuzzEscapeValue(f *testing.F) {
	for _, s := range []string{"anna", "Doe, Jane", "#1", `a\b`, "a+b=c", "\x00", " lead", "trail ", `"<>;`, "é", "a=b", "two  spaces", ","} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := foldValue(s)
		if folded == "" || !utf8.ValidString(s) {
			return
		}
		parsed, err := goldap.ParseDN("cn=" + escapeValue(folded) + ",dc=x")
		if err != nil {
			t.Fatalf("%q becomes %q, which is no part of a DN: %v", s, escapeValue(folded), err)
		}
		if len(parsed.RDNs) != 2 || len(parsed.RDNs[0].Attributes) != 1 {
			t.Fatalf("%q becomes %q, which is another DN", s, escapeValue(folded))
		}
		if got := parsed.RDNs[0].Attributes[0].Value; got != folded {
			t.Errorf("%q becomes %q, which is read as %q", folded, escapeValue(folded), got)
		}
		if NormalizeDN("cn="+escapeValue(folded)+",dc=x") != "cn="+escapeValue(folded)+",dc=x" {
			t.Errorf("%q is not in normal form when escaped", folded)
		}
	})
}

func TestTheParentOfANameIsFoundBehindItsEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"uid=a,ou=b,dc=c": "ou=b,dc=c", `cn=doe\, jane,dc=x`: "dc=x", `cn=a\\,dc=x`: "dc=x", "dc=x": "", "": "", `cn=a\`: "",
	} {
		if got := parentOf(in); got != want {
			t.Errorf("parentOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLevelsOfAFilterAreCounted(t *testing.T) {
	for in, want := range map[string]int{"(a=b)": 1, "(&(a=b)(|(c=d)(e=f)))": 3, `(a=\(\()`: 1, strings.Repeat("(!", 60) + "(a=b)" + strings.Repeat(")", 60): 61, "": 0} {
		if got := deepest(in); got != want {
			t.Errorf("deepest(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestPlacesAreComparedBySetAndByNumber(t *testing.T) {
	var hashes []string
	for _, dn := range []string{"ou=b,dc=x", "ou=a,dc=x", "dc=x", "ou=a,dc=x"} {
		hashes = append(hashes, hashOf(dn))
	}
	c := newContainers(hashes)
	if c.Count != 3 || !c.has(hashOf("ou=a,dc=x")) || !c.has(hashOf("dc=x")) || c.has(hashOf("ou=c,dc=x")) {
		t.Errorf("containers %+v", c)
	}
	many := make([]string, 0, maxContainers+1)
	for i := range maxContainers + 1 {
		many = append(many, hashOf(strings.Repeat("x", i)))
	}
	if big := newContainers(many); big.Count != maxContainers+1 || len(big.Hashes) != 0 || big.Sum == c.Sum {
		t.Errorf("%d containers, %d bytes of hashes", big.Count, len(big.Hashes))
	}
	got := outermost([]string{"ou=a,ou=b,dc=x", "OU=B,dc=x", "ou=b,dc=x", "ou=c,dc=x"})
	if strings.Join(got, "; ") != "OU=B,dc=x; ou=c,dc=x" {
		t.Errorf("outermost = %q", got)
	}
}
