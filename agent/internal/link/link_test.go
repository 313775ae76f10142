package link

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/enroll"
	"github.com/grantwright/grantwright/protocol/wire"
	"github.com/grantwright/grantwright/protocol/wire/wiretest"
)

func TestTheAgentKeepsToEveryTranscript(t *testing.T) {
	names, err := wiretest.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			lines, err := wiretest.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			c, a := start(t)
			p := wiretest.Player{
				Plays: wiretest.FromControl, Next: c.next, Ignore: []wire.Type{wire.TypeHeartbeat},
				Vars: map[string]any{"agent": "agent-1", "boot": a.Tokens.BootID},
			}
			if err := p.Play(lines); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTheAgentIsOnlineFromWelcomeToGoodbye(t *testing.T) {
	c, a := start(t)
	a.until(t, config.Connecting)
	s := c.welcome()
	if st := a.until(t, config.Online); st.LastConnected == nil || st.PID != os.Getpid() || st.TokenExpires.IsZero() {
		t.Errorf("status %+v", st)
	}
	if saved, err := a.Dir.LoadStatus(time.Now()); err != nil || saved.State != config.Online {
		t.Errorf("the status file says %+v (%v)", saved, err)
	}
	a.stop()
	var types []wire.Type
	for {
		msg, err := s.ReadMessage()
		var closed *wire.CloseError
		if errors.As(err, &closed) {
			if closed.Code != wire.Going {
				t.Errorf("closed with %d, want %d", closed.Code, wire.Going)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := wire.Decode(msg, 0)
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, f.Type)
	}
	if len(types) == 0 || types[len(types)-1] != wire.TypeDrain {
		t.Errorf("frames %v, want drain as the last", types)
	}
	if err := <-a.done; err != nil {
		t.Errorf("Run = %v, want nil after an orderly stop", err)
	} else {
		a.done <- err
	}
	if st := a.until(t, config.Stopped); st.State != config.Stopped {
		t.Errorf("status %+v", st)
	}
}

func TestARevokedAgentStopsForGood(t *testing.T) {
	for name, revoke := range map[string]func(*control){
		"while connected": func(c *control) { _ = c.welcome().Close(wire.CloseRevoked, "revoked") },
		"at the door": func(c *control) {
			s := c.welcome()
			c.mu.Lock()
			c.refuse = func(w http.ResponseWriter) bool {
				problem(w, 403, "agent_revoked", "this agent was revoked")
				return true
			}
			c.mu.Unlock()
			_ = s.Close(wire.CloseDraining, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, a := start(t)
			revoke(c)
			err := <-a.done
			a.done <- err
			if !errors.Is(err, ErrRevoked) {
				t.Fatalf("Run = %v, want ErrRevoked", err)
			}
			a.until(t, config.Revoked)
			if st, err := a.Dir.LoadStatus(time.Now().Add(time.Hour)); err != nil || st.State != config.Revoked {
				t.Errorf("an hour later the status is %+v (%v), want revoked", st, err)
			}
		})
	}
}

func TestAForbiddenAnswerOfSomebodyElseIsNoRevocation(t *testing.T) {
	c, a := start(t)
	s := c.welcome()
	c.mu.Lock()
	c.refuse = func(w http.ResponseWriter) bool { http.Error(w, "<html>blocked by policy</html>", 403); return true }
	c.mu.Unlock()
	_ = s.Close(wire.CloseDraining, "restart")
	if st := a.until(t, config.Offline); st.LastError == "" {
		t.Error("no reason in the status")
	}
	a.until(t, config.Offline) // the 403 itself
	c.mu.Lock()
	c.refuse = nil
	c.mu.Unlock()
	c.welcome()
	a.until(t, config.Online)
}

func TestATokenThatLostItsLifeEarlyIsRenewedOnceAndTheAgentComesBack(t *testing.T) {
	c, a := start(t)
	s := c.welcome()
	a.until(t, config.Online)
	c.mu.Lock()
	c.valid = "something else"
	c.mu.Unlock()
	_ = s.Close(wire.CloseSuperseded, "")
	c.welcome()
	a.until(t, config.Online)
	if st := a.Tokens.State(); st.JoinSeq != 2 {
		t.Errorf("join counter %d, want 2", st.JoinSeq)
	}
}

func TestTheTokenIsRenewedByItselfBetweenHalfAndSevenTenthsOfItsLife(t *testing.T) {
	c := newControl(t)
	c.life = 3 * time.Second
	server := newServer(t, c)
	dir, err := enrol(t, config.Settings{URL: server})
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, dir)
	issued := a.Tokens.State()
	life := issued.ExpiresAt.Sub(issued.IssuedAt)
	if at := a.Tokens.RenewAt().Sub(issued.IssuedAt); at < life/2 || at > life*7/10 {
		t.Errorf("renewal after %v of %v", at, life)
	}
	a.start(t)
	c.welcome()
	deadline := time.Now().Add(5 * time.Second)
	for a.Tokens.State().Token == issued.Token {
		if time.Now().After(deadline) {
			t.Fatal("the token is not renewed")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if time.Now().After(issued.ExpiresAt) {
		t.Error("renewed only after it had expired")
	}
	if saved, err := dir.LoadState(); err != nil || saved.Token != a.Tokens.State().Token || saved.Renewal != nil {
		t.Errorf("stored %+v (%v), want the new token", saved, err)
	}
}

func TestALostAnswerToARenewalIsAskedForAgainAcrossARestart(t *testing.T) {
	c := newControl(t)
	dir, err := enrol(t, config.Settings{URL: newServer(t, c)})
	if err != nil {
		t.Fatal(err)
	}
	first := newAgent(t, dir)
	old := first.Tokens.State().Token
	c.loseAnswer = 1
	if err := first.Tokens.Renew(t.Context(), old); err == nil {
		t.Fatal("the answer was not lost")
	}
	if seq, _, _ := c.counts(); seq != 2 {
		t.Fatalf("the control plane counts %d, want 2: it has answered", seq)
	}
	// The process dies here: another boot id, and only what is on the disk.
	second := newAgent(t, dir)
	if second.Tokens.BootID == first.Tokens.BootID {
		t.Fatal("the second process has the first one's boot id")
	}
	if err := second.Tokens.Renew(t.Context(), old); err != nil {
		t.Fatalf("asked again: %v", err)
	}
	_, renewals, valid := c.counts()
	if st := second.Tokens.State(); st.JoinSeq != 2 || st.Token != valid || st.Renewal != nil || renewals != 1 {
		t.Errorf("state %+v after %d renewals, want the one answer that was lost", st, renewals)
	}
	err = second.Tokens.Renew(t.Context(), second.Tokens.State().Token)
	if seq, _, _ := c.counts(); err != nil || seq != 3 {
		t.Errorf("the next renewal: %v, counter %d", err, seq)
	}
}

func TestAnAgentThatWasOffForLongComesBackWithAnExpiredToken(t *testing.T) {
	c := newControl(t)
	dir, err := enrol(t, config.Settings{URL: newServer(t, c)})
	if err != nil {
		t.Fatal(err)
	}
	st, err := dir.LoadState()
	if err != nil {
		t.Fatal(err)
	}
	st.IssuedAt, st.ExpiresAt = time.Now().Add(-31*24*time.Hour), time.Now().Add(-30*24*time.Hour)
	if err := dir.SaveState(st); err != nil {
		t.Fatal(err)
	}
	c.valid = "expired long ago"
	a := newAgent(t, dir)
	a.start(t)
	c.welcome()
	a.until(t, config.Online)
}

func TestACopyOfAnAgentIsToldWhatIsWrong(t *testing.T) {
	c := newControl(t)
	dir, err := enrol(t, config.Settings{URL: newServer(t, c)})
	if err != nil {
		t.Fatal(err)
	}
	copied := config.Dir(filepath.Join(t.TempDir(), "copy"))
	if err := os.CopyFS(string(copied), os.DirFS(string(dir))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"identity.key", "sealing.key"} {
		if err := os.Chmod(filepath.Join(string(copied), name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	original, clone := newAgent(t, dir), newAgent(t, copied)
	if err := original.Tokens.Renew(t.Context(), original.Tokens.State().Token); err != nil {
		t.Fatal(err)
	}
	err = clone.Tokens.Renew(t.Context(), clone.Tokens.State().Token)
	if err == nil || !strings.Contains(err.Error(), "agent_quarantined") {
		t.Errorf("the copy's renewal = %v, want the control plane's refusal", err)
	}
	for _, err := range []error{err, &wire.CloseError{Code: wire.CloseClone}} {
		if m := meaning(err); !strings.Contains(m, "twice") || revoked(err) {
			t.Errorf("%v means %q", err, m)
		}
	}
}

func TestAnAgentThatWasSwitchedOffAsksAgainNowAndThen(t *testing.T) {
	c, a := start(t)
	s := c.welcome()
	a.until(t, config.Online)
	c.mu.Lock()
	c.refuse = func(w http.ResponseWriter) bool {
		problem(w, 403, "agent_disabled", "this agent has been switched off")
		return true
	}
	c.mu.Unlock()
	_ = s.Close(wire.CloseRevoked, wire.ReasonDisabled)
	for {
		if st := a.until(t, config.Offline); strings.Contains(st.LastError, "agent_disabled") {
			break
		}
	}
	select {
	case err := <-a.done:
		t.Fatalf("the agent ended with %v", err)
	default:
	}
	off := &enroll.Refused{Status: 403, Code: "agent_disabled"}
	if wait := asked(
		off,
	); wait < time.Minute || revoked(off) ||
		!strings.Contains(meaning(off), "disabled this agent") {
		t.Errorf("switched off: asks again after %v, revoked %v, meaning %q", wait, revoked(off), meaning(off))
	}
	if !revoked(&wire.CloseError{Code: wire.CloseRevoked, Reason: "revoked"}) {
		t.Error("a revocation passes for being switched off")
	}
}

func TestTheOperatorsWishToDrainIsFollowedAndForgottenAtTheNextStart(t *testing.T) {
	c := newControl(t)
	dir, err := enrol(t, config.Settings{URL: newServer(t, c)})
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.SetDrain(true); err != nil { // of an earlier process
		t.Fatal(err)
	}
	a := newAgent(t, dir)
	a.Pace.Look = 10 * time.Millisecond
	a.start(t)
	s := c.welcome()
	a.until(t, config.Online)
	beat := func(draining bool) {
		t.Helper()
		for {
			msg, err := s.ReadMessage()
			if err != nil {
				t.Fatal(err)
			}
			f, err := wire.Decode(msg, 0)
			if err != nil {
				t.Fatal(err)
			}
			if f.Type != wire.TypeHeartbeat {
				continue
			}
			if h, err := wire.DecodeBody[wire.Heartbeat](f); err != nil || h.Draining != draining {
				t.Fatalf("heartbeat %+v (%v); want draining %v", h, err, draining)
			}
			return
		}
	}
	beat(false)
	if err := dir.SetDrain(true); err != nil {
		t.Fatal(err)
	}
	beat(true)
	if st, err := dir.LoadStatus(time.Now()); err != nil || !st.Draining || st.State != config.Online {
		t.Errorf("status %+v (%v)", st, err)
	}
	if err := dir.SetDrain(false); err != nil {
		t.Fatal(err)
	}
	beat(false)
}

func TestRetryAfterAndGoawayAreHonoured(t *testing.T) {
	c, a := start(t)
	s := c.welcome()
	a.until(t, config.Online)
	c.mu.Lock()
	c.refuse = func(w http.ResponseWriter) bool {
		c.refuse = nil
		w.Header().Set("Retry-After", "1")
		problem(w, 503, "draining", "starting")
		return true
	}
	c.mu.Unlock()
	c.send(s, wire.Frame{Type: wire.TypeGoaway}, wire.Goaway{Reason: "restart", RetryAfterMS: 700})
	time.Sleep(50 * time.Millisecond)
	_ = s.Close(wire.CloseDraining, "restart")
	began := time.Now()
	c.welcome()
	if took := time.Since(began); took < 1700*time.Millisecond || took > 4*time.Second {
		t.Errorf("back after %v, want 0.7 s and then 1 s", took)
	}
}

func TestBackoffGrowsWithJitterUpToItsBound(t *testing.T) {
	b := &backoff{base: wire.ReconnectBase, max: wire.ReconnectMax}
	var most time.Duration
	for range 200 {
		d := b.next(0)
		if d < 0 || d >= wire.ReconnectMax {
			t.Fatalf("pause of %v", d)
		}
		most = max(most, d)
	}
	if most < wire.ReconnectMax/2 {
		t.Errorf("the longest of 200 pauses is %v", most)
	}
	b.reset()
	if d := b.next(5 * time.Second); d < 5*time.Second || d > 6*time.Second {
		t.Errorf("first pause with 5 s asked = %v", d)
	}
}
