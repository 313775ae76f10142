package ldap

import (
	"bytes"
	"maps"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// readUsers hands on people as identities and accounts, and on Active Directory their primary groups as grants.
func (r *run) readUsers(need bool, filter string) error {
	if !need {
		return nil
	}
	out, err := r.readAll(r.ctx, "users", r.users(filter, r.dict.request()), r.user, nil)
	kinds := []v1.ObjectKind{v1.Identities, v1.Accounts}
	if r.flavor.activeDir {
		kinds = append(kinds, v1.Grants)
	}
	r.ended("people", out, kinds...)
	if err == nil && out.entries == 0 {
		// A login that has lost its rights sees just this: success and nobody. It must not pass for a directory whose people
		// are all gone.
		r.doubt(kinds...)
		r.warnings.list = append(r.warnings.list, noEntries(r.userBase))
		r.warnings.total++
	}
	return err
}

func (r *run) user(e *wire.Entry) error {
	both := r.want[v1.Identities] && r.want[v1.Accounts]
	r.rec.take(r.dict, e, r.want[v1.Identities] || r.want[v1.Accounts])
	if r.rec.id == "" {
		r.skip(e, v1.Identities, v1.Accounts)
		return nil
	}
	dn := string(e.DN)
	native := NormalizeDN(dn)
	st := r.rec.status(r.now)
	r.noteTruncated(r.rec.id)
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
	return r.full()
}

// identity leaves names and addresses to the mapping, which finds them among the attributes.
func (r *run) identity(native string, st status) {
	modified := r.rec.at(slotModified)
	r.seen(modified)
	person := v1.RemoteIdentity{
		ExternalID: r.rec.id, NativeRef: native, IsDisabled: &st.disabled,
		ModifiedAt: modified, Attributes: r.rec.attributes,
	}
	if manager := r.rec.slots[slotManager]; len(manager) > 0 {
		person.ManagerRef = &v1.Ref{Kind: v1.RefNative, Value: NormalizeDN(string(manager))}
	}
	r.page.Identities = append(r.page.Identities, person)
	r.counts[v1.Identities]++
}

func (r *run) account(dn, native string, st status) v1.RemoteAccount {
	modified := r.rec.at(slotModified)
	r.seen(modified)
	a := v1.RemoteAccount{
		ExternalID: r.rec.id, NativeRef: native, NativeIdentity: dn,
		Username: r.username(), Email: r.rec.text(slotMail), DisplayName: r.rec.firstText(slotDisplayName, slotCN),
		FirstName: r.rec.text(slotGivenName), LastName: r.rec.text(slotSurname), EmployeeNumber: r.rec.text(slotEmployeeNumber),
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

// primaryGroup adds the membership that Active Directory keeps in primaryGroupID and nowhere else. It cannot be taken
// away, only exchanged for another.
func (r *run) primaryGroup() {
	if !r.flavor.activeDir || !r.want[v1.Grants] {
		return
	}
	group, ok := r.primary[r.rec.primaryGroupSID()]
	if !ok {
		return
	}
	id, immutable := r.rec.id, true
	r.page.Grants = append(r.page.Grants, v1.RemoteGrant{
		AccountExternalID: &id, EntitlementExternalID: group, Immutable: &immutable, Directness: "direct",
	})
	r.counts[v1.Grants]++
}
