package link

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"os"
	"slices"
	"strings"
)

// hostname is this host's name, empty if it is not known.
func hostname() string {
	// An unknown host name is no reason not to connect.
	name, _ := os.Hostname()
	return name
}

// fingerprint tells this host from others, copies of it among them, as far as they differ: the hash of its name, the
// addresses of its network cards, and the identifier of its installation. It tells nothing of the host to whoever reads
// it.
func fingerprint() string {
	facts := []string{hostname()}
	// Cards that cannot be listed are left out; the rest still distinguishes hosts.
	cards, _ := net.Interfaces()
	for _, c := range cards {
		// Cards of containers and tunnels come and go.
		if len(c.HardwareAddr) == 6 && c.HardwareAddr[0]&2 == 0 {
			facts = append(facts, c.HardwareAddr.String())
		}
	}
	slices.Sort(facts[1:])
	// machine-id(5); other systems have none.
	id, _ := os.ReadFile("/etc/machine-id")
	facts = append(facts, strings.TrimSpace(string(id)))
	sum := sha256.Sum256([]byte("grantwright-machine-v1\n" + strings.Join(facts, "\n")))
	return hex.EncodeToString(sum[:16])
}
