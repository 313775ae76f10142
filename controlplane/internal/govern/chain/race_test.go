package chain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// atOnce runs all of these as nearly at the same instant as may be.
func atOnce(do ...func() error) []error {
	errs := make([]error, len(do))
	var start, end sync.WaitGroup
	start.Add(1)
	for i, each := range do {
		end.Go(func() {
			start.Wait()
			errs[i] = each()
		})
	}
	start.Done()
	end.Wait()
	return errs
}

func TestDecisionsAtTheSameInstantComeToOneOutcome(t *testing.T) {
	h := open(t)
	for round := range 100 {
		mode := []string{"any", "all", "quorum"}[round%3]
		g := h.group(map[string]any{"any": "any", "all": "all", "quorum": 2}[mode], "mia", "olaf", "olga")
		item := h.start(plan(stage("one", mode, g)))
		var do []func() error
		for i, who := range []string{"mia", "olaf", "olga"} {
			task, action := h.tasks(item, who)[0], "approve"
			if (round+i)%2 == 0 {
				action = "reject"
			}
			do = append(do, func() error { return h.answer(task, h.users[who], action, "so") })
		}
		for _, err := range atOnce(do...) {
			var f *fault.Fault
			if err != nil && (!errors.As(err, &f) || f.Kind != fault.Conflict) {
				t.Fatalf("round %d (%s): %v", round, mode, err)
			}
		}
		state := h.Strings(`select state from chain where item_id = $1`, item)[0]
		g2 := h.stages(item)[0].Groups[0]
		if got := chain.Tally(
			mode,
			g2.Needed,
			g2.Approved,
			g2.Rejected,
			0,
		); state == "running" ||
			(got == "agreed") != (state == "approved") {
			t.Fatalf("round %d (%s): the chain is %s, the answers %+v", round, mode, state, g2)
		}
		if mode == "any" && g2.Approved+g2.Rejected != 1 {
			t.Fatalf("round %d: %d answers of any were taken; want 1", round, g2.Approved+g2.Rejected)
		}
		if mode == "quorum" && (g2.Approved+g2.Rejected > 3 || g2.Approved > 2) {
			t.Fatalf("round %d: %+v", round, g2)
		}
		h.later(2 * time.Second)
		h.work()
		if n := h.Count(
			`select count(*) from decision_task where subject ->> 'id' = $1 and state in ('open', 'claimed')`,
			item,
		); n != 0 {
			t.Fatalf("round %d (%s): %d tasks are left", round, mode, n)
		}
	}
}

func TestAnAnswerAndTheExpiryComeToOneOutcome(t *testing.T) {
	h := open(t)
	h.later(0)
	for round := range 20 {
		item := h.start(plan(stage("one", "any", h.group("any", "mia"))))
		task := h.tasks(item, "mia")[0]
		h.later(14 * day)
		atOnce(
			func() error { return h.answer(task, h.users["mia"], "approve") },
			func() error { _, err := h.chains.Part(ctx, h.Tenant.Tenant); return err },
			func() error { _, err := h.chains.Part(ctx, h.Tenant.Tenant); return err },
		)
		h.later(time.Minute)
		h.work()
		state := h.Strings(`select state from chain where item_id = $1`, item)[0]
		stage := h.states(item)
		if !(state == "approved" && stage == "approved" || state == "expired" && stage == "expired") {
			t.Fatalf("round %d: the chain is %s, its stage %s", round, state, stage)
		}
	}
}

func TestWhatCannotBeToldIsNotDone(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("one", "any", h.group("any", "mia"))))
	deaf := errors.New("cannot hear")
	h.chains.Decided = func(context.Context, *pg.Tx, []chain.Outcome) error { return deaf }
	if err := h.decide(item, "mia", "approve"); !errors.Is(err, deaf) {
		t.Fatalf("got %v; want %v", err, deaf)
	}
	h.expect("stages", h.states(item), "open")
	h.later(14 * day)
	h.work() // the expiry cannot be told either, and is tried again later
	h.expect("stages", h.states(item), "open")
	h.chains.Decided = h.decided
	h.later(time.Minute)
	h.work()
	h.expect("rung", h.results(item), "expired")
}

func TestManyAnswersAtOnceAreTakenTogether(t *testing.T) {
	h := open(t)
	h.person("mia")
	h.person("root", viewer.Admin)
	var items, tasks []string
	for range 30 {
		items = append(
			items,
			h.start(
				plan(stage("manager", "any", h.group("any", "mia")), stage("owner", "any", h.group("any", "olaf"))),
			),
		)
	}
	for _, item := range items {
		tasks = append(tasks, h.tasks(item, "mia")...)
	}
	results, err := h.bulk("mia", tasks)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r != nil {
			t.Errorf("task %d: %v", i, r)
		}
	}
	h.work() // the stages that were not opened at once
	for _, item := range items {
		h.expect("stages", h.states(item), "approved open")
	}
	if n := len(h.Strings(`select distinct group_key from decision_task where state = 'open'`)); n != 1 {
		t.Errorf("%d groups; want 1", n)
	}
}

func TestRunFollowsWhatIsAnnounced(t *testing.T) {
	h := open(t)
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 2)
	for range 2 {
		go func() { done <- (&queue.Queue{DB: h.DB, Log: h.chains.Log, Kinds: h.chains.Kinds()}).Run(running) }()
	}
	item := h.start(plan(stage("manager", "any", h.group("any", "mia"))))
	h.board.write(0, h.group("any", "nina"))
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.people["ben"], h.people["nina"])
	for deadline := time.Now().Add(30 * time.Second); h.asked(item, 0) != "nina"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the worker has not looked")
		}
	}
	stop()
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if s := strings.Count(fmt.Sprint(h.stages(item)[0].Log), "re_resolved"); s != 1 {
		t.Errorf("it was resolved anew %d times; want once", s)
	}
}
