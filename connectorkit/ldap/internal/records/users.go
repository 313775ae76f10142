package records

import (
	"maps"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// User emits a person as identity and account, and on Active Directory the primary group as a grant.
func (r *Reader) User(e *wire.Entry) error {
	both := r.Wanted[v1.Identities] && r.Wanted[v1.Accounts]
	r.Record.Parse(r.Dictionary, e, r.Wanted[v1.Identities] || r.Wanted[v1.Accounts])
	if r.Record.Key == "" {
		r.SkipEntry(e, v1.Identities, v1.Accounts)
		return nil
	}
	dn := string(e.DN)
	native := ldapdn.Normalize(dn)
	r.Undeclared.Note(native)
	st := r.Record.Status(r.Now)
	r.ApplyDisableSettings(&st, native)
	r.NoteTime(entry.Later(r.Record.Time(entry.SlotModified), r.Record.Time(entry.SlotCreated)))
	r.NoteTruncated(r.Record.Key)
	r.noteAliases(e)
	if r.Wanted[v1.Identities] {
		r.identity(native, st)
	}
	if r.Wanted[v1.Accounts] {
		account := r.MakeAccount(dn, native, st)
		if both {
			// Each record belongs to its receiver, who may change it.
			account.Attributes = maps.Clone(account.Attributes)
			id := account.ExternalID
			account.IdentityExternalID = &id
		}
		r.Page.Accounts = append(r.Page.Accounts, account)
		r.Counts[v1.Accounts]++
	}
	r.primaryGroup()
	return r.FlushIfFull()
}

// identity leaves names and addresses to the mapping, which finds them among the attributes.
func (r *Reader) identity(native string, st entry.Status) {
	modified := r.Record.Time(entry.SlotModified)
	person := v1.RemoteIdentity{
		ExternalID: r.Record.Key, NativeRef: native, IsDisabled: &st.Disabled,
		ModifiedAt: modified, Attributes: r.Record.Attributes,
		PhoneNumbers: r.PhoneNumbers(),
	}
	if manager := r.Record.Slots[entry.SlotManager]; len(manager) > 0 {
		person.ManagerRef = &v1.Ref{Kind: v1.RefNative, Value: ldapdn.Normalize(string(manager))}
	}
	r.Page.Identities = append(r.Page.Identities, person)
	r.Counts[v1.Identities]++
}
