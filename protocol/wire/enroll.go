package wire

import (
	"strconv"
	"time"
)

// RegisterRequest is the body of POST /api/v1/agent/register, sent with the enrolment token as Bearer.
// Proof is the base64url Ed25519 signature, by the identity key, of RegisterProof(jti, sealing key).
type RegisterRequest struct {
	IdentityKey string `json:"identity_key"` // base64url, 32 bytes Ed25519 public key
	SealingKey  string `json:"sealing_key"`  // base64url, 32 bytes X25519 public key
	Proof       string `json:"proof"`
	Hostname    string `json:"hostname"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Version     string `json:"version"`
	BootID      string `json:"boot_id"`
}

// RegisterResponse answers a registration. The same key with the same enrolment token gets the same answer again,
// so that a lost response can be asked for once more.
type RegisterResponse struct {
	AgentID    string    `json:"agent_id"`
	InstanceID string    `json:"instance_id"`
	TenantID   string    `json:"tenant_id"`
	Name       string    `json:"name"`
	Token      string    `json:"token"`
	ExpiresAt  time.Time `json:"expires_at"`
	JoinSeq    int64     `json:"join_seq"`
}

// TokenRequest is the body of POST /api/v1/agent/token: an agent proves that it holds its identity key and gets a new
// short token. Signature is over TokenProof(...). An expired agent token is accepted as Bearer here when the proof
// holds, so that an agent that was switched off for long needs no new enrolment.
type TokenRequest struct {
	AgentID   string    `json:"agent_id"`
	Nonce     string    `json:"nonce"` // base64url, 16 random bytes, the same when a lost answer is asked for again
	BootID    string    `json:"boot_id"`
	JoinSeq   int64     `json:"join_seq"`
	IssuedAt  time.Time `json:"issued_at"`
	Signature string    `json:"signature"`

	// DryRun asks whether a renewal would be granted. Nothing changes, nothing is given out, and an old join counter is
	// refused without a quarantine. It is signed as such, so that it cannot be used as a real request.
	DryRun bool `json:"dry_run,omitempty"`
}

// TokenResponse carries the new token and the next join counter. The answer to a dry run has no token, and the counter
// as it is.
type TokenResponse struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	JoinSeq   int64     `json:"join_seq"`
}

// RegisterProof is what an agent signs when it registers.
func RegisterProof(jti, identityKey, sealingKey string) []byte {
	return []byte("grantwright-register-v1\n" + jti + "\n" + identityKey + "\n" + sealingKey)
}

// TokenProof is what an agent signs when it asks for a token.
func (r TokenRequest) TokenProof() []byte {
	purpose := "grantwright-token-v1\n"
	if r.DryRun {
		purpose = "grantwright-token-check-v1\n"
	}
	return []byte(purpose + r.AgentID + "\n" + r.Nonce + "\n" + r.BootID + "\n" +
		itoa(r.JoinSeq) + "\n" + r.IssuedAt.UTC().Format(time.RFC3339Nano))
}

// itoa writes a number as proofs have it.
func itoa(n int64) string { return strconv.FormatInt(n, 10) }
