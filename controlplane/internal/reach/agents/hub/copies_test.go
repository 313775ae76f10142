package hub

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/agent/agenttest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// copied is the same agent on another host: its data directory was copied.
func (s *site) copied(b *book) *site {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(s.dir)); err != nil {
		s.t.Fatal(err)
	}
	for _, name := range []string{"identity.key", "sealing.key"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	return &site{house: s.house, t: s.t, id: s.id, dir: dir, book: b}
}

func onAnotherHost(o *agenttest.Options) { o.Hostname, o.Machine = "copy", "copy" }

func (s *site) reason() string {
	s.t.Helper()
	return s.must(s.t, 200, "GET", "/settings/agents/"+s.id, "admin", nil).text("quarantine_reason")
}

func TestTwoCopiesOfAnAgentThatRunTogetherAreBothStopped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	mine, theirs := &book{pages: 1 << 30, turn: gently}, &book{pages: 10}
	s := h.site(t, "A", "", mine)
	original := s.run("")
	h.eventually(s.id, agents.Online)
	waitFor(t, func() bool { return original.State() == "online" })
	shelf := newShelf(h, s.target())
	shelf.attempt = 1
	target := shelf.target
	target.Attempt = 1
	call := h.sync(ctx, target, shelfEmit(shelf))
	waitFor(t, func() bool { return mine.readers() == 1 })
	copied := s.copied(theirs)
	other := copied.run("", onAnotherHost)
	h.eventually(s.id, agents.Quarantined)
	waitFor(t, func() bool { return original.State() == "offline" && other.State() != "online" })
	if d := detail(t, wait(t, call).err); d.Class != v1.ClassAgentUnavailable {
		t.Errorf("the run ended with %+v", d)
	}
	waitFor(t, func() bool { return mine.readers() == 0 && original.Busy() == 0 }) // its target is left alone
	if theirs.read != 0 || len(shelf.wrong) > 0 {
		t.Errorf("the copy read %d pages, and %v was stored of it", theirs.read, shelf.wrong)
	}
	if reason := s.reason(); !strings.Contains(reason, "host-"+s.id) || !strings.Contains(reason, "copy (127.0.0.1)") {
		t.Errorf("reason %q; want both hosts named", reason)
	}
	// The copy is stopped and the administrator clears: the original goes on by itself.
	if err := other.Stop(); err != nil {
		t.Errorf("the copy ended with %v", err)
	}
	h.must(t, 200, "POST", "/settings/agents/"+s.id+"/quarantine/clear", "admin", nil)
	h.eventually(s.id, agents.Online)
	waitFor(t, func() bool { return original.State() == "online" })
}

func TestACopyThatRunsLaterIsFoundOutAtItsFirstRenewal(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.site(t, "A", "", &book{pages: 5})
	copied := s.copied(&book{pages: 5})
	original := s.run("")
	h.eventually(s.id, agents.Online)
	if err := original.Renew(ctx); err != nil {
		t.Fatal(err)
	}
	if err := original.Stop(); err != nil {
		t.Fatal(err)
	}
	h.eventually(s.id, agents.Offline)
	// Its token is still good for a while, and nobody else is there to tell the two apart.
	other := copied.run("", onAnotherHost)
	h.eventually(s.id, agents.Online)
	if err := other.Renew(ctx); err == nil || !strings.Contains(err.Error(), "agent_quarantined") {
		t.Errorf("the copy's renewal = %v", err)
	}
	h.eventually(s.id, agents.Quarantined)
	waitFor(t, func() bool { return other.State() == "offline" && !h.hub.Serves(s.target()) })
	if reason := s.reason(); !strings.Contains(reason, "old join counter") || !strings.Contains(reason, "127.0.0.1") {
		t.Errorf("reason %q", reason)
	}
	if err := original.Renew(ctx); err == nil || !strings.Contains(err.Error(), "agent_quarantined") {
		t.Errorf("the original's renewal = %v; nobody knows yet which is right", err)
	}
}

func gently(ctx context.Context, _ int) error {
	select {
	case <-time.After(2 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shelfEmit stores what the first attempt emits.
func shelfEmit(s *shelf) func(context.Context, v1.SyncResponse) error {
	return func(_ context.Context, page v1.SyncResponse) error {
		s.store(1, page)
		return nil
	}
}
