package read

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
)

func TestPlacesAreComparedBySetAndByNumber(t *testing.T) {
	var hashes []string
	for _, dn := range []string{"ou=b,dc=x", "ou=a,dc=x", "dc=x", "ou=a,dc=x"} {
		hashes = append(hashes, HashOf(dn))
	}
	c := NewContainers(hashes)
	if c.Count != 3 || !c.Has(HashOf("ou=a,dc=x")) || !c.Has(HashOf("dc=x")) || c.Has(HashOf("ou=c,dc=x")) {
		t.Errorf("containers %+v", c)
	}
	many := make([]string, 0, maxContainers+1)
	for i := range maxContainers + 1 {
		many = append(many, HashOf(strings.Repeat("x", i)))
	}
	if big := NewContainers(many); big.Count != maxContainers+1 || len(big.Hashes) != 0 || big.Sum == c.Sum {
		t.Errorf("%d containers, %d bytes of hashes", big.Count, len(big.Hashes))
	}
	got := ldapdn.Outermost([]string{"ou=a,ou=b,dc=x", "OU=B,dc=x", "ou=b,dc=x", "ou=c,dc=x"})
	if strings.Join(got, "; ") != "OU=B,dc=x; ou=c,dc=x" {
		t.Errorf("outermost = %q", got)
	}
}
