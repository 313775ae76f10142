package scenarios

import (
	"encoding/base64"
	"encoding/csv"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

// dismiss ends the employment of a hundred people, department by department, and says how many of each.
func dismiss(t *testing.T, s *samples) map[string]int64 {
	t.Helper()
	staff := slices.Clone(s.company.People)
	slices.SortStableFunc(staff, func(a, b people.Person) int { return strings.Compare(a.Department, b.Department) })
	of := map[string]int64{}
	for _, p := range staff {
		if p.Status != people.Active || !p.EndDate.IsZero() || sum(of) == 100 {
			continue
		}
		if err := s.hr.Terminate(p.Number, time.Now().AddDate(0, 0, -1)); err != nil {
			t.Fatal(err)
		}
		of[p.Department]++
	}
	return of
}

func sum(of map[string]int64) (n int64) {
	for _, k := range of {
		n += k
	}
	return n
}

// shown is what a diff shows of each kind of change, without what a decision alters.
func shown(d api.Diff) []api.Group {
	groups := slices.Clone(d.Groups)
	for i := range groups {
		groups[i].Held, groups[i].Samples = 0, nil
	}
	return groups
}

// told are a run's changes without their state.
func told(h *harness.House, c *api.Client, r api.Run) []api.Change {
	all := h.Changes(c, r, nil)
	for i := range all {
		all[i].State = ""
	}
	slices.SortFunc(
		all,
		func(a, b api.Change) int { return strings.Compare(a.Object+a.ExternalID, b.Object+b.ExternalID) },
	)
	return all
}

func TestAMassLeavingWaitsForADecisionAboutEachPartOfIt(t *testing.T) {
	t.Parallel()
	h, s := open(t, 300, 0)
	c := h.Admin
	connector := h.Connect(c, s.state.Personnel())
	h.Sync(c, connector, api.Sync{})
	active := h.Total(c, "/identities?status=active")
	remain := func(when string, want int64) {
		t.Helper()
		if got := h.Total(c, "/identities?status=active"); got != want {
			t.Errorf("%s: %d people are active; want %d", when, got, want)
		}
	}
	of := dismiss(t, s)

	preview := h.Try(c, connector, api.Sync{Mode: "preview"})
	if preview.Status != "previewed" {
		t.Fatalf("the preview ended %s: %+v", preview.Status, preview.Error)
	}
	remain("after a preview", active)

	run := heldAndTold(t, h, connector)
	remain("while it is held", active)
	diff := h.Diff(c, run)
	if d := cmp.Diff(shown(h.Diff(c, preview)), shown(diff)); d != "" {
		t.Errorf("preview against run:\n%s", shorten(d))
	}
	if d := cmp.Diff(told(h, c, preview), told(h, c, run)); d != "" {
		t.Errorf("changes of preview against run:\n%s", shorten(d))
	}
	department := grouped(t, diff, of)
	table(t, h, run, diff)

	// A decision names what was seen: with another number it is refused, and nothing happens.
	var p *api.Problem
	part := map[string]any{"departments": []string{department}, "kinds": []string{"identity_deactivation"}}
	if err := h.Release(
		c,
		run,
		part,
		of[department]+1,
	); !errors.As(err, &p) || p.Code != "count_mismatch" ||
		p.Count != of[department] {
		t.Errorf("a release of too many got %v; want count_mismatch with %d", err, of[department])
	}
	if err := h.Release(c, run, part, of[department]); err != nil {
		t.Fatal(err)
	}
	if run = h.Rest(c, connector, run.ID); run.Status != "held" {
		t.Errorf("after a part was released the run is %s: %+v", run.Status, run.Error)
	}
	remain("after one department was released", active-of[department])
	if got := h.Holds(c, run); got.Held != 100-of[department] || got.Items[0].State != "partly_released" {
		t.Errorf("after one department was released the run holds %+v", got)
	}
	if err := h.Discard(c, run); err != nil {
		t.Fatal(err)
	}
	if run = h.Rest(c, connector, run.ID); run.Status != "discarded" {
		t.Errorf("after the rest was discarded the run is %s", run.Status)
	}
	remain("after the rest was discarded", active-of[department])

	// The next run computes anew. Left alone, what it holds expires, also over a restart.
	run = h.Try(c, connector, api.Sync{})
	if got := h.Holds(c, run); run.Status != "held" || got.Held != 100-of[department] {
		t.Fatalf("the next run is %s and holds %+v", run.Status, got)
	}
	h.Exec(`update sync_run set held_until = now() - interval '1 second' where id = $1`, run.ID)
	h.StopPlane()
	h.Start()
	if r := h.End(c, connector, run.ID); r.Status != "expired" || r.Error == nil || r.Error.Code != "hold_expired" {
		t.Errorf("a hold that nobody decided about left the run %s: %+v", r.Status, r.Error)
	}
	remain("after the hold expired", active-of[department])
	run = h.Try(c, connector, api.Sync{})
	if err := h.Release(c, run, nil, h.Holds(c, run).Held); err != nil {
		t.Fatal(err)
	}
	h.Well(h.End(c, connector, run.ID))
	remain("after everything was released", active-100)
	h.Sync(c, connector, api.Sync{})
}

// heldAndTold runs until the run is held, and checks that callback and event stream tell that, and then no more.
func heldAndTold(t *testing.T, h *harness.House, connector string) api.Run {
	t.Helper()
	hook := &receiver{}
	web := httptest.NewServer(hook)
	defer web.Close()
	started, err := h.Admin.Start(harness.Context(t), connector, api.Sync{CallbackURL: web.URL})
	if err != nil {
		t.Fatal(err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(started.CallbackSecret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	hook.mu.Lock()
	hook.secret = key
	hook.mu.Unlock()
	_, _, body, err := h.Admin.Raw(harness.Context(t), http.MethodGet, started.Links["events"], nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, line := range strings.Split(string(body), "\n") {
		if name, is := strings.CutPrefix(line, "event: "); is {
			names = append(names, name)
		}
	}
	if len(names) == 0 || slices.Index(names, "sync.held") != len(names)-1 {
		t.Errorf("events: %v; want one sync.held, at the end", names)
	}
	run := h.Rest(h.Admin, connector, started.RunID)
	if run.Status != "held" || run.Holds == 0 || run.HeldUntil == nil ||
		!run.HeldUntil.After(time.Now().Add(71*time.Hour)) {
		t.Fatalf("the run is %s with %d holds until %v: %+v", run.Status, run.Holds, run.HeldUntil, run.Error)
	}
	harness.Eventually(t, "the callback tells that the run is held", func() bool {
		hook.mu.Lock()
		defer hook.mu.Unlock()
		return len(hook.bad) == 0 &&
			slices.ContainsFunc(hook.got, func(p progress) bool { return p.Event == "sync.held" && p.RunID == run.ID })
	}, nil)
	return run
}

// grouped checks that a diff shows the leaving by department, and answers the largest.
func grouped(t *testing.T, d api.Diff, of map[string]int64) string {
	t.Helper()
	i := slices.IndexFunc(
		d.Groups,
		func(g api.Group) bool { return g.Guard != nil && *g.Guard == "identity_deactivation" },
	)
	if i != 0 || d.Groups[0].Count != 100 || d.Groups[0].Held != 100 || len(d.Groups[0].Samples) != 5 {
		t.Fatalf("the groups are %+v; want 100 people that are deactivated first, with samples", d.Groups)
	}
	got := map[string]int64{}
	for _, share := range d.Groups[0].Departments {
		got[*share.Value] = share.Count
	}
	if diff := cmp.Diff(of, got); diff != "" {
		t.Errorf("departments -want +got\n%s", diff)
	}
	if len(d.Holds) != 1 || d.Holds[0].Rule != "limit" || d.Holds[0].Observed != 100 || d.Holds[0].Allowed >= 100 ||
		d.Holds[0].State != "open" {
		t.Errorf("the holds are %+v; want one that says which limit 100 people broke", d.Holds)
	}
	return *d.Groups[0].Departments[0].Value
}

// table checks the download of a run's changes.
func table(t *testing.T, h *harness.House, r api.Run, d api.Diff) {
	t.Helper()
	status, header, body, err := h.Admin.Raw(harness.Context(t), http.MethodGet,
		api.Prefix+"/connectors/"+r.ConnectorID+"/sync-runs/"+r.ID+"/changes.csv", nil)
	if err != nil || status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/csv") ||
		!strings.Contains(header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("the table answered %d %v, %v", status, header, err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(body))).ReadAll()
	if err != nil || int64(len(rows)) != d.Total+1 || rows[0][1] != "object" {
		t.Errorf("the table has %d rows, %v; want one for each of %d changes below a head", len(rows), err, d.Total)
	}
}

func TestADepartmentRenamedForEverybodyWaits(t *testing.T) {
	t.Parallel()
	h, s := open(t, 300, 0)
	c := h.Admin
	connector := h.Connect(c, s.state.Personnel())
	h.Sync(c, connector, api.Sync{})
	for i, p := range s.company.People {
		err := s.hr.UpdateEmployee(p.Number, func(p *people.Person) {
			p.Department = "Group " + p.Department
			if i < 3 {
				p.Department, p.Title = p.Department[len("Group "):], "Advisor"
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	run := h.Try(c, connector, api.Sync{})
	held := h.Holds(c, run)
	if run.Status != "held" || held.Held != 297 || held.Items[0].Kind != "attribute_rewrite.department" ||
		run.Report["identities"].Updated != 3 {
		t.Fatalf(
			"the run is %s and holds %+v, with %+v; want 297 held and 3 others updated",
			run.Status,
			held,
			run.Report["identities"],
		)
	}
	diff := h.Diff(c, run)
	if f := diff.Groups[0].Fields; len(f) == 0 || *f[0].Value != "department" || f[0].Count != 297 {
		t.Errorf("the fields are %+v; want department of 297", f)
	}
	advisors := 0
	for _, p := range harness.All[struct {
		Title string `json:"title"`
	}](h, c, "/identities", nil) {
		if p.Title == "Advisor" {
			advisors++
		}
	}
	if advisors != 3 {
		t.Errorf("%d people have the new title; want the 3 whose department stayed", advisors)
	}
	// A run that sees the old names again takes the place of the one that is held, and has nothing to hold.
	for _, p := range s.company.People {
		err := s.hr.UpdateEmployee(
			p.Number,
			func(now *people.Person) { now.Department, now.Title = p.Department, p.Title },
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	h.Sync(c, connector, api.Sync{})
	if r := h.End(c, connector, run.ID); r.Status != "discarded" || r.Error == nil || r.Error.Code != "superseded" {
		t.Errorf("the run that was held is %s: %+v", r.Status, r.Error)
	}
}

func TestSmallLeavingsThatAddUpWithinADayWaitToo(t *testing.T) {
	t.Parallel()
	h, s := open(t, 300, 0)
	c := h.Admin
	connector := h.Connect(c, s.state.Personnel())
	h.Sync(c, connector, api.Sync{})
	left := 0
	leave := func(n int) {
		t.Helper()
		for ; n > 0; left++ {
			if p := s.company.People[left]; p.Status == people.Active && p.EndDate.IsZero() {
				n--
				if err := s.hr.Terminate(p.Number, time.Now().AddDate(0, 0, -1)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	// Of about 270 people who work, 2 % are 5.
	for range 5 {
		leave(1)
		h.Sync(c, connector, api.Sync{})
	}
	leave(1)
	run := h.Try(c, connector, api.Sync{})
	held := h.Holds(c, run)
	if run.Status != "held" || held.Held != 1 || held.Items[0].Kind != "identity_deactivation" ||
		held.Items[0].Observed != 1 {
		t.Fatalf("after five left one by one, the sixth made the run %s, and it holds %+v", run.Status, held)
	}
	// Whoever finds that right says so for good, with a reason, and the next run goes through.
	h.Safety(
		c,
		connector,
		map[string]any{
			"limits": []any{map[string]any{"kind": "identity_deactivation", "floor": 20, "pct": 5, "cap": 200}},
		},
	)
	h.Sync(c, connector, api.Sync{})
}
