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
