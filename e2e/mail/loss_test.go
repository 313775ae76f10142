package mail

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
)

// randomFaults is how a mail server fails by chance: it refuses for now, stalls, and drops connections.
type randomFaults struct {
	mu                     sync.Mutex
	r                      *rand.Rand
	refused, stalled, lost int
}

// refuse draws what happens to a command, of a thousand.
func (w *randomFaults) refuse() error {
	w.mu.Lock()
	n := w.r.IntN(1000)
	switch {
	case n < 5:
		w.refused++
	case n < 7:
		w.stalled++
	case n < 8:
		w.lost++
	}
	w.mu.Unlock()
	switch {
	case n < 5:
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "not now"}
	case n < 7:
		time.Sleep(2 * time.Second) // this is the stall, not a wait
	case n < 8:
		return &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 3, 2}, Message: "closing"}
	}
	return nil
}

// tenants are how many share the messages, and most is how many processes are killed at most.
const tenants, most = 10, 10

// Three processes send, and one after the other is killed, while the server refuses, stalls and loses connections.
// Nothing is lost, and a message arrives twice only if a process was killed while it had it.
func TestNoMessageIsLostWhenProcessesAreKilled(t *testing.T) {
	t.Parallel()
	n, err := strconv.Atoi(os.Getenv("GRANTWRIGHT_MAILS"))
	if err != nil {
		t.Skip("it waits for leases of killed processes; make faults sets GRANTWRIGHT_MAILS")
	}
	const seed = 23
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	sky := &randomFaults{r: rand.New(rand.NewPCG(seed, 2))}
	s := openSink(t)
	s.refuse = sky.refuse
	h := harness.Open(t, "--mail-server", fmt.Sprintf("127.0.0.1:%d", s.port), "--mail-security", "none",
		"--mail-from", "iga@example.test")
	processes := []*rig.ControlPlane{h.Plane, h.Another("second"), h.Another("third")}
	var offices []*office
	for i := range tenants {
		offices = append(offices, open(t, h, fmt.Sprintf("crowd-%d", i)))
	}
	began := time.Now()
	for _, o := range offices {
		o.ask(o.crowd(n/tenants), plain)
	}
	kills := 0
	saw, next := "", 0
	harness.Within(t, time.Duration(n)*100*time.Millisecond+2*harness.Patience, "all messages are sent", func() bool {
		got := s.count()
		saw = fmt.Sprintf("%d messages of %d", got, n)
		if got < n && got >= next && kills < most {
			next = got + 1 + r.IntN(max(1, 2*n/most))
			victim := processes[kills%len(processes)]
			kills++
			victim.Kill()
			must(t, victim.Start(harness.Context(t)))
		}
		soon(t, h)
		return got >= n && waiting(t, h) == 0
	}, &saw)
	took := time.Since(began)
	check(t, h, s, n, kills)
	t.Logf(
		"%d messages by 3 processes in %s: %d kills, %d refused, %d stalls, %d closed connections, %d accepted twice",
		n,
		took.Round(time.Second),
		kills,
		sky.refused,
		sky.stalled,
		sky.lost,
		len(s.all())-n,
	)
}

// soon lets the waits after refusals pass. Leases of the dead are waited for.
func soon(t *testing.T, h *harness.House) {
	t.Helper()
	h.Exec(`update mail_message set due_at = now() where state = 'deferred' and due_at > now() + interval '5 seconds'`)
	h.Exec(`update notification_settings set paused_until = null where paused_until > now() + interval '5 seconds'`)
}

// waiting is the number of messages without an end.
func waiting(t *testing.T, h *harness.House) (n int) {
	t.Helper()
	h.In("main", func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select count(*)::int from mail_message where ended_at is null`).Scan(&n)
	})
	return n
}

// check holds what the server accepted against the delivery log.
func check(t *testing.T, h *harness.House, s *sink, n, kills int) {
	t.Helper()
	times := map[string]int{}
	for _, l := range s.all() {
		f, err := read(l.raw)
		must(t, err)
		id, _, _ := strings.Cut(strings.Trim(f.ID, "<>"), "@")
		times[id]++
	}
	var rows []string
	h.In("main", func(ctx context.Context, tx pgx.Tx) error {
		found, err := tx.Query(ctx, `select id::text || ' ' || state || ' ' || repeats from mail_message`)
		if err != nil {
			return err
		}
		rows, err = pgx.CollectRows(found, pgx.RowTo[string])
		return err
	})
	if len(rows) != n || len(times) != n {
		t.Errorf("the delivery log has %d messages, the server %d; want %d", len(rows), len(times), n)
	}
	twice := 0
	for _, row := range rows {
		var id, state string
		var repeats int
		_, err := fmt.Sscan(row, &id, &state, &repeats)
		must(t, err)
		if got := times[id]; state != "sent" || got < 1 || got > 1+repeats {
			t.Errorf("message %s is %s, was claimed again %d times, and was accepted %d times", id, state, repeats, got)
		}
		twice += times[id] - 1
	}
	if n >= 50_000 && twice > n/1000 {
		t.Errorf("%d messages were accepted twice after %d kills; want one of 1,000 at most", twice, kills)
	}
}
