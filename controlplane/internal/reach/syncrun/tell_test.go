package syncrun_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// listens makes somebody want to hear of people and of held runs.
func (w *world) listens() {
	w.t.Helper()
	err := w.db.As(context.Background(), w.system, func(tx *pg.Tx) error {
		return event.Want(
			context.Background(),
			tx,
			"test",
			event.IdentityCreated,
			event.IdentityUpdated,
			event.IdentityDeactivated,
			event.SyncHeld,
		)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// heard takes what was told since the last call, as "kind external_id changed", in an order of its own.
func (w *world) heard() (list []string) {
	w.t.Helper()
	list = one[[]string](w, `
		select coalesce(array_agg(kind || ' ' || coalesce(data ->> 'external_id',
		    data ->> 'connector_business_id') || ' ' || array_to_string(changed, ',')
		                          order by kind, data ->> 'external_id', sequence), '{}')
		  from event where id in (select event_id from event_due)`)
	w.exec(`delete from event_due`)
	return list
}

func TestASyncTellsOfThePeopleItChangesAndOfNobodyElse(t *testing.T) {
	w := newWorld(t)
	w.listens()
	all := []v1.SyncResponse{
		person("ann", "Ann", "ann@x.test", map[string]any{"manager": "uid=bob", "department": "Sales", "title": "Rep"}),
		person(
			"bob",
			"Bob",
			"bob@x.test",
			nil,
		),
		person("cy", "Cy", "cy@x.test", map[string]any{"title": "Boss"}),
		person("dee", "Dee", "dee@x.test", nil),
	}
	for i := range 36 {
		all = append(all, person(fmt.Sprintf("x%02d", i), "X", fmt.Sprintf("x%d@x.test", i), nil))
	}
	step := func(what string, want []string, pages ...v1.SyncResponse) {
		t.Helper()
		w.source.script = telling("c1", nil, pages...)
		if run := w.full(syncrun.Trigger{}); run.Status != syncrun.Succeeded {
			t.Fatalf("%s: the run ended %s: %+v", what, run.Status, run.Error)
		}
		if diff := cmp.Diff(want, w.heard()); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	w.source.script = telling("c1", nil, all...)
	w.full(syncrun.Trigger{})
	if first := w.heard(); len(first) != len(all) || first[0] != "identity.created ann " {
		t.Errorf("a first load told %d things, %s", len(first), first[0])
	}
	if n := one[int](
		w,
		`select count(*) from event e join identity i on i.id = e.resource_id and i.version = e.version
			and e.sequence = 1`,
	); n != len(all) {
		t.Errorf("%d events name a person and their version", n)
	}
	step("nothing changed", []string{}, all...)
	all[0] = person("ann", "Ann", "ann@x.test", map[string]any{"manager": "uid=cy", "department": "Support"})
	all[1] = person("bob", "Bob", "bob@x.test", map[string]any{"userAccountControl": "514"})
	step(
		"one moves and one leaves",
		[]string{
			"identity.deactivated bob status",
			"identity.updated ann department,title",
			"identity.updated ann manager_id",
		},
		all...)
	without := append(append([]v1.SyncResponse{}, all[:3]...), all[4:]...)
	step("missing once", []string{}, without...)
	step("missing twice", []string{"identity.deactivated dee status,status_reason"}, without...)
	w.source.script = telling("c1", nil, all...)
	w.full(syncrun.Trigger{})
	if back := w.heard(); len(back) == 0 || back[0][:len("identity.updated dee")] != "identity.updated dee" {
		t.Errorf("who came back was told as %v", back)
	}
	if n := one[int](
		w,
		`select count(*) from (select 1 from event group by resource_id, sequence having count(*) > 1) twice`,
	); n != 0 {
		t.Errorf("%d sequence numbers were given twice", n)
	}
}

func TestARunThatIsHeldTellsSoToWhoAsks(t *testing.T) {
	w := newWorld(t)
	w.source.script = telling("c1", nil, staff(20)...)
	w.full(syncrun.Trigger{})
	if told := w.heard(); len(told) != 0 || one[int](w, `select count(*) from event`) != 0 {
		t.Errorf("%d events for nobody", len(told))
	}
	w.listens()
	w.source.script = telling("c2", nil, append(staff(20)[:4:4], staff(20)[20], staff(20)[21])...)
	if held := w.full(syncrun.Trigger{}); held.Status != syncrun.Held {
		t.Fatalf("the run is %s", held.Status)
	}
	told := w.heard()
	if len(told) == 0 || told[len(told)-1] != "sync.held dir " {
		t.Errorf("told %v", told)
	}
}
