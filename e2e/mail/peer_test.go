package mail

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/npm"
)

// peer is the mail server that misbehaves, see peer.mjs.
type peer struct {
	tally
	t     *testing.T
	port  int
	modes chan string
	in    io.Writer
}

// script is a script of this directory, beside the packages that it needs.
func script(t *testing.T, name string) string {
	t.Helper()
	dir, err := npm.Install(".")
	must(t, err)
	return filepath.Join(dir, name)
}

func misbehave(t *testing.T, options map[string]any) *peer {
	t.Helper()
	raw, err := json.Marshal(options)
	must(t, err)
	cmd := exec.CommandContext(t.Context(), "node", script(t, "peer.mjs"), string(raw))
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	p := &peer{t: t, in: in, modes: make(chan string)}
	ended := make(chan struct{})
	t.Cleanup(func() {
		_ = in.Close()
		<-ended
		_ = cmd.Wait()
	})
	ready := make(chan int, 1)
	go func() {
		defer close(ended)
		lines(bufio.NewScanner(out), func(line string) { p.hear(line, ready) })
	}()
	select {
	case p.port = <-ready:
	case <-ended:
		t.Fatal("the mail server has ended")
	}
	return p
}

// hear takes an event of the server.
func (p *peer) hear(line string, ready chan int) {
	var event struct {
		Port     int
		Accepted string
		To       []string
		Mode     *string
	}
	if json.Unmarshal([]byte(line), &event) != nil {
		return
	}
	switch {
	case event.Port != 0:
		ready <- event.Port
	case event.Mode != nil:
		p.modes <- *event.Mode
	case event.Accepted != "":
		if len(event.To) != 1 {
			p.t.Errorf("message %s has the recipients %v", event.Accepted, event.To)
		}
		p.add(event.Accepted)
	}
}

// behave changes the mode.
func (p *peer) behave(mode string) {
	p.t.Helper()
	_, err := fmt.Fprintln(p.in, mode)
	must(p.t, err)
	<-p.modes
}

// few is how many messages each server is sent.
const few = 5

// fault is how a server misbehaves, and what the delivery log shows of it before the server behaves again.
type fault struct {
	mode          string
	state, reason string
	code          int
	server        bool // the settings show an error of the server
	mended        bool // the server goes on misbehaving, and accepts nevertheless
}

var faults = []fault{
	{mode: "greylist", state: "deferred", reason: "try_later", code: 451, mended: true},
	{mode: "full", state: "deferred", reason: "mailbox_full", code: 552},
	{mode: "full after data", state: "deferred", reason: "mailbox_full", code: 552},
	{mode: "busy after data", state: "deferred", reason: "try_later", code: 451, mended: true},
	{mode: "cut", state: "deferred", reason: "server_connection", server: true},
	{mode: "vanish", state: "deferred", reason: "server_connection", server: true},
	{mode: "silent", state: "deferred", reason: "server_timeout", server: true},
	{mode: "slow", state: "sent", code: 250},
	{mode: "one each", state: "sent", code: 250},
}

// misbehavior sends to a server that misbehaves in every way, and then behaves: nothing is lost, and nothing is accepted
// twice, but what the server accepted without saying so.
func misbehavior(t *testing.T, h *harness.House) {
	for i, f := range faults {
		t.Run(f.mode, func(t *testing.T) {
			t.Parallel()
			o := open(t, h, fmt.Sprintf("peer-%d", i))
			p := misbehave(t, map[string]any{"mode": f.mode})
			o.sends(p.port, "", nil)
			o.ask(o.crowd(few), plain)
			o.await(few, f.state, f.reason)
			if f.code != 0 && o.log("")[0].ReplyCode != f.code {
				t.Errorf("the delivery log has %+v", o.log("")[0])
			}
			if got := o.trouble(); f.server != (got != "") {
				t.Errorf("the settings show %q", got)
			}
			if !f.mended {
				p.behave("")
			}
			o.hurry()
			o.await(few, "sent", "")
			if got := o.trouble(); got != "" {
				t.Errorf("after the server behaves, the settings show %q", got)
			}
			want := map[int]int{1: few}
			if f.mode == "vanish" {
				want = map[int]int{1: few - 1, 2: 1} // the first one of the connection, with the same Message-ID
			}
			if got := p.times(); !maps.Equal(got, want) {
				t.Errorf("accepted so many times: %v; want %v", got, want)
			}
		})
	}
}
