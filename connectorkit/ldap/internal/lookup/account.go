package lookup

import (
	"bytes"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Account is an account as it is now.
type Account struct {
	// DN is spelled as the directory does; NormalDN is its normal form, for comparisons.
	DN       string
	NormalDN string
	Values   map[string][][]byte // by lower-case name
	// Status says whether the account can be used.
	Status          entry.Status
	PrimaryGroupSID string // SID of its primary group; Active Directory only
	// Record is the account as a sync would emit it.
	Record v1.RemoteAccount

	FormerDN string // the DN by which groups may still list it, normalized
}

// FirstValue is the first value of an attribute; empty where the entry does not have it.
func (e *Account) FirstValue(name string) string {
	if v := e.Values[strings.ToLower(name)]; len(v) > 0 {
		return string(v[0])
	}
	return ""
}

// Username is the account's user name; empty where it has none.
func (e *Account) Username() string {
	if e.Record.Username == nil {
		return ""
	}
	return *e.Record.Username
}

// accountOf copies what an entry holds; nil where it has no key.
func (w *Finder) accountOf(e *wire.Entry) *Account {
	w.Record.Parse(w.Dictionary, e, true)
	if w.Record.Key == "" {
		return nil
	}
	f := &Account{DN: string(e.DN), Values: map[string][][]byte{}}
	f.NormalDN = ldapdn.Normalize(f.DN)
	for _, a := range e.Attributes {
		key, _ := entry.SplitOptions(string(a.Name))
		copies := make([][]byte, len(a.Values))
		for i, v := range a.Values {
			copies[i] = bytes.Clone(v)
		}
		f.Values[strings.ToLower(key)] = copies
	}
	f.Status = w.Record.Status(w.Now)
	w.ApplyDisableSettings(&f.Status, f.NormalDN)
	f.Record = w.MakeAccount(f.DN, f.NormalDN, f.Status)
	if w.Flavor.ActiveDirectory {
		f.PrimaryGroupSID = w.Record.PrimaryGroupSID()
	}
	return f
}
