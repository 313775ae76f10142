package entry

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Reader makes records of the entries of one session.
type Reader struct {
	*session.Session
	Ctx        context.Context
	Dictionary *Dictionary
	Record     Record
	Now        time.Time // only to tell whether a password has expired
}

// NewReader makes a reader for a session whose keys are resolved.
func NewReader(ctx context.Context, se *session.Session, allowlist []string, now time.Time) *Reader {
	return &Reader{Session: se, Ctx: ctx, Dictionary: NewDictionary(se, allowlist), Now: now}
}

// KeyOf is an entry's key; empty where it has none.
func (r *Reader) KeyOf(e *wire.Entry) string {
	for i := range e.Attributes {
		a := r.Dictionary.Lookup(e.Attributes[i].Name)
		if a.ID && len(e.Attributes[i].Values) == 1 {
			return KeyText(r.Flavor.Name, a.Format, e.Attributes[i].Values[0])
		}
	}
	return ""
}

// MakeAccount makes an account of the record in hand; native is its normalized DN.
func (r *Reader) MakeAccount(dn, native string, st Status) v1.RemoteAccount {
	modified := r.Record.Time(SlotModified)
	a := v1.RemoteAccount{
		ExternalID: r.Record.Key, NativeRef: native, NativeIdentity: dn,
		Username: r.Username(), Email: r.Record.Text(slotMail),
		DisplayName: r.Record.FirstText(SlotDisplayName, SlotCN),
		FirstName:   r.Record.Text(slotGivenName), LastName: r.Record.Text(slotSurname),
		EmployeeNumber: r.employeeNumber(),
		IsDisabled:     &st.Disabled, IsLocked: &st.Locked, PasswordExpired: st.passwordExpired,
		AccountType: r.accountType(st),
		CreatedAt:   r.Record.Time(SlotCreated), ModifiedAt: modified, LastLoginAt: st.lastLoginAt,
		PasswordLastSetAt: st.PasswordSetAt, ExpiresAt: st.expiresAt, Attributes: r.Record.Attributes,
	}
	if string(r.Record.Slots[slotAdminCount]) == "1" {
		// Active Directory marks members of its protected groups with adminCount.
		privileged := true
		a.Privileged = &privileged
	}
	return a
}

// PhoneNumbers are those of a person: an empty list if there are none, nil if they are not read.
func (r *Reader) PhoneNumbers() []v1.PhoneNumber {
	wanted := r.Dictionary.Wanted
	if wanted != nil && !wanted["telephonenumber"] && !wanted["mobile"] {
		return nil
	}
	return append([]v1.PhoneNumber{}, r.Record.phones...)
}

// employeeNumber is employeeNumber, on Active Directory employeeID: there the other attribute exists too, and
// is hardly ever used.
func (r *Reader) employeeNumber() *string {
	if r.Flavor.Name == settings.FlavorAD {
		return r.Record.FirstText(slotEmployeeID, slotEmployeeNumber)
	}
	return r.Record.FirstText(slotEmployeeNumber, slotEmployeeID)
}

// Username is the configured attribute, else the first of sAMAccountName, uid and cn.
func (r *Reader) Username() *string {
	if r.UsernameAttribute != "" {
		if v := r.Record.username; len(v) > 0 && IsText(v) {
			s := string(v)
			return &s
		}
		return nil
	}
	return r.Record.FirstText(SlotSAM, slotUID, SlotCN)
}

// accountType is a hint where the directory itself says that an account is no person's.
func (r *Reader) accountType(st Status) string {
	if st.Machine {
		return "system"
	}
	for _, class := range r.Record.Classes {
		if bytes.EqualFold(class, []byte("msDS-GroupManagedServiceAccount")) ||
			bytes.EqualFold(class, []byte("msDS-ManagedServiceAccount")) {
			return "service"
		}
	}
	return ""
}

// ApplyDisableSettings completes a status by what only the settings tell to mean disabled.
func (r *Reader) ApplyDisableSettings(st *Status, native string) {
	w := r.Write
	switch {
	case w.DisableStrategy == settings.DisableByAttribute:
		st.Disabled = st.Disabled || slices.ContainsFunc(r.Record.disableValues, func(v []byte) bool {
			return strings.EqualFold(string(v), w.DisabledValue)
		})
	case w.DisableStrategy == settings.DisableByMoving:
		st.Disabled = st.Disabled || ldapdn.IsWithin(native, w.DisabledContainer)
	}
}
