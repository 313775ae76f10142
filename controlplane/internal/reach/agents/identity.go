package agents

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Matches holds a token against the agent it names.
func (i Identity) Matches(c bearer.AgentClaims) error {
	if err := i.MayWork(); err != nil {
		return err
	}
	if c.Epoch != i.Epoch || c.KeyThumb != Thumbprint(i.Key) {
		return fault.Coded(fault.Unauthenticated, "token_revoked", "this token has been revoked")
	}
	return nil
}

// ExposeCopy quarantines an agent of which an old state was shown, and names both hosts as far as they are known.
func (i Identity) ExposeCopy(ctx context.Context, tx *pg.Tx, id string, req wire.TokenRequest) error {
	seen := map[string]any{
		"join_seq":          req.JoinSeq,
		"join_seq_expected": i.JoinSeq,
		"boot_id":           Short(req.BootID),
		"other_boot_id":     Deref(i.LastBootID),
		"ip":                tx.Viewer.IP,
		"other_ip":          Deref(i.Address),
		"other_hostname":    Deref(i.Hostname),
	}
	reason := fmt.Sprintf(
		"an old join counter was shown from %s, while the agent on %s had gone on: its state was copied",
		tx.Viewer.IP,
		Place(Deref(i.Hostname), Deref(i.Address)),
	)
	return Quarantine(ctx, tx, id, reason, seen)
}

// MayRenew holds a token against the agent it names. Its epoch does not matter here: the signature and the join counter
// decide which copy goes on after a quarantine is cleared, and a new enrolment has another key.
func (i Identity) MayRenew(c bearer.AgentClaims) error {
	c.Epoch = i.Epoch
	return i.Matches(c)
}

// Signed reports whether a renewal is signed with an agent's identity key.
func Signed(key []byte, req wire.TokenRequest) bool {
	signature, err := base64.RawURLEncoding.DecodeString(req.Signature)
	return err == nil && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, req.TokenProof(), signature)
}

// Step says by how much a request moves the join counter: one, or none when it repeats the last request because the
// answer was lost. Any older counter means that two hosts share an identity; a newer one that our own memory went back
// in time.
func (i Identity) Step(req wire.TokenRequest) (int, error) {
	switch {
	case req.JoinSeq == i.JoinSeq:
		return 1, nil
	case req.JoinSeq == i.JoinSeq-1 && req.Nonce != "" && req.Nonce == Deref(i.LastNonce) &&
		req.BootID == Deref(i.LastBootID):
		return 0, nil
	case req.JoinSeq > i.JoinSeq:
		return 0, fault.Coded(
			fault.Conflict,
			"join_counter_ahead",
			"the join counter %d was never given out; enrol the agent again",
			req.JoinSeq,
		)
	}
	return 0, fault.Coded(
		fault.Forbidden,
		"agent_quarantined",
		"the join counter %d is old, so two hosts share this identity; "+
			"the agent is quarantined until it is enrolled again",
		req.JoinSeq,
	)
}

// Identity is what an agent is checked against when it registers, connects or renews its token.
type Identity struct {
	Name       string  `db:"name"`
	Group      string  `db:"agent_group"`
	State      string  `db:"state"`
	Key        []byte  `db:"identity_key"`
	Instance   *string `db:"instance_id"`
	Epoch      int64   `db:"token_epoch"`
	JoinSeq    int64   `db:"join_seq"`
	LastNonce  *string `db:"last_nonce"`
	LastBootID *string `db:"last_boot_id"`
	Draining   bool    `db:"draining"`
	Hostname   *string `db:"hostname"`
	Address    *string `db:"ip_last"`
}

// Lock reads an agent's identity and keeps others from changing it until the transaction ends.
func Lock(ctx context.Context, tx *pg.Tx, id string) (Identity, error) {
	const sql = `
		select name, agent_group, state, identity_key, instance_id::text, token_epoch, join_seq, last_nonce,
		       last_boot_id, draining, hostname, ip_last
		  from agent
		 where id = $1
		   for update`
	who, err := pg.One[Identity](ctx, tx, "lock agent", sql, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return who, NotFound(id)
	case err != nil:
		return who, err
	}
	return who, nil
}

// MayWork is the fault with which an agent in this state is turned away, for good or until an administrator acts; nil
// if it may work.
func (i Identity) MayWork() error {
	switch i.State {
	case Registered:
		return nil
	case Quarantined:
		return fault.Coded(
			fault.Forbidden,
			"agent_quarantined",
			"this agent is quarantined because its identity was seen in two places; stop one of them and clear the "+
				"quarantine, or enrol it again",
		)
	case Revoked:
		return fault.Coded(fault.Forbidden, "agent_revoked", "this agent has been revoked")
	case Disabled:
		return fault.Coded(fault.Forbidden, "agent_disabled", "this agent is disabled")
	}
	return fault.Coded(fault.Unauthenticated, "token_revoked", "this agent must be enrolled again")
}

// Quarantine shuts an agent out, both copies of it, until an administrator lifts it or enrols the agent again: somebody
// else has its identity.
func Quarantine(ctx context.Context, tx *pg.Tx, id, reason string, seen map[string]any) error {
	const sql = `
		update agent
		   set state = 'quarantined', quarantine_reason = $2, updated_at = now(), version = version + 1
		 where id = $1 and state = 'registered'`
	tag, err := tx.Exec(ctx, sql, id, reason)
	if err != nil {
		return fmt.Errorf("quarantine agent: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	seen["reason"] = reason
	entry := audit.Entry{
		Action:  "agent.clone_detected",
		Outcome: audit.Denied,
		Subject: audit.Subject{Type: "agent", ID: id},
		Context: seen,
	}
	if err := audit.Record(ctx, tx, entry); err != nil {
		return err
	}
	return Changed(ctx, tx, id)
}

// TokenHash is how the id of an enrollment token is stored.
func TokenHash(jti string) []byte {
	sum := sha256.Sum256([]byte(jti))
	return sum[:]
}
