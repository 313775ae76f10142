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

func TestAnAccountThatHasExpiredIsDisabled(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		expires  string
		disabled bool
	}{{"132223104000000000", true}, {"9223372036854775807", false}, {"0", false}, {"20270101000000Z", false}, {"20261123115959Z", true}} {
		var r record
		r.slots[slotAccountControl], r.slots[slotAccountExpires] = []byte("512"), []byte(tt.expires)
		if got := r.status(now).disabled; got != tt.disabled {
			t.Errorf("an account that expires at %s: disabled %v", tt.expires, got)
		}
	}
}
