package wire

import (
	"net"
	"strings"
)

// NonceBytes is how many random bytes a challenge carries.
const NonceBytes = 32

// maxNonce bounds, in characters, what an agent signs for a control plane.
const maxNonce = 128

// Challenge asks an agent that has said hello to prove its identity key. A nonce belongs to one connection and is used
// once.
type Challenge struct {
	Nonce string `json:"nonce"` // base64url, NonceBytes random bytes
}

// Usable reports whether the nonce can be signed. A line break would let it pass for another member of the proof.
func (c Challenge) Usable() bool {
	return c.Nonce != "" && len(c.Nonce) <= maxNonce && !strings.ContainsAny(c.Nonce, "\r\n")
}

// Proof answers a Challenge. Signature is the base64url Ed25519 signature, by the agent's identity key, of
// ConnectProof. Host is the control plane's host and port as the agent addressed it; a control plane of another name
// refuses it.
type Proof struct {
	Host      string `json:"host"`
	Signature string `json:"signature"`
}

// ConnectProof is what an agent signs for one connection.
func ConnectProof(tenantID, agentID, bootID, nonce, host string) []byte {
	return []byte(
		"grantwright-connect-v1\n" + tenantID + "\n" + agentID + "\n" + bootID + "\n" + nonce + "\n" + CanonicalHost(
			host,
		),
	)
}

// CanonicalHost is a host and port in the one form in which both ends compare it: lower case, without the port that
// the scheme implies and without the final dot of a name.
func CanonicalHost(host string) string {
	host = strings.ToLower(host)
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return strings.TrimSuffix(host, ".")
	}
	name = strings.TrimSuffix(name, ".")
	if port == "443" || port == "80" {
		if strings.Contains(name, ":") {
			return "[" + name + "]"
		}
		return name
	}
	return net.JoinHostPort(name, port)
}
