package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/rest/read"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

var errKilled = errors.New("killed")

// ledger is what a receiver has of a read: rows by kind and key, what it was told at the end, and where to go on.
type ledger struct {
	rows       map[string]string
	checkpoint string
	last       *v1.Page
	chunks     int
}

func (l *ledger) take(page v1.SyncResponse) {
	note := func(kind, key string, row any) {
		b, _ := json.Marshal(row)
		l.rows[kind+" "+key] = string(b)
	}
	for _, r := range page.Identities {
		note("identity", r.ExternalID, r)
	}
	for _, r := range page.Accounts {
		note("account", r.ExternalID, r)
	}
	for _, r := range page.Entitlements {
		note("entitlement", r.ExternalID, r)
	}
	for _, r := range page.Grants {
		note("grant", grantID(r), r)
	}
	for _, p := range page.Page.Present {
		for _, id := range p.ExternalIDs {
			note("present "+string(p.Kind), id, nil)
		}
	}
	if page.Page.Checkpoint != "" {
		l.checkpoint = page.Page.Checkpoint
	}
	l.last = page.Page
	l.chunks = l.chunks + 1
}

// readKilled reads with a new connector each time, and is killed after as many chunks as kills says, each time going on
// from the last checkpoint that has arrived. It gives the ledger of all attempts together, as the control plane keeps
// it.
func readKilled(auth v1.AuthConfig, req v1.SyncRequest, kills ...int) (*ledger, error) {
	l := &ledger{rows: map[string]string{}}
	req.AuthConfig = auth
	for attempt := 0; ; attempt++ {
		left := -1
		if attempt < len(kills) {
			left = kills[attempt]
		}
		one := req
		options := v1.SyncOptions{}
		if req.Options != nil {
			options = *req.Options
		}
		options.Checkpoint = l.checkpoint
		one.Options = &options
		err := connectorkit.Sync(
			context.Background(),
			newConnector(),
			one,
			connectorkit.Limits{ChunkSize: 7},
			func(_ context.Context, page v1.SyncResponse) error {
				if left == 0 {
					return errKilled
				}
				left--
				l.take(page)
				return nil
			},
		)
		if !errors.Is(err, errKilled) {
			return l, err
		}
	}
}

// sameEnd compares what two reads have come to. Attempts that were killed read more pages, and say so.
func sameEnd(got, want *ledger) string {
	end := func(l *ledger) string {
		p := *l.last
		p.Stats = nil
		p.Warnings = nil
		p.Checkpoint = ""
		sort.Slice(p.Scopes, func(i, k int) bool {
			return p.Scopes[i].Key+string(p.Scopes[i].Kind) < p.Scopes[k].Key+string(p.Scopes[k].Kind)
		})
		b, _ := json.Marshal(p)
		return string(b)
	}
	return cmp.Diff(want.rows, got.rows) + cmp.Diff(end(want), end(got))
}

// club is a target with people and their roles, groups page by page, and members of each group page by page.
type club struct {
	people, groups, size int
	calls                atomic.Int32
}

func (c *club) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.calls.Add(1)
	w.Header().Set("Date", "Fri, 01 May 2026 12:00:00 GMT")
	var n int
	var item func(i int) string
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case parts[0] == "people":
		n = c.people
		item = func(i int) string {
			return fmt.Sprintf(`{"id":"p%d","at":%d,"roles":["r%d","r%d"]}`, i, 1700000000+i%17, i%3, i%5)
		}
	case len(parts) == 1:
		n = c.groups
		item = func(i int) string { return fmt.Sprintf(`{"id":"g%d"}`, i) }
	default:
		var g int
		fmt.Sscanf(parts[1], "g%d", &g)
		n = (g * 5) % 13
		item = func(i int) string { return fmt.Sprintf(`{"id":"p%d"}`, g+i) }
		if parts[2] == "owners" {
			n = g % 2
		}
	}
	var from int
	_, _ = fmt.Sscanf(r.URL.Query().Get("at"), "%d", &from)
	if p := r.URL.Query().Get("page"); p != "" {
		_, _ = fmt.Sscanf(p, "%d", &from)
		from = (from - 1) * c.size
	}
	if after := r.URL.Query().Get("behind"); after != "" {
		_, _ = fmt.Sscanf(after[1:], "%d", &from)
		from++
	}
	to := min(from+c.size, n)
	var items []string
	for i := from; i < to; i++ {
		items = append(items, item(i))
	}
	next := "null"
	cursor := "null"
	if to < n {
		next = fmt.Sprintf(`"%s?at=%d"`, r.URL.Path, to)
		cursor = fmt.Sprintf(`"%d"`, to)
		w.Header().Set("Link", fmt.Sprintf(`<%s?at=%d>; rel="next"`, r.URL.Path, to))
	}
	fmt.Fprintf(w, `{"items":[%s],"next":%s,"cursor":%s}`, strings.Join(items, ","), next, cursor)
}

var clubStyles = []string{
	`{"style":"page","size_param":"size","size":%d}`,
	`{"style":"offset","offset_param":"at","limit_param":"size","size":%d}`,
	`{"style":"cursor","cursor_param":"at","cursor_path":"cursor","size":%d}`,
	`{"style":"keyset","cursor_param":"behind","size":%d}`,
	`{"style":"link_header","size":%d}`,
	`{"style":"next_url","next_url_path":"next","size":%d}`,
}

const clubStreams = `[
	{"name":"people","object":"user","request":{"path":"people"},"record_selector":"items","pagination":%[1]s,"explode":{"path":"roles"},
	 "incremental":{"param":"since","field":"at","format":"epoch_s"}},
	{"name":"groups","object":"entitlement","request":{"path":"groups"},"record_selector":"items","pagination":%[1]s},
	{"name":"members","object":"grant","request":{"path":"groups/{id}/members"},"record_selector":"items","pagination":%[2]s,"parent":{"stream":"groups","concurrency":3}},
	{"name":"owners","object":"grant","request":{"path":"groups/{id}/owners"},"record_selector":"items","key_path":"id",
	 "fields":{"entitlement_external_id":"{id}","attributes.owner":"id","account_external_id":"id"},"parent":{"stream":"groups"}}]`

// TestAReadThatIsKilledComesToTheSameEnd kills reads at random places, several times in a row, in every style of
// paging.
func TestAReadThatIsKilledComesToTheSameEnd(t *testing.T) {
	current := &club{}
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.ServeHTTP(w, r) }),
	)
	defer server.Close()
	rapid.Check(t, func(rt *rapid.T) {
		current = &club{
			people: rapid.IntRange(0, 40).Draw(rt, "people"),
			groups: rapid.IntRange(0, 14).Draw(rt, "groups"),
			size:   rapid.IntRange(1, 9).Draw(rt, "size"),
		}
		top := fmt.Sprintf(rapid.SampledFrom(clubStyles).Draw(rt, "style"), current.size)
		// keyset goes by p0, p1, … which members are not in the order of
		below := fmt.Sprintf(
			rapid.SampledFrom(slices.Delete(slices.Clone(clubStyles), 3, 4)).Draw(rt, "style of members"),
			current.size,
		)
		auth := settings(server.URL, fmt.Sprintf(clubStreams, top, below))
		want, err := readKilled(auth, v1.SyncRequest{})
		if err != nil {
			rt.Fatalf("uninterrupted: %v", err)
		}
		whole := int(current.calls.Swap(0))
		kills := rapid.SliceOfN(rapid.IntRange(1, max(want.chunks, 1)), 1, 4).Draw(rt, "killed after chunks")
		got, err := readKilled(auth, v1.SyncRequest{}, kills...)
		if err != nil {
			rt.Fatalf("killed after %v: %v", kills, err)
		}
		if diff := sameEnd(got, want); diff != "" {
			rt.Fatalf("killed after %v (-want +got):\n%s", kills, diff)
		}
		// What is read again: up to the next checkpoint, up to the next chunk that carries it, the page with the parents
		// and the one behind it, and what three readers had read ahead.
		atMost := read.PagesPerCheckpoint + connectorkit.MaxPagesPerChunk + 2 + 2*3
		if again := int(current.calls.Load()) - whole; again > len(kills)*atMost {
			rt.Fatalf(
				"%d requests more than the %d of an uninterrupted read, killed %d times",
				again,
				whole,
				len(kills),
			)
		}
	})
}

func TestJSONServerIsReadToTheSameEndWhereverTheReadIsKilled(t *testing.T) {
	base := "http://" + targettest.StartNode(t, "testdata/jsonserver", "PEOPLE=60") + "/none"
	auth := settings(base, `[
		{"name":"users","object":"user","request":{"path":"users?_page=1&_limit=20"},"pagination":{"style":"link_header"},"explode":{"path":"roles"},
		 "incremental":{"param":"updatedAt_gte","field":"updatedAt"},"presence":{"path":"users"}},
		{"name":"groups","object":"entitlement","request":{"path":"groups"},"pagination":{"style":"page","page_param":"_page","size_param":"_limit","size":3}},
		{"name":"members","object":"grant","request":{"path":"groups/{group}/members"},"parent":{"stream":"groups","param":"group"},
		 "pagination":{"style":"page","page_param":"_page","size_param":"_limit","size":4},"fields":{"account_external_id":"userId"}}]`)
	want, err := readKilled(auth, v1.SyncRequest{})
	if err != nil {
		t.Fatal(err)
	}
	requests := map[string]v1.SyncRequest{"full": {}}
	cursor := want.last.Cursor
	change(t, "PATCH", base+"/users/5", `{"updatedAt":"2026-01-01T00:00:00Z"}`)
	change(t, "DELETE", base+"/users/6", ``)
	requests["incremental"] = v1.SyncRequest{Incremental: true, Options: &v1.SyncOptions{Cursor: cursor}}
	for name, req := range requests {
		want, err := readKilled(auth, req)
		if err != nil {
			t.Fatal(err)
		}
		for kill := 1; kill < want.chunks; kill += 5 {
			got, err := readKilled(auth, req, kill)
			if err != nil {
				t.Fatalf("%s, killed after %d chunks: %v", name, kill, err)
			}
			if diff := sameEnd(got, want); diff != "" {
				t.Errorf("%s, killed after %d chunks (-want +got):\n%s", name, kill, diff)
			}
		}
	}
}

func TestACheckpointThatDoesNotFitStartsTheReadAnew(t *testing.T) {
	c := &club{people: 20, groups: 3, size: 5}
	server := httptest.NewServer(c)
	defer server.Close()
	auth := settings(server.URL, fmt.Sprintf(clubStreams, fmt.Sprintf(clubStyles[0], 5), `{"style":"page"}`))
	want, err := readKilled(auth, v1.SyncRequest{})
	if err != nil || want.checkpoint == "" || len(want.checkpoint) > 64<<10 {
		t.Fatalf("checkpoint of %d bytes, %v", len(want.checkpoint), err)
	}
	for name, checkpoint := range map[string]string{
		"nonsense": "{{", "another version": `{"v":99}`, "empty": `{}`,
		"other settings":  strings.Replace(want.checkpoint, `"settings":"`, `"settings":"0`, 1),
		"another request": strings.Replace(want.checkpoint, `"request":"`, `"request":"0`, 1),
	} {
		out, err := syncOnce(
			newConnector(),
			v1.SyncRequest{AuthConfig: auth, Options: &v1.SyncOptions{Checkpoint: checkpoint}},
		)
		if err != nil || !warned(out, "checkpoint_unusable") || len(out.Accounts) != 20 {
			t.Errorf("%s: %d accounts, warnings %v, %v", name, len(out.Accounts), out.Page.Warnings, err)
		}
	}
}

// TestACursorThatExpiredStartsItsListAnew lets the target forget its cursors while the read is away.
func TestACursorThatExpiredStartsItsListAnew(t *testing.T) {
	const streams = `[{"name":"users","object":"account","request":{"path":"users"},"record_selector":"items","pagination":{"style":"cursor","cursor_param":"c","cursor_path":"next"}},
		{"name":"roles","object":"grant","request":{"path":"users/{id}/roles"},"parent":{"stream":"users"}}]`
	for _, gone := range []int{400, 404, 410} {
		var epoch atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/users" {
				fmt.Fprint(w, `["reader"]`)
				return
			}
			now := epoch.Load()
			at := 0
			if c := r.URL.Query().Get("c"); c != "" {
				var born int32
				if _, _ = fmt.Sscanf(c, "%d-%d", &born, &at); born != now {
					http.Error(w, `{"message":"cursor expired"}`, gone)
					return
				}
			}
			next := "null"
			if at < 4 {
				next = fmt.Sprintf(`"%d-%d"`, now, at+1)
			}
			fmt.Fprintf(w, `{"items":[{"id":"a%d"},{"id":"b%d"}],"next":%s}`, at, at, next)
		}))
		auth := settings(server.URL, streams)
		l := &ledger{rows: map[string]string{}}
		err := newConnector().Sync(context.Background(), v1.SyncRequest{AuthConfig: auth},
			func(_ context.Context, page v1.SyncResponse) error {
				if l.take(page); l.chunks == 10 {
					return errKilled
				}
				return nil
			})
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		epoch.Add(1)
		out, err := syncOnce(
			newConnector(),
			v1.SyncRequest{AuthConfig: auth, Options: &v1.SyncOptions{Checkpoint: l.checkpoint}},
		)
		if err != nil || !warned(out, "cursor_expired") || len(out.Accounts) != 10 || len(out.Grants) != 10 ||
			scopeOf(
				out,
				v1.Accounts,
			) != `{"kind":"accounts","key":"*","complete":true,"count":10}` ||
			scopeOf(out, v1.Grants) != `{"kind":"grants","key":"*","complete":true,"count":10}` {
			t.Errorf(
				"%d: %d accounts, scopes %+v, warnings %v, %v",
				gone,
				len(out.Accounts),
				out.Page.Scopes,
				out.Page.Warnings,
				err,
			)
		}
		server.Close()
	}
}
