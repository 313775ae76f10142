package entry

import (
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
)

// Status is whether an account can be used, according to its entry. The attributes behind it are always
// asked for, so that one which is absent means that nothing is wrong, not that nothing is known.
type Status struct {
	Disabled        bool
	Locked          bool
	passwordExpired *bool // nil: the directory does not tell
	Machine         bool  // an account of a machine or a domain
	PasswordSetAt   *time.Time
	lastLoginAt     *time.Time
	expiresAt       *time.Time
}

// Status says whether the account can be used at now.
func (r *Record) Status(now time.Time) Status {
	forGood := string(r.Slots[slotPwdLockedTime]) == session.PermanentLock
	st := Status{
		Disabled: syntax.IsTrue(r.Slots[slotDisabled]) || forGood,
		Locked: syntax.IsTrue(r.Slots[slotLocked]) || len(r.Slots[slotPwdLockedTime]) > 0 && !forGood ||
			lockedUntil(r.Time(slotUnlockTime), now),
		PasswordSetAt: r.Time(slotPasswordSet),
		lastLoginAt:   Later(r.Time(slotLastLogin), r.Time(slotLastLoginReplicated)),
		expiresAt:     r.Time(slotAccountExpires),
	}
	if at := r.Time(slotPasswordExpires); at != nil {
		expired := at.Before(now)
		st.passwordExpired = &expired
	}
	if control, ok := syntax.ParseUAC(string(r.Slots[slotAccountControl])); ok {
		r.applyActiveDirectory(&st, control)
	}
	if st.expiresAt != nil && !st.expiresAt.After(now) {
		st.Disabled = true // an account that has expired cannot be used to sign in
	}
	return st
}

// lockedUntil reads accountUnlockTime, which 389 Directory Server leaves in an entry after the lockout has
// passed. The start of Unix time stands for a lockout that only an administrator ends.
func lockedUntil(at *time.Time, now time.Time) bool {
	return at != nil && (at.Unix() == 0 || at.After(now))
}

// applyActiveDirectory reads the attributes of Active Directory. The bits for lockout and expiry of
// userAccountControl itself are not kept up to date; those of the computed attribute are, and lockoutTime and
// pwdLastSet stand in for them.
func (r *Record) applyActiveDirectory(st *Status, control syntax.UAC) {
	st.Disabled, st.Machine = control.Disabled, control.Trust
	if at := r.Time(slotPwdLastSet); at != nil {
		st.PasswordSetAt = at
	}
	expired := string(r.Slots[slotPwdLastSet]) == "0" && !control.PasswordNeverExpires
	if computed, ok := syntax.ParseUAC(string(r.Slots[slotComputedControl])); ok {
		st.Locked, expired = computed.LockedOut, expired || computed.PasswordExpired
	} else {
		st.Locked = r.Time(slotLockoutTime) != nil
	}
	st.passwordExpired = &expired
}

// Later is the later of two times, either of which may be nil.
func Later(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}
