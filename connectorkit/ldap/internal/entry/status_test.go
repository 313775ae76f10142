package entry

import (
	"testing"
	"time"
)

func TestAnAccountClosedForGoodIsDisabledAndALockoutIsALockout(t *testing.T) {
	for value, want := range map[string]Status{
		"":                {},
		"000001010000Z":   {Disabled: true},
		"20261120101500Z": {Locked: true},
	} {
		r := &Record{}
		if value != "" {
			r.Slots[slotPwdLockedTime] = []byte(value)
		}
		if got := r.Status(time.Now()); got.Disabled != want.Disabled || got.Locked != want.Locked {
			t.Errorf(
				"pwdAccountLockedTime %q: disabled %v, locked %v; want %v, %v", value, got.Disabled, got.Locked,
				want.Disabled, want.Locked,
			)
		}
	}
}

func TestAnUnlockTimeThatHasPassedLocksNobody(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for value, locked := range map[string]bool{
		"": false, "20261120115959Z": false, "20261120120001Z": true, "19700101000000Z": true,
	} {
		r := &Record{}
		r.Slots[slotUnlockTime] = []byte(value)
		if got := r.Status(now); got.Locked != locked {
			t.Errorf("accountUnlockTime %q: locked %v", value, got.Locked)
		}
	}
}

func TestAnAccountThatHasExpiredIsDisabled(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		expires  string
		disabled bool
	}{
		{"132223104000000000", true}, {"9223372036854775807", false}, {"0", false}, {"20270101000000Z", false},
		{"20261123115959Z", true},
	} {
		var r Record
		r.Slots[slotAccountControl], r.Slots[slotAccountExpires] = []byte("512"), []byte(tt.expires)
		if got := r.Status(now).Disabled; got != tt.disabled {
			t.Errorf("an account that expires at %s: disabled %v", tt.expires, got)
		}
	}
}
