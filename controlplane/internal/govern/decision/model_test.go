package decision_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// model is what a task must be after any calls in any order.
type model struct {
	state   string
	who     map[string]bool // who decides, by name
	claimed string
	by      string
	waits   bool
	heard   int
}

var modelNames = []string{"ann", "bob", "cid"}

// expect is the status of a call by somebody who may see the task.
func (m model) expect(call, as string) int {
	switch {
	case !m.who[as]:
		return 404
	case call == "undo":
		switch {
		case m.state != "decided":
			return 409
		case !m.waits:
			return 409
		case m.by != as:
			return 403
		}
		return 200
	case m.state != "open" && m.state != "claimed":
		return 409
	case call == "release" && m.state == "open":
		return 409
	case m.state == "claimed" && m.claimed != as:
		return 409
	}
	return 200
}

func (m *model) follow(call, as, to string) {
	switch call {
	case "claim":
		m.state, m.claimed = "claimed", as
	case "release", "undo":
		m.state, m.claimed, m.by, m.waits = "open", "", "", false
	case "decide":
		m.state, m.claimed, m.by = "decided", "", as
		m.heard++
	case "defer":
		m.state, m.claimed, m.by, m.waits = "decided", "", as, true
	case "reassign":
		m.state, m.claimed, m.who = "open", "", map[string]bool{to: true}
	}
}

// TestStatesFollowAnyCalls plays random calls against a task and a model of it.
func TestStatesFollowAnyCalls(t *testing.T) {
	h := open(t)
	ids := map[string]string{}
	for i, id := range h.staff(modelNames...) {
		ids[modelNames[i]] = id
	}
	round := 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		key := fmt.Sprint("m", round)
		id := h.one(question(key, ids["ann"], ids["bob"]))
		m := model{state: "open", who: map[string]bool{"ann": true, "bob": true}}
		for range rapid.IntRange(1, 8).Draw(r, "calls") {
			call := rapid.SampledFrom([]string{"claim", "release", "decide", "defer", "undo", "reassign", "ask",
				"close", "work"}).
				Draw(r, "call")
			as := rapid.SampledFrom(modelNames).Draw(r, "as")
			to := rapid.SampledFrom(modelNames).Draw(r, "to")
			switch call {
			case "ask":
				if m.state == "open" || m.state == "claimed" || m.waits { // else it would be another task
					h.one(question(key, names(ids, m.who)...))
				}
				continue
			case "work": // a minute later
				h.shift += 2 * time.Minute
				h.work()
				if m.waits {
					m.waits, m.heard = false, m.heard+1
				}
				continue
			case "close":
				h.as(func(ctx context.Context, tx *pg.Tx) error {
					_, err := decision.Close(ctx, tx, "sync_hold", []string{key}, decision.Expired, "late")
					return err
				})
				if m.state == "open" || m.state == "claimed" || m.waits {
					m.state, m.claimed, m.by, m.waits = "expired", "", "", false
				}
				continue
			}
			path, body := call, any(nil)
			switch call {
			case "decide":
				body = map[string]any{"action": "approve"}
			case "defer":
				path, body = "decide", map[string]any{"action": "approve", "defer_seconds": 60}
			case "reassign":
				body = map[string]any{"to": []string{ids[to]}, "reason": "x"}
			}
			want := m.expect(call, as)
			a := h.Call(as, "POST", "/decision-tasks/"+id+"/"+path, body)
			if a.Status != want {
				r.Fatalf("%s by %s in %+v: %d %v; want %d", call, as, m, a.Status, a.Body, want)
			}
			if want == 200 {
				m.follow(call, as, to)
			}
			m.check(h, r, id, key)
		}
	})
}

func names(ids map[string]string, who map[string]bool) (list []string) {
	for name := range who {
		list = append(list, ids[name])
	}
	return list
}

// check holds the task against the model: as administrators read it, and as inboxes list it.
func (m model) check(h *house, r *rapid.T, id, key string) {
	got := h.task("admin", id)
	if got["state"] != m.state || (got["apply_at"] != nil) != m.waits || h.heard(key, "approve") != m.heard {
		r.Fatalf("the task is %v, heard %d; the model %+v", got["state"], h.heard(key, "approve"), m)
	}
	for _, name := range modelNames {
		inbox := slices.Contains(h.Must(200, name, "GET", "/decision-tasks?limit=500", nil).Values("id"), any(id))
		if want := m.who[name] && (m.state == "open" || m.state == "claimed"); inbox != want {
			r.Fatalf("in the inbox of %s: %v; want %v in %+v", name, inbox, want, m)
		}
		if status := h.Call(name, "GET", "/decision-tasks/"+id, nil).Status; (status == 200) != m.who[name] {
			r.Fatalf("%s reads it: %d in %+v", name, status, m)
		}
	}
}
