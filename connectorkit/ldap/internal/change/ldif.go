package change

import (
	"encoding/base64"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// maskedSecret stands where a plan would tell a password.
const maskedSecret = "[secret]"

// ldif writes a step as a change record (RFC 2849), with secrets masked. Lines are not folded.
func (s Request) ldif() string {
	var b strings.Builder
	ldifLine(&b, "dn", []byte(s.DN))
	for _, oid := range s.Controls {
		b.WriteString("control: " + oid + " true\n")
	}
	switch s.Op {
	case wire.OpAdd:
		b.WriteString("changetype: add\n")
		for _, a := range s.Changes {
			ldifValues(&b, a)
		}
	case wire.OpModify:
		b.WriteString("changetype: modify\n")
		for _, m := range s.Changes {
			b.WriteString([]string{"add", "delete", "replace"}[m.Kind] + ": " + m.Name + "\n")
			ldifValues(&b, m)
			b.WriteString("-\n")
		}
	case wire.OpModifyDN:
		b.WriteString("changetype: modrdn\n")
		ldifLine(&b, "newrdn", []byte(s.NewRDN))
		b.WriteString("deleteoldrdn: 1\n")
		if s.NewSuperior != "" {
			ldifLine(&b, "newsuperior", []byte(s.NewSuperior))
		}
	default:
		b.WriteString("changetype: delete\n")
	}
	return b.String()
}

// ldifValues writes all values of a change, with those of a secret attribute masked one by one: how
// many there are stays visible.
func ldifValues(b *strings.Builder, m wire.Change) {
	secret := entry.IsSecret(strings.ToLower(m.Name))
	for _, v := range m.Values {
		if secret {
			v = []byte(maskedSecret)
		}
		ldifLine(b, m.Name, v)
	}
}

// ldifLine writes a name and a value, in base64 where the value is no SAFE-STRING.
func ldifLine(b *strings.Builder, name string, value []byte) {
	if safeString(value) {
		b.WriteString(name + ": " + string(value) + "\n")
		return
	}
	b.WriteString(name + ":: " + base64.StdEncoding.EncodeToString(value) + "\n")
}

// safeString says whether a value can be written in clear: the SAFE-STRING of RFC 2849.
func safeString(v []byte) bool {
	for i, c := range v {
		switch {
		case c == 0, c == '\n', c == '\r', c >= 0x80:
			return false
		case i == 0 && (c == ' ' || c == ':' || c == '<'):
			return false
		}
	}
	// RFC 2849 note 8: a value that ends in a space should be encoded.
	return len(v) == 0 || v[len(v)-1] != ' '
}
