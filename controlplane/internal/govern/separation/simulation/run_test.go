package simulation_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/simulation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const runs = base + "/simulations"

// house is a world whose stored simulations work when they are told to.
type house struct {
	*separationtest.World
	simulations *simulation.Service
	at          time.Time
}

func openRuns(t testing.TB) *house {
	t.Helper()
	h := &house{at: time.Now()}
	h.World = separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		now := func() time.Time { return h.at }
		h.simulations = &simulation.Service{DB: db, Cursors: cursors, Now: now}
		return (&separation.Service{DB: db, Cursors: cursors, Now: now}).Routes()
	})
	return h
}

// part does one pass.
func (h *house) part() (int, error) { return h.simulations.Part(context.Background(), h.Tenant.Tenant) }

// settle works until there is nothing to do.
func (h *house) settle() {
	h.T.Helper()
	for range 1000 {
		n, err := h.part()
		if err != nil {
			h.T.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
	h.T.Fatal("simulations find something to do again and again")
}

// people makes n people. Every second one has both sides of Vendors and payments.
func (h *house) people(n int) {
	h.T.Helper()
	for i := range n {
		name := fmt.Sprint("p", i)
		account := h.House.Account(h.System, name, h.Person(name, ""))
		h.GrantTo(account, "FINANCE")
		if i%2 == 0 {
			h.GrantTo(account, "VENDOR-EDIT")
		}
	}
}

func (h *house) run(id string) object { return h.Must(200, "admin", "GET", runs+"/"+id, nil).Body }

func TestAStoredSimulationHasTheFiguresOfTheSynchronousOne(t *testing.T) {
	h := openRuns(t)
	h.people(7)
	h.Exec(`update identity set department = 'Finance' where external_id = 'p2'`)
	h.simulations.Piece = 2
	at := h.Must(201, "admin", "POST", base, pair(h.World, "Stored")).Text("id")
	h.Exec(`update separation_policy set mode = 'shadow'`)
	exempt := object{"exemptions": object{"field": "department", "op": "eq", "value": "Finance"}}
	audit := object{"all_of": []object{{"members": []object{
		{"kind": "entitlement", "entitlement_id": h.Groups["AUDIT"]}}}}}
	pay := "/policies/duties/" + h.Duties["Pay"]
	for _, c := range []struct {
		what, from, to string
		body           object
		counts         [3]float64
	}{
		{"unsaved", base + "/simulate", runs, pair(h.World, "Vendors and payments"), [3]float64{4, 0, 0}},
		{"saved", base + "/" + at + "/simulate", base + "/" + at + "/simulations", exempt, [3]float64{0, 1, 3}},
		{"duty", pay + "/simulate", pay + "/simulations", audit, [3]float64{0, 4, 0}},
	} {
		want := h.Must(200, "admin", "POST", c.from, c.body).Body
		id := h.Must(202, "admin", "POST", c.to, c.body).Text("id")
		if got := h.run(id); got["state"] != "waiting" || got["impact"] != nil {
			t.Errorf("%s: at the beginning: %v", c.what, got)
		}
		h.settle()
		got := h.run(id)
		counts := [3]float64{got["violations_new"].(float64), got["violations_closed"].(float64),
			got["violations_unchanged"].(float64)}
		if got["state"] != "completed" || got["done"] != got["total"] || counts != c.counts {
			t.Errorf("%s: %v; want %v", c.what, got, c.counts)
		}
		if a, b := text(got["impact"]), text(want); a != b {
			t.Errorf("%s: impact %s; want %s", c.what, a, b)
		}
		for i, change := range []string{"new", "closed", "unchanged"} {
			list := h.Must(200, "admin", "GET", runs+"/"+id+"/results?change="+change, nil)
			if n := float64(len(list.Body["items"].([]any))); n != c.counts[i] {
				t.Errorf("%s: %v results are %s; want %v", c.what, n, change, c.counts[i])
			}
		}
	}
	if n := h.Count(`select count(*) from audit_event where action = 'duty.updated'`); n != 0 {
		t.Errorf("the simulation of a duty was recorded as %d changes of it", n)
	}
}

func text(v any) string {
	encoded, _ := json.Marshal(v)
	return string(encoded)
}

func TestResultsAreFilteredAndExported(t *testing.T) {
	h := openRuns(t)
	h.people(6)
	h.Exec(`update identity set department = 'Finance' where external_id = 'p2'`)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	id := h.Must(202, "admin", "POST", runs, pair(h.World, "Vendors and payments")).Text("id")
	at := runs + "/" + id
	h.Refused(409, "simulation_not_completed", "admin", "GET", at+"/results/file", nil)
	h.settle()
	for query, want := range map[string]int{"": 3, "?department=Finance": 1, "?q=p4": 1, "?q=payments": 3,
		"?change=closed": 0, "?grade=potential&sort=-policy": 3, "?policy_id=" + separationtest.NewID(): 0} {
		if list := h.Must(200, "auditor", "GET", at+"/results"+query, nil); len(list.Body["items"].([]any)) != want {
			t.Errorf("results%s: %v; want %d", query, list.Body, want)
		}
	}
	page := h.Must(200, "auditor", "GET", at+"/results?limit=2", nil)
	first := page.Body["items"].([]any)[0].(object)
	if first["identity"].(object)["display"] != "p0" || first["policy"] != "Vendors and payments" ||
		first["policy_id"] != nil || len(first["sides"].([]any)) != 2 || page.Body["next_cursor"] == nil {
		t.Errorf("first page %v", page.Body)
	}
	lines := 0
	for s := bufio.NewScanner(bytes.NewReader(h.Raw("auditor", at+"/results/file?q=p4"))); s.Scan(); lines++ {
		var r object
		if err := json.Unmarshal(s.Bytes(), &r); err != nil || r["identity"].(object)["display"] != "p4" {
			t.Errorf("line %s", s.Bytes())
		}
	}
	if lines != 1 {
		t.Errorf("%d lines were exported; want 1", lines)
	}
	h.Refused(403, "read_only_role", "auditor", "POST", runs, pair(h.World, "Other"))
	h.Refused(403, "read_only_role", "auditor", "POST", at+"/cancel", nil)
	if list := h.Must(200, "auditor", "GET", runs+"?state=completed", nil); len(list.Body["items"].([]any)) != 1 {
		t.Errorf("list %v", list.Body)
	}
}

func TestASimulationWhoseDutyIsGoneFails(t *testing.T) {
	h := openRuns(t)
	h.people(2)
	id := h.Must(202, "admin", "POST", runs, pair(h.World, "Vendors and payments")).Text("id")
	h.Exec(`update duty set deleted_at = now() where id = $1`, h.Duties["Pay"])
	h.settle()
	if got := h.run(id); got["state"] != "failed" || got["failure"] != "definitions_changed" {
		t.Errorf("got %v", got)
	}
}

// modelled is what a simulation is by its meaning.
type modelled struct {
	id, state string
	done      int
	began     time.Time
	ended     time.Time
}

// model has all simulations that were ever started, in their order.
type model struct {
	*house
	of []*modelled
}

func (m *model) live() (list []*modelled) {
	for _, s := range m.of {
		if s.state == "waiting" || s.state == "running" {
			list = append(list, s)
		}
	}
	return list
}

// next is the simulation that the next pass advances, or nil.
func (m *model) next() *modelled {
	for _, s := range m.live() {
		if s.state == "running" {
			return s
		}
	}
	if live := m.live(); len(live) > 0 {
		return live[0]
	}
	return nil
}

const everybody, piece = 6, 4 // Ann and five others, in two pieces

// work lets one pass happen.
func (m *model) work() {
	s := m.next()
	switch {
	case s == nil:
		for _, s := range m.of {
			if !s.ended.IsZero() && !m.at.Before(s.ended.Add(7*24*time.Hour)) {
				s.state = "deleted"
			}
		}
	case s.state == "waiting":
		s.state, s.began = "running", m.at
	case m.at.Sub(s.began) > time.Hour:
		s.state, s.ended = "failed", m.at
	case s.done == everybody:
		s.state, s.ended = "completed", m.at
	default:
		s.done = min(everybody, s.done+piece)
	}
}

// killSQL ends the connection of a worker that writes the progress of a simulation, as kill -9 does.
const killSQL = `
	create table kill_worker (armed boolean);
	grant select on kill_worker to public;
	create function kill_worker() returns trigger language plpgsql as $$
	begin
	    if exists (select from kill_worker) then
	        perform pg_terminate_backend(pg_backend_pid());
	        perform pg_sleep(10);
	    end if;
	    return null;
	end $$;
	create trigger kill_worker after update on separation_simulation for each row execute function kill_worker();`

// TestStoredSimulationsFollowTheirMeaning starts, cancels and advances simulations in any order, over days, on a real
// database. Workers are killed before they commit, which must leave everything as it was.
func TestStoredSimulationsFollowTheirMeaning(t *testing.T) {
	if err := flag.Set("rapid.checks", "12"); err != nil { // a walk takes seconds
		t.Fatal(err)
	}
	h := openRuns(t)
	h.people(everybody - 1)
	h.simulations.Piece = piece
	h.Administer(killSQL)
	rapid.Check(t, func(rt *rapid.T) {
		h.Exec(`delete from separation_simulation_result`)
		h.Exec(`delete from separation_simulation`)
		m := &model{house: h}
		one := func(rt *rapid.T) *modelled {
			if len(m.of) == 0 {
				rt.Skip("there is none")
			}
			return rapid.SampledFrom(m.of).Draw(rt, "which")
		}
		rt.Repeat(map[string]func(*rapid.T){
			"start": func(*rapid.T) {
				if len(m.live()) == 10 {
					h.Refused(409, "too_many_simulations", "admin", "POST", runs, pair(h.World, "x"))
					return
				}
				id := h.Must(202, "admin", "POST", runs, pair(h.World, "x")).Text("id")
				m.of = append(m.of, &modelled{id: id, state: "waiting"})
			},
			"cancel": func(rt *rapid.T) {
				s := one(rt)
				switch s.state {
				case "waiting", "running":
					h.Must(200, "admin", "POST", runs+"/"+s.id+"/cancel", nil)
					s.state, s.ended = "cancelled", m.at
				case "deleted":
					h.Refused(404, "not_found", "admin", "POST", runs+"/"+s.id+"/cancel", nil)
				default:
					h.Refused(409, "invalid_transition", "admin", "POST", runs+"/"+s.id+"/cancel", nil)
				}
			},
			"work": func(rt *rapid.T) {
				idle := m.next() == nil
				m.work()
				if idle {
					h.settle()
				} else if _, err := h.part(); err != nil {
					rt.Fatal(err)
				}
			},
			"kill": func(rt *rapid.T) {
				if m.next() == nil {
					rt.Skip("nothing to do")
				}
				h.Administer(`insert into kill_worker values (true)`)
				_, err := h.part()
				h.Administer(`delete from kill_worker`)
				if err == nil {
					rt.Fatal("the worker was not killed")
				}
			},
			"wait": func(rt *rapid.T) {
				h.at = h.at.Add(rapid.SampledFrom([]time.Duration{time.Minute, 50 * time.Minute, 8 * 24 * time.Hour}).
					Draw(rt, "how long"))
			},
			"": func(rt *rapid.T) { m.check(rt) },
		})
	})
}

// check compares what the API shows with the model.
func (m *model) check(rt *rapid.T) {
	shown := map[string]object{}
	for _, s := range m.Must(200, "admin", "GET", runs+"?limit=500", nil).Body["items"].([]any) {
		shown[s.(object)["id"].(string)] = s.(object)
	}
	kept := 0
	for _, s := range m.of {
		got := shown[s.id]
		if s.state == "deleted" {
			if got != nil {
				rt.Fatalf("%v is not deleted", got)
			}
			continue
		}
		if got["state"] != s.state || got["done"] != float64(s.done) ||
			(got["finished_at"] == nil) != s.ended.IsZero() {
			rt.Fatalf("got %v; want %+v", got, *s)
		}
		found := int(got["violations_new"].(float64))
		if s.done == everybody && found != 3 || s.done == 0 && found != 0 {
			rt.Fatalf("%d violations of %v", found, got)
		}
		kept += found
	}
	if n := m.Count(`select count(*) from separation_simulation_result`); n != kept {
		rt.Fatalf("%d results are stored; want %d", n, kept)
	}
}
