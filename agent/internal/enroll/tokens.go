package enroll

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/protocol/wire"
)

// wrongClock is the life given to a token that seems to be out of date as it comes: this host's clock is ahead.
const wrongClock = 10 * time.Minute

// Tokens holds the agent's token and renews it. Every answer is stored before it is used, and a request whose answer
// was lost is repeated as the same request, across a restart too: the control plane takes a join counter that comes
// back otherwise for a copied agent.
type Tokens struct {
	Dir    config.Dir
	Keys   config.Keys
	Client *Client
	BootID string
	Log    *slog.Logger
	Now    func() time.Time

	mu   sync.Mutex // held during a renewal: one at a time
	seen sync.Mutex // guards what follows
	// state is the present membership, renew the time from which a renewal is due.
	state config.State
	renew time.Time
}

// Load reads the membership. It must come before all else.
func (t *Tokens) Load() error {
	s, err := t.Dir.LoadState()
	if err != nil {
		return err
	}
	t.set(s)
	return nil
}

// State is the membership as it is now.
func (t *Tokens) State() config.State {
	t.seen.Lock()
	defer t.seen.Unlock()
	return t.state
}

// RenewAt is when the token should be renewed: at a random point between 50 and 70 % of its life, so that many agents
// that were started together do not ask together.
func (t *Tokens) RenewAt() time.Time {
	t.seen.Lock()
	defer t.seen.Unlock()
	return t.renew
}

// set takes over a membership. The renewal is due at a random point between half and seven tenths
// of the token's life, so that many agents do not renew at once.
func (t *Tokens) set(s config.State) {
	t.seen.Lock()
	defer t.seen.Unlock()
	t.state = s
	life := s.ExpiresAt.Sub(s.IssuedAt)
	if life <= 0 {
		life = wrongClock
	}
	t.renew = s.IssuedAt.Add(time.Duration((0.5 + 0.2*mathrand.Float64()) * float64(life)))
}

// Renew gets a new token. old is the token that is known to be of no use any more: when another caller has renewed it
// meanwhile, nothing happens. It works with an expired token too, since the identity key is what proves the agent.
func (t *Tokens) Renew(ctx context.Context, old string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.State()
	if s.Token != old {
		return nil
	}
	if s.Renewal == nil {
		s.Renewal = &config.Renewal{Nonce: nonce(), BootID: t.BootID}
		if err := t.Dir.SaveState(s); err != nil {
			return err
		}
		t.keep(s)
	}
	answer, err := t.Client.Token(ctx, s.Token, t.request(s))
	if err != nil {
		return fmt.Errorf("renew token: %w", err)
	}
	if answer.Token == "" {
		return errors.New("renew token: the answer holds no token")
	}
	s.Token, s.JoinSeq, s.IssuedAt, s.ExpiresAt, s.Renewal = answer.Token, answer.JoinSeq, t.Now().
		UTC(),
		answer.ExpiresAt, nil
	if err := t.Dir.SaveState(s); err != nil {
		return err
	}
	t.set(s)
	t.Log.InfoContext(ctx, "token renewed", "expires", s.ExpiresAt)
	return nil
}

// keep changes the state without a new time of renewal.
func (t *Tokens) keep(s config.State) {
	t.seen.Lock()
	defer t.seen.Unlock()
	t.state = s
}

// request is the pending renewal, signed. It has the same nonce and boot ID whenever it is sent.
func (t *Tokens) request(s config.State) wire.TokenRequest {
	r := wire.TokenRequest{
		AgentID: s.AgentID, Nonce: s.Renewal.Nonce, BootID: s.Renewal.BootID, JoinSeq: s.JoinSeq,
		IssuedAt: t.Now().UTC().Truncate(time.Millisecond),
	}
	r.Signature = t.Keys.Sign(r.TokenProof())
	return r
}

// nonce is 16 random bytes.
func nonce() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}
