package config

import (
	"fmt"
	"os"
	"time"
)

// State is an agent's membership. It is stored before it is used: an agent that forgets a join counter it was given
// would look like a copy of itself and be shut out.
type State struct {
	// AgentID is the agent, InstanceID this installation of it.
	AgentID    string `json:"agent_id"`
	InstanceID string `json:"instance_id"`
	TenantID   string `json:"tenant_id"`
	Name       string `json:"name"`
	// Token is the agent token, a bearer token of about an hour.
	Token     string    `json:"token"`
	IssuedAt  time.Time `json:"issued_at"` // when the token came, by this host's clock
	ExpiresAt time.Time `json:"expires_at"`
	// JoinSeq is the join counter that the next renewal must show.
	JoinSeq int64 `json:"join_seq"`
	// Renewal is a request under way. Nil: none is.
	Renewal *Renewal `json:"renewal,omitempty"`
}

// Renewal is a request for a token whose answer has not arrived. It is asked again with the same nonce and the same
// boot id, by which the control plane knows a repeated question from a copied agent.
type Renewal struct {
	Nonce  string `json:"nonce"`
	BootID string `json:"boot_id"`
}

// SaveState stores s and waits for the disk.
func (d Dir) SaveState(s State) error { return d.writeJSON(stateFile, s, true) }

// LoadState gives ErrNotEnrolled where there is none.
func (d Dir) LoadState() (State, error) {
	var s State
	found, err := exists(d.readJSON(stateFile, &s))
	switch {
	case err != nil:
		return s, fmt.Errorf("read membership: %w", err)
	case !found:
		return s, ErrNotEnrolled
	}
	return s, nil
}

// Forget removes keys, membership and status, so that the host can be enrolled as another agent.
func (d Dir) Forget() error {
	for _, name := range []string{stateFile, identityFile, sealingFile, statusFile} {
		if err := os.Remove(d.path(name)); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("forget membership: %w", err)
		}
	}
	return nil
}
