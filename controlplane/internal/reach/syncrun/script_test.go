package syncrun_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// script is a reading that a test writes itself.
type script func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error

// staff is a directory of people who are all in one group, and of a second group that is nested in it.
func staff(people int) (pages []v1.SyncResponse) {
	var members []string
	for i := range people {
		id := fmt.Sprintf("p%03d", i)
		more := map[string]any{"manager": fmt.Sprintf("uid=p%03d", i/2)}
		pages = append(pages, person(id, "Person "+id, id+"@x.test", more))
		members = append(members, "uid="+id)
	}
	return append(pages, group("all", append(members, "cn=inner")...), group("inner", members[:people/2]...))
}

// paged reads pages one by one, each with a checkpoint that says how many have come. before, where set, is called
// before each page with its number, from 0.
func paged(pages []v1.SyncResponse, before func(ctx context.Context, n int) error) script {
	return func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
		from := 0
		if c := req.Options.Checkpoint; c != "" {
			if _, err := fmt.Sscanf(c, "page %d", &from); err != nil {
				return err
			}
		}
		for n := from; n < len(pages); n++ {
			if before != nil {
				if err := before(ctx, n); err != nil {
					return err
				}
			}
			page := pages[n]
			page.Success, page.Page = true, &v1.Page{HasMore: true, Checkpoint: fmt.Sprintf("page %d", n+1)}
			if err := emit(ctx, page); err != nil {
				return err
			}
		}
		return emit(ctx, v1.SyncResponse{Success: true, Page: &v1.Page{Scopes: counted(pages), Cursor: "c1"}})
	}
}

// counted attests that all of pages was read, with true counts.
func counted(pages []v1.SyncResponse) []v1.Scope {
	seen := map[v1.ObjectKind]map[string]bool{v1.Identities: {}, v1.Accounts: {}, v1.Entitlements: {}, v1.Grants: {}}
	for _, p := range pages {
		for _, r := range p.Identities {
			seen[v1.Identities][r.ExternalID] = true
		}
		for _, r := range p.Accounts {
			seen[v1.Accounts][r.ExternalID] = true
		}
		for _, r := range p.Entitlements {
			seen[v1.Entitlements][r.ExternalID] = true
		}
		for _, r := range p.Grants {
			seen[v1.Grants][fmt.Sprint(r.EntitlementExternalID, r.PrincipalRef, r.AccountExternalID)] = true
		}
	}
	var out []v1.Scope
	for kind, ids := range seen {
		out = append(out, v1.Scope{Kind: kind, Key: "*", Complete: true, Count: len(ids)})
	}
	return out
}

// kill lets the run lose its worker as by kill -9: nobody settles it, its lease is over, and what the worker writes
// from now on is refused.
func (w *world) kill(run string) {
	w.t.Helper()
	w.exec(
		`update sync_run set lease_owner = gen_random_uuid(), lease_until = now() - interval '1 second',
			lapsed = '{}' where id = $1`,
		run,
	)
	w.worker.Wake()
}

// ended waits until the run is over or held, without the pauses between its attempts.
func (w *world) ended(id string) syncrun.Run {
	w.t.Helper()
	return w.await(id, func(r syncrun.Run) bool {
		if r.Status == syncrun.Queued {
			w.exec(
				`update sync_run set lease_until = now() where id = $1 and status = 'queued' and lease_owner is null
					and lease_until > now()`,
				id,
			)
			w.worker.Wake()
		}
		return r.Status.Ended() || r.Status == syncrun.Held
	})
}

// full is a whole run in one go.
func (w *world) full(t syncrun.Trigger) syncrun.Run {
	w.t.Helper()
	return w.ended(w.start(t).ID)
}

// holdings is everything that runs fill, without what differs from store to store.
func (w *world) holdings() string {
	w.t.Helper()
	return one[string](w, `
		select coalesce((select jsonb_agg(jsonb_build_array(i.external_id, i.email, i.display_name, i.status,
		    m.external_id, s.missing_since is not null, s.removed_at is not null) order by i.external_id)
		          from identity i left join identity m on m.id = i.manager_id left join identity_source s
		              on s.identity_id = i.id)::text, '')
		    || coalesce((select jsonb_agg(jsonb_build_array(a.external_id, a.username, a.status, a.correlation_state)
		        order by a.external_id) from account a)::text, '')
		    || coalesce((select jsonb_agg(jsonb_build_array(e.external_id, e.name, e.lifecycle,
		        e.missing_since is not null) order by e.external_id) from entitlement e)::text, '')
		    || coalesce((select jsonb_agg(jsonb_build_array(a.external_id, e.external_id, g.directness, g.status)
		        order by a.external_id, e.external_id)
		          from access_grant g join account a on a.id = g.account_id join entitlement e
		              on e.id = g.entitlement_id)::text, '')
		    || coalesce((select jsonb_agg(jsonb_build_array(m.external_id, p.external_id) order by m.external_id)
		          from entitlement_edge x join entitlement m on m.id = x.member_id join entitlement p
		              on p.id = x.parent_id)::text, '')`)
}

// breaks makes a database in which the nth write of some kind finds the server shutting down, once.
func breaks(t *testing.T, table, when string, nth int) *world {
	t.Helper()
	base := pgtest.Fresh(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, base.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	sql := `
		create sequence broken;
		grant usage on sequence broken to public;
		create function break_once() returns trigger language plpgsql as $$
		begin
		    if nextval('broken') = ` + strconv.Itoa(nth) + ` then
		        raise exception 'terminating connection' using errcode = '57P01';
		    end if;
		    return null;
		end $$;
		create trigger break_once after insert on ` + table + ` for each row when (` + when +
		`) execute function break_once()`
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatal(err)
	}
	return worldOn(t, base.DB)
}

// same compares what two runs of the same directory counted and left behind.
func same(t *testing.T, what string, want, got syncrun.Run, wantStore, gotStore string) {
	t.Helper()
	if diff := cmp.Diff(want.Counters, got.Counters); diff != "" {
		t.Errorf("%s: counters differ from an uninterrupted run: -want +got\n%s", what, diff)
	}
	if diff := cmp.Diff(want.Report, got.Report); diff != "" {
		t.Errorf("%s: the report differs from an uninterrupted run: -want +got\n%s", what, diff)
	}
	if wantStore != gotStore {
		t.Errorf("%s: the store differs:\n%s\nwant\n%s", what, gotStore, wantStore)
	}
}

// settle waits until what the connector has emitted is committed: no chunk has come for a moment. It is called by
// scripts, which must not end the test.
func (w *world) settle(run string) {
	chunks, quiet := -1, 0
	for quiet < 5 {
		var now int
		err := w.db.As(context.Background(), w.system, func(tx *pg.Tx) error {
			return tx.QueryRow(context.Background(), `select chunks from sync_run where id = $1`, run).Scan(&now)
		})
		if err != nil {
			w.t.Errorf("look at the chunks: %v", err)
			return
		}
		if quiet++; now != chunks {
			chunks, quiet = now, 0
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// changing gives pages one by one as changes, each with a checkpoint.
func changing(pages []v1.SyncResponse, cursor string) script {
	read := &v1.Read{Incremental: true, Strategy: "test"}
	return func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
		return paged(pages, nil)(ctx, req, func(ctx context.Context, page v1.SyncResponse) error {
			page.Page.Read, page.Page.Scopes = read, nil
			if page.Page.Cursor != "" {
				page.Page.Cursor = cursor
			}
			return emit(ctx, page)
		})
	}
}
