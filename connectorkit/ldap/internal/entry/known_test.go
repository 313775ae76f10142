package entry

import (
	"testing"
)

func TestSecretAttributesAreKnownByName(t *testing.T) {
	for name, want := range map[string]bool{
		"userpassword": true, "unicodepwd": true, "ms-mcs-admpwd": true, "corpvpnpassword": true,
		"sambantpassword": true,
		"pwdlastset":      false, "passwordexpirationtime": false, "pwdchangedtime": false, "mail": false,
		"badpwdcount": false,
	} {
		if got := IsSecret(name); got != want {
			t.Errorf("isSecret(%s) = %v", name, got)
		}
	}
}
