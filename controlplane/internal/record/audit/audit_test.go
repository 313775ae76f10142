package audit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

var ctx = context.Background()

func column[T any](t *testing.T, db *pg.DB, v viewer.Viewer, sql string) []T {
	t.Helper()
	var out []T
	err := db.As(ctx, v, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowTo[T])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNumbersHaveNoGapsWhateverFailsBetween(t *testing.T) {
	db := pgtest.New(t)
	a, b := pgtest.Tenant(t, db, "a"), pgtest.Tenant(t, db, "b")
	giveUp := errors.New("give up")
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			v := a
			if i%4 == 3 {
				v = b
			}
			err := db.As(ctx, v, func(tx *pg.Tx) error {
				if err := audit.Record(ctx, tx, audit.Entry{Action: "test.done"}); err != nil {
					return err
				}
				if i%3 == 0 {
					return giveUp
				}
				return nil
			})
			if err != nil && !errors.Is(err, giveUp) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, v := range []viewer.Viewer{a, b} {
		for i, seq := range column[int64](t, db, v, `select seq from audit_event order by seq`) {
			if seq != int64(i+1) {
				t.Fatalf("entry %d has number %d", i+1, seq)
			}
		}
	}
	counts := append(column[int](t, db, a, `select count(*) from audit_event`), column[int](t, db, b, `select count(*) from audit_event`)...)
	if diff := cmp.Diff([]int{12, 4}, counts); diff != "" {
		t.Errorf("entries of the transactions that committed (-want +got):\n%s", diff)
	}
}

func TestAnEntrySaysWhoAndWhatButNoSecret(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "a")
	v.Kind, v.ID, v.Display, v.Session, v.IP, v.RequestID = viewer.User, "u1", "ada@example.com", "s1", "192.0.2.7", "r1"
	const canary = "CANARY-77"
	err := db.As(ctx, v, func(tx *pg.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{
			Action: "connector.updated", Subject: audit.Subject{Type: "connector", ID: "c1"},
			Changes: []audit.Change{
				{Field: "name", From: "Old", To: "New"}, {Field: "bind_password", From: canary, To: canary}, {Field: "x", To: seal.Secret(canary)},
			},
			Context: map[string]any{"reason": "moved", "access_token": canary},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	got := column[string](t, db, v, `select jsonb_build_array(action, outcome, actor, subject, changes, context)::text from audit_event`)[0]
	want := `["connector.updated", "success", {"id": "u1", "ip": "192.0.2.7", "kind": "user", "display": "ada@example.com", "session": "s1"}, ` +
		`{"id": "c1", "type": "connector"}, [{"to": "New", "from": "Old", "field": "name"}, {"to": "[secret]", "from": "[secret]", "field": "bind_password"}, ` +
		`{"to": "[secret]", "from": null, "field": "x"}], {"reason": "moved", "request_id": "r1", "access_token": "[secret]"}]`
	if diff := cmp.Diff(want, got); diff != "" || strings.Contains(got, canary) {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
}

func TestTheLogCannotBeRewritten(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "a")
	record := func(tx *pg.Tx) error { return audit.Record(ctx, tx, audit.Entry{Action: "test.done"}) }
	if err := db.As(ctx, v, record); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{`update audit_event set action = 'x'`, `delete from audit_event`, `truncate audit_event`} {
		err := db.As(ctx, v, func(tx *pg.Tx) error { _, err := tx.Exec(ctx, sql); return err })
		if err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v; want permission denied", sql, err)
		}
	}
}

func TestWhatCannotBeRecordedIsNotDone(t *testing.T) {
	d := pgtest.Fresh(t)
	v := pgtest.Tenant(t, d.DB, "a")
	owner, err := pgx.Connect(ctx, d.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(ctx)
	if _, err := owner.Exec(ctx, `alter table audit_event add constraint broken check (action <> 'test.done')`); err != nil {
		t.Fatal(err)
	}
	err = d.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `update tenant set name = 'changed'`); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "test.done"})
	})
	if !fault.IsCode(err, "audit_unavailable") {
		t.Errorf("err = %v; want audit_unavailable", err)
	}
	if got := column[string](t, d.DB, v, `select name from tenant`); got[0] != "a" {
		t.Errorf("the change was made without its record: %q", got[0])
	}
}
