package provision_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// watched tells when a change is with the target.
type watched struct {
	*target
	watch func(enter bool)
}

func (w watched) Provision(
	ctx context.Context,
	t dispatch.Target,
	req v1.ProvisionRequest,
) (v1.ProvisionResponse, error) {
	w.watch(true)
	defer w.watch(false)
	return w.target.Provision(ctx, t, req)
}

// dying is a process that dies at the moment the test names: what it was doing is never heard of again.
type dying struct {
	*target
	before, after bool
	dead          chan struct{}
}

func (d dying) Provision(
	ctx context.Context,
	t dispatch.Target,
	req v1.ProvisionRequest,
) (v1.ProvisionResponse, error) {
	if d.before {
		close(d.dead)
		select {}
	}
	res, err := d.target.Provision(ctx, t, req)
	if d.after {
		close(d.dead)
		select {}
	}
	return res, err
}

// dies lets a process of its own begin the work and die; its leases run out.
func (h *house) dies(t *testing.T, before, after bool) {
	t.Helper()
	h.plan()
	s := h.process(t, h.DB)
	d := dying{target: h.target, before: before, after: after, dead: make(chan struct{})}
	s.Dispatch, s.Calls, s.Log = d, 1, slog.New(slog.DiscardHandler) // nobody hears of it any more
	go func() { _ = s.Drain(ctx) }()
	select {
	case <-d.dead:
	case <-time.After(20 * time.Second):
		t.Fatal("it never came to send anything")
	}
	if n := h.Count(`select count(*) from provisioning_attempt where outcome is null`); n == 0 {
		t.Error("nothing says that it was about to send")
	}
	h.Exec(`update provisioning_lane set lease_until = now() - interval '1 second'`)
	h.Exec(`update provisioning_task set lease_until = now() - interval '1 second' where state = 'running'`)
}

func TestWhatAProcessLeftUndoneIsDoneOnce(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after bool
		sent          int
	}{
		{"killed after the attempt was written", true, false, 1},
		{"killed after the target had changed", false, true, 1},
	} {
		for _, operation := range []string{"create_account", "grant", "revoke", "disable", "enable", "unlock", "rename",
			"delete_account"} {
			t.Run(tt.name+" "+operation, func(t *testing.T) {
				h := Open(t)
				ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
				h.begin(operation, ann, staff)
				h.target.forget()
				h.target.done = map[string]int{}
				h.dies(t, tt.before, tt.after)
				h.drain()
				if got := h.target.order(); len(got) != tt.sent {
					t.Errorf("sent %q; want it once", got)
				}
				for key, n := range h.target.done {
					if n != 1 {
						t.Errorf("the change %s was executed %d times", key, n)
					}
				}
				if h.target.reads == 0 {
					t.Error("nobody looked before going on")
				}
				if n := h.Count(`select count(*) from provisioning_task where state <> 'done'`); n != 0 {
					t.Errorf("%d tasks are not done: %q", n, h.tasks())
				}
				outcomes := h.Strings(
					`select coalesce(a.outcome, 'nobody saw') from provisioning_attempt a join provisioning_task t
						on t.id = a.task_id where t.attempts > 1 order by a.n`,
				)
				want := map[bool][]string{true: {"nobody saw", "applied"}, false: {"nobody saw", "already"}}[tt.before]
				if !slices.Equal(outcomes, want) {
					t.Errorf("its attempts are %q; want %q", outcomes, want)
				}
			})
		}
	}
}

// begin brings somebody to where one operation is what is to be done next.
func (h *house) begin(operation, ann, staff string) {
	h.T.Helper()
	order := func(action string, body any) {
		h.T.Helper()
		h.Must(202, "admin", "POST", "/accounts/"+h.text(`select id::text from account`)+"/"+action, body)
	}
	if operation == "create_account" {
		h.give(ann, "")
		return
	}
	h.account("ann", ann)
	switch operation {
	case "grant":
		h.give(ann, staff)
	case "revoke":
		h.give(ann, staff)
		h.drain()
		h.take(ann)
	case "disable":
		h.Exec(`update identity set status = 'on_leave', status_changed_at = clock_timestamp()`)
	case "enable":
		h.Exec(`update identity set status = 'on_leave', status_changed_at = clock_timestamp()`)
		h.drain()
		h.Exec(`update identity set status = 'active', status_changed_at = clock_timestamp()`)
	case "unlock":
		h.Exec(`update account set status = 'locked', is_locked = true`)
		for _, a := range h.target.accounts {
			a.locked = true
		}
		order("unlock", nil)
	case "rename":
		order("rename", object("username", "anna"))
	case "delete_account":
		h.Exec(`update account set status = 'disabled', is_disabled = true`)
		for _, a := range h.target.accounts {
			a.disabled = true
		}
		order("delete", nil)
	}
}

func TestAnAnswerThatIsLostIsLookedUpBeforeAnythingIsSentAgain(t *testing.T) {
	for _, arrived := range []bool{true, false} {
		h := Open(t)
		ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
		h.account("ann", ann)
		lost := true
		h.target.wrong = func(req v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
			if !lost {
				return v1.ProvisionResponse{}, nil, false
			}
			lost = false
			if arrived {
				h.target.find(req.Target).groups[req.EntitlementRemoteIDs[0]] = true
			}
			return v1.ProvisionResponse{
				Outcome: v1.OutcomeUnknown,
				ErrorDetail: &v1.ErrorDetail{
					Class:   v1.ClassTransient,
					Code:    "answer_lost",
					Message: "the connection broke",
				},
			}, nil, true
		}
		h.give(ann, staff)
		h.drain()
		h.wants("grant retrying")
		h.due()
		h.drain()
		h.wants("grant done")
		want := map[bool]int{true: 1, false: 2}[arrived]
		if got := h.target.order(); len(got) != want || h.target.reads != 1 {
			t.Errorf("arrived %v: sent %d times, read %d times; want %d and 1", arrived, len(got), h.target.reads, want)
		}
		if keys := h.Count(`select count(distinct idempotency_key) from provisioning_task`); keys != 1 {
			t.Errorf("%d keys", keys)
		}
	}
}

// stopwatch sums how long changes were with the target.
type stopwatch struct {
	mu     sync.Mutex
	sum    time.Duration
	within int
	since  time.Time
}

func (s *stopwatch) mark(enter bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.sum += time.Duration(s.within) * now.Sub(s.since)
	s.since = now
	if enter {
		s.within++
	} else {
		s.within--
	}
}
