package mitigation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/evidence"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

var errCrash = errors.New("crash")

// model is what a mitigation is by its meaning, not by the table of states: when it was approved, which evidence it
// waits for, and whether it was ended.
type model struct {
	approved bool
	ended    string    // the final state
	ends     time.Time // of the approved
	due      time.Time // of the next evidence; zero: none before the end
	asked    bool      // for evidence that is due
	deadline time.Time // of late evidence
	onLapse  string
	told     bool             // that it ends soon
	answer   mitigation.Event // of the stored query; empty: people give evidence
}

const (
	cadence = 20 * day
	grace   = 5 * day
	ahead   = 5 * day // a quarter of the cadence
)

func (m *model) approve(now time.Time) {
	m.approved, m.ends = true, now.Add(70*day)
	m.demand(now)
}

func (m *model) demand(after time.Time) {
	m.asked, m.deadline = false, time.Time{}
	if m.due = after.Add(cadence); !m.due.Before(m.ends) {
		m.due = time.Time{}
	}
}

// tick lets all happen that was to happen until a time. The worker looks after every step, which may have been days.
func (m *model) tick(now time.Time) {
	if !m.approved || m.ended != "" {
		return
	}
	m.run(now)
	seen := now
	if m.ended == "lapsed" {
		seen = m.deadline
	}
	m.told = m.told || !seen.Before(m.ends.Add(-7*day))
}

// run is tick for a mitigation in force.
func (m *model) run(now time.Time) {
	for m.approved && m.ended == "" {
		switch {
		case !now.Before(m.ends):
			if next := m.next(); next.Before(m.ends) && !now.Before(next) && m.step(now) {
				continue
			}
			m.ended = "expired"
		case m.due.IsZero() || now.Before(m.next()):
			return
		default:
			m.step(now)
		}
	}
}

// next is when evidence is asked for, late, or missed.
func (m *model) next() time.Time {
	switch {
	case m.due.IsZero():
		return m.ends.Add(day)
	case !m.asked && m.answer != "":
		return m.due
	case !m.asked:
		return m.due.Add(-ahead)
	case m.deadline.IsZero():
		return m.due
	}
	return m.deadline
}

// step is what happens next about evidence. Nobody has less time than a day after an outage.
func (m *model) step(now time.Time) bool {
	switch {
	case !m.asked && m.answer == mitigation.QueryPass:
		m.provide(now)
	case !m.asked && m.answer != "":
		m.asked = true
		if m.due = now.Add(day); !m.due.Before(m.ends) {
			m.due = time.Time{}
		}
	case !m.asked:
		m.asked = true
		if least := now.Add(day); m.due.Before(least) && least.Before(m.ends) {
			m.due = least
		}
	case m.deadline.IsZero():
		if m.deadline = m.due.Add(grace); m.deadline.Before(now.Add(day)) {
			m.deadline = now.Add(day)
		}
	default:
		m.ended = "lapsed"
	}
	return true
}

func (m *model) provide(now time.Time) {
	if m.due.IsZero() {
		m.due = now
	}
	for m.demand(m.due); !m.due.IsZero() && !m.due.After(now); m.demand(m.due) {
	}
}

func (m *model) state() (state, violation string) {
	switch {
	case m.ended != "":
		return m.ended, "open"
	case !m.approved:
		return "proposed", "open"
	case !m.deadline.IsZero():
		return "evidence_overdue", "mitigated"
	case m.asked:
		return "evidence_due", "mitigated"
	}
	return "active", "mitigated"
}

// effect is what is done about the violation when time ends the mitigation.
func (m *model) effect() string {
	switch {
	case m.ended != "lapsed" && m.ended != "expired":
		return ""
	case m.onLapse == "escalate":
		return "escalated"
	}
	return "reopened"
}

// TestStatesFollowTheirMeaning lets anything happen in any order, over months, on a real database. Any step may crash
// before it is committed, which must leave everything as it was.
func TestStatesFollowTheirMeaning(t *testing.T) {
	h := open(t)
	controls := map[string]string{}
	for _, onLapse := range []string{"reopen", "escalate"} {
		evidence := map[string]any{"cadence": "P20D", "grace": "P5D"}
		controls[onLapse] = h.control(map[string]any{"on_lapse": onLapse, "evidence": evidence})
		evidence["kind"], evidence["query"] = "automatic_query", query("person", "some", nil)
		controls[onLapse+" by query"] = h.control(map[string]any{"on_lapse": onLapse, "evidence": evidence})
	}
	var answer mitigation.Event
	h.service.Ask = func(_ context.Context, _ *pg.Tx, _ control.Control, of []mitigation.Mitigation, _ time.Time) (
		[]mitigation.Answer, error) {
		return slices.Repeat([]mitigation.Answer{{Event: answer, Reason: "so it is"}}, len(of)), nil
	}
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{onLapse: rapid.SampledFrom([]string{"reopen", "escalate"}).Draw(rt, "on_lapse")}
		by, byQuery := m.onLapse, rapid.Bool().Draw(rt, "by query")
		if byQuery {
			by += " by query"
		}
		id := h.propose(controls[by], "P70D")
		for range rapid.IntRange(8, 24).Draw(rt, "steps") {
			what := rapid.SampledFrom([]string{"approve", "approve", "wait", "wait", "wait", "wait", "provide",
				"evaluate", "refuse", "withdraw"}).Draw(rt, "what")
			if byQuery {
				answer = rapid.SampledFrom([]mitigation.Event{mitigation.QueryPass, mitigation.QueryPass,
					mitigation.QueryFail, mitigation.QueryOpen}).Draw(rt, "answer")
				m.answer = answer
			}
			crash := rapid.IntRange(0, 4).Draw(rt, "crash") == 0
			before, _ := m.state()
			possible := h.happens(rt, id, what, before, crash)
			if !possible || crash && what != "wait" {
				continue
			}
			h.expect(m, what)
			state, of := m.state()
			got := h.Strings(`select m.state || ' ' || v.state || ' ' || coalesce(m.lapse_effect, '') || ' ' ||
				(m.end_told_at is not null)::text from mitigation m, violation v where m.id = $1`, id)[0]
			if want := fmt.Sprintf("%s %s %s %t", state, of, m.effect(), m.told); got != want {
				rt.Fatalf("after %s at %s it is %s; want %s", what, h.now(), got, want)
			}
		}
		if state, _ := m.state(); m.ended == "" {
			if err := h.as("carol", withdrawal(h, id)); err != nil {
				rt.Fatalf("withdraw the %s: %v", state, err)
			}
		}
	})
}

// expect lets the same happen to the model.
func (h *house) expect(m *model, what string) {
	switch what {
	case "approve":
		m.approve(h.now())
	case "refuse":
		m.ended = "refused"
	case "withdraw":
		m.ended = "withdrawn"
	case "provide":
		m.provide(h.now())
	case "wait":
		m.tick(h.now())
	}
}

func withdrawal(h *house, id string) func(ctx context.Context, tx *pg.Tx) error {
	return func(ctx context.Context, tx *pg.Tx) error {
		m, err := mitigation.Locked(ctx, tx, id)
		if err != nil {
			return err
		}
		_, err = mitigation.Withdrawal(ctx, tx, m, "enough", h.now())
		return err
	}
}

// happens lets something happen, and reports whether it was possible. With crash, its transaction fails at the end.
func (h *house) happens(rt *rapid.T, id, what, state string, crash bool) bool {
	waits := state == "evidence_due" || state == "evidence_overdue"
	var possible bool
	var do func(ctx context.Context, tx *pg.Tx) error
	who := "carol"
	switch what {
	case "wait":
		h.pass(time.Duration(rapid.SampledFrom([]int{1, 30, 5 * 24, 8 * 24, 15 * 24, 26 * 24}).Draw(rt, "hours")) *
			time.Hour)
		return true
	case "evaluate":
		h.evaluate()
		return true
	case "approve":
		possible = state == "proposed"
		do = func(ctx context.Context, tx *pg.Tx) error {
			_, err := mitigation.Approved(ctx, tx, id, "", h.now())
			return err
		}
	case "refuse":
		possible = state == "proposed"
		do = func(ctx context.Context, tx *pg.Tx) error {
			_, err := mitigation.Declined(ctx, tx, id, "no", h.now())
			return err
		}
	case "withdraw":
		possible, do = state == "proposed" || state == "active" || waits, withdrawal(h, id)
	case "provide":
		possible, who = waits, "bob"
		do = func(ctx context.Context, tx *pg.Tx) error {
			_, err := evidence.Provide(ctx, tx, id, evidence.NewMitigationEvidence{Text: "done"}, h.now())
			return err
		}
	}
	err := h.as(who, func(ctx context.Context, tx *pg.Tx) error {
		if err := do(ctx, tx); err != nil || !crash {
			return err
		}
		return errCrash
	})
	if failed := err != nil && !errors.Is(err, errCrash); possible == failed {
		rt.Fatalf("%s in %s: %v; possible %v", what, state, err, possible)
	}
	return possible
}
