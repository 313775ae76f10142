package decision_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// several asks tasks that differ in everything that a list is narrowed and sorted by.
func (h *house) several(who string) {
	h.T.Helper()
	at := func(d time.Duration) *time.Time { t := time.Now().Add(d); return &t }
	for i, n := range []decision.New{
		{Kind: "sync_hold", Key: "late", Title: "Late thing", Priority: "low", DueAt: at(-time.Hour), GroupKey: "g",
			RiskLevel: "high", Subject: decision.Ref{Type: "identity", ID: who}},
		{Kind: "orphan_account", Key: "soon", Title: "Soon", Summary: "a needle", DueAt: at(time.Hour),
			Priority: "urgent", GroupKey: "g"},
		{Kind: "sync_hold", Key: "never", Title: "Never due", Source: decision.Ref{Type: "identity", ID: who}},
		{Kind: "sync_hold", Key: "week", Title: "Week", DueAt: at(7 * 24 * time.Hour), Priority: "high",
			RiskLevel: "low"},
	} {
		n.Assignees = []decision.Assignee{{IdentityID: who}}
		n.Actions = yesOrNo
		id := h.one(n)
		h.Exec(`update decision_task set created_at = now() - make_interval(days => $2) where id = $1`, id, i*4)
	}
}

func TestListsAreNarrowedAndSorted(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	h.several(p[0])
	for query, want := range map[string]string{
		"":                                "[Late thing Soon Week Never due]",
		"sort=-due_at":                    "[Never due Week Soon Late thing]",
		"sort=created_at":                 "[Week Never due Soon Late thing]",
		"sort=-priority":                  "[Soon Week Never due Late thing]",
		"kind=sync_hold":                  "[Late thing Week Never due]",
		"kind=sync_hold,none":             "[Late thing Week Never due]",
		"overdue=true":                    "[Late thing]",
		"overdue=false":                   "[Soon Week Never due]",
		"group_key=g":                     "[Late thing Soon]",
		"risk_level=high":                 "[Late thing]",
		"priority=urgent,low":             "[Late thing Soon]",
		"q=NEEDLE":                        "[Soon]",
		"subject_id=" + p[0]:              "[Late thing]",
		"source_id=" + p[0]:               "[Never due]",
		"state=decided":                   "[]",
		"state=open,decided":              "[Late thing Soon Week Never due]",
		"offset=3":                        "[Never due]",
		"offset=9":                        "[]",
		"due_before=" + h.at(2*time.Hour): "[Late thing Soon]",
	} {
		a := h.Must(200, "ann", "GET", "/decision-tasks?"+query, nil)
		if got := fmt.Sprint(a.Values("title")); got != want {
			t.Errorf("%s: %s; want %s", query, got, want)
		}
		if got := fmt.Sprint(
			h.Must(200, "admin", "GET", "/decision-tasks?assigned=all&"+query, nil).Values("title"),
		); got != want {
			t.Errorf("%s of all: %s; want %s", query, got, want)
		}
	}
	for _, query := range []string{"sort=title", "state=none", "assigned=yours", "subject_id=x", "due_before=tomorrow",
		"limit=0", "colour=red", "cursor=x"} {
		if a := h.Call("ann", "GET", "/decision-tasks?"+query, nil); a.Status != 400 && a.Status != 422 {
			t.Errorf("%s: %d", query, a.Status)
		}
	}
}

func TestAWalkByCursorSeesEveryTaskOnce(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	h.several(p[0])
	for _, as := range []string{"ann", "admin"} {
		for _, sort := range []string{"due_at", "-due_at", "created_at", "-created_at", "priority", "-priority"} {
			base := "/decision-tasks?assigned=all&limit=1&sort=" + sort
			var walked []any
			for path := base; ; {
				a := h.Must(200, as, "GET", path, nil)
				walked = append(walked, a.Values("id")...)
				next := a.Text("next_cursor")
				if next == "" || len(walked) > 9 {
					break
				}
				path = base + "&cursor=" + url.QueryEscape(next)
			}
			whole := h.Must(200, as, "GET", "/decision-tasks?assigned=all&sort="+sort, nil).Values("id")
			if !slices.Equal(walked, whole) || len(whole) != 4 {
				t.Errorf("%s by %s: %v; want %v", as, sort, walked, whole)
			}
		}
	}
}

func TestTheSummaryCountsWhatWaits(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	h.several(p[0])
	id := h.one(question("claimed", p[0]))
	h.Must(200, "ann", "POST", "/decision-tasks/"+id+"/claim", nil)
	h.decide("ann", h.one(question("decided", p[0])), "approve")
	s := h.Must(200, "ann", "GET", "/decision-tasks/summary", nil).Body
	if s["open"] != 5.0 || s["claimed"] != 1.0 || s["overdue"] != 1.0 || s["oldest_at"] == nil {
		t.Errorf("summary %v", s)
	}
	if got := fmt.Sprint(
		s["ageing"],
	); got != "map[1_to_3_days:0 3_to_7_days:1 7_to_30_days:2 over_30_days:0 under_1_day:2]" {
		t.Errorf("ageing %s", got)
	}
	kinds, groups := s["kinds"].([]any), s["groups"].([]any)
	if len(kinds) != 2 || kinds[1].(map[string]any)["open"] != 4.0 || len(groups) != 1 ||
		groups[0].(map[string]any)["open"] != 2.0 ||
		groups[0].(map[string]any)["group_key"] != "g" {
		t.Errorf("kinds %v groups %v", kinds, groups)
	}
	if s := h.Must(
		200,
		"bob",
		"GET",
		"/decision-tasks/summary",
		nil,
	).Body; s["open"] != 0.0 || s["oldest_at"] != nil ||
		len(s["kinds"].([]any)) != 0 {
		t.Errorf("of nobody's tasks: %v", s)
	}
	if s := h.Must(200, "admin", "GET", "/decision-tasks/summary?assigned=all", nil).Body; s["open"] != 5.0 {
		t.Errorf("of all: %v", s)
	}
}
