package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/connectorkit/rest/connection"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// shelf is a target with n records that gives at most so many at a time, whatever it is asked for, in every style there
// is.
type shelf struct{ n, most int }

func (s shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	number := func(name string, def int) int {
		if n, err := strconv.Atoi(q.Get(name)); err == nil {
			return n
		}
		return def
	}
	size := min(number("size", s.most), s.most)
	from := number("at", 0) + number("offset", 0)
	if q.Has("page") {
		from += (number("page", 1) - 1) * size
	}
	from = min(from, s.n)
	to := min(from+size, s.n)
	items := []any{}
	for i := from; i < to; i++ {
		items = append(items, map[string]any{"id": i})
	}
	doc := map[string]any{"items": items, "total": s.n, "more": to < s.n}
	if to < s.n {
		doc["cursor"], doc["next"] = strconv.Itoa(to), fmt.Sprintf("?at=%d&size=%d", to, size)
		w.Header().Set("Link", fmt.Sprintf(`<?at=0>; rel=first, <?at=%d&size=%d>;title="a,b;c";rel="next"`, to, size))
		w.Header().Set("X-Next", strconv.Itoa(to))
	}
	_ = json.NewEncoder(w).Encode(doc)
}

// TestEveryStyleReadsEveryRecordOnce tries styles, sizes and ends at random.
func TestEveryStyleReadsEveryRecordOnce(t *testing.T) {
	styles := []string{
		`{"style":"page","size_param":"size","size":%d}`,
		`{"style":"page","size_param":"size","size":%d,"total_path":"total"}`,
		`{"style":"offset","limit_param":"size","size":%d}`,
		`{"style":"offset","limit_param":"size","size":%d,"has_more_path":"more"}`,
		`{"style":"cursor","cursor_param":"at","cursor_path":"cursor","size_param":"size","size":%d}`,
		`{"style":"cursor","cursor_param":"at","cursor_header":"X-Next","limit_param":"size","size":%d}`,
		`{"style":"link_header","size_param":"size","size":%d}`,
		`{"style":"next_url","next_url_path":"next","size":%d}`,
	}
	current := shelf{}
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.ServeHTTP(w, r) }),
	)
	defer server.Close()
	rapid.Check(t, func(rt *rapid.T) {
		style := rapid.SampledFrom(styles).Draw(rt, "style")
		size := rapid.IntRange(1, 9).Draw(rt, "size")
		current = shelf{n: rapid.IntRange(0, 30).Draw(rt, "records"), most: rapid.IntRange(1, 9).Draw(rt, "most")}
		streams := fmt.Sprintf(
			`[{"name":"things","object":"account","request":{"path":""},"record_selector":"items","pagination":%s}]`,
			fmt.Sprintf(style, size),
		)
		out, err := syncOnce(newConnector(), v1.SyncRequest{AuthConfig: settings(server.URL, streams)})
		if err != nil {
			rt.Fatalf("%s on %+v: %v", streams, current, err)
		}
		for i, a := range out.Accounts {
			if a.ExternalID != strconv.Itoa(i) {
				rt.Fatalf("record %d is %s", i, a.ExternalID)
			}
		}
		if want := fmt.Sprintf(`{"kind":"accounts","key":"*","complete":true,"count":%d}`, current.n); scopeOf(
			out,
			v1.Accounts,
		) != want {
			rt.Fatalf("scope %s, want %s", scopeOf(out, v1.Accounts), want)
		}
	})
}

func FuzzStreamsThatAreNoGoodAreRefusedWithoutPanic(f *testing.F) {
	f.Add(
		`[{"object":"user","record_selector":"$.a[?@.b]","fields":{"email":"!x"},"explode":[{"path":"a"}],` +
			`"parent":{"stream":"x"}}]`,
	)
	f.Add(`[{"object":"grant","request":{"path":"{a}{","query":{"a":1}},"pagination":{"style":"cursor","start":-1}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		if err := connection.Check(v1.AuthConfig{"base_url": "https://x.test", "streams": text}); err != nil &&
			!strings.Contains(err.Error(), "streams") {
			t.Fatalf("%q = %v, want an error about streams", text, err)
		}
	})
}
