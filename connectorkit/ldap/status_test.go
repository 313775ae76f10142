package ldap

import (
	"testing"
	"time"
)

func TestAnAccountClosedForGoodIsDisabledAndALockoutIsALockout(t *testing.T) {
	for value, want := range map[string]status{
		"":                {},
		"000001010000Z":   {disabled: true},
		"20261120101500Z": {locked: true},
	} {
		r := &record{}
		if value != "" {
			r.slots[slotPwdLockedTime] = []byte(value)
		}
		if got := r.status(time.Now()); got.disabled != want.disabled || got.locked != want.locked {
			t.Errorf("pwdAccountLockedTime %q: disabled %v, locked %v; want %v, %v", value, got.disabled, got.locked, want.disabled, want.locked)
		}
	}
}

func TestAnUnlockTimeThatHasPassedLocksNobody(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for value, locked := range map[string]bool{"": false, "20261120115959Z": false, "20261120120001Z": true, "19700101000000Z": true} {
		r := &record{}
		r.slots[slotUnlockTime] = []byte(value)
		if got := r.status(now); got.locked != locked {
			t.Errorf("accountUnlockTime %q: locked %v", value, got.locked)
		}
	}
}
