package ldap

import (
	"encoding/base64"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// hidden stands where a plan would tell a password.
const hidden = "[secret]"

// ldif writes a step as a change record (RFC 2849), with secrets masked. Lines are not folded.
func (s step) ldif() string {
	var b strings.Builder
	line(&b, "dn", []byte(s.dn))
	for _, oid := range s.controls {
		b.WriteString("control: " + oid + " true\n")
	}
	switch s.op {
	case stepAdd:
		b.WriteString("changetype: add\n")
		for _, a := range s.changes {
			ldifValues(&b, a)
		}
	case stepModify:
		b.WriteString("changetype: modify\n")
		for _, m := range s.changes {
			b.WriteString([]string{"add", "delete", "replace"}[m.Kind] + ": " + m.Name + "\n")
			ldifValues(&b, m)
			b.WriteString("-\n")
		}
	case stepModifyDN:
		b.WriteString("changetype: modrdn\n")
		line(&b, "newrdn", []byte(s.newRDN))
		b.WriteString("deleteoldrdn: 1\n")
		if s.newSuperior != "" {
			line(&b, "newsuperior", []byte(s.newSuperior))
		}
	default:
		b.WriteString("changetype: delete\n")
	}
	return b.String()
}

func ldifValues(b *strings.Builder, m wire.Change) {
	secret := isSecret(strings.ToLower(m.Name))
	for _, v := range m.Values {
		if secret {
			v = []byte(hidden)
		}
		line(b, m.Name, v)
	}
}

// line writes a name and a value, in base64 where the value is no SAFE-STRING.
func line(b *strings.Builder, name string, value []byte) {
	if safeString(value) {
		b.WriteString(name + ": " + string(value) + "\n")
		return
	}
	b.WriteString(name + ":: " + base64.StdEncoding.EncodeToString(value) + "\n")
}

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
