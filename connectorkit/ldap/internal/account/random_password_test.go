package account

import (
	"strings"
	"testing"
)

func TestRandomPasswordsAreStrongAndNeverTheSame(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		p, err := randomPassword()
		if err != nil || len(p) != passwordLength || seen[p] {
			t.Fatalf("%q, %v", p, err)
		}
		seen[p] = true
		for _, kind := range passwordKinds {
			if !strings.ContainsAny(p, kind) {
				t.Errorf("%q has none of %s", p, kind)
			}
		}
	}
}
