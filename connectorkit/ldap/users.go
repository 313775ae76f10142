package ldap

import (
	"bytes"
	"maps"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// user hands on a person as identity and account, and on Active Directory the primary group as a grant.
func (r *run) user(e *wire.Entry) error {
	both := r.want[v1.Identities] && r.want[v1.Accounts]
	r.rec.take(r.dict, e, r.want[v1.Identities] || r.want[v1.Accounts])
	if r.rec.id == "" {
		r.skip(e, v1.Identities, v1.Accounts)
		return nil
	}
	dn := string(e.DN)
	native := NormalizeDN(dn)
	r.odd.note(native)
	st := r.rec.status(r.now)
	r.closedHere(&st, native)
	r.seen(later(r.rec.at(slotModified), r.rec.at(slotCreated)))
	r.noteTruncated(r.rec.id)
	r.noteAliases(e)
	if r.want[v1.Identities] {
		r.identity(native, st)
	}
	if r.want[v1.Accounts] {
		account := r.account(dn, native, st)
		if both {
			// Each record belongs to its receiver, who may change it.
			account.Attributes = maps.Clone(account.Attributes)
			id := account.ExternalID
			account.IdentityExternalID = &id
		}
		r.page.Accounts = append(r.page.Accounts, account)
		r.counts[v1.Accounts]++
	}
	r.primaryGroup()
	return r.handOn()
}

// identity leaves names and addresses to the mapping, which finds them among the attributes.
func (r *run) identity(native string, st status) {
	modified := r.rec.at(slotModified)
	person := v1.RemoteIdentity{
		ExternalID: r.rec.id, NativeRef: native, IsDisabled: &st.disabled,
		ModifiedAt: modified, Attributes: r.rec.attributes, PhoneNumbers: r.phoneNumbers(),
	}
	if manager := r.rec.slots[slotManager]; len(manager) > 0 {
		person.ManagerRef = &v1.Ref{Kind: v1.RefNative, Value: NormalizeDN(string(manager))}
	}
	r.page.Identities = append(r.page.Identities, person)
	r.counts[v1.Identities]++
}

// phoneNumbers are those of a person: an empty list if there are none, nil if they are not read.
func (r *run) phoneNumbers() []v1.PhoneNumber {
	if wanted := r.dict.wanted; wanted != nil && !wanted["telephonenumber"] && !wanted["mobile"] {
		return nil
	}
	return append([]v1.PhoneNumber{}, r.rec.phones...)
}

func (r *run) account(dn, native string, st status) v1.RemoteAccount {
	modified := r.rec.at(slotModified)
	a := v1.RemoteAccount{
		ExternalID: r.rec.id, NativeRef: native, NativeIdentity: dn,
		Username: r.username(), Email: r.rec.text(slotMail), DisplayName: r.rec.firstText(slotDisplayName, slotCN),
		FirstName: r.rec.text(slotGivenName), LastName: r.rec.text(slotSurname), EmployeeNumber: r.employeeNumber(),
		IsDisabled: &st.disabled, IsLocked: &st.locked, PasswordExpired: st.passwordExpired, AccountType: r.accountType(st),
		CreatedAt: r.rec.at(slotCreated), ModifiedAt: modified, LastLoginAt: st.lastLoginAt,
		PasswordLastSetAt: st.passwordSetAt, ExpiresAt: st.expiresAt, Attributes: r.rec.attributes,
	}
	if string(r.rec.slots[slotAdminCount]) == "1" {
		// Active Directory marks members of its protected groups with adminCount.
		privileged := true
		a.Privileged = &privileged
	}
	return a
}

// employeeNumber is employeeNumber, on Active Directory employeeID: there the other attribute exists too, and is hardly ever used.
func (r *run) employeeNumber() *string {
	if r.flavor.name == flavorAD {
		return r.rec.firstText(slotEmployeeID, slotEmployeeNumber)
	}
	return r.rec.firstText(slotEmployeeNumber, slotEmployeeID)
}

// username is the configured attribute, else the first of sAMAccountName, uid and cn.
func (r *run) username() *string {
	if r.usernameAttribute != "" {
		if v := r.rec.username; len(v) > 0 && isText(v) {
			s := string(v)
			return &s
		}
		return nil
	}
	return r.rec.firstText(slotSAM, slotUID, slotCN)
}

// accountType is a hint where the directory itself says that an account is no person's.
func (r *run) accountType(st status) string {
	if st.system {
		return "system"
	}
	for _, class := range r.rec.classes {
		if bytes.EqualFold(class, []byte("msDS-GroupManagedServiceAccount")) || bytes.EqualFold(class, []byte("msDS-ManagedServiceAccount")) {
			return "service"
		}
	}
	return ""
}

// primaryGroup adds the membership that Active Directory keeps in primaryGroupID and nowhere else.
func (r *run) primaryGroup() {
	if !r.flavor.activeDir || !r.want[v1.Grants] {
		return
	}
	sid := r.rec.primaryGroupSID()
	if sid == "" {
		return
	}
	if group, known := r.primary[sid]; known {
		r.primaryGrant(r.rec.id, group)
		return
	}
	r.homeless = append(r.homeless, homeless{account: r.rec.id, sid: sid})
}

// primaryGrant hands on a membership by primary group. It cannot be taken away, only exchanged for another. A group outside
// of what is read has no key, and then there is nothing to hand on.
func (r *run) primaryGrant(account, group string) {
	if group == "" {
		return
	}
	immutable := true
	r.page.Grants = append(r.page.Grants, v1.RemoteGrant{
		AccountExternalID: &account, EntitlementExternalID: group, Immutable: &immutable, Directness: "direct",
	})
	r.counts[v1.Grants]++
}

// homeless is a person whose primary group has not been met in this read.
type homeless struct{ account, sid string }

// house finds the primary groups of the people on this page that are not known yet.
func (r *run) house() error {
	for _, h := range r.homeless {
		if _, known := r.primary[h.sid]; !known {
			if err := r.findPrimary(h.sid); err != nil {
				return err
			}
		}
		r.primaryGrant(h.account, r.primary[h.sid])
	}
	r.homeless = r.homeless[:0]
	return r.handOn()
}

func (r *run) findPrimary(sid string) error {
	o := r.teams
	p := o.whole()
	p.filter = "(&" + o.filter + "(objectSid=" + sid + "))"
	r.primary[sid] = ""
	_, err := r.conn.Search(r.search(o, p, []string{r.idAttribute, "objectSid"}), func(e *wire.Entry) error {
		r.rec.take(r.dict, e, false)
		if found, ok := FormatSID(r.rec.slots[slotSID]); ok && found == sid {
			r.primary[sid] = r.rec.id
		}
		return nil
	})
	if err != nil {
		return r.searchError(r.ctx, r.people.phase, err)
	}
	return nil
}
