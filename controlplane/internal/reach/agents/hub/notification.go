package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
)

// listen receives the notifications of other processes, until ctx ends. What it misses while the database
// is away is found by looking.
func (h *Hub) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := h.hear(ctx)
		if ctx.Err() != nil {
			return
		}
		h.Log.WarnContext(ctx, "lost the database's notifications; listening again", "err", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func (h *Hub) hear(ctx context.Context) error {
	pooled, err := h.DB.Pool().Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	// A connection that listens never goes back to the pool.
	conn := pooled.Hijack()
	defer func() {
		bg, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(bg)
	}()
	for _, channel := range []string{agents.PresenceChannel, agents.TaskChannel} {
		if _, err := conn.Exec(ctx, "listen "+channel); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("wait for notification: %w", err)
		}
		if err := h.told(ctx, n.Payload); err != nil {
			h.Log.WarnContext(ctx, "a notification could not be used", "channel", n.Channel, "err", err)
		}
	}
}

// told acts on a notification: a word, a tenant, and the id of an agent or a task. It does not wait for anything long.
func (h *Hub) told(ctx context.Context, payload string) error {
	words := strings.Fields(payload)
	if len(words) != 3 {
		return errors.New("not three words")
	}
	key := session.Key{Tenant: words[1], Agent: words[2]}
	switch words[0] {
	case "changed":
		if h.peers.sessionOf(key) != nil {
			h.presence.Check(ctx)
		}
	case "probe":
		if s := h.peers.sessionOf(key); s != nil {
			go h.admission.AnswerProbe(ctx, s)
		}
	case "offered":
		go h.relay.Claim(ctx)
	case "done":
		h.relay.Done(words[2])
	case "cancelled":
		h.relay.Cancel(words[2])
	}
	return nil
}
