package ldap

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

func TestChangesAreWrittenAsLDIF(t *testing.T) {
	for _, tt := range []struct {
		step step
		want string
	}{
		{
			step{op: stepAdd, dn: "uid=a,dc=x", changes: []wire.Change{{Name: "objectClass", Values: rawAll([]string{"top", "person"})}, {Name: "cn", Values: rawAll([]string{"Zoë"})}, {Name: "userPassword", Values: rawAll([]string{"hunter2"})}}},
			"dn: uid=a,dc=x\nchangetype: add\nobjectClass: top\nobjectClass: person\ncn:: Wm/Dqw==\nuserPassword: [secret]\n",
		},
		{
			step{op: stepModify, dn: " uid=ö", changes: []wire.Change{replace("title"), {Kind: wire.ChangeAdd, Name: "mail", Values: rawAll([]string{"a", ":b", "<c", "d ", "e\nf", ""})}, {Kind: wire.ChangeDelete, Name: "sn", Values: rawAll([]string{"x"})}}},
			"dn:: IHVpZD3Dtg==\nchangetype: modify\nreplace: title\n-\nadd: mail\nmail: a\nmail:: OmI=\nmail:: PGM=\nmail:: ZCA=\nmail:: ZQpm\nmail: \n-\ndelete: sn\nsn: x\n-\n",
		},
		{
			step{op: stepModify, dn: "cn=g", controls: []string{permissiveModifyOID}, changes: []wire.Change{{Kind: wire.ChangeAdd, Name: "member", Values: rawAll([]string{"cn=u"})}}},
			"dn: cn=g\ncontrol: 1.2.840.113556.1.4.1413 true\nchangetype: modify\nadd: member\nmember: cn=u\n-\n",
		},
		{step{op: stepModify, dn: "cn=u", changes: []wire.Change{replace("unicodePwd", quotedUTF16("hunter2"))}}, "dn: cn=u\nchangetype: modify\nreplace: unicodePwd\nunicodePwd: [secret]\n-\n"},
		{step{op: stepModifyDN, dn: "uid=a,dc=x", newRDN: `uid=b\,c`, newSuperior: "ou=é"}, "dn: uid=a,dc=x\nchangetype: modrdn\nnewrdn: uid=b\\,c\ndeleteoldrdn: 1\nnewsuperior:: b3U9w6k=\n"},
		{step{op: stepModifyDN, dn: "uid=a,dc=x", newRDN: "uid=b"}, "dn: uid=a,dc=x\nchangetype: modrdn\nnewrdn: uid=b\ndeleteoldrdn: 1\n"},
		{step{op: stepDelete, dn: "uid=a,dc=x"}, "dn: uid=a,dc=x\nchangetype: delete\n"},
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
	for _, s := range []string{"", "a", " a", "a ", ":", "<", "\n-\nchangetype: delete", "\r", "\x00", "é", "dn: x", "a\n b", "-"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, dn, value string) {
		s := step{op: stepModify, dn: dn, changes: []wire.Change{replace("title", value), replace("userPassword", value)}}
		want := [][2]string{{"dn", dn}, {"changetype", "modify"}, {"replace", "title"}, {"title", value}, {"-", ""}, {"replace", "userPassword"}, {"userPassword", hidden}, {"-", ""}}
		if diff := cmp.Diff(want, parsed(t, s.ldif())); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		moved := step{op: stepModifyDN, dn: dn, newRDN: value, newSuperior: "x" + value}
		want = [][2]string{{"dn", dn}, {"changetype", "modrdn"}, {"newrdn", value}, {"deleteoldrdn", "1"}, {"newsuperior", "x" + value}}
		if diff := cmp.Diff(want, parsed(t, moved.ldif())); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestRandomPasswordsAreStrongAndNeverTheSame(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		p, err := randomPassword()
		if err != nil || len(p) != passwordLength || seen[p] {
			t.Fatalf("%q, %v", p, err)
		}
		seen[p] = true
		for _, kind := range passwordKinds {
			if !strings.ContainsAny(p, kind) {
				t.Errorf("%q has none of %s", p, kind)
			}
		}
	}
}

func TestDNsAreCutBehindTheirFirstPart(t *testing.T) {
	for dn, want := range map[string][2]string{
		"uid=a,dc=x": {"uid=a", "dc=x"}, `cn=a\,b, dc=x`: {`cn=a\,b`, "dc=x"}, `cn=a\\,dc=x`: {`cn=a\\`, "dc=x"}, "dc=x": {"dc=x", ""}, `cn=a\2C,dc=x`: {`cn=a\2C`, "dc=x"},
	} {
		if rdn, parent := cutDN(dn); rdn != want[0] || parent != want[1] {
			t.Errorf("cutDN(%s) = %s, %s", dn, rdn, parent)
		}
	}
}
