package syncrun_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/action"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// hr is a source that tells of each person what the test has written down.
type hr struct {
	w      *world
	people map[string]map[string]string
}

func newHR(t testing.TB, n int) *hr {
	t.Helper()
	h := &hr{w: newWorld(t), people: map[string]map[string]string{}}
	for i := range n {
		h.people[fmt.Sprintf("p%02d", i)] = map[string]string{"title": "Rep", "department": "Sales", "status": "active"}
	}
	return h
}

// stage lets the source tell what is written down.
func (h *hr) stage() {
	var page v1.SyncResponse
	for id, f := range h.people {
		mail := id + "@x.test"
		r := v1.RemoteIdentity{ExternalID: id, Email: &mail}
		for name, into := range map[string]**string{"title": &r.Title, "department": &r.Department, "status": &r.Status,
			"termination_date": &r.TerminationDate, "start_date": &r.StartDate} {
			if v := f[name]; v != "" {
				*into = &v
			}
		}
		page.Identities = append(page.Identities, r)
	}
	h.w.source.pages = []v1.SyncResponse{page}
	h.w.source.scopes = []v1.Scope{{Kind: v1.Identities, Key: "*", Complete: true, Count: len(h.people)}}
}

// sync reads everybody.
func (h *hr) sync() {
	h.w.t.Helper()
	h.stage()
	if run := h.w.full(syncrun.Trigger{}); run.Status != syncrun.Succeeded {
		h.w.t.Fatalf("the run is %s: %+v", run.Status, run.Error)
	}
}

func (h *hr) service() *directory.Service { return &directory.Service{DB: h.w.db, Now: time.Now} }

func (h *hr) actions() *action.Service { return &action.Service{DB: h.w.db, Now: time.Now} }

func (h *hr) id(external string) string {
	return one[string](h.w, `select id::text from identity where external_id = $1`, external)
}

func (h *hr) field(external, column string) string {
	return one[string](h.w, `select coalesce(`+column+`::text, '') from identity where external_id = $1`, external)
}

// unguarded loosens the limits, so that a small world can change as it likes.
func (h *hr) unguarded() {
	h.w.exec(
		`update connector set safety = '{"limits":[{"kind":"identity_deactivation","floor":1000,"pct":100,`+
			`"cap":1000},{"kind":"attribute_rewrite","floor":1000,"pct":100,"cap":1000}],"window":"PT24H",`+
			`"total_loss":false,"hold_scope":"kind","hold_ttl":"P7D"}' where id = $1`,
		h.w.connector,
	)
}

func TestWhatSomebodyDecidedIsNotUndoneByTheSameRecord(t *testing.T) {
	h := newHR(t, 30)
	h.sync()
	ctx := context.Background()
	s, actions := h.service(), h.actions()
	patch := func(who, body string, until *time.Time) {
		t.Helper()
		if _, err := s.Patch(ctx, h.w.admin, h.id(who), httpapi.IfMatch{}, []byte(body), until); err != nil {
			t.Fatal(err)
		}
	}
	soon := time.Now().Add(time.Hour)
	patch("p00", `{"title":"Acting head"}`, nil)
	patch("p01", `{"title":"Acting head"}`, &soon)
	if _, err := actions.Deactivate(
		ctx,
		h.w.admin,
		action.Decision{ID: h.id("p02"), Reason: "left"},
		time.Time{},
		false,
	); err != nil {
		t.Fatal(err)
	}
	h.people["p03"]["termination_date"] = "2020-01-31"
	h.people["p04"]["status"] = "terminated"
	h.sync()
	for who, want := range map[string]string{"p03": "deactivated", "p04": "deactivated", "p02": "deactivated",
		"p05": "active"} {
		if got := h.field(who, "status"); got != want {
			t.Errorf("%s is %s; want %s", who, got, want)
		}
	}
	for _, who := range []string{"p03", "p04"} {
		if _, err := actions.Reactivate(
			ctx,
			h.w.admin,
			action.Decision{ID: h.id(who), Reason: "an error of HR"},
		); err != nil {
			t.Fatal(err)
		}
	}
	// The records change, but for what was decided about.
	for _, who := range []string{"p00", "p01", "p02", "p03", "p04"} {
		h.people[who]["department"] = "Support"
	}
	h.people["p00"]["title"] = "Clerk"
	h.sync()
	for who, want := range map[string]string{"p00": "active Acting head", "p02": "deactivated Rep", "p03": "active Rep",
		"p04": "active Rep"} {
		if got := h.field(who, "status") + " " + h.field(who, "title"); got != want {
			t.Errorf("after a sync %s is %s; want %s", who, got, want)
		}
	}
	if got := h.field("p00", "department"); got != "Support" {
		t.Errorf("what is not pinned is %s", got)
	}
	if got := h.field("p00", "pins -> 'title' ->> 'source_value'"); got != "Clerk" {
		t.Errorf("the source's title is remembered as %q", got)
	}
	// The source says something new, and is heeded again.
	h.people["p02"]["status"], h.people["p03"]["termination_date"] = "on leave", "2020-02-28"
	h.sync()
	for who, want := range map[string]string{"p02": "on_leave", "p03": "deactivated"} {
		if got := h.field(who, "status"); got != want {
			t.Errorf("after new words %s is %s; want %s", who, got, want)
		}
	}
	if _, err := actions.Unpin(ctx, h.w.admin, h.id("p00"), httpapi.IfMatch{}, []string{"title"}); err != nil {
		t.Fatal(err)
	}
	err := h.w.db.As(
		ctx,
		h.w.system,
		func(tx *pg.Tx) error { _, err := action.ApplyDue(ctx, tx, soon.Add(time.Minute)); return err },
	)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := h.field("p00", "title"), h.field("p01", "title"); a != "Clerk" || b != "Rep" {
		t.Errorf("without pins the titles are %q and %q; want what the source says", a, b)
	}
}

func TestLastDaysInMassAreHeldLikePeopleWhoAreGone(t *testing.T) {
	for name, day := range map[string]string{"over": "2020-01-31",
		"to come": time.Now().AddDate(0, 1, 0).Format(time.DateOnly)} {
		t.Run(name, func(t *testing.T) {
			h := newHR(t, 30)
			h.sync()
			for i := range 20 {
				h.people[fmt.Sprintf("p%02d", i)]["termination_date"] = day
			}
			before := one[int](h.w, `select count(*) from identity where status = 'active'`)
			h.stage()
			run := h.w.full(syncrun.Trigger{})
			if run.Status != syncrun.Held ||
				one[string](h.w, `select string_agg(kind, ',') from sync_hold`) != "identity_deactivation" {
				t.Errorf("the run is %s", run.Status)
			}
			if after := one[int](h.w, `select count(*) from identity where status = 'active'`); after != before {
				t.Errorf("%d of %d are active", after, before)
			}
		})
	}
}

// TestPinsHoldOverMergesAtRandom lets a source and people change the same fields in turns: what is pinned is what was
// set, what is not is what the source said last, and an unpinned field becomes that.
func TestPinsHoldOverMergesAtRandom(t *testing.T) {
	const people, rounds = 12, 6
	h := newHR(t, people)
	h.sync()
	h.unguarded()
	ctx := context.Background()
	s, actions := h.service(), h.actions()
	r := rand.New(rand.NewPCG(3, 9))
	fields := []string{"title", "department"}
	pinned := map[string]string{} // person and field to the value
	for round := range rounds {
		for i := range people {
			who, field := fmt.Sprintf("p%02d", i), fields[r.IntN(2)]
			key, value := who+"/"+field, fmt.Sprintf("v%d-%d", round, r.IntN(3))
			switch r.IntN(4) {
			case 0:
				h.people[who][field] = value
			case 1:
				if h.field(who, field) == value {
					break // nothing changes, and nothing is pinned
				}
				body := fmt.Sprintf(`{%q:%q}`, field, value)
				if _, err := s.Patch(ctx, h.w.admin, h.id(who), httpapi.IfMatch{}, []byte(body), nil); err != nil {
					t.Fatal(err)
				}
				pinned[key] = value
			case 2:
				if _, is := pinned[key]; !is {
					break
				}
				if _, err := actions.Unpin(ctx, h.w.admin, h.id(who), httpapi.IfMatch{}, []string{field}); err != nil {
					t.Fatal(err)
				}
				delete(pinned, key)
			}
		}
		h.sync()
		for who, said := range h.people {
			for _, field := range fields {
				want, is := pinned[who+"/"+field]
				if !is {
					want = said[field]
				}
				if got := h.field(who, field); got != want {
					t.Fatalf(
						"round %d: %s of %s is %q; want %q (pinned: %v, the source says %q)",
						round,
						field,
						who,
						got,
						want,
						is,
						said[field],
					)
				}
				if is {
					if told := h.field(who, `pins -> '`+field+`' ->> 'source_value'`); told != said[field] {
						t.Fatalf(
							"round %d: the source's %s of %s is remembered as %q; it says %q",
							round,
							field,
							who,
							told,
							said[field],
						)
					}
				}
			}
		}
	}
	if len(pinned) == 0 {
		t.Fatal("nothing was pinned at the end: the test shows nothing")
	}
}
