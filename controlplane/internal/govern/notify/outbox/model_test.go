package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/mailtest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/message"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/outbox"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/settings"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/status"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/transport"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

var errKilled = errors.New("killed")

// world is an outbox with a mail server that fails as a test wishes, and what the test expects of it.
type world struct {
	*recordtest.House
	server *mailtest.Server
	box    *outbox.Service

	mu     sync.Mutex
	step   string // where the server fails; empty: nowhere
	reply  *smtp.SMTPError
	kills  map[string]int // by message: passes that ended after the server accepted it
	killed bool           // the next pass ends after its first answer
	made   []string
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{server: mailtest.Start(t, mailtest.Options{Plain: true}), kills: map[string]int{}}
	w.House = recordtest.Open(t, func(*pg.DB, *httpapi.Cursors) []httpapi.Route { return nil })
	ring, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	w.server.Fail = func(step, _ string) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.step == step {
			return w.reply
		}
		return nil
	}
	w.box = &outbox.Service{
		DB: w.DB, Seal: ring, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Settings: &settings.Service{DB: w.DB, Seal: ring, Now: time.Now, Relay: &settings.Relay{
			From: "iga@example.com",
			Server: transport.Server{
				Host:     w.server.Host,
				Port:     w.server.Port,
				Security: transport.None,
				Dial:     mailtest.Dial(t),
			},
		}},
		Sent: func(id string) error {
			if !w.killed {
				return nil
			}
			w.killed = false
			w.kills[id]++
			return errKilled
		},
	}
	return w
}

func (w *world) write(r *rapid.T, n int) {
	var all []message.New
	for range n {
		id := message.NewID()
		w.made = append(w.made, id)
		all = append(all, message.New{
			ID: id, Kind: "task.assigned", Person: id, Address: fmt.Sprintf("p%d@example.org", len(w.made)),
			Subject: "Hello", Content: compose.Content{Heading: "Hello"},
		})
	}
	if err := w.DB.As(context.Background(), w.Tenant, func(tx *pg.Tx) error {
		return message.Insert(context.Background(), tx, all)
	}); err != nil {
		r.Fatal(err)
	}
}

// pass is a pass of a process, while the server fails at a step with a code; step empty: it works.
func (w *world) pass(r *rapid.T, step string, code int, kill bool) {
	w.mu.Lock()
	w.step = step
	w.reply = &smtp.SMTPError{
		Code:         code,
		EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1},
		Message:      "as the test wishes",
	}
	w.mu.Unlock()
	w.killed = kill
	if _, err := w.box.Send(context.Background(), w.Tenant.Tenant); err != nil && !errors.Is(err, errKilled) {
		r.Fatal(err)
	}
	w.killed = false
}

// later makes everything due, and leases of processes that ended run out.
func (w *world) later() {
	w.ExecAs(w.Tenant, `update mail_message set due_at = least(due_at, now()),
		lease_until = lease_until - interval '10 minutes'`)
	w.ExecAs(w.Tenant, `update notification_settings set paused_until = null`)
}

// accepted are how often the server accepted each message.
func (w *world) accepted() map[string]int {
	out := map[string]int{}
	for _, m := range w.server.Mails() {
		id, _, _ := strings.Cut(strings.Trim(m.Header.Get("Message-Id"), "<>"), "@")
		out[id]++
	}
	return out
}

// check compares the rows with what the server has.
func (w *world) check(r *rapid.T) {
	got, all := w.accepted(), 0
	for _, n := range w.kills {
		all += n
	}
	for _, row := range w.Strings(`select id::text || ' ' || state || ' ' || repeats from mail_message`) {
		var id, state string
		var repeats int
		if _, err := fmt.Sscan(row, &id, &state, &repeats); err != nil {
			r.Fatal(err)
		}
		switch n := got[id]; {
		case state == string(status.Sent) && n == 0:
			r.Fatalf("message %s counts as sent, and the server has not accepted it", id)
		case n > 1+w.kills[id]:
			r.Fatalf("message %s was accepted %d times after %d kills", id, n, w.kills[id])
		case repeats > all:
			r.Fatalf("message %s was claimed again %d times after %d kills", id, repeats, all)
		}
	}
}

// Whatever the server answers and whenever a process is killed, no message is lost, and one is accepted twice only if a
// process was killed after the server had accepted it.
func TestNoMessageIsLostOrSentTwiceWithoutAKill(t *testing.T) {
	w := open(t)
	rapid.Check(t, func(r *rapid.T) {
		r.Repeat(map[string]func(*rapid.T){
			"write":  func(r *rapid.T) { w.write(r, rapid.IntRange(1, 3).Draw(r, "n")) },
			"works":  func(r *rapid.T) { w.pass(r, "", 0, false) },
			"killed": func(r *rapid.T) { w.pass(r, "", 0, true) },
			"fails": func(r *rapid.T) {
				w.pass(
					r,
					rapid.SampledFrom([]string{"mail", "rcpt", "data"}).Draw(r, "step"),
					rapid.SampledFrom([]int{421, 450, 451, 452, 550, 554}).
						Draw(r, "code"),
					rapid.Bool().Draw(r, "kill"),
				)
			},
			"later": func(*rapid.T) { w.later() },
			"":      w.check,
		})
		for range 100 {
			w.later()
			w.pass(r, "", 0, false)
			left := w.Strings(
				`select count(*)::text from mail_message where state in ('queued', 'sending', 'deferred')`,
			)
			if left[0] == "0" {
				break
			}
		}
		w.check(r)
		if n := w.Strings(
			`select count(*)::text from mail_message where state not in ('sent', 'bounced', 'failed')`,
		); n[0] != "0" {
			r.Fatalf("%s messages are left", n[0])
		}
		if n := w.Strings(`select count(*)::text from mail_message`); n[0] != fmt.Sprint(len(w.made)) {
			r.Fatalf("%s messages; want %d", n[0], len(w.made))
		}
	})
}

func TestPausesOfAMessageGrowToFourHours(t *testing.T) {
	if got := outbox.Pause(0); got != time.Minute {
		t.Errorf("after the first attempt: %s", got)
	}
	if got := outbox.Pause(100); got != 4*time.Hour {
		t.Errorf("after many: %s", got)
	}
}
