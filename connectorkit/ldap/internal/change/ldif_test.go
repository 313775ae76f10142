package change

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

func TestChangesAreWrittenAsLDIF(t *testing.T) {
	for _, tt := range []struct {
		step Request
		want string
	}{
		{
			Request{
				Op: wire.OpAdd, DN: "uid=a,dc=x",
				Changes: []wire.Change{
					{Name: "objectClass", Values: wire.Values([]string{"top", "person"})},
					{Name: "cn", Values: wire.Values([]string{"Zoë"})},
					{Name: "userPassword", Values: wire.Values([]string{"hunter2"})},
				},
			},
			"dn: uid=a,dc=x\nchangetype: add\nobjectClass: top\nobjectClass: person\ncn:: Wm/Dqw==\nuserPassword: " +
				"[secret]\n",
		},
		{
			Request{
				Op: wire.OpModify, DN: " uid=ö",
				Changes: []wire.Change{
					wire.Replace("title"),
					{
						Kind: wire.ChangeAdd, Name: "mail",
						Values: wire.Values([]string{"a", ":b", "<c", "d ", "e\nf", ""}),
					},
					{Kind: wire.ChangeDelete, Name: "sn", Values: wire.Values([]string{"x"})},
				},
			},
			"dn:: IHVpZD3Dtg==\nchangetype: modify\nreplace: title\n-\nadd: mail\nmail: a\nmail:: OmI=\nmail:: " +
				"PGM=\nmail:: ZCA=\nmail:: ZQpm\nmail: \n-\ndelete: sn\nsn: x\n-\n",
		},
		{
			Request{
				Op: wire.OpModify, DN: "cn=g", Controls: []string{PermissiveModifyOID},
				Changes: []wire.Change{{Kind: wire.ChangeAdd, Name: "member", Values: wire.Values([]string{"cn=u"})}},
			},
			"dn: cn=g\ncontrol: 1.2.840.113556.1.4.1413 true\nchangetype: modify\nadd: member\nmember: cn=u\n-\n",
		},
		{
			Request{
				Op: wire.OpModify, DN: "cn=u",
				Changes: []wire.Change{wire.Replace("unicodePwd", syntax.QuotePassword("hunter2"))},
			},
			"dn: cn=u\nchangetype: modify\nreplace: unicodePwd\nunicodePwd: [secret]\n-\n",
		},
		{
			Request{Op: wire.OpModifyDN, DN: "uid=a,dc=x", NewRDN: `uid=b\,c`, NewSuperior: "ou=é"},
			"dn: uid=a,dc=x\nchangetype: modrdn\nnewrdn: uid=b\\,c\ndeleteoldrdn: 1\nnewsuperior:: b3U9w6k=\n",
		},
		{
			Request{Op: wire.OpModifyDN, DN: "uid=a,dc=x", NewRDN: "uid=b"},
			"dn: uid=a,dc=x\nchangetype: modrdn\nnewrdn: uid=b\ndeleteoldrdn: 1\n",
		},
		{Request{Op: wire.OpDelete, DN: "uid=a,dc=x"}, "dn: uid=a,dc=x\nchangetype: delete\n"},
	} {
		if diff := cmp.Diff(tt.want, tt.step.ldif()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// parsed reads the lines of LDIF as RFC 2849 says, apart from the writer above.
func parsed(t *testing.T, text string) [][2]string {
	t.Helper()
	var out [][2]string
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		name, rest, found := strings.Cut(l, ":")
		if !found && l != "-" {
			t.Fatalf("line %q of\n%s", l, text)
		}
		value := strings.TrimLeft(rest, " ")
		if encoded, is := strings.CutPrefix(rest, ":"); is {
			b, err := base64.StdEncoding.DecodeString(strings.TrimLeft(encoded, " "))
			if err != nil {
				t.Fatalf("line %q: %v", l, err)
			}
			value = string(b)
		}
		for i := 0; i < len(l); i++ {
			if l[i] == 0 || l[i] == '\r' || l[i] >= 0x80 {
				t.Fatalf("line %q holds what LDIF cannot", l)
			}
		}
		out = append(out, [2]string{name, value})
	}
	return out
}

func FuzzNoValueLeavesItsLine(f *testing.F) {
	for _, s := range []string{
		"", "a", " a", "a ", ":", "<", "\n-\nchangetype: delete", "\r", "\x00", "é", "dn: x", "a\n b", "-",
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, dn, value string) {
		s := Request{
			Op: wire.OpModify, DN: dn,
			Changes: []wire.Change{wire.Replace("title", value), wire.Replace("userPassword", value)},
		}
		want := [][2]string{
			{"dn", dn}, {"changetype", "modify"}, {"replace", "title"}, {"title", value}, {"-", ""},
			{"replace", "userPassword"}, {"userPassword", maskedSecret}, {"-", ""},
		}
		if diff := cmp.Diff(want, parsed(t, s.ldif())); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		moved := Request{Op: wire.OpModifyDN, DN: dn, NewRDN: value, NewSuperior: "x" + value}
		want = [][2]string{
			{"dn", dn}, {"changetype", "modrdn"}, {"newrdn", value}, {"deleteoldrdn", "1"},
			{"newsuperior", "x" + value},
		}
		if diff := cmp.Diff(want, parsed(t, moved.ldif())); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}
