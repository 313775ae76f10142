package ldap

import (
	"strconv"
	"strings"
	"time"
)

// status is what an entry tells about whether its account can be used. The attributes behind it are always asked for, so
// that one which is absent means that nothing is wrong, not that nothing is known.
type status struct {
	disabled        bool
	locked          bool
	passwordExpired *bool // nil: the directory does not tell
	system          bool  // an account of a machine or a domain
	passwordSetAt   *time.Time
	lastLoginAt     *time.Time
	expiresAt       *time.Time
}

// lockedForGood is the pwdAccountLockedTime of an account that an administrator has closed and only one can open again
// (draft-behera-ldap-password-policy section 5.3.3). That is what others call disabled; a real time is a lockout that passes.
const lockedForGood = "000001010000Z"

func (r *record) status(now time.Time) status {
	forGood := string(r.slots[slotPwdLockedTime]) == lockedForGood
	st := status{
		disabled:      isTrue(r.slots[slotDisabled]) || forGood,
		locked:        isTrue(r.slots[slotLocked]) || len(r.slots[slotPwdLockedTime]) > 0 && !forGood || lockedUntil(r.at(slotUnlockTime), now),
		passwordSetAt: r.at(slotPasswordSet),
		lastLoginAt:   later(r.at(slotLastLogin), r.at(slotLastLoginReplicated)),
		expiresAt:     r.at(slotAccountExpires),
	}
	if at := r.at(slotPasswordExpires); at != nil {
		expired := at.Before(now)
		st.passwordExpired = &expired
	}
	if control, ok := ParseUAC(string(r.slots[slotAccountControl])); ok {
		r.activeDirectory(&st, control)
	}
	if st.expiresAt != nil && !st.expiresAt.After(now) {
		st.disabled = true // nobody can sign in with an account that has expired
	}
	return st
}

// lockedUntil reads accountUnlockTime, which 389 Directory Server leaves in an entry after the lockout has passed. The start of
// Unix time stands for a lockout that only an administrator ends.
func lockedUntil(at *time.Time, now time.Time) bool {
	return at != nil && (at.Unix() == 0 || at.After(now))
}

// activeDirectory reads the attributes of Active Directory. The bits for lockout and expiry of userAccountControl itself are
// not kept up to date; those of the computed attribute are, and lockoutTime and pwdLastSet stand in for them.
func (r *record) activeDirectory(st *status, control UAC) {
	st.disabled, st.system = control.Disabled, control.Trust
	if at := r.at(slotPwdLastSet); at != nil {
		st.passwordSetAt = at
	}
	expired := string(r.slots[slotPwdLastSet]) == "0" && !control.PasswordNeverExpires
	if computed, ok := ParseUAC(string(r.slots[slotComputedControl])); ok {
		st.locked, expired = computed.LockedOut, expired || computed.PasswordExpired
	} else {
		st.locked = r.at(slotLockoutTime) != nil
	}
	st.passwordExpired = &expired
}

func later(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}

// primaryGroupSID is the SID of the group that primaryGroupID names: the account's own SID with its last part exchanged.
func (r *record) primaryGroupSID() string {
	sid, ok := FormatSID(r.slots[slotSID])
	rid, err := strconv.ParseUint(string(r.slots[slotPrimaryGroup]), 10, 32)
	if !ok || err != nil {
		return ""
	}
	return sid[:strings.LastIndexByte(sid, '-')+1] + strconv.FormatUint(rid, 10)
}
