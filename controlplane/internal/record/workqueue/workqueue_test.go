package workqueue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/workqueue"
)

const base = "/settings/work-queue"

// office is a served work queue whose work fails while broken is set.
type office struct {
	*recordtest.House
	queue  *queue.Queue
	broken error
	done   []string // subjects
}

func open(t *testing.T) *office {
	t.Helper()
	o := &office{}
	letters := queue.Kind{
		Name: "letters", Title: "Letters", About: "Writes letters.", Subject: "identity", Batch: 10,
		Work: func(_ context.Context, _ *pg.Tx, items []queue.Item) error {
			if o.broken != nil {
				return o.broken
			}
			o.done = append(o.done, queue.Subjects(items)...)
			return nil
		},
	}
	other := letters
	other.Name, other.Title = "files", "Files"
	job := queue.Job{Name: "tidy", Title: "Tidy up", About: "Deletes old letters.", Every: time.Hour}
	o.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		o.queue = &queue.Queue{DB: db, Log: slog.New(slog.DiscardHandler), Kinds: []queue.Kind{letters, other}}
		service := &workqueue.Service{DB: db, Cursors: cursors, Kinds: o.queue.Kinds, Jobs: []queue.Job{job}}
		return service.Routes()
	})
	return o
}

func (o *office) enqueue(tenant viewer.Viewer, w queue.Work) {
	o.T.Helper()
	ctx := context.Background()
	if err := o.DB.As(ctx, tenant, func(tx *pg.Tx) error { return queue.Enqueue(ctx, tx, w) }); err != nil {
		o.T.Fatal(err)
	}
}

// dies has a subject's item fail as often as it takes.
func (o *office) dies(tenant viewer.Viewer, w queue.Work) {
	o.T.Helper()
	o.enqueue(tenant, w)
	o.broken = errors.New("the printer is on fire")
	for range 8 {
		if _, err := o.queue.Look(context.Background()); !errors.Is(err, o.broken) {
			o.T.Fatalf("the work gave %v", err)
		}
		o.ExecAs(tenant, `update work_item set due_at = now() where state = 'waiting'`)
	}
	o.broken = nil
}

// kind is the entry of a kind in the summary.
func (o *office) kind(name string) map[string]any {
	o.T.Helper()
	kinds, _ := o.Must(200, "admin", "GET", base+"/summary", nil).Body["kinds"].([]any)
	for _, k := range kinds {
		if entry := k.(map[string]any); entry["kind"] == name {
			return entry
		}
	}
	o.T.Fatalf("the summary lacks %s: %v", name, kinds)
	return nil
}

// audited are the entries of the audit log, each with its subject, the error of the dead letter and the reason.
func (o *office) audited() []string {
	o.T.Helper()
	return o.Strings(`
		select concat_ws(' ', j ->> 'action', j -> 'subject' ->> 'display', j -> 'context' ->> 'error', j ->> 'reason')
		  from audit_event e
		 cross join lateral (select e.event::jsonb) l (j)
		 order by e.seq`)
}

func TestADeadLetterIsSeenAndRetried(t *testing.T) {
	o := open(t)
	subject := uuid.NewString()
	o.dies(o.Tenant, queue.Work{Kind: "letters", Subjects: []string{subject}, Cause: "changed"})
	k := o.kind("letters")
	if k["dead"] != 1.0 || k["waiting"] != 0.0 || k["last_error"] != "the printer is on fire" ||
		k["title"] != "Letters" || k["about"] != "Writes letters." || k["oldest_due_at"] != nil {
		t.Errorf("the summary says %v", k)
	}
	items := o.Must(200, "admin", "GET", base+"?state=dead&kind=letters&subject_id="+subject, nil).Items()
	if len(items) != 1 {
		t.Fatalf("dead letters: %v", items)
	}
	item := items[0]
	if item["attempts"] != 8.0 || item["subject_id"] != subject || item["subject_type"] != "identity" ||
		item["cause"] != "changed" || item["due_at"] != nil || item["last_error"] != "the printer is on fire" ||
		item["failed_at"] == nil {
		t.Errorf("the dead letter is %v", item)
	}
	id := item["id"].(string)
	retried := o.Must(200, "admin", "POST", base+"/"+id+"/retry", nil).Body
	if retried["state"] != "waiting" || retried["attempts"] != 0.0 || retried["due_at"] == nil {
		t.Errorf("retried: %v", retried)
	}
	o.Refused(409, "not_a_dead_letter", "admin", "POST", base+"/"+id+"/retry", nil)
	if _, err := o.queue.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{subject}, o.done); diff != "" {
		t.Errorf("done after the retry: %s", diff)
	}
	o.Refused(404, "not_found", "admin", "POST", base+"/"+id+"/retry", nil)
	if diff := cmp.Diff([]string{"work_item.retried Letters the printer is on fire"}, o.audited()); diff != "" {
		t.Error(diff)
	}
}

func TestDeadLettersOfOneSubjectAreRetriedAndDeletedTogether(t *testing.T) {
	o := open(t)
	subject := uuid.NewString()
	o.enqueue(o.Tenant, queue.Work{Kind: "letters", Subjects: []string{subject}, Cause: "one"})
	o.dies(o.Tenant, queue.Work{Kind: "letters", Subjects: []string{subject}, Cause: "two"})
	items := o.Must(200, "admin", "GET", base, nil).Items()
	if len(items) != 2 || items[0]["state"] != "dead" || items[1]["state"] != "dead" {
		t.Fatalf("items: %v", items)
	}
	at := base + "/" + items[0]["id"].(string)
	o.Must(200, "admin", "POST", at+"/retry", nil)
	if k := o.kind("letters"); k["waiting"] != 2.0 || k["dead"] != 0.0 {
		t.Errorf("after the retry: %v", k)
	}
	o.ExecAs(o.Tenant, `update work_item set state = 'dead'`)
	o.Refused(400, "invalid_parameter", "admin", "DELETE", at, nil)
	o.Must(204, "admin", "DELETE", at+"?reason=the+letters+were+sent+by+hand", nil)
	if k := o.kind("letters"); k["waiting"] != 0.0 || k["dead"] != 0.0 {
		t.Errorf("after the deletion: %v", k)
	}
	said := o.audited()
	want := "work_item.deleted Letters the printer is on fire the letters were sent by hand"
	if said[len(said)-1] != want {
		t.Errorf("audited %q; want %q", said[len(said)-1], want)
	}
}

func TestAllDeadLettersOfAKindAreRetriedAtOnce(t *testing.T) {
	o := open(t)
	o.dies(o.Tenant, queue.Work{Kind: "files"})
	o.dies(o.Tenant, queue.Work{Kind: "letters", Subjects: []string{uuid.NewString(), uuid.NewString()}})
	if got := o.Must(200, "admin", "POST", base+"/retry", map[string]any{"kind": "letters"}).Body["retried"]; got != 2.0 {
		t.Errorf("retried %v; want 2", got)
	}
	if k := o.kind("files"); k["dead"] != 1.0 {
		t.Errorf("the other kind: %v", k)
	}
	if got := o.Must(200, "admin", "POST", base+"/retry", map[string]any{"kind": "letters"}).Body["retried"]; got != 0.0 {
		t.Errorf("retried %v; want 0", got)
	}
	o.Refused(422, "validation_failed", "admin", "POST", base+"/retry", map[string]any{"kind": "lettres"})
	if diff := cmp.Diff([]string{"work_item.retried Letters"}, o.audited()); diff != "" {
		t.Error(diff)
	}
}

func TestARetryWakesTheProcessesAtOnce(t *testing.T) {
	o := open(t)
	o.dies(o.Tenant, queue.Work{Kind: "letters"})
	heard := make(chan struct{})
	listening := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		first := true
		_ = pg.Listen(ctx, o.DB, queue.Channel, func() {
			if first { // the line stands
				first = false
				close(listening)
				return
			}
			close(heard)
			cancel()
		})
	}()
	<-listening
	o.Must(200, "admin", "POST", base+"/retry", map[string]any{"kind": "letters"})
	<-heard
}

func TestItemsAreFilteredSortedAndPaged(t *testing.T) {
	o := open(t)
	var subjects []string
	for range 5 {
		subjects = append(subjects, uuid.NewString())
	}
	for i, s := range subjects {
		w := queue.Work{Kind: "letters", Subjects: []string{s}, Delay: time.Duration(i+1) * time.Hour}
		w.Urgent = i == 4
		o.enqueue(o.Tenant, w)
	}
	o.enqueue(o.Tenant, queue.Work{Kind: "files", Delay: time.Minute})
	var got []any
	for cursor := ""; ; {
		page := o.Must(200, "admin", "GET", base+"?kind=letters&sort=-due_at&limit=2"+cursor, nil)
		if page.Body["total"] != 5.0 {
			t.Fatalf("total %v; want 5", page.Body["total"])
		}
		got = append(got, page.Values("subject_id")...)
		if page.Text("next_cursor") == "" {
			break
		}
		cursor = "&cursor=" + page.Text("next_cursor")
	}
	want := []any{subjects[4], subjects[3], subjects[2], subjects[1], subjects[0]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	first := o.Must(200, "admin", "GET", base, nil).Items()[0]
	if first["kind"] != "files" || first["subject_id"] != nil || first["due_at"] == nil {
		t.Errorf("the item of the tenant as a whole is %v", first)
	}
	o.Must(200, "admin", "GET", base+"?sort=attempts", nil)
	o.Must(200, "admin", "GET", base+"?sort=-failed_at", nil)
	o.Must(200, "admin", "GET", base+"?sort=enqueued_at", nil)
}

func TestTheSummaryCountsWhatIsOverdueAndListsPeriodicWork(t *testing.T) {
	o := open(t)
	o.enqueue(o.Tenant, queue.Work{Kind: "letters"})
	o.enqueue(o.Tenant, queue.Work{Kind: "abandoned", Delay: time.Hour})
	o.ExecAs(o.Tenant, `update work_item set due_at = now() - interval '90 seconds' where kind = 'letters'`)
	if k := o.kind("letters"); k["overdue_seconds"].(float64) < 90 || k["waiting"] != 1.0 {
		t.Errorf("letters: %v", k)
	}
	if k := o.kind("files"); k["overdue_seconds"] != 0.0 || k["waiting"] != 0.0 {
		t.Errorf("files: %v", k)
	}
	if k := o.kind("abandoned"); k["overdue_seconds"] != 0.0 || !strings.HasPrefix(k["about"].(string), "No process") {
		t.Errorf("abandoned: %v", k)
	}
	recurring, _ := o.Must(200, "admin", "GET", base+"/summary", nil).Body["recurring"].([]any)
	job, _ := recurring[0].(map[string]any)
	if len(recurring) != 1 || job["title"] != "Tidy up" || job["every_seconds"] != 3600.0 || job["next_at"] != nil {
		t.Errorf("recurring work: %v", recurring)
	}
	ctx := t.Context()
	err := o.DB.Deployment(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `insert into recurring_work (name, due_at, attempts, last_error)
			values ('tidy', '2100-01-01', 3, 'the bin is full')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	recurring, _ = o.Must(200, "admin", "GET", base+"/summary", nil).Body["recurring"].([]any)
	job, _ = recurring[0].(map[string]any)
	if job["next_at"] != "2100-01-01T00:00:00Z" || job["failed_runs"] != 3.0 || job["last_error"] != nil {
		t.Errorf("recurring work: %v", job)
	}
	o.Change("admin", func(v *viewer.Viewer) { v.ControlPlaneAdmin = true })
	job = o.Must(200, "admin", "GET", "/control-plane/work-queue/recurring", nil).Items()[0]
	if job["last_error"] != "the bin is full" || job["title"] != "Tidy up" {
		t.Errorf("recurring work of operators: %v", job)
	}
}

func TestAnotherTenantSeesNothingAndOperatorsSeeCountsAlone(t *testing.T) {
	o := open(t)
	second := pgtest.Tenant(t, o.DB, "second")
	o.Let("neighbor", second.Tenant, "", viewer.Admin)
	o.dies(o.Tenant, queue.Work{Kind: "letters", Subjects: []string{uuid.NewString()}, Cause: "secret"})
	id := o.Must(200, "admin", "GET", base, nil).Values("id")[0].(string)
	if rows := o.Must(200, "neighbor", "GET", base, nil); rows.Body["total"] != 0.0 {
		t.Errorf("the neighbor sees %v", rows.Body)
	}
	o.Refused(404, "not_found", "neighbor", "POST", base+"/"+id+"/retry", nil)
	o.Refused(404, "not_found", "neighbor", "DELETE", base+"/"+id+"?reason=x", nil)
	o.Must(200, "neighbor", "POST", base+"/retry", map[string]any{"kind": "letters"})
	if k := o.kind("letters"); k["dead"] != 1.0 {
		t.Errorf("after the neighbor's tries: %v", k)
	}
	const operators = "/control-plane/work-queue"
	o.Refused(403, "forbidden", "neighbor", "GET", operators, nil)
	o.Change("neighbor", func(v *viewer.Viewer) { v.ControlPlaneAdmin = true })
	rows := o.Must(200, "neighbor", "GET", operators, nil)
	if diff := cmp.Diff([]any{"first"}, rows.Values("slug")); diff != "" {
		t.Fatal(diff)
	}
	kinds, _ := rows.Items()[0]["kinds"].([]any)
	want := []any{map[string]any{"kind": "letters", "title": "Letters", "waiting": 0.0, "dead": 1.0,
		"oldest_due_at": nil, "overdue_seconds": 0.0}}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	if all := fmt.Sprint(rows.Body); strings.Contains(all, "printer") || strings.Contains(all, "secret") {
		t.Errorf("operators see what the work is about: %s", all)
	}
	for query, want := range map[string]float64{"?state=waiting": 0, "?state=dead": 1, "?kind=files": 0,
		"?kind=letters&state=dead": 1} {
		if got := o.Must(200, "neighbor", "GET", operators+query, nil).Body["total"]; got != want {
			t.Errorf("%s: %v tenants; want %v", query, got, want)
		}
	}
}

func TestAuditorsLookAndChangeNothing(t *testing.T) {
	o := open(t)
	o.Let("auditor", o.Tenant.Tenant, "", viewer.Auditor)
	o.Let("manager", o.Tenant.Tenant, "", viewer.Manager)
	o.dies(o.Tenant, queue.Work{Kind: "letters"})
	id := o.Must(200, "auditor", "GET", base, nil).Values("id")[0].(string)
	o.Must(200, "auditor", "GET", base+"/summary", nil)
	o.Refused(403, "forbidden", "manager", "GET", base, nil)
	o.Refused(403, "read_only_role", "auditor", "POST", base+"/"+id+"/retry", nil)
	o.Refused(403, "read_only_role", "auditor", "DELETE", base+"/"+id+"?reason=x", nil)
}
