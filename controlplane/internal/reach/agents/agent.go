package agents

import (
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// States of an agent. The stored ones are pending, registered, disabled, quarantined and revoked; a registered agent is
// shown as online, degraded, draining or offline once it has been seen.
const (
	Pending     = "pending"     // invited, not yet enrolled
	Registered  = "registered"  // enrolled, never connected
	Online      = "online"      // connected, and heard within 90 s
	Degraded    = "degraded"    // online, and works less well than it should
	Draining    = "draining"    // online, and takes no new tasks
	Offline     = "offline"     // closed on purpose, lost for more than 10 s, or silent for more than 90 s
	Disabled    = "disabled"    // switched off by an administrator
	Quarantined = "quarantined" // its identity was seen in two places
	Revoked     = "revoked"     // for good
)

// Agent is one agent as the API shows it.
type Agent struct {
	ID          string `json:"id" db:"id"`
	Name        string `json:"name" db:"name"`
	Description string `json:"description" db:"description"`
	// Agents of one group replace each other.
	Group *string `json:"group" db:"agent_group"`
	State string  `json:"state" db:"state" enum:"pending,registered,online,degraded,draining,offline,disabled,quarantined,revoked"`
	// of the agent's program
	Version    *string `json:"version" db:"version_name"`
	OS         *string `json:"os" db:"os"`
	Arch       *string `json:"arch" db:"arch"`
	Hostname   *string `json:"hostname" db:"hostname"`
	IPLast     *string `json:"ip_last" db:"ip_last"`
	InstanceID *string `json:"instance_id" db:"instance_id"`
	// compare it with what grantwright-agent status prints on the host
	IdentityFingerprint *string  `json:"identity_fingerprint" db:"-"`
	SealingFingerprint  *string  `json:"sealing_fingerprint" db:"-"`
	ConnectorTypes      []string `json:"connector_types" db:"connector_types" nullable:"false"`
	// the host's clock minus ours
	ClockSkewMS *int64 `json:"clock_skew_ms" db:"clock_skew_ms"`
	// from the last heartbeat
	Stats map[string]any `json:"stats" db:"stats"`
	// An administrator wants no new tasks to go there.
	Draining bool `json:"draining" db:"draining"`
	// clock_skew, spool_nearly_full, spool_failed, version_below_minimum
	DegradedReasons []string `json:"degraded_reasons" db:"degraded" nullable:"false"`
	// It comes and goes more often than is recorded: at most one pair of agent.offline and agent.online in five minutes
	// is.
	Flapping         bool       `json:"flapping" db:"flapping"`
	ConnectedSince   *time.Time `json:"connected_since" db:"connected_since"`
	LastSeenAt       *time.Time `json:"last_seen_at" db:"last_seen_at"`
	TokenIssuedAt    *time.Time `json:"token_issued_at" db:"token_issued_at"`
	TokenExpiresAt   *time.Time `json:"token_expires_at" db:"token_expires_at"`
	QuarantineReason *string    `json:"quarantine_reason" db:"quarantine_reason"`
	RevokedAt        *time.Time `json:"revoked_at" db:"revoked_at"`
	RevokedReason    *string    `json:"revoked_reason" db:"revoked_reason"`
	CreatedAt        time.Time  `json:"created_at" db:"created_at"`
	UpdatedAt        time.Time  `json:"updated_at" db:"updated_at"`

	IdentityKey []byte `json:"-" db:"identity_key"`
	SealingKey  []byte `json:"-" db:"sealing_key"`
	Revision    int    `json:"-" db:"revision"`
}

func (a *Agent) fingerprints() {
	a.IdentityFingerprint, a.SealingFingerprint = Fingerprint(a.IdentityKey), Fingerprint(a.SealingKey)
}

// Fingerprint is for people to compare: SHA256: and the base64 of the key's hash, as the agent prints it.
func Fingerprint(key []byte) *string {
	if len(key) == 0 {
		return nil
	}
	sum := sha256.Sum256(key)
	text := "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
	return &text
}

// Thumbprint names an Ed25519 key in the cnf claim of a token (RFC 7638 section 3, RFC 8037 section 2).
func Thumbprint(key []byte) string {
	sum := sha256.Sum256(
		[]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + base64.RawURLEncoding.EncodeToString(key) + `"}`),
	)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
