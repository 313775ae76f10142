package ldapdn_test

import (
	"strings"
	"testing"
	"time"

	goldap "github.com/go-ldap/ldap/v3"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
)

func TestSpellingsOfOneNameAreNormalizedAlike(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"uid=anna,ou=people,dc=iga,dc=test", "uid=anna,ou=people,dc=iga,dc=test"},
		{"UID=Anna, OU=People ,DC=iga , DC = test", "uid=anna,ou=people,dc=iga,dc=test"},
		{"  cn=Anna   Maria Løv,dc=x ", "cn=anna maria løv,dc=x"},
		{`CN=Doe\, Jane,DC=x`, `cn=doe\, jane,dc=x`},
		{`cn=doe\2C jane,dc=x`, `cn=doe\, jane,dc=x`},
		{`cn="Doe, Jane",dc=x`, `cn=doe\, jane,dc=x`},
		{`cn=\C3\98rsted;dc=x`, "cn=ørsted,dc=x"},
		{`CN=b+SN=a,DC=x`, "cn=b+sn=a,dc=x"},
		{`SN=a + CN=b,DC=x`, "cn=b+sn=a,dc=x"},
		{`cn=\#1\ ,dc=x`, `cn=\#1,dc=x`},
		{`cn=#04024869,dc=x`, "cn=#04024869,dc=x"},
		{`cn=a=b,dc=x`, "cn=a=b,dc=x"},
		{`cn=A= b,dc=x`, "cn=a= b,dc=x"},
		{`cn=c# team,dc=x`, "cn=c# team,dc=x"},
		{`cn=a\0ADEL:1,dc=x`, "cn=a\nDEL:1,dc=x"},
		{"", ""},
		{" No DN ", "no dn"},
		{`cn=open"quote,dc=x`, `cn=open\"quote,dc=x`},
		{`cn="open,dc=x`, `cn="open,dc=x`},
	} {
		tt.want = strings.ReplaceAll(tt.want, "DEL", "del")
		if got := ldapdn.Normalize(tt.in); got != tt.want {
			t.Errorf("NormalizeDN(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// names draws DNs with everything that needs care: escapes, spaces, cases, letters beyond ASCII.
func names(t *rapid.T) (types, values []string) {
	n := rapid.IntRange(1, 4).Draw(t, "parts")
	for range n {
		types = append(types, rapid.SampledFrom([]string{"cn", "OU", "dc", "2.5.4.3"}).Draw(t, "type"))
		values = append(values, rapid.StringOfN(rapid.RuneFrom([]rune(`aBc ,+"\<>;=#éØ-`)), 1, 12, -1).Draw(t, "value"))
	}
	return types, values
}

func TestNormalizingTwiceChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in string
		if rapid.Bool().Draw(t, "any text") {
			in = rapid.StringOf(rapid.RuneFrom([]rune(`acn=,+" \#;Aé`))).Draw(t, "text")
		} else {
			types, values := names(t)
			var parts []string
			for i := range types {
				parts = append(parts, types[i]+"="+goldap.EscapeDN(values[i]))
			}
			in = strings.Join(parts, ",")
		}
		once := ldapdn.Normalize(in)
		if twice := ldapdn.Normalize(once); twice != once {
			t.Fatalf("NormalizeDN(%q) = %q, and of that %q", in, once, twice)
		}
	})
}

func TestEveryWayOfEscapingGivesTheSameName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types, values := names(t)
		var escaped, hexed []string
		for i := range types {
			escaped = append(escaped, types[i]+"="+goldap.EscapeDN(values[i]))
			hexed = append(hexed, " "+strings.ToUpper(types[i])+" = "+hexEscape(strings.ToUpper(values[i])))
		}
		a, b := ldapdn.Normalize(strings.Join(escaped, ",")), ldapdn.Normalize(strings.Join(hexed, " , "))
		if a != b {
			t.Fatalf("%q and %q become %q and %q", escaped, hexed, a, b)
		}
		parsed, err := goldap.ParseDN(a)
		if err != nil || len(parsed.RDNs) != len(types) {
			t.Fatalf("go-ldap reads %q as %v, %v", a, parsed, err)
		}
	})
}

func hexEscape(s string) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte('\\')
		b.WriteByte(digits[s[i]>>4])
		b.WriteByte(digits[s[i]&15])
	}
	return b.String()
}

func TestAHundredThousandNamesAreNormalizedInAFractionOfASecond(t *testing.T) {
	began := time.Now()
	for range 100_000 {
		ldapdn.Normalize("CN=Anna Andersson,OU=People,DC=Example,DC=Com")
	}
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("100,000 names took %s, want less than 500 ms", took)
	}
	if n := testing.AllocsPerRun(100, func() { ldapdn.Normalize("uid=u0000001,ou=people,dc=iga,dc=test") }); n != 0 {
		t.Errorf("a name in normal form costs %v allocations, want none", n)
	}
}
