package syncrun_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// noted is a time that the target tells.
var noted = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)

// telling reads pages and gives a position at the end.
func telling(cursor string, read *v1.Read, pages ...v1.SyncResponse) script {
	return func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
		for _, page := range pages {
			page.Success = true
			if err := emit(ctx, page); err != nil {
				return err
			}
		}
		return emit(
			ctx,
			v1.SyncResponse{
				Success: true,
				Page:    &v1.Page{Cursor: cursor, Watermark: &noted, Read: read, Scopes: counted(pages)},
			},
		)
	}
}

// changes reads pages as changes only.
func changes(cursor string, pages ...v1.SyncResponse) script {
	return func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
		for _, page := range pages {
			page.Success = true
			if err := emit(ctx, page); err != nil {
				return err
			}
		}
		return emit(
			ctx,
			v1.SyncResponse{
				Success: true,
				Page:    &v1.Page{Cursor: cursor, Read: &v1.Read{Incremental: true, Strategy: "test"}},
			},
		)
	}
}

func reason(r syncrun.Run) string {
	if r.FallbackReason == nil {
		return ""
	}
	return *r.FallbackReason
}

func (w *world) asksFor() v1.SyncRequest {
	w.source.mu.Lock()
	defer w.source.mu.Unlock()
	return w.source.asked[len(w.source.asked)-1]
}

func (w *world) cursor() string {
	w.t.Helper()
	return one[string](
		w,
		`select coalesce((select cursor from sync_position where connector_id = $1), '')`,
		w.connector,
	)
}

func TestChangesAreReadWhereThatIsSafeAndElseTheReasonIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pages := staff(3)
	w.source.script = telling("c1", nil, pages...)
	if got := w.full(syncrun.Trigger{Incremental: true}); reason(got) != "first_sync" || got.EffectiveIncremental ||
		*got.Strategy != "full" {
		t.Errorf("the first run: incremental %v, reason %q", got.EffectiveIncremental, reason(got))
	}
	w.source.script = changes("c2", person("p000", "New Name", "p000@x.test", nil))
	got := w.full(syncrun.Trigger{Incremental: true})
	asked := w.asksFor()
	if !asked.Incremental || asked.Options.Cursor != "c1" || !asked.LastSyncAt.Equal(noted) {
		t.Errorf(
			"the second run asked incremental %v from %q since %v",
			asked.Incremental,
			asked.Options.Cursor,
			asked.LastSyncAt,
		)
	}
	if !got.EffectiveIncremental || *got.Strategy != "test" || reason(got) != "" || got.Counters.Updated != 2 ||
		w.cursor() != "c2" {
		t.Errorf(
			"the second run: incremental %v by %v, reason %q, %+v, cursor %q",
			got.EffectiveIncremental,
			*got.Strategy,
			reason(got),
			got.Counters,
			w.cursor(),
		)
	}
	if mark := one[time.Time](w, `select watermark from sync_position`); !mark.Equal(noted) {
		t.Errorf("the watermark is %v; a run that tells none keeps the last", mark)
	}
	for _, tt := range []struct{ sql, want string }{
		{`update sync_position set full_due = 'schema_changed'`, "full_due: schema_changed"},
		{`update sync_position set full_at = now() - interval '8 days'`, "full_older_than_7d"},
		{`update sync_position set cursor = null`, "no_cursor"},
		{`update connector set connection = '{"base_dn": "dc=other"}'`, "settings_changed"},
	} {
		w.exec(tt.sql)
		w.source.script = telling("c3", nil, pages...)
		got := w.full(syncrun.Trigger{Incremental: true, Mode: "preview"})
		if asked := w.asksFor(); reason(got) != tt.want || asked.Incremental || asked.Options.Cursor != "" ||
			asked.LastSyncAt != nil {
			t.Errorf(
				"after %s the reason is %q, asked incremental %v; want %q",
				tt.sql,
				reason(got),
				asked.Incremental,
				tt.want,
			)
		}
		w.exec(`update sync_position set full_due = null, full_at = now(), cursor = 'c2'`)
	}
	w.exec(`update connector set connection = '{}'`)
	if w.full(syncrun.Trigger{}); w.asksFor().Incremental {
		t.Error("a run that was asked to read everything read changes")
	}
}

func TestTheConnectorsOwnReasonIsShown(t *testing.T) {
	w := newWorld(t)
	pages := staff(3)
	w.source.script = telling("c1", nil, pages...)
	w.full(syncrun.Trigger{})
	w.source.script = telling("c2", &v1.Read{Strategy: "full", FallbackReason: "filter_ignored"}, pages...)
	got := w.full(syncrun.Trigger{Incremental: true})
	if got.EffectiveIncremental || reason(got) != "filter_ignored" || !got.Complete["accounts"] {
		t.Errorf("incremental %v, reason %q, complete %v", got.EffectiveIncremental, reason(got), got.Complete)
	}
}

func TestAnExpiredCursorMakesTheSameRunReadEverything(t *testing.T) {
	w := newWorld(t)
	pages := staff(4)
	w.source.script = telling("c1", nil, pages...)
	w.full(syncrun.Trigger{})
	w.source.script = func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
		if req.Options.Cursor != "" {
			return &v1.ErrorDetail{Class: v1.ClassConflict, Code: "cursor_expired", Message: "too long ago"}
		}
		return telling("c2", nil, pages...)(ctx, req, emit)
	}
	got := w.full(syncrun.Trigger{Incremental: true})
	if got.Status != syncrun.Succeeded || got.Attempt != 1 || reason(got) != "cursor_expired: too long ago" ||
		got.EffectiveIncremental ||
		w.cursor() != "c2" {
		t.Errorf(
			"the run ended %s in attempt %d, reason %q, cursor %q",
			got.Status,
			got.Attempt,
			reason(got),
			w.cursor(),
		)
	}
}

func TestTheCursorStaysWhereNotEverythingIsInTheStore(t *testing.T) {
	limit := 1
	bad := v1.SyncResponse{Accounts: []v1.RemoteAccount{{ExternalID: ""}}}
	for _, tt := range []struct {
		name    string
		trigger syncrun.Trigger
		script  script
		status  syncrun.Status
	}{
		{"a preview", syncrun.Trigger{Incremental: true, Mode: "preview"}, changes("c2"), syncrun.Previewed},
		{"a cap", syncrun.Trigger{MaxRecords: &limit}, telling("c2", nil, staff(4)...), syncrun.Partial},
		{"a record set aside", syncrun.Trigger{Incremental: true}, changes("c2", bad), syncrun.Partial},
		{"a failure", syncrun.Trigger{Incremental: true},
			func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
				if err := emit(ctx, v1.SyncResponse{Success: true, Page: &v1.Page{Cursor: "c2"}}); err != nil {
					return err
				}
				return &v1.ErrorDetail{Class: v1.ClassAuth, Code: "ldap_49", Message: "refused"}
			}, syncrun.Failed},
		{"total loss, which is held", syncrun.Trigger{}, telling("c2", nil), syncrun.Held},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.source.script = telling("c1", nil, staff(4)...)
			w.full(syncrun.Trigger{})
			w.source.script = tt.script
			if got := w.full(tt.trigger); got.Status != tt.status {
				t.Errorf("the run ended %s: %+v", got.Status, got.Error)
			}
			if w.cursor() != "c1" {
				t.Errorf("the cursor is %q; want c1", w.cursor())
			}
		})
	}
}

func TestWhatIsThereButUnknownMakesTheNextRunReadEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pages := staff(3)
	w.source.script = telling("c1", nil, pages...)
	w.full(syncrun.Trigger{})
	sweep := func(ids ...string) script {
		return func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
			page := v1.Page{HasMore: true, Present: []v1.Present{{Kind: v1.Accounts, ExternalIDs: ids}}}
			if err := emit(ctx, v1.SyncResponse{Success: true, Page: &page}); err != nil {
				return err
			}
			return emit(
				ctx,
				v1.SyncResponse{
					Success: true,
					Page: &v1.Page{Cursor: "c2", Read: &v1.Read{Incremental: true, Strategy: "sweep"},
						Scopes: []v1.Scope{{Kind: v1.Accounts, Key: "*", Complete: true, Count: len(ids)}}},
				},
			)
		}
	}
	w.source.script = sweep("p000", "p001", "p002")
	if got := w.full(syncrun.Trigger{Incremental: true}); !got.Complete["accounts"] || got.Complete["identities"] ||
		got.Report.Accounts.Missing != 0 {
		t.Errorf("complete %v, %+v; every account was named", got.Complete, got.Report.Accounts)
	}
	w.source.script = sweep("p000", "p001", "p002", "stranger")
	w.full(syncrun.Trigger{Incremental: true})
	w.source.script = telling("c3", nil, pages...)
	if got := w.full(syncrun.Trigger{Incremental: true}); reason(got) != "full_due: unknown_present" {
		t.Errorf("the next run's reason is %q", reason(got))
	}
	w.source.script = changes("c4")
	if got := w.full(syncrun.Trigger{Incremental: true}); !got.EffectiveIncremental {
		t.Errorf("after everything was read the reason is %q", reason(got))
	}
}

func TestAChangeThatClearsAFieldClearsItThoughNobodyElseIsRead(t *testing.T) {
	w := newWorld(t)
	w.source.script = telling(
		"c1",
		nil,
		person("ann", "Ann", "ann@x.test", map[string]any{"title": "Rep"}),
		person("bob", "Bob", "bob@x.test", nil),
	)
	w.full(syncrun.Trigger{})
	w.exec(`update identity set cost_center = 'by hand'`)
	w.source.script = changes("c2", person("ann", "Ann", "ann@x.test", nil))
	w.full(syncrun.Trigger{Incremental: true})
	if got := one[string](
		w,
		`select coalesce(title, 'none') || '/' || cost_center from identity where external_id = 'ann'`,
	); got != "none/by hand" {
		t.Errorf("title and cost center are %s; the source cleared the one and never had the other", got)
	}
}

func TestAFullRunThatFindsAllAsItWasWritesNoRow(t *testing.T) {
	w := newWorld(t)
	pages := staff(12)
	w.source.script = telling("c1", nil, pages...)
	w.full(syncrun.Trigger{})
	versions := func() string {
		var parts []string
		for _, table := range []string{"identity", "identity_source", "account", "entitlement", "entitlement_edge",
			"access_grant"} {
			parts = append(
				parts,
				fmt.Sprintf(
					"coalesce((select string_agg(xmin::text || ctid::text, ',' order by ctid) from %s), '')",
					table,
				),
			)
		}
		return one[string](w, "select "+strings.Join(parts, " || ';' || "))
	}
	before := versions()
	got := w.full(syncrun.Trigger{})
	if versions() != before {
		t.Errorf("rows were written though nothing had changed; the report says %+v", got.Report)
	}
	if c := got.Counters; c.Created != 0 || c.Updated != 0 || c.Unchanged != 12*2+2+12+6 {
		t.Errorf("counters: %+v", c)
	}
	if n := one[int](w, `select count(*) from sync_change where run_id = $1`, got.ID); n != 0 {
		t.Errorf("%d changes are told", n)
	}
}

// reread reads one group to its end, as changes.
func reread(cursor, id string, members ...string) script {
	return func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
		page := group(id, members...)
		page.Success = true
		page.Page = &v1.Page{Cursor: cursor, Read: &v1.Read{Incremental: true, Strategy: "test"},
			Scopes: []v1.Scope{{Kind: v1.Grants, Key: "entitlement:" + id, Complete: true, Count: len(members)}}}
		return emit(ctx, page)
	}
}

func TestARemovedMembershipIsGoneAfterTwoIncrementalRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.script = telling(
		"c1",
		nil,
		person("a", "A", "a@x.test", nil),
		person("b", "B", "b@x.test", nil),
		group("all", "uid=a", "uid=b"),
	)
	w.full(syncrun.Trigger{})
	const held = `select string_agg(a.external_id || ' ' || g.status, ', ' order by 1) from access_grant g
		join account a on a.id = g.account_id`
	w.source.script = reread("c2", "all", "uid=a")
	w.full(syncrun.Trigger{Incremental: true})
	if got := one[string](w, held); got != "a active, b missing" {
		t.Errorf("after the group was read without b: %s", got)
	}
	w.source.script = changes("c3")
	if got := w.full(syncrun.Trigger{Incremental: true}); got.Report.Grants.Removed != 1 {
		t.Errorf("the next incremental run removed %d memberships; want 1", got.Report.Grants.Removed)
	}
	if got := one[string](w, held); got != "a active, b revoked" {
		t.Errorf("after the next incremental run: %s", got)
	}
	if got := one[string](w, `select removals from sync_position`); got != "next_incremental" {
		t.Errorf("removals: %s", got)
	}
}

func TestATargetThatDoesNotShowRemovalsIsReadInFullOnceADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pages := staff(3)
	w.source.script = telling("c1", nil, pages...)
	w.full(syncrun.Trigger{})
	w.exec(`update sync_position set full_at = now() - interval '25 hours'`)
	for _, tt := range []struct{ sql, want string }{
		{`update sync_position set removals = null`, "full_older_than_1d"},
		{`update sync_position set removals = 'next_incremental'`, ""},
		{`update access_grant set status = 'missing', missing_since = now() - interval '25 hours'
			where directness = 'direct'`, "membership_missing"},
	} {
		w.exec(tt.sql)
		w.source.script = changes("c2")
		if tt.want != "" {
			w.source.script = telling("c2", nil, pages...)
		}
		if got := w.full(syncrun.Trigger{Incremental: true, Mode: "preview"}); reason(got) != tt.want {
			t.Errorf("after %s the reason is %q; want %q", tt.sql, reason(got), tt.want)
		}
	}
}
