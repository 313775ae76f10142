package call

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// A target may ask to be left alone for a while. No answer of it may switch the watchdog off.
func TestNoWaitOfATargetIsLongerThanADay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ asked, want time.Duration }{
		"an hour":   {time.Hour, time.Hour},
		"200 years": {200 * 365 * 24 * time.Hour, longestWait},
	} {
		s := session.New(nil, session.Admission{}, "", session.Options{})
		c := New(s, wire.Offer{Kind: wire.KindSync, Credit: 1}, "task", "run", 1)
		c.session = s
		began := time.Now()
		until := began.Add(tt.asked)
		if err := c.Take(s, progress(t, v1.Progress{RateWaitUntil: &until})); err != nil {
			t.Fatal(err)
		}
		timing := agents.DefaultTiming()
		at, overdue := c.due(timing)
		if off := at.Sub(began.Add(tt.want + timing.Progress)).
			Abs(); off > time.Minute ||
			overdue.Code != "agent_stuck" {
			t.Errorf("%s: due %s after it was asked, with %q; want %s later, with agent_stuck",
				name, at.Sub(began), overdue.Code, tt.want+timing.Progress)
		}
	}
}

// progress is a frame as it comes over the wire.
func progress(t *testing.T, p v1.Progress) wire.Frame {
	t.Helper()
	data, err := wire.Encode(wire.Frame{Type: wire.TypeProgress, ID: "x", TS: time.Now(), Attempt: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	f, err := wire.Decode(data, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
