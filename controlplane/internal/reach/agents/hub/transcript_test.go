package hub

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
	"github.com/grantwright/grantwright/protocol/wire/wiretest"
)

// client makes a wire.Socket of a websocket that was dialled, for the player of transcripts.
type client struct {
	*session.Socket
	ws *websocket.Conn
}

// Cut drops the line without a word.
func (c client) Cut() { _ = c.ws.Close() }

// TestTheHubFollowsTheTranscripts plays the agent's side of each transcript against the hub, while a dispatcher makes
// the call that the transcript is about.
func TestTheHubFollowsTheTranscripts(t *testing.T) {
	t.Parallel()
	request := v1.AuthConfig{"host": "dc1.example.org", "port": 636}
	kinds := map[string]string{
		"hello":               "",
		"revoked":             "revoke",
		"test_ok":             "test",
		"discover_ok":         "discover",
		"sync_ok":             "sync",
		"sync_resume":         "sync",
		"sync_cancel":         "cancel",
		"sync_abandoned":      "again",
		"reject_unknown_type": "mainframe",
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, func(p *agents.Timing) {
				p.Silent, p.Ping = 5*time.Second, time.Second
				if kind == "cancel" {
					p.Grace = wire.CancelGrace // the transcript names it
				}
			})
			m := h.enrol("HQ", "")
			lines, err := wiretest.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			target := m.target()
			target.Run, target.Attempt = uuid.NewString(), 1
			connections, lost := 0, make(chan struct{})
			player := &wiretest.Player{
				Plays: wiretest.FromAgent, Ignore: []wire.Type{wire.TypeAck, wire.TypeHeartbeat},
				Sign: func(nonce string) wire.Proof { return m.proof(h.process, nonce) },
				Vars: map[string]any{"agent": m.id, "boot": m.boot, "connector": target.ConnectorID},
				Next: func() (wire.Socket, error) {
					if connections++; kind == "again" && connections == 2 {
						<-lost // it comes back too late
					}
					ws, _, err := dial(h.process, m.token, nil)
					if err != nil {
						return nil, err
					}
					if kind == "revoke" {
						h.must(
							t,
							200,
							"POST",
							"/settings/agents/"+m.id+"/revoke",
							"admin",
							map[string]any{"reason": "x"},
						)
					}
					return client{session.NewSocket(ws, "", h.hub.timing), ws}, nil
				},
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			calls := make(chan error, 1)
			go func() { calls <- h.follow(ctx, kind, target, request, cancel, lost) }()
			if err := player.Play(lines); err != nil {
				t.Fatal(err)
			}
			if kind == "again" {
				cancel() // the second attempt is left running
			}
			if s, open := player.Socket().(client); open && kind != "cancel" {
				s.Cut()
			}
			select {
			case err := <-calls:
				wantError := kind == "cancel" || kind == "mainframe" || kind == "again"
				if (err != nil) != wantError {
					t.Errorf("the call ended with %v", err)
				}
			case <-time.After(12 * time.Second):
				t.Error("the call did not end")
			}
		})
	}
}

// follow makes the transcript's call as soon as the agent is there.
func (h *house) follow(
	ctx context.Context,
	kind string,
	target dispatch.Target,
	auth v1.AuthConfig,
	cancel func(),
	lost chan struct{},
) error {
	d := h.dispatcher()
	if kind == "" || kind == "revoke" {
		return nil
	}
	for !h.hub.Serves(target) {
		time.Sleep(5 * time.Millisecond)
	}
	req := v1.SyncRequest{ConnectorBusinessID: "HR", AuthConfig: auth, Options: &v1.SyncOptions{ChunkSize: 2}}
	emit := func(context.Context, v1.SyncResponse) error { return nil }
	switch kind {
	case "test":
		_, err := d.Test(ctx, target, v1.TestRequest{ConnectorBusinessID: "HR", AuthConfig: auth}, nil)
		return err
	case "discover":
		_, err := d.Discover(
			ctx,
			target,
			v1.DiscoverRequest{ConnectorBusinessID: "HR", AuthConfig: auth, SampleSize: 5},
			nil,
		)
		return err
	case "mainframe":
		// The agent says itself that it does not know the type, as one of a mixed group might.
		p := &Proxy{hub: h.hub, session: h.hub.peers.pick(target), target: target}
		p.target.Type = "mainframe"
		return p.Sync(ctx, req, emit)
	case "cancel":
		chunks := 0
		return d.Sync(ctx, target, req, func(context.Context, v1.SyncResponse) error {
			if chunks++; chunks == 2 {
				cancel()
			}
			return nil
		})
	case "again":
		return followTwice(ctx, d, target, req, lost, func() bool { return h.hub.Serves(target) })
	}
	return d.Sync(ctx, target, req, emit)
}

// followTwice loses its first attempt with the connection, and starts a second one when the agent is back.
func followTwice(
	ctx context.Context,
	d *dispatch.Dispatcher,
	t dispatch.Target,
	req v1.SyncRequest,
	lost chan struct{},
	back func() bool,
) error {
	emit := func(context.Context, v1.SyncResponse) error { return nil }
	err := d.Sync(ctx, t, req, emit)
	if dispatch.Detail(err).Code != "agent_lost" {
		return nil // which the test takes for a failure
	}
	close(lost)
	for !back() {
		time.Sleep(5 * time.Millisecond)
	}
	t.Attempt = 2
	return d.Sync(ctx, t, req, emit)
}
