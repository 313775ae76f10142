package rest

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// poison are records of which none can be passed on, each with its key in %d where it can be read.
var poison = []string{
	`{"id":%d,"name":"a","name":"b"}`,
	`{"id":%d,"big":1e400}`,
	"{\"id\":%d,\"name\":\"\xc3\x28\xff\"}",
	`{"id":%d,"name":"half \ud83d"}`,
	`{"id":%d,"name":"n\u0000l"}`,
	`{"id":%d,"deep":` + strings.Repeat(`{"a":[`, 5000) + `1` + strings.Repeat(`]}`, 5000) + `}`,
	`{"id":%d,"name":"` + strings.Repeat("x", 1<<20) + `"}`,
}

func TestPoisonedRecordsAreSetAsideAndAllOthersArriveExactly(t *testing.T) {
	const n, page = 20000, 500
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var p int
		fmt.Sscan(r.URL.Query().Get("page"), &p)
		fmt.Fprint(w, `{"items":[`)
		for i := (p - 1) * page; i < min(p*page, n); i++ {
			if i > (p-1)*page {
				fmt.Fprint(w, ",")
			}
			switch {
			case i%100 == 7:
				fmt.Fprintf(w, poison[i/100%len(poison)], i)
			case i%100 == 8: // wrong types and bad dates cost a value, not the record
				fmt.Fprintf(w, `{"id":"%d","enabled":{"what":1},"since":"2026-13-45","name":["x"]}`, i)
			default:
				fmt.Fprintf(w, `{"id":%d,"enabled":true,"since":"2026-01-02T03:04:05Z","name":"Zoë 😀 %d"}`, i, i)
			}
		}
		fmt.Fprint(w, `]}`)
	})
	auth := settings(
		base,
		fmt.Sprintf(`[{"name":"users","object":"account","request":{"path":"users"},"record_selector":"items",
		"pagination":{"style":"page","size_param":"size","size":%d},"fields":{"is_disabled":"!enabled","created_at":"since","display_name":"name"}}]`, page),
	)
	out := mustRead(t, auth)
	if len(out.Accounts) != n-n/100 || len(presentOf(out, v1.Accounts)) != n/100 {
		t.Fatalf(
			"%d accounts came and %d were set aside with their key, of %d",
			len(out.Accounts),
			len(presentOf(out, v1.Accounts)),
			n,
		)
	}
	for _, a := range out.Accounts {
		var i int
		fmt.Sscan(a.ExternalID, &i)
		switch {
		case i%100 == 7:
			t.Fatalf("the poisoned record %d came", i)
		case i%100 == 8 && (a.IsDisabled != nil || a.CreatedAt != nil):
			t.Fatalf("record %d: values that do not fit came: %s", i, asJSON(t, a))
		case i%100 != 8 && (*a.DisplayName != fmt.Sprintf("Zoë 😀 %d", i) || *a.IsDisabled || a.CreatedAt == nil):
			t.Fatalf("record %d did not come exactly: %s", i, asJSON(t, a))
		}
	}
	if scopeOf(out, v1.Accounts) != fmt.Sprintf(`{"kind":"accounts","key":"*","complete":true,"count":%d}`, n) ||
		out.Page.Stats.Skipped != n/100 {
		t.Errorf("scope %s, stats %+v", scopeOf(out, v1.Accounts), out.Page.Stats)
	}
	var told string
	for _, w := range out.Page.Warnings {
		if w.Code == "flawed_record" {
			told += w.ExternalID + ": " + w.Message + "\n"
		}
	}
	for _, want := range []string{"7: the record 7 of users", `member "name" is there twice`, "1e400 is out of range",
		"not valid UTF-8", "surrogate", "NUL", "512 deep", "1048596 bytes long"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told in\n%s", want, told)
		}
	}
	if !warned(out, "unreadable_field") {
		t.Error("values that do not fit are not told")
	}
	noKey := answers(t, map[string]string{"/users": `{"items":[{"id":1},{"note":"a","note":"b"}]}`})
	if out := mustRead(t, settings(noKey, fmt.Sprintf(onePage, `{}`))); !strings.Contains(
		scopeOf(out, v1.Accounts),
		`"complete":false`,
	) {
		t.Errorf(
			"a flawed record without a key: scope %s; it may be any of those that are known",
			scopeOf(out, v1.Accounts),
		)
	}
}

func TestAPageOfMoreThanTwiceTheSizeAskedForIsRefused(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"items":[`)
		for i := 0; ; i++ { // without an end
			if _, err := fmt.Fprintf(w, `{"id":%d},`, i); err != nil {
				return
			}
		}
	})
	d := failing(t, settings(base, fmt.Sprintf(onePage, `{"style":"page","size_param":"n","size":50}`)))
	if d.Code != "page_too_large" || !strings.Contains(d.Hint, "pagination.size") {
		t.Errorf("error = %s", asJSON(t, d))
	}
	twice := pages(t, func(q map[string]string) string {
		if q["page"] == "1" {
			return `{"items":[{"id":1},{"id":2},{"id":3},{"id":4}]}`
		}
		return `{"items":[]}`
	})
	if out := mustRead(t, settings(twice, fmt.Sprintf(onePage, `{"style":"page","size_param":"n","size":2}`))); len(
		out.Accounts,
	) != 4 {
		t.Errorf("a page of just twice the size: %d accounts", len(out.Accounts))
	}
}

func TestATotalThatChangesTooMuchIsReadAgainOnceAndThenProvesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		totals           []int // of the answers, the last for all that follow
		relisted, proven bool
	}{
		"steady":           {[]int{20}, false, true},
		"a little":         {[]int{20, 21, 20}, false, true},
		"once":             {[]int{200, 20}, true, true},
		"every time":       {[]int{20, 200, 20, 200, 20, 200, 20, 200, 20, 200, 20}, true, false},
		"ever fewer":       {[]int{900, 20}, true, true},
		"lies to the last": {[]int{40}, false, false},
	} {
		asked := 0
		base := pages(t, func(q map[string]string) string {
			total := tt.totals[min(asked, len(tt.totals)-1)]
			asked++
			var p int
			fmt.Sscan(q["page"], &p)
			var items []string
			for i := (p - 1) * 5; i < min(p*5, 20); i++ {
				items = append(items, fmt.Sprintf(`{"id":%d}`, i))
			}
			return fmt.Sprintf(`{"total":%d,"items":[%s]}`, total, strings.Join(items, ","))
		})
		l, err := readKilled(
			settings(base, fmt.Sprintf(onePage, `{"style":"page","total_path":"total"}`)),
			v1.SyncRequest{},
		)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(l.rows) != 20 || l.last.Scopes[0].Complete != tt.proven || l.last.Scopes[0].Count != 20 {
			t.Errorf("%s: %d rows, scopes %+v", name, len(l.rows), l.last.Scopes)
		}
		if relisted := asked > 5; relisted != tt.relisted {
			t.Errorf("%s: %d requests, read again: %v", name, asked, relisted)
		}
	}
}

func TestRulesSayWhatAnErrorMeans(t *testing.T) {
	var calls atomic.Int32
	c := newConnector()
	try := func(rules string, first func(w http.ResponseWriter)) (v1.SyncResponse, error) {
		calls.Store(0)
		base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) == 1 {
				first(w)
				return
			}
			fmt.Fprint(w, `{"ok":true,"items":[{"id":1}]}`)
		})
		c.shared = &target.Shared{}
		return syncOnce(
			c,
			v1.SyncRequest{
				AuthConfig: settings(
					base,
					`[{"name":"users","object":"account","request":{"path":"users"},"record_selector":"items",
			"error":{"success_path":"ok","message_path":"msg","rules":[`+rules+`]}}]`,
				),
			},
		)
	}
	status := func(code int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(code); fmt.Fprint(w, body) }
	}
	busy := status(200, `{"ok":false,"msg":"Server is BUSY, try later"}`)
	for _, tt := range []struct {
		name, rules string
		first       func(http.ResponseWriter)
		code        string // of the error; empty: none
		accounts    int
		calls       int32
	}{
		{"no rule", ``, busy, "error_in_body", 0, 1},
		{"retry by words", `{"contains":"busy","action":"retry"}`, busy, "", 1, 2},
		{"retry by status", `{"status":400,"action":"retry"}`, status(400, `{"message":"x"}`), "", 1, 2},
		{"both must fit", `{"status":400,"contains":"busy","action":"retry"}`, status(400, `{"message":"x"}`),
			"http_400", 0, 1},
		{"the first that fits", `{"status":500,"action":"fail"},{"contains":"oops","action":"retry"}`,
			status(500, `oops`), "failed_by_rule", 0, 1},
		{"rate limited", `{"contains":"quota","action":"rate_limited"}`, status(400, `{"message":"quota used up"}`), "",
			1, 2},
		{"ignore", `{"status":404,"action":"ignore"}`, status(404, `{}`), "", 0, 1},
		{"ignore in a body", `{"contains":"busy","action":"ignore"}`, busy, "", 0, 1},
	} {
		out, err := try(tt.rules, tt.first)
		var d *v1.ErrorDetail
		if errors.As(err, &d); (d != nil) != (tt.code != "") || d != nil && d.Code != tt.code ||
			len(out.Accounts) != tt.accounts ||
			calls.Load() != tt.calls {
			t.Errorf("%s: %d accounts after %d calls, %v", tt.name, len(out.Accounts), calls.Load(), err)
		}
	}
}

func TestAGzipBombEndsTheReadAndNotTheProcess(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		fmt.Fprint(zip, `{"items":[{"id":1,"x":"`)
		zeros := []byte(strings.Repeat("0", 1<<20))
		for range 4096 {
			if _, err := zip.Write(zeros); err != nil {
				return
			}
		}
		_ = zip.Close()
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := failing(t, settings(base, fmt.Sprintf(onePage, `{}`)))
	runtime.ReadMemStats(&after)
	if d.Code != "compression_bomb" || after.TotalAlloc-before.TotalAlloc > 64<<20 {
		t.Errorf("%s after %d MiB", d.Code, (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}

func TestAReadWaitsForTheTargetAndTellsIt(t *testing.T) {
	var calls atomic.Int32
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 2 {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if r.URL.Query().Get("page") == "3" {
			fmt.Fprint(w, `{"items":[]}`)
			return
		}
		fmt.Fprintf(w, `{"items":[{"id":%d}]}`, calls.Load())
	})
	var told []v1.Progress
	ctx := connectorkit.WithReport(context.Background(), func(p v1.Progress) { told = append(told, p) })
	var last *v1.Page
	c := newConnector()
	var ahead atomic.Int64
	c.env.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	c.sleep = func(ctx context.Context, d time.Duration) error { ahead.Add(int64(d)); return ctx.Err() }
	err := c.Sync(
		ctx,
		v1.SyncRequest{AuthConfig: settings(base, fmt.Sprintf(onePage, `{"style":"page"}`))},
		func(_ context.Context, p v1.SyncResponse) error {
			last = p.Page
			return nil
		},
	)
	if err != nil || len(told) != 1 || told[0].RateWaitUntil == nil || told[0].Phase != "users" ||
		last.Stats.RateWaitMS < 100_000 ||
		last.Stats.APICalls != 4 {
		t.Errorf("%v, told %+v, stats %+v", err, told, last.Stats)
	}
}
