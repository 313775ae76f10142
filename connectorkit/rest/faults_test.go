package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const onePage = `[{"name":"users","object":"account","request":{"path":"users"},"record_selector":"items",` +
	`"pagination":%s,"error":{"success_path":"ok","message_path":"error.text"}}]`

// pages serves /users by a function of the request's query.
func pages(t *testing.T, page func(q map[string]string) string) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := map[string]string{}
		for name := range r.URL.Query() {
			q[name] = r.URL.Query().Get(name)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, page(q))
	})
}

func TestCursorsAndNextLinksLeadThroughAllPages(t *testing.T) {
	byCursor := pages(t, func(q map[string]string) string {
		switch q["after"] {
		case "":
			return `{"total":4,"next":"c 1","items":[{"id":1},{"id":2}]}`
		case "c 1":
			return `{"items":[],"next":"c2","total":4}`
		case "c2":
			return `{"items":[{"id":3},{"id":4}],"next":null,"total":4}`
		}
		return `{"items":"?"}`
	})
	byKey := pages(t, func(q map[string]string) string {
		switch q["starting_after"] {
		case "":
			return `{"items":[{"id":1},{"id":2}],"has_more":true}`
		case "2":
			return `{"items":[{"id":3}],"has_more":false}`
		}
		return `{"items":"?"}`
	})
	byURL := pages(t, func(q map[string]string) string {
		if q["p"] == "" {
			return `{"links":{"next":"/users?p=2&key=k3y-value"},"items":[{"id":1}]}`
		}
		return `{"links":{"next":""},"items":[{"id":2}]}`
	})
	for _, tt := range []struct {
		name, base, pagination, want string
		more                         []any
	}{
		{"cursor", byCursor, `{"style":"cursor","cursor_param":"after","cursor_path":"next","total_path":"total"}`,
			"1 2 3 4", nil},
		{"last key", byKey, `{"style":"cursor","cursor_param":"starting_after","cursor_path":"items[-1].id",` +
			`"has_more_path":"has_more"}`, "1 2 3", nil},
		{"next url", byURL, `{"style":"next_url","next_url_path":"links.next"}`, "1 2",
			[]any{"auth_method", "api_key_query", "api_key_name", "key", "api_key", "k3y-value"}},
	} {
		out := mustRead(t, settings(tt.base, fmt.Sprintf(onePage, tt.pagination), tt.more...))
		if got := ids(out.Accounts, accountID); got != tt.want ||
			!strings.Contains(scopeOf(out, v1.Accounts), `"complete":true`) {
			t.Errorf("%s: accounts %s, scope %s", tt.name, got, scopeOf(out, v1.Accounts))
		}
	}
}

func TestParametersOfAPOSTGoIntoItsBody(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" ||
			r.Header.Get("X-View") != "all" || r.URL.Query().Get("v") != "2":
			http.Error(w, "wrong request", http.StatusBadRequest)
		case string(body) == `{"filter":{"kind":"person"},"from":0,"size":2}`:
			_, _ = io.WriteString(w, `{"hits":[{"id":1},{"id":2}]}`)
		case string(body) == `{"filter":{"kind":"person"},"from":2,"size":2}`:
			_, _ = io.WriteString(w, `{"hits":[]}`)
		default:
			http.Error(w, "wrong body "+string(body), http.StatusBadRequest)
		}
	})
	out := mustRead(
		t,
		settings(
			base,
			`[{"name":"search","object":"account","request":{"method":"POST","path":"search","body":{"filter":{"kind":"person"}}},
		"record_selector":"hits","pagination":{"style":"offset","offset_param":"from","limit_param":"size","size":2,"in":"body"}}]`,
			"headers",
			map[string]any{"X-View": "all"},
			"query",
			map[string]any{"v": 2},
		),
	)
	if got := ids(out.Accounts, accountID); got != "1 2" {
		t.Errorf("accounts = %s", got)
	}
}

func TestLoopsAreBroken(t *testing.T) {
	same := pages(t, func(map[string]string) string {
		return `{"items":[{"id":1},{"id":2}],"next":"c1","url":"/users?again=1"}`
	})
	n := 0
	ever := pages(
		t,
		func(map[string]string) string { n++; return fmt.Sprintf(`{"items":[{"id":%d}],"next":"c%d"}`, n, n) },
	)
	empty := pages(t, func(map[string]string) string { n++; return fmt.Sprintf(`{"items":[],"next":"c%d"}`, n) })
	m := 0
	circle := pages(t, func(map[string]string) string {
		m++
		return fmt.Sprintf(`{"items":[{"id":%d}],"next":"c%d","url":"/users?p=%d"}`, m, m%3, m%3)
	})
	for _, tt := range []struct{ name, base, pagination, code string }{
		{"page ignored", same, `{"style":"page"}`, "repeated_page"},
		{"offset ignored", same, `{"style":"offset"}`, "repeated_page"},
		{"cursor ignored", same, `{"style":"cursor","cursor_path":"next"}`, "repeated_page"},
		{"link to itself", same, `{"style":"next_url","next_url_path":"url"}`, "repeated_page"},
		{"cursors in a circle", circle, `{"style":"cursor","cursor_path":"next"}`, "repeated_cursor"},
		{"links in a circle", circle, `{"style":"next_url","next_url_path":"url"}`, "repeated_link"},
		{"no end", ever, `{"style":"cursor","cursor_path":"next"}`, "too_many_pages"},
		{"nothing but empty pages", empty, `{"style":"cursor","cursor_path":"next"}`, "too_many_empty_pages"},
	} {
		d := failing(t, settings(tt.base, fmt.Sprintf(onePage, tt.pagination), "max_pages", 200))
		if d.Code != tt.code || d.Class != v1.ClassTargetFault || d.Hint == "" {
			t.Errorf("%s: error %s, want code %s", tt.name, asJSON(t, d), tt.code)
		}
	}
}

func TestLinksToAnotherHostAreNotFollowed(t *testing.T) {
	reached := false
	other := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	body := pages(t, func(map[string]string) string { return `{"items":[{"id":1}],"next":"` + other + `/users"}` })
	header := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Link", `</a>; rel="prev"; title="x, y"`)
		w.Header().Add("Link", `<`+other+`/users>; rel="last next"`)
		_, _ = io.WriteString(w, `{"items":[{"id":1}]}`)
	})
	for base, pagination := range map[string]string{body: `{"style":"next_url","next_url_path":"next"}`,
		header: `{"style":"link_header"}`} {
		if d := failing(t, settings(base, fmt.Sprintf(onePage, pagination))); d.Class != v1.ClassPolicy ||
			d.Code != "other_origin" {
			t.Errorf("%s: error = %s", pagination, asJSON(t, d))
		}
	}
	if d := failing(t, settings(body, "", "probe_path", "users")); d.Class != v1.ClassPolicy {
		t.Errorf("a link found by itself: error = %s", asJSON(t, d))
	}
	if reached {
		t.Error("the other host was asked")
	}
}

func TestAnEndBeforeTheAnnouncedNumberProvesNothing(t *testing.T) {
	base := pages(t, func(q map[string]string) string {
		if q["page"] == "1" {
			return `{"total":5,"items":[{"id":1},{"id":2}]}`
		}
		return `{"total":5,"items":[]}`
	})
	out := mustRead(t, settings(base, fmt.Sprintf(onePage, `{"style":"page","total_path":"total"}`)))
	if !warned(out, "fewer_than_announced") || !strings.Contains(scopeOf(out, v1.Accounts), `"complete":false`) ||
		*out.Page.Estimate.Accounts != 5 {
		t.Errorf("warnings %v, scope %s", out.Page.Warnings, scopeOf(out, v1.Accounts))
	}
	gone := pages(t, func(map[string]string) string { return `{"things":[]}` })
	out = mustRead(t, settings(gone, fmt.Sprintf(onePage, `{}`)))
	if !warned(out, "records_not_found") || !strings.Contains(scopeOf(out, v1.Accounts), `"complete":false`) {
		t.Errorf("without a list: warnings %v, scope %s", out.Page.Warnings, scopeOf(out, v1.Accounts))
	}
	none := pages(t, func(map[string]string) string { return `{"items":null}` })
	if out = mustRead(t, settings(none, fmt.Sprintf(onePage, `{}`))); !strings.Contains(
		scopeOf(out, v1.Accounts),
		`"complete":true`,
	) {
		t.Errorf("an empty list: scope %s, want it complete", scopeOf(out, v1.Accounts))
	}
}

func TestRefusalsAndBrokenAnswersKeepTheTargetsWords(t *testing.T) {
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); _, _ = io.WriteString(w, body) }
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		_, _ = io.WriteString(w, `{"items":[{"id":1},{"id":`)
	}
	for _, tt := range []struct {
		name      string
		handler   http.HandlerFunc
		class     v1.ErrorClass
		code, has string
	}{
		{"403", status(403, `{"message":"not your tenant"}`), v1.ClassPermission, "http_403", "not your tenant"},
		{"404", status(404, `{}`), v1.ClassNotFound, "http_404", "/users"},
		{"429", status(429, `slow down`), v1.ClassRateLimited, "http_429", "slow down"},
		{"500", status(500, `oops`), v1.ClassTargetFault, "http_500", "oops"},
		{"302", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", 302) }, "", "", "302"},
		{"html", status(200, `<html><body>Please sign in</body></html>`), v1.ClassConfig, "not_json", "Please sign in"},
		{"nothing", status(200, ``), v1.ClassTargetFault, "empty_body", ""},
		{"broken json", status(200, `{"items":[{"id":1},]}`), v1.ClassTargetFault, "bad_json", `{\"id\":1},]`},
		{"two documents", status(200, `{"items":[]}{"items":[]}`), v1.ClassTargetFault, "bad_json", "more data"},
		{"cut connection", cut, v1.ClassTransient, "body_cut", ""},
		{"short json", status(200, `{"items":[{"id":1}`), v1.ClassTransient, "json_cut", ""},
		{"error with 200", status(200, `{"ok":false,"error":{"text":"quota used up"}}`), v1.ClassTargetFault,
			"error_in_body", "quota used up"},
		{"error after the records", status(200, `{"items":[{"id":1}],"ok":"error","error":{"text":"half of it"}}`),
			v1.ClassTargetFault, "error_in_body", "half of it"},
	} {
		d := failing(t, settings(serve(t, tt.handler), fmt.Sprintf(onePage, `{}`)))
		if (tt.class != "" && d.Class != tt.class) || (tt.code != "" && d.Code != tt.code) ||
			!strings.Contains(asJSON(t, d), tt.has) ||
			d.Target == nil ||
			d.Target.HTTP == nil {
			t.Errorf("%s: error = %s, want %s %s with %q", tt.name, asJSON(t, d), tt.class, tt.code, tt.has)
		}
	}
}

func TestAPageThatBreaksOffIsReadAgain(t *testing.T) {
	asked := 0
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		switch asked++; asked {
		case 1:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusBadGateway)
		case 3:
			w.Header().Set("Content-Length", "5000")
			_, _ = io.WriteString(w, `{"items":[{"id":1},{"id":`)
		default:
			_, _ = io.WriteString(w, `{"items":[{"id":1},{"id":2}]}`)
		}
	})
	out := mustRead(t, settings(base, fmt.Sprintf(onePage, `{}`)))
	if got := ids(out.Accounts, accountID); got != "1 2" || asked != 4 || out.Page.Stats.RateWaitMS < 1000 {
		t.Errorf("accounts %s after %d requests, stats %+v", got, asked, out.Page.Stats)
	}
}

func TestALongAnswerTakesTheMemoryOfABatch(t *testing.T) {
	const n, filler = 210000, 400
	row := []byte(strings.Repeat("x", filler))
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items":[`)
		for i := range n {
			if i > 0 {
				_, _ = io.WriteString(w, ",")
			}
			if _, err := fmt.Fprintf(
				w,
				`{"id":%d,"filler":"%s","on":true,"n":{"a":"b"},"mail":"user%d@example.test"}`,
				i,
				row,
				i,
			); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `]}`)
	})
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var peak uint64
	count := 0
	err := connectorkit.Sync(
		context.Background(),
		newConnector(),
		v1.SyncRequest{AuthConfig: settings(base, fmt.Sprintf(onePage, `{}`))},
		connectorkit.Limits{},
		func(_ context.Context, page v1.SyncResponse) error {
			if count += len(page.Accounts); count%40000 < 500 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapAlloc)
			}
			return nil
		},
	)
	if err != nil || count != n {
		t.Fatalf("%d accounts, %v", count, err)
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 12<<20 {
		t.Errorf("the heap grew by %d MB while %d MB passed", grown>>20, n*(filler+80)>>20)
	}
}

func TestTheReceiversErrorAndCancellingStopTheRead(t *testing.T) {
	base := pages(t, func(q map[string]string) string { return `{"items":[{"id":1}],"next":"` + q["cursor"] + `x"}` })
	auth := settings(base, fmt.Sprintf(onePage, `{"style":"cursor","cursor_path":"next"}`))
	full := errors.New("no room")
	err := newConnector().Sync(context.Background(), v1.SyncRequest{AuthConfig: auth},
		func(context.Context, v1.SyncResponse) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("sync = %v, want the receiver's error", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = newConnector().Sync(ctx, v1.SyncRequest{AuthConfig: auth},
		func(context.Context, v1.SyncResponse) error { cancel(); return nil })
	var d *v1.ErrorDetail
	if !errors.Is(err, context.Canceled) && !(errors.As(err, &d) && d.Class == v1.ClassCancelled) {
		t.Errorf("sync = %v, want it cancelled", err)
	}
	most := 2
	cut := 0
	err = connectorkit.Sync(
		context.Background(),
		newConnector(),
		v1.SyncRequest{
			AuthConfig: settings(
				answers(t, map[string]string{"/users": `{"items":[{"id":1},{"id":2},{"id":3}]}`}),
				fmt.Sprintf(onePage, `{}`),
			),
		},
		connectorkit.Limits{
			MaxRecords: most,
		},
		func(_ context.Context, page v1.SyncResponse) error { cut += len(page.Accounts); return nil },
	)
	if err != nil || cut != most {
		t.Errorf("%d accounts, %v; want the cap of %d", cut, err, most)
	}
}

func TestTestWarnsWhenNothingIsSelected(t *testing.T) {
	for doc, want := range map[string]string{
		`{"items":[]}`: "is empty", `{"persons":[{"id":1}]}`: "set record_selector",
		`{"items":[{"nick":"x"}]}`: "set key_path",
	} {
		base := answers(t, map[string]string{"/users": doc})
		test, err := newConnector().Test(context.Background(),
			v1.TestRequest{AuthConfig: settings(base, fmt.Sprintf(onePage, `{}`))}, nil)
		if err != nil || !test.Success || len(test.Warnings) != 1 || !strings.Contains(test.Warnings[0].Message, want) {
			t.Errorf("%s: test = %s, %v; want a warning %q", doc, asJSON(t, test), err, want)
		}
	}
	var steps []string
	base := answers(t, map[string]string{"/health": `{"up":true}`})
	test, err := newConnector().Test(context.Background(),
		v1.TestRequest{AuthConfig: settings(base, fmt.Sprintf(onePage, `{}`), "probe_path", "health")}, nil)
	for _, s := range test.Steps {
		steps = append(steps, s.Name)
	}
	if err != nil || !test.Success || strings.Join(steps, " ") != "dns tcp request" ||
		!strings.Contains(test.Result.HTTP.BodyExcerpt, `"up":true`) {
		t.Errorf("test by probe_path = %s, %v", asJSON(t, test), err)
	}
	html := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>log in</html>") })
	test, err = newConnector().Test(context.Background(),
		v1.TestRequest{AuthConfig: settings(html, fmt.Sprintf(onePage, `{}`))}, nil)
	if err != nil || test.Success || test.Error.Code != "not_json" ||
		!strings.Contains(test.Error.Target.HTTP.BodyExcerpt, "log in") {
		t.Errorf("test of a web page = %s, %v", asJSON(t, test), err)
	}
	test, err = newConnector().Test(context.Background(),
		v1.TestRequest{AuthConfig: settings("http://127.0.0.1:1", "")}, nil)
	if err != nil || test.Success || test.Steps[len(test.Steps)-1].Name != "tcp" || test.Error == nil {
		t.Errorf("test of a closed port = %s, %v", asJSON(t, test), err)
	}
}

// TestSecretsAreNeverShown lets a target throw every secret back at us, in all the ways an answer can carry it.
func TestSecretsAreNeverShown(t *testing.T) {
	const canary = "C4nary/+ \"secret\"&="
	var logs bytes.Buffer
	c := newConnector()
	c.env.Log = slog.New(slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	echo := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer error="`+r.Header.Get("X-Key")+`"`)
		w.Header().Set("Location", "/?k="+r.URL.RawQuery)
		w.Header().Set("Content-Type", "text/plain; was="+r.Header.Get("Authorization"))
		w.WriteHeader(map[string]int{"/401": 401, "/500": 500, "/302": 302, "/200": 200}[r.URL.Path])
		user, pass, _ := r.BasicAuth()
		fmt.Fprintf(
			w,
			"you sent %s %s %s %s %s %s",
			user,
			pass,
			r.Header.Get("Authorization"),
			r.Header.Get("X-Key"),
			r.URL.RawQuery,
			r.URL.Query().Get("key"),
		)
	})
	for _, method := range [][]any{
		{"auth_method", "basic", "username", "u", "password", canary},
		{"auth_method", "bearer", "token", canary},
		{"auth_method", "api_key_header", "api_key_name", "X-Key", "api_key", canary},
		{"auth_method", "api_key_query", "api_key_name", "key", "api_key", canary},
	} {
		for _, path := range []string{"401", "500", "302", "200"} {
			auth := settings(echo, fmt.Sprintf(`[{"object":"user","request":{"path":%q}}]`, path), method...)
			var shown strings.Builder
			test, err := c.Test(
				context.Background(),
				v1.TestRequest{AuthConfig: auth},
				func(p v1.Progress) { shown.WriteString(asJSON(t, p)) },
			)
			shown.WriteString(asJSON(t, test) + fmt.Sprint(err))
			_, err = c.Discover(context.Background(), v1.DiscoverRequest{AuthConfig: auth}, nil)
			fmt.Fprintf(&shown, "%v %+v %s", err, err, asJSON(t, err))
			_, err = syncOnce(c, v1.SyncRequest{AuthConfig: auth})
			fmt.Fprintf(&shown, "%v %+v %s %s", err, err, asJSON(t, err), logs.String())
			if err == nil {
				t.Fatalf("%v %s: sync succeeded", method[1], path)
			}
			for _, form := range []string{"C4nary", "QzRuYXJ5", "dTpDNG5hcnk"} {
				if strings.Contains(shown.String(), form) {
					t.Errorf("%v %s: %q is shown in %s", method[1], path, form, shown.String())
				}
			}
		}
	}
}

func TestBadSettingsAreToldAllAtOnce(t *testing.T) {
	for _, tt := range []struct {
		streams string
		more    []any
		want    []string
	}{
		{`[{"name":"a","object":"users","record_selector":"items[","pagination":{"style":"cursor"},` +
			`"fields":{"emial":"mail","username":"a b"}}]`, nil,
			[]string{`streams[0] (a): object must be one of identity`, `record_selector: "items["`,
				`cursor_path or pagination.cursor_header is missing`, `"emial" is no member of a user`,
				`fields.username`}},
		{`[{"name":"a","object":"user","recordselector":"x"}]`, nil,
			[]string{`streams[0] (a): unknown member "recordselector"`}},
		{`[{"name":"a","object":"user","pagination":{"pagestyle":"x"}}]`, nil, []string{`unknown member "pagestyle"`}},
		{`[{"name":"a","object":"user","explode":{"pfad":"x"}}]`, nil, []string{`unknown member "pfad"`}},
		{`[{"name":"a","object":"user","request":{"path":7}}]`, nil,
			[]string{`request.path must not be a JSON number`}},
		{`[{"name":"a","object":"user","request":{"path":"http://x/y"}},{"name":"a","object":"grant",` +
			`"parent":{"stream":"b"},"request":{"path":"x/{nr}"}}]`, nil,
			[]string{"must be a path below base_url", `the name "a" is used twice`,
				`has the parent "b", which is no stream`, "placeholder {nr}"}},
		{`[{"name":"a","object":"user","parent":{"stream":"b"}},{"name":"b","object":"user","parent":{"stream":"a"}}]`,
			nil, []string{"is its own ancestor"}},
		{`[{"name":"a","object":"user","record_selector":"items[?@.x]","pagination":{"style":"page"}}]`, nil,
			[]string{"use record_filter"}},
		{``, []any{"auth_method", "bearer", "page_size", 0, "api_key_in", "query"},
			[]string{"page_size must be between", "bearer_token is missing"}},
		{``, []any{"auth_method", "magic"}, []string{"auth_method must be one of"}},
		{``, []any{"streams", "not json"}, []string{"streams must be a list"}},
		{``, []any{"auth_method", "api_key", "api_key", "k", "api_key_in", "cookie"},
			[]string{"api_key_in must be one of header, query"}},
	} {
		_, err := syncOnce(
			newConnector(),
			v1.SyncRequest{AuthConfig: settings("http://127.0.0.1:1", tt.streams, tt.more...)},
		)
		var d *v1.ErrorDetail
		if !errors.As(err, &d) || d.Class != v1.ClassConfig {
			t.Errorf("%s %v = %v, want an error of class config", tt.streams, tt.more, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(d.Message, want) {
				t.Errorf("%s %v:\n%s\nwant %q in it", tt.streams, tt.more, d.Message, want)
			}
		}
	}
}

func TestADialerThatRefusesIsPassedOn(t *testing.T) {
	env := openEnv()
	refusal := &v1.ErrorDetail{
		Class:   v1.ClassPolicy,
		Code:    "destination_not_allowed",
		Message: "this destination is not allowed",
	}
	env.Dial = dialRefusing(refusal)
	_, err := syncOnce(New(env), v1.SyncRequest{AuthConfig: settings("http://10.0.0.1", "")})
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Code != refusal.Code || strings.Contains(asJSON(t, d), "body_excerpt") {
		t.Errorf("sync = %v", err)
	}
	test, err := New(
		env,
	).Test(context.Background(), v1.TestRequest{AuthConfig: settings("http://10.0.0.1", "", "timeout_s", 1)}, nil)
	if err != nil || test.Success || test.Error.Code != refusal.Code {
		t.Errorf("test = %s, %v", asJSON(t, test), err)
	}
}

func TestAnAnswerCutAfterRecordsWereHandedOnIsNotReadAgain(t *testing.T) {
	asked := 0
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = io.WriteString(w, `{"items":[`+strings.Repeat(`{"id":1},`, answer.BatchSize+100))
	})
	out, err := syncOnce(newConnector(), v1.SyncRequest{AuthConfig: settings(base, fmt.Sprintf(onePage, `{}`))})
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Class != v1.ClassTransient || asked != 1 || len(out.Accounts) != answer.BatchSize ||
		len(out.Page.Scopes) != 0 {
		t.Errorf("%d accounts after %d requests, scopes %v, %v", len(out.Accounts), asked, out.Page.Scopes, err)
	}
}
