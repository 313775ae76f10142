package task

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// lifeline is one account with its task and its target, without a database: what next says is carried out as the
// planner does.
type lifeline struct {
	off              bool // its owner has left
	outside, unable  bool // in the target: out of what syncs read; the account is disabled
	near             bool // the connector neither finds nor disproves what lies outside
	stopped          bool // the circuit breaker is open
	status, reason   string
	disabled, unseen bool // as stored; the task's record was not found
	task             Open
	awaited          Open // an earlier task whose record was not found; what is ordered after it does not replace it
	again            bool
	n                int
	log              []string
}

func (l *lifeline) say(format string, args ...any) {
	l.log = append(l.log, fmt.Sprintf(format, args...))
}

func (l *lifeline) plan() {
	moves := AccountFacts{
		Off:        l.off,
		Status:     l.status,
		Disabled:   l.disabled,
		Reason:     l.reason,
		Task:       l.task,
		MayDisable: true,
		MayEnable:  l.status != "deleted",
	}.Next()
	l.say("%v", moves)
	for _, m := range moves {
		switch m {
		case MoveReplan:
			l.again = true
		case MoveCancel:
			l.task, l.unseen, l.awaited = l.awaited, l.awaited.ID != "", Open{}
		case MoveFulfil:
			l.done()
		case MoveDisable:
			l.order(Disable)
		case MoveEnable:
			l.order(Enable)
		}
	}
}

func (l *lifeline) order(operation string) {
	l.n++
	left, doubt := ForLeft, l.task.Stage() == Unclear
	if l.task.State == Verifying {
		l.awaited = l.task
	}
	l.task, l.unseen = Open{
		ID:        strconv.Itoa(l.n),
		Operation: operation,
		State:     Queued,
		Mode:      ModeAuto,
		Unsure:    doubt,
	}, false
	if operation == Disable {
		l.task.DisabledFor = &left
	}
}

// done notes that the task was made, or that a sync has shown its end.
func (l *lifeline) done() {
	switch l.task.Operation {
	case Disable:
		l.reason = ForLeft
	case Enable:
		l.reason = ""
	}
	l.task, l.awaited, l.unseen = Open{}, Open{}, false
}

// send makes the change, and loses it or its answer. While the breaker is open nothing is sent.
func (l *lifeline) send(how string) {
	if l.task.State != Running && (l.stopped || l.task.State != Queued && l.task.State != Retrying) {
		return
	}
	made := l.task.Unsure &&
		l.unable == (l.task.Operation == Disable) // the record is read before a change is sent again
	switch {
	case l.outside && l.near && (l.task.Operation == Disable || l.task.Unsure):
		l.task.State, l.unseen = Verifying, true
	case l.outside && l.near, how == "refused" && !made:
		if l.task.Unsure { // the record was read, and is stored as it is
			l.disabled, l.status = l.unable, map[bool]string{true: "disabled", false: "active"}[l.unable]
		}
		l.task.State, l.task.Unsure = Failed, false
	case how == "lost" && !made:
		l.task.State, l.task.Unsure = Retrying, true
	case how == "arrived and lost" && !made:
		l.unable, l.task.State, l.task.Unsure = l.task.Operation == Disable, Retrying, true
	case how == "sending":
		l.task.State = Running
		return
	default:
		l.unable = l.task.Operation == Disable
		l.disabled, l.status = l.unable, map[bool]string{true: "disabled", false: "active"}[l.unable]
		l.done()
	}
	if l.again {
		l.again = false
		l.plan()
	}
}

// read is a full sync, twice, with what follows from it: what it does not show is deleted, and a task whose record was
// not found is sent again when the record is shown.
func (l *lifeline) read() {
	if l.outside {
		l.status = "deleted"
		if l.task.Pending() && l.task.Pointless(false) {
			l.say("%s %s is pointless", l.task.Operation, l.task.State)
			l.task, l.unseen = Open{}, false
		}
		return
	}
	l.disabled, l.status = l.unable, map[bool]string{true: "disabled", false: "active"}[l.unable]
	waits := l.task.Pending() || l.task.State == Verifying
	switch {
	case l.task.ID == "" || !waits || l.task.Unsure && l.task.sends():
	case (l.task.Operation == Disable) == l.disabled:
		l.done()
	case l.unseen:
		l.task.State, l.unseen = Queued, false
	}
}

func (l *lifeline) event(r *rand.Rand) {
	switch r.IntN(10) {
	case 0, 1:
		l.off = !l.off
		l.say("off=%v", l.off)
		l.plan()
	case 2, 3, 4:
		how := []string{"", "refused", "lost", "arrived and lost", "sending"}[r.IntN(5)]
		l.say("%s %s %q", l.task.Operation, l.task.State, how)
		l.send(how)
	case 5, 6:
		l.outside = !l.outside && r.IntN(2) == 0
		l.read()
		l.say("outside=%v, read: %s", l.outside, l.status)
	case 7:
		l.stopped = !l.stopped
		l.say("breaker=%v", l.stopped)
	case 8:
		if l.unseen && l.task.State == Verifying {
			l.task.State = Failed
			l.say("the wait is over")
		}
	default:
		l.plan()
	}
}

// TestNoWayThroughTheStatesLeavesALeaversAccountUsable walks through the states of one account in random order, in and
// out of what syncs read, and with the circuit breaker opening and being reset.
func TestNoWayThroughTheStatesLeavesALeaversAccountUsable(t *testing.T) {
	n := uint64(10_000)
	if more, err := strconv.ParseUint(os.Getenv("PROVISION_STATES"), 10, 64); err == nil {
		n = more
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 5))
		l := &lifeline{status: "active", near: seed%3 == 0}
		for range 25 {
			l.event(r)
		}
		l.say("settle")
		l.stopped = false
		if r.IntN(2) == 0 {
			l.outside = false
		}
		for range 6 {
			l.plan()
			l.send("")
			l.read()
		}
		l.plan()
		told := l.task.State == Failed || l.task.State == Verifying
		if l.off && !l.unable && !told || !l.off && !l.outside && l.unable && l.reason == ForLeft && !told {
			t.Fatalf(
				"seed %d: off=%v, disabled=%v in the target, outside=%v, stored as %q (%s) with the task %+v: %s",
				seed,
				l.off,
				l.unable,
				l.outside,
				l.status,
				l.reason,
				l.task,
				strings.Join(l.log, "; "),
			)
		}
	}
}
