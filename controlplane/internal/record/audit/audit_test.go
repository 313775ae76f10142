package audit_test

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
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
	counts := append(
		column[int](t, db, a, `select count(*) from audit_event`),
		column[int](t, db, b, `select count(*) from audit_event`)...)
	if diff := cmp.Diff([]int{12, 4}, counts); diff != "" {
		t.Errorf("entries of the transactions that committed (-want +got):\n%s", diff)
	}
}

func TestFiftyWritersAtOnceMakeOneChain(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "a")
	const writers, each = 50, 4
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for range each {
				err := db.As(ctx, v, func(tx *pg.Tx) error {
					for range 1 + w%2 { // some transactions write twice
						if err := audit.Record(
							ctx,
							tx,
							audit.Entry{Action: "identity.updated", Context: map[string]any{"writer": w}},
						); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	verifier := chain.From(v.Tenant, 0, chain.Genesis)
	for _, l := range allLinks(t, db, v) {
		if err := verifier.Next(l); err != nil {
			t.Fatal(err)
		}
	}
	head := column[string](t, db, v, `select seq || ' ' || encode(hash, 'hex') from audit_head`)[0]
	if want := fmt.Sprintf(
		"%d %x",
		writers*each*3/2,
		verifier.Hash,
	); verifier.Checked != writers*each*3/2 ||
		head != want {
		t.Errorf("%d entries verify and the head is %s; want %s", verifier.Checked, head, want)
	}
}

func TestAnEntrySaysWhoAndWhatButNoSecret(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "a")
	v.Kind, v.ID, v.Display, v.Session, v.IP, v.RequestID = viewer.User, "u1", "ada@example.com", "s1", "192.0.2.7",
		"r1"
	const canary, home = "CANARY-77", "01a1f99f-1d39-767a-8283-ef45f2482195"
	v.UserAgent, v.Roles, v.Home, v.Reason, v.ControlPlaneAdmin = "curl/8", []viewer.Role{
		viewer.Admin,
	}, home, "a ticket", true
	const jwt = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJlLWhlcmU"
	err := db.As(ctx, v, func(tx *pg.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{
			Action: "connector.updated", Subject: audit.Subject{Type: "connector", ID: "c1"},
			Changes: []audit.Change{
				{
					Field: "name",
					From:  "Old",
					To:    "New",
				},
				{Field: "bind_password", From: canary, To: canary},
				{Field: "x", To: seal.Secret(canary)},
				{
					Field: "connection",
					From:  []any{map[string]any{"api_key": canary}},
					To:    map[string]any{"base": map[string]any{"client_secret": canary, "user": "eve"}},
				},
			},
			Objects: []audit.Subject{{Type: "agent", ID: "a1"}}, Reason: "moved",
			Context: map[string]any{"access_token": canary, "password_set": true, "header": "Bearer " + jwt,
				"seen": []any{map[string]any{"token": canary, "token_id": "t7"}}},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	got := column[string](t, db, v, `select regexp_replace(event, '"time":".*"', '"time":"T"') from audit_event`)[0]
	want := `{"action":"connector.updated","actor":{"control_plane_admin":true,"display":"ada@example.com","id":"u1",` +
		`"ip":"192.0.2.7",` +
		`"roles":["admin"],"token_id":"s1","type":"user","user_agent":"curl/8"},"category":"connector","changes":[` +
		`{"after":"New","before":"Old","field":"name"},{"after":"[secret]","before":"[secret]",` +
		`"field":"bind_password","redacted":true},` +
		`{"after":"[secret]","before":null,"field":"x"},{"after":{"base":{"client_secret":"[secret]","user":"eve"}},` +
		`"before":[{"api_key":"[secret]"}],"field":"connection"}],` +
		`"context":{"access_token":"[secret]","header":"Bearer [secret]","password_set":true,"request_id":"r1",` +
		`"seen":[{"token":"[secret]","token_id":"t7"}]},` +
		`"objects":[{"id":"a1","type":"agent"}],"on_behalf_of_tenant":{"actor_tenant":"` + home +
		`","reason":"a ticket"},"outcome":"success","reason":"moved",` +
		`"seq":1,"subject":{"id":"c1","type":"connector"},"tenant_id":"` + v.Tenant + `","time":"T"}`
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
	for _, sql := range []string{
		`update audit_event set event =
			'x'`, `delete from audit_event`, `truncate audit_event`, `update audit_head set seq = 0`,
		`delete from audit_head`,
		`insert into audit_head (tenant_id)
			values (current_tenant())`, `update audit_checkpoint set seq =
			0`, `delete from audit_checkpoint`,
		`insert into audit_event (tenant_id, seq, event, prev_hash, hash, at, action, category, outcome, actor_type)
			values (current_tenant(), 2, '{}', '', '', now(), '', '', '', '')`,
	} {
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
	if _, err := owner.Exec(
		ctx,
		`alter table audit_event add constraint broken check (action <> 'test.done')`,
	); err != nil {
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

// allLinks are the entries of the log as they are chained.
func allLinks(t *testing.T, db *pg.DB, v viewer.Viewer) (links []chain.Link) {
	t.Helper()
	err := db.As(context.Background(), v, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, `select seq, event, prev_hash, hash from audit_event order by seq`)
		if err != nil {
			return err
		}
		links, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l chain.Link, err error) {
			var event string
			err = row.Scan(&l.Seq, &event, &l.Prev, &l.Hash)
			l.Event = []byte(event)
			return l, err
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return links
}
