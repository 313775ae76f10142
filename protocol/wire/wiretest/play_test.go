package wiretest_test

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/protocol/wire"
	"github.com/grantwright/grantwright/protocol/wire/wiretest"
)

// Both ends of every transcript are played against each other: a transcript that contradicts itself fails here.
func TestTheTranscriptsAgreeWithThemselves(t *testing.T) {
	names, err := wiretest.Names()
	if err != nil || len(names) < 10 {
		t.Fatalf("Names = %v, %v", names, err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			lines, err := wiretest.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			sockets := make(chan wire.Socket, 9)
			agent := wiretest.Player{Plays: wiretest.FromAgent, Next: func() (wire.Socket, error) {
				a, c := wiretest.Pipe()
				sockets <- c
				return a, nil
			}}
			control := wiretest.Player{
				Plays: wiretest.FromControl,
				Next:  func() (wire.Socket, error) { return <-sockets, nil },
			}
			done := make(chan error, 1)
			go func() { done <- agent.Play(lockstep(lines)) }()
			if err := control.Play(lockstep(lines)); err != nil {
				t.Errorf("control plane: %v", err)
			}
			if err := <-done; err != nil {
				t.Errorf("agent: %v", err)
			}
		})
	}
}

// lockstep leaves out cuts, after which two players would race for the same line.
func lockstep(lines []wiretest.Line) []wiretest.Line {
	var out []wiretest.Line
	for _, l := range lines {
		if !l.Cut {
			out = append(out, l)
		}
	}
	return out
}

func TestThePlayerSaysWhatDiffers(t *testing.T) {
	for _, tt := range []struct{ line, sent, want string }{
		{`{"type":"hello","body":{"a":1}}`, `{"v":1,"type":"hello","body":{"a":2}}`, "frame.body.a is 2, want 1"},
		{`{"type":"hello","id":"*id"}`, `{"v":1,"type":"hello"}`, "frame.id is absent"},
		{`{"type":"hello","ts":"*now"}`, `{"v":1,"type":"hello","ts":"0001-01-01T00:00:00Z","task":"x"}`, ""},
		{`{"type":"hello","task":"$a","run":"$a"}`, `{"v":1,"type":"hello","task":"x","run":"y"}`, "want"},
		{`{"type":"hello","body":[1,2]}`, `{"v":1,"type":"hello","body":[1]}`, "want 2 elements"},
		{`{"type":"hello"}`, `{"v":1,"type":"heartbeat"}`, "heartbeat"},
	} {
		lines, err := wiretest.Parse([]byte(`{"dir":"a2c","frame":` + tt.line + `}`))
		if err != nil {
			t.Fatal(err)
		}
		near, far := wiretest.Pipe()
		if err := far.WriteMessage([]byte(tt.sent)); err != nil {
			t.Fatal(err)
		}
		p := wiretest.Player{Plays: wiretest.FromControl, Next: func() (wire.Socket, error) { return near, nil }}
		err = p.Play(lines)
		if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s against %s: %v, want %q", tt.sent, tt.line, err, tt.want)
		}
	}
}
