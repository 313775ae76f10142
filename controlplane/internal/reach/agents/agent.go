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
	// ID of the agent, a UUID.
	ID string `json:"id" db:"id"`
	// Name of the agent, unique among the agents that are not revoked.
	Name string `json:"name" db:"name"`
	// Description of the agent; empty if there is none.
	Description string `json:"description" db:"description"`
	// Agents of one group replace each other.
	Group *string `json:"group" db:"agent_group"`
	// State of the agent. pending: invited, not yet enrolled. registered: enrolled, never connected. online: connected.
	// degraded: online, with degraded_reasons. draining: online, and gets no new tasks. offline: not connected.
	// disabled: switched off by an administrator. quarantined: its identity was seen in two places. revoked: shut out
	// for good.
	State string `json:"state" db:"state" enum:"pending,registered,online,degraded,draining,offline,disabled,quarantined,revoked"`
	// Version of the agent program, as the agent reports it; null before enrollment.
	Version *string `json:"version" db:"version_name"`
	// Operating system of the host, as the agent reports it; null before enrollment.
	OS *string `json:"os" db:"os"`
	// Processor architecture of the host, as the agent reports it; null before enrollment.
	Arch *string `json:"arch" db:"arch"`
	// Name of the host, as the agent reports it; null before enrollment.
	Hostname *string `json:"hostname" db:"hostname"`
	// IP address from which the agent last enrolled, renewed its token or connected; null before enrollment.
	IPLast *string `json:"ip_last" db:"ip_last"`
	// ID of the enrollment, a UUID: each enrollment gets a new one. Null while the agent is not enrolled.
	InstanceID *string `json:"instance_id" db:"instance_id"`
	// Fingerprint of the agent's identity key; null while the agent is not enrolled. Compare it with the output of
	// grantwright-agent status on the host.
	IdentityFingerprint *string `json:"identity_fingerprint" db:"-"`
	// Fingerprint of the agent's sealing key, SHA256: and the base64 of the hash; null while the agent is not enrolled.
	SealingFingerprint *string `json:"sealing_fingerprint" db:"-"`
	// Connector types that the agent can run, as reported at its last connection; empty before the first one.
	ConnectorTypes []string `json:"connector_types" db:"connector_types" nullable:"false"`
	// Clock of the host minus the clock of the control plane, in milliseconds; null if not yet measured.
	ClockSkewMS *int64 `json:"clock_skew_ms" db:"clock_skew_ms"`
	// Figures that the agent sent with its last heartbeat.
	Stats map[string]any `json:"stats" db:"stats"`
	// An administrator wants no new tasks to go there.
	Draining bool `json:"draining" db:"draining"`
	// Reasons why the agent is degraded: clock_skew, spool_nearly_full, spool_failed, version_below_minimum.
	DegradedReasons []string `json:"degraded_reasons" db:"degraded" nullable:"false"`
	// It comes and goes more often than is recorded: at most one pair of agent.offline and agent.online in five minutes
	// is.
	Flapping bool `json:"flapping" db:"flapping"`
	// Time the current connection of the agent began; null unless it is online, degraded or draining.
	ConnectedSince *time.Time `json:"connected_since" db:"connected_since"`
	// Time of the last sign of life of the agent; null if it has never connected.
	LastSeenAt *time.Time `json:"last_seen_at" db:"last_seen_at"`
	// Time the current token of the agent was issued; null while the agent has none.
	TokenIssuedAt *time.Time `json:"token_issued_at" db:"token_issued_at"`
	// Time the current token of the agent expires; null while the agent has none.
	TokenExpiresAt *time.Time `json:"token_expires_at" db:"token_expires_at"`
	// Why the agent was quarantined, with the hosts involved; null if it was not.
	QuarantineReason *string `json:"quarantine_reason" db:"quarantine_reason"`
	// Time the agent was revoked; null if it was not.
	RevokedAt *time.Time `json:"revoked_at" db:"revoked_at"`
	// Reason that the administrator gave for the revocation; null if the agent is not revoked.
	RevokedReason *string `json:"revoked_reason" db:"revoked_reason"`
	// Time the agent was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the agent was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`

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
