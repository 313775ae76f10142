package task

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// line is one grant with its task and its target, without a database: what next says is carried out as the planner
// does.
type line struct {
	wanted, held bool // by a reason; in the target
	status       string
	task         Open
	again        bool // the person is looked at again when the change has ended
	n            int
	log          []string
}

func (l *line) say(format string, args ...any) { l.log = append(l.log, fmt.Sprintf(format, args...)) }

func (l *line) plan() {
	task := l.task
	moves := GrantFacts{
		Wanted:    l.wanted,
		Status:    l.status,
		Task:      task,
		MayGrant:  true,
		MayRevoke: l.status != "",
	}.Next()
	l.say("%v", moves)
	for _, m := range moves {
		switch m {
		case MoveReplan:
			l.again = true
		case MoveCancel, MoveFulfil:
			l.task = Open{}
		case MoveEnd:
			l.status = "revoked"
		case MoveKeep:
			if l.status == "revoking" {
				l.status = "active"
			}
		case MoveGrant:
			l.order(Grant, "pending")
		case MoveRevoke:
			before := l.status
			l.order(Revoke, "revoking")
			l.task.Before = before
		}
	}
}

func (l *line) order(operation, status string) {
	l.n++
	l.task, l.status = Open{ID: strconv.Itoa(l.n), Operation: operation, State: Queued, Mode: ModeAuto}, status
}

// send makes the change, and loses it or its answer.
func (l *line) send(how string) {
	if l.task.State != Queued && l.task.State != Retrying && l.task.State != Running {
		return
	}
	switch how {
	case "refused":
		l.task.State, l.task.Unsure = Failed, false
		if l.task.Operation == Grant {
			l.status = "failed"
		}
	case "lost":
		l.task.State, l.task.Unsure = Retrying, true
	case "given up":
		l.task.State, l.task.Unsure = Failed, true
		if l.task.Operation == Grant {
			l.status = "failed"
		}
	case "arrived and lost":
		l.held, l.task.State, l.task.Unsure = l.task.Operation == Grant, Retrying, true
	case "sending":
		l.task.State = Running
		return
	default:
		l.held = l.task.Operation == Grant
		l.status = map[bool]string{true: "active", false: "revoked"}[l.held]
		l.task = Open{}
	}
	if l.again {
		l.again = false
		l.plan()
	}
}

// read is a full sync, twice, so that what it does not show is gone.
func (l *line) read() {
	switch {
	case l.held && (l.status == "" || l.status == "revoking" || l.status == "active"):
	case l.held:
		l.status = "active"
	case l.status == "active" || l.status == "revoking" || l.status == "missing":
		l.status = "revoked"
	}
}

// TestNoWayThroughTheStatesLeavesAccessBehind walks through the states of one grant in random order.
func TestNoWayThroughTheStatesLeavesAccessBehind(t *testing.T) {
	n := uint64(2000)
	if more, err := strconv.ParseUint(os.Getenv("PROVISION_STATES"), 10, 64); err == nil {
		n = more
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 3))
		l := &line{}
		for range 25 {
			switch event := r.IntN(8); event {
			case 0, 1:
				l.wanted = !l.wanted
				l.say("wanted=%v", l.wanted)
				l.plan()
			case 2, 3, 4:
				how := []string{"", "refused", "lost", "given up", "arrived and lost", "sending"}[r.IntN(6)]
				l.say("%s %s %q", l.task.Operation, l.task.State, how)
				l.send(how)
			case 5:
				l.read()
				l.say("read: %s", l.status)
			case 6:
				if l.status != "" {
					l.held = !l.held
					l.say("held=%v in the target", l.held)
				}
			default:
				l.plan()
			}
		}
		l.say("settle")
		for range 6 {
			l.plan()
			l.send("")
			l.read()
		}
		l.plan()
		if l.task.State == Failed && (l.task.Operation == Grant) == l.held {
			t.Fatalf(
				"seed %d: the target shows what the failed task %+v was to do: %s",
				seed,
				l.task,
				strings.Join(l.log, "; "),
			)
		}
		if visible := l.task.State == Failed; l.held != l.wanted && !visible ||
			(l.status == "active") != l.held && !visible {
			t.Fatalf(
				"seed %d: wanted=%v, held=%v in the target, stored as %q with the task %+v: %s",
				seed,
				l.wanted,
				l.held,
				l.status,
				l.task,
				strings.Join(l.log, "; "),
			)
		}
	}
}
