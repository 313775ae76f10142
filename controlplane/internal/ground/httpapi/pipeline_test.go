package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// nowhere is a store that no other process uses.
type nowhere struct{}

func (nowhere) Settle(_ context.Context, spent []limit.Spent) ([]time.Duration, error) {
	return make([]time.Duration, len(spent)), nil
}

func (nowhere) Processes(context.Context) (int, error) { return 1, nil }

// serve starts an API with these routes on a clock that stands still.
func serve(t *testing.T, c httpapi.Config, routes ...httpapi.Route) *httptest.Server {
	t.Helper()
	c.Title, c.Version, c.Log, c.Agent = "test", "1", slog.New(slog.DiscardHandler), nobody
	if c.User == nil {
		c.User = byName
	}
	a := httpapi.New(c)
	a.Add(routes...)
	a.Mount(
		"GET",
		"/health",
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }),
	)
	s := httptest.NewServer(a.Router)
	t.Cleanup(s.Close)
	return s
}

func still() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

type echoed struct {
	Trace, UserAgent string
}

func echo(method string) httpapi.Route {
	return httpapi.Handle(method, "/echo", "Say what arrived", func(ctx context.Context, v viewer.Viewer, _ *struct {
		A string `query:"a"`
	}) (*httpapi.One[echoed], error) {
		trace := httpapi.TraceOf(ctx)
		return &httpapi.One[echoed]{Body: echoed{trace.ID + " " + trace.Parent, v.UserAgent}}, nil
	})
}

func TestSessionsOfAUserAndTokensOfATenantAreCountedTogether(t *testing.T) {
	// bearer: tenant, user, session, and slow for a token with a lower rate of its own
	auth := func(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
		p := strings.Split(bearer, "-")
		v := viewer.Viewer{Tenant: p[0], Kind: viewer.User, ID: p[1], Session: p[1] + "/" + p[2]}
		if len(p) > 3 {
			v.Rate = viewer.Rate{PerSecond: 1, Burst: 100}
		}
		return v, nil
	}
	s := serve(
		t,
		httpapi.Config{User: auth, Rate: limit.New(nowhere{}, slog.New(slog.DiscardHandler), still), Now: still},
		echo("GET"),
	)
	count := func(tenant string, users, sessions int, rate string) (passed int, violated string) {
		for u := range users {
			for session := range sessions {
				for range 60 {
					res, body := call(
						t,
						s,
						fmt.Sprintf("%s-%d-%d%s", tenant, u, session, rate),
						"GET",
						"/api/v1/echo",
						"",
					)
					if res.StatusCode == 200 {
						passed++
					} else {
						violated = fmt.Sprint(body["violated-policies"])
					}
				}
			}
		}
		return passed, violated
	}
	if passed, violated := count("a", 1, 12, ""); passed != 600 || violated != "[user]" {
		t.Errorf(
			"one user with twelve sessions: %d requests passed, violated %s; want 600 and [user]",
			passed,
			violated,
		)
	}
	if passed, violated := count("b", 40, 1, ""); passed != 2000 || violated != "[tenant]" {
		t.Errorf("forty users of one tenant: %d requests passed, violated %s; want 2000 and [tenant]", passed, violated)
	}
	if passed, _ := count("c", 1, 1, ""); passed != 60 {
		t.Errorf("another tenant: %d of 60 requests passed", passed)
	}
	if passed, _ := count("d", 20, 1, "-slow"); passed != 1200 {
		t.Errorf("twenty tokens with a lower rate: %d of 1200 requests passed", passed)
	}
	if passed, _ := count("d", 21, 1, ""); passed != 60 {
		t.Errorf("a token beside them: %d of 60 requests passed", passed)
	}
}

func TestTheRateIsToldInEveryAnswerAndKept(t *testing.T) {
	s := serve(
		t,
		httpapi.Config{Rate: limit.New(nowhere{}, slog.New(slog.DiscardHandler), still), Now: still},
		echo("GET"),
	)
	for i := range 200 {
		res, _ := call(t, s, "admin", "GET", "/api/v1/echo", "")
		if res.StatusCode != 200 {
			t.Fatalf("request %d = %d", i+1, res.StatusCode)
		}
		if i == 0 &&
			(res.Header.Get("RateLimit") != `"default";r=199;t=1` ||
				res.Header.Get("RateLimit-Policy") != `"default";q=100;w=1;grantwright-burst=200`) {
			t.Errorf(
				"RateLimit: %s, RateLimit-Policy: %s",
				res.Header.Get("RateLimit"),
				res.Header.Get("RateLimit-Policy"),
			)
		}
	}
	res, body := call(t, s, "admin", "GET", "/api/v1/nothing", "") // a path that is not there counts as well
	if res.StatusCode != 429 || body["code"] != "rate_limited" ||
		body["type"] != "https://iana.org/assignments/http-problem-types#quota-exceeded" {
		t.Errorf("the 201st: %d %v", res.StatusCode, body)
	}
	if res.Header.Get("Retry-After") != "1" || res.Header.Get("RateLimit") != `"default";r=0;t=1` ||
		fmt.Sprint(body["violated-policies"]) != "[default]" {
		t.Errorf("the 201st: %v %v", res.Header, body)
	}
	if res, _ := call(t, s, "manager", "GET", "/api/v1/echo", ""); res.StatusCode != 200 {
		t.Errorf("another token: %d", res.StatusCode)
	}
	if res, _ := call(t, s, "", "GET", "/api/v1/echo", ""); res.StatusCode != 401 || res.Header.Get("RateLimit") != "" {
		t.Errorf("nobody is told a rate: %d %v", res.StatusCode, res.Header)
	}
}

func TestWhoTriesManyInvalidTokensIsToldToWait(t *testing.T) {
	s := serve(t, httpapi.Config{Now: still}, echo("GET"))
	for i := range 62 {
		res, body := call(t, s, "guess", "GET", "/api/v1/echo", "")
		if want := map[bool]int{true: 401, false: 429}[i < 60]; res.StatusCode != want {
			t.Fatalf("try %d = %d; want %d (%v)", i+1, res.StatusCode, want, body)
		}
	}
	for as, want := range map[string]int{"admin": 200, "": 401} {
		if res, _ := call(t, s, as, "GET", "/api/v1/echo", ""); res.StatusCode != want {
			t.Errorf("%q from the same address = %d; want %d", as, res.StatusCode, want)
		}
	}
}

func TestBadTokensAreCountedForEachAddress(t *testing.T) {
	s := serve(t, httpapi.Config{Now: still, BehindProxy: true}, echo("GET"))
	try := func(from, as string) (int, any) {
		res, body := call(t, s, as, "GET", "/api/v1/echo", "", "X-Forwarded-For", from)
		return res.StatusCode, fmt.Sprint(body["violated-policies"])
	}
	for range 60 {
		try("192.0.2.1", "guess")
	}
	if status, violated := try("192.0.2.1", "guess"); status != 429 || violated != "[invalid-tokens]" {
		t.Errorf("the 61st from one address: %d %v", status, violated)
	}
	for from, as := range map[string]string{"192.0.2.2": "guess", "203.0.113.9, 192.0.2.3": "guess", "192.0.2.1": ""} {
		if status, _ := try(from, as); status != 401 {
			t.Errorf("%q from %s: %d; want 401", as, from, status)
		}
	}
	if status, _ := try("192.0.2.3, 192.0.2.1", "guess"); status != 429 {
		t.Errorf("what the client itself writes into X-Forwarded-For counts: %d", status)
	}
}

func TestHealthIsToldWhateverElseGoesOn(t *testing.T) {
	let, in := make(chan struct{}), make(chan struct{})
	slow := httpapi.Handle(
		"POST",
		"/auth/slow",
		"Wait",
		func(context.Context, viewer.Viewer, *struct{}) (*httpapi.One[string], error) {
			in <- struct{}{}
			<-let
			return &httpapi.One[string]{}, nil
		},
	)
	s := serve(t, httpapi.Config{Now: still, MaxInFlight: 1}, slow)
	var all sync.WaitGroup
	for range 65 { // the place of everybody, and those that are kept
		all.Go(func() { call(t, s, "admin", "POST", "/api/v1/auth/slow", "") })
		<-in
	}
	if res, _ := call(t, s, "admin", "POST", "/api/v1/auth/slow", ""); res.StatusCode != 503 {
		t.Errorf("a place is left: %d", res.StatusCode)
	}
	for range 300 {
		if res, _ := call(
			t,
			s,
			"guess",
			"GET",
			"/health",
			"",
		); res.StatusCode != 200 ||
			res.Header.Get("RateLimit") != "" {
			t.Fatalf("health = %d %v", res.StatusCode, res.Header)
		}
	}
	if res, _ := call(t, s, "", "GET", "/health", "", "Authorization", "Basic bW9uaXRvcg=="); res.StatusCode != 200 {
		t.Errorf("with credentials of another kind: %d", res.StatusCode)
	}
	close(let)
	all.Wait()
}

func TestTooManyAtOnceAreTurnedAwayButNotWhatIsUrgent(t *testing.T) {
	let, in := make(chan struct{}), make(chan struct{}, 8)
	wait := func(method, path string) httpapi.Route {
		return httpapi.Handle(
			method,
			path,
			"Wait",
			func(context.Context, viewer.Viewer, *struct{}) (*httpapi.One[string], error) {
				in <- struct{}{}
				<-let
				return &httpapi.One[string]{Body: "x"}, nil
			},
		)
	}
	stream := httpapi.Stream(
		"GET",
		"/stream",
		"Stream",
		func(context.Context, viewer.Viewer, *struct{}) (func(context.Context, *sse.Events) error, error) {
			return func(_ context.Context, e *sse.Events) error {
				defer e.Ping()
				in <- struct{}{}
				<-let
				return nil
			}, nil
		},
	)
	s := serve(
		t,
		httpapi.Config{MaxInFlight: 2},
		wait("GET", "/slow"),
		wait("POST", "/auth/logout"),
		stream,
		echo("GET"),
	)
	var all sync.WaitGroup
	begin := func(method, path string) {
		all.Go(func() {
			if res, _ := call(t, s, "admin", method, path, ""); res.StatusCode != 200 {
				t.Errorf("%s %s = %d", method, path, res.StatusCode)
			}
		})
		<-in
	}
	begin("GET", "/api/v1/stream") // takes no place once it stands
	begin("GET", "/api/v1/slow")
	begin("GET", "/api/v1/slow")
	res, body := call(t, s, "admin", "GET", "/api/v1/echo", "")
	if res.StatusCode != 503 || body["code"] != "temporarily_overloaded" ||
		body["type"] != "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity" {
		t.Errorf("got %d %v", res.StatusCode, body)
	}
	if after := res.Header.Get("Retry-After"); !regexp.MustCompile(`^[1-5]$`).MatchString(after) {
		t.Errorf("Retry-After: %q", after)
	}
	begin("POST", "/api/v1/auth/logout")
	if res, _ := call(t, s, "", "GET", "/health", ""); res.StatusCode != 200 {
		t.Errorf("health = %d", res.StatusCode)
	}
	close(let)
	all.Wait()
	if res, _ := call(t, s, "admin", "GET", "/api/v1/echo", ""); res.StatusCode != 200 {
		t.Errorf("afterwards: %d", res.StatusCode)
	}
}

func TestHeadsThatAreTooLargeAreRefused(t *testing.T) {
	s := serve(t, httpapi.Config{}, echo("GET"))
	many := func(n int) []string {
		var h []string
		for i := range n {
			h = append(h, fmt.Sprintf("X-A%d", i), "b")
		}
		return h
	}
	for name, tt := range map[string]struct {
		query  string
		header []string
		status int
		code   string
	}{
		"query of 8 KiB":   {"?a=" + strings.Repeat("x", 8<<10), nil, 414, "uri_too_long"},
		"101 parameters":   {"?a=1" + strings.Repeat("&a=1", 100), nil, 400, "invalid_parameter"},
		"101 headers":      {"", many(101), 431, "headers_too_large"},
		"33 KiB of header": {"", []string{"X-Long", strings.Repeat("x", 33<<10)}, 431, "headers_too_large"},
	} {
		res, body := call(t, s, "admin", "GET", "/api/v1/echo"+tt.query, "", tt.header...)
		if res.StatusCode != tt.status || body["code"] != tt.code {
			t.Errorf("%s: %d %v", name, res.StatusCode, body["code"])
		}
	}
}

func TestOnlyMethodsThatAreThereWork(t *testing.T) {
	s := serve(t, httpapi.Config{}, echo("GET"))
	for method, want := range map[string]int{"TRACE": 405, "OPTIONS": 405, "PATCH": 405, "HEAD": 200, "GET": 200} {
		res, body := call(
			t,
			s,
			"admin",
			method,
			"/api/v1/echo",
			"",
			"Origin",
			"https://evil.test",
			"X-Http-Method-Override",
			"DELETE",
		)
		if res.StatusCode != want {
			t.Errorf("%s = %d; want %d", method, res.StatusCode, want)
		}
		if method == "HEAD" && (body != nil || res.Header.Get("Content-Type") != "application/json") {
			t.Errorf("HEAD has the body %v, type %s", body, res.Header.Get("Content-Type"))
		}
		if want == 405 && !strings.Contains(res.Header.Get("Allow"), "GET, HEAD") {
			t.Errorf("%s: Allow is %q", method, res.Header.Get("Allow"))
		}
		for name := range res.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: another origin is told %s", method, name)
			}
		}
	}
}

func TestBrowsersAreToldToBeCareful(t *testing.T) {
	s := serve(t, httpapi.Config{BehindProxy: true}, echo("GET"))
	for _, as := range []string{"admin", ""} {
		res, _ := call(t, s, as, "GET", "/api/v1/echo", "")
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Cache-Control":             "no-store",
			"Content-Security-Policy":   "default-src 'none'; frame-ancestors 'none'",
			"Strict-Transport-Security": "max-age=31536000",
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %q; want %q", name, got, want)
			}
		}
	}
}

func TestAnAcceptHeaderThatRulesEverythingOutIsRefused(t *testing.T) {
	s := serve(t, httpapi.Config{}, echo("GET"))
	for accept, want := range map[string]int{
		"": 200, "*/*": 200, "application/json": 200, "application/*": 200, "text/html, */*;q=0.1": 200,
		"application/problem+json": 200,
		"text/html":                406, "application/xml": 406, "application/json;q=0": 406,
		"text/html, application/json; q=0.0": 406, "/": 200,
	} {
		res, body := call(t, s, "admin", "GET", "/api/v1/echo", "", "Accept", accept)
		if res.StatusCode != want || (want == 406 && body["code"] != "not_acceptable") {
			t.Errorf("Accept: %s = %d %v; want %d", accept, res.StatusCode, body["code"], want)
		}
	}
}

func TestAClientsOwnRequestIDIsRepeatedWhenItIsHarmless(t *testing.T) {
	s := serve(t, httpapi.Config{})
	for id, want := range map[string]any{"order-17_a.b": "order-17_a.b", "": nil, "a b": nil, "<x>": nil,
		strings.Repeat("a", 65): nil} {
		res, body := call(t, s, "admin", "GET", "/api/v1/nothing", "", "X-Request-Id", id)
		if body["client_request_id"] != want {
			t.Errorf("%q: client_request_id = %v; want %v", id, body["client_request_id"], want)
		}
		if res.Header.Get("X-Request-Id") == id {
			t.Errorf("%q: the client chose the request's id", id)
		}
	}
}

func TestTraces(t *testing.T) {
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	s := serve(t, httpapi.Config{}, echo("GET"))
	for value, continues := range map[string]bool{
		"00-" + id + "-" + parent + "-01":                      true,
		"\t 00-" + id + "-" + parent + "-00 ":                  true,
		"cc-" + id + "-" + parent + "-01":                      true,
		"cc-" + id + "-" + parent + "-01-what":                 true,
		"cc-" + id + "-" + parent + "-01.what":                 false,
		"00-" + id + "-" + parent + "-01-what":                 false,
		"00-" + id + "-" + parent + "-01.":                     false,
		"ff-" + id + "-" + parent + "-01":                      false,
		"00-" + strings.Repeat("0", 32) + "-" + parent + "-01": false,
		"00-" + id + "-" + strings.Repeat("0", 16) + "-01":     false,
		"00-" + strings.ToUpper(id) + "-" + parent + "-01":     false,
		"00-" + id[1:] + "-" + parent + "-01":                  false,
		"00-" + id + "-" + parent[1:] + "-01":                  false,
		"00-" + id + "-" + parent + "-1":                       false,
		"00-" + id + "-" + parent + "-0x":                      false,
		"0-" + id + "-" + parent + "-01":                       false,
		"":                                                     false,
		"00-" + id[:31] + "." + "-" + parent + "-01":           false,
		"00_" + id + "-" + parent + "-01":                      false,
	} {
		_, body := call(t, s, "admin", "GET", "/api/v1/echo", "", "Traceparent", value)
		got, _ := body["Trace"].(string)
		if (got == id+" "+parent) != continues ||
			!regexp.MustCompile(`^[0-9a-f]{32} ([0-9a-f]{16})?$`).MatchString(got) {
			t.Errorf("%q gives %q", value, got)
		}
	}
}

func TestATraceHeaderThatIsThereTwiceBeginsAnew(t *testing.T) {
	s := serve(t, httpapi.Config{}, echo("GET"))
	req, err := http.NewRequest("GET", s.URL+"/api/v1/echo", nil)
	if err != nil {
		t.Fatal(err)
	}
	const value = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	req.Header = http.Header{"Authorization": {"Bearer admin"}, "Traceparent": {value, value}}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if b, _ := io.ReadAll(res.Body); bytes.Contains(b, []byte("0af7651916cd43dd8448eb211c80319c")) {
		t.Errorf("got %s", b)
	}
}

func TestTheAnswerSaysAsWhomItWasMade(t *testing.T) {
	who := viewer.Viewer{}
	s := serve(
		t,
		httpapi.Config{User: func(context.Context, string, *http.Request) (viewer.Viewer, error) { return who, nil }},
		echo("GET"),
	)
	for want, roles := range map[string][]viewer.Role{
		"self": nil, "manager,resource_owner": {viewer.ResourceOwner, viewer.Manager},
		"admin": {viewer.Manager, viewer.Admin}, "auditor": {viewer.Auditor},
	} {
		who = viewer.Viewer{Tenant: "t", Kind: viewer.User, ID: "u", Roles: roles}
		res, body := call(t, s, "x", "GET", "/api/v1/echo", "", "User-Agent", "probe/1")
		if got := res.Header.Get("X-Visibility"); got != want || body["UserAgent"] != "probe/1" {
			t.Errorf("%v: %q, %v", roles, got, body)
		}
	}
	who = viewer.Viewer{Tenant: "t", Kind: viewer.Service, ID: "s", Scopes: []string{"things:read"}}
	res, body := call(t, s, "x", "GET", "/api/v1/echo", "")
	if got := res.Header.Get("WWW-Authenticate"); res.StatusCode != 403 ||
		got != `Bearer realm="grantwright", error="insufficient_scope", scope="echo:read"` {
		t.Errorf("without the scope: %d %q %v", res.StatusCode, got, body)
	}
}

func TestWhatIsDeprecatedSaysSoAndEnds(t *testing.T) {
	since, sunset := time.Unix(1767225600, 0), time.Unix(1798761600, 0)
	now := since
	s := serve(
		t,
		httpapi.Config{Now: func() time.Time { return now }},
		echo("GET").Deprecated(since, sunset, "/api/v1/things"),
	)
	res, _ := call(t, s, "admin", "GET", "/api/v1/echo", "")
	if res.StatusCode != 200 || res.Header.Get("Deprecation") != "@1767225600" ||
		res.Header.Get("Sunset") != "Fri, 01 Jan 2027 00:00:00 GMT" ||
		res.Header.Get("Link") != `</api/v1/things>; rel="successor-version"` {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}
	now = sunset
	res, body := call(t, s, "admin", "GET", "/api/v1/echo", "")
	if res.StatusCode != 410 || body["code"] != "gone" {
		t.Errorf("after its end: %d %v", res.StatusCode, body)
	}
}

func TestEntityTags(t *testing.T) {
	seven := 7
	for _, tt := range []struct {
		header      string
		match, none fault.Kind
	}{
		{"", 0, 0},
		{`"7"`, 0, fault.Precondition},
		{`W/"7"`, fault.Precondition, fault.Precondition},
		{`*`, 0, fault.Precondition},
		{`"6"`, fault.Precondition, 0},
		{`"6", "7"`, 0, fault.Precondition},
		{`"6" ,	W/"7"`, fault.Precondition, fault.Precondition},
		{`7`, fault.Malformed, fault.Malformed},
		{`"7`, fault.Malformed, fault.Malformed},
		{`"6",`, fault.Malformed, fault.Malformed},
		{`"6" "7"`, fault.Malformed, fault.Malformed},
		{`*, "7"`, fault.Malformed, fault.Malformed},
		{`w/"7"`, fault.Malformed, fault.Malformed},
	} {
		for name, got := range map[string]struct {
			err  error
			want fault.Kind
		}{
			"If-Match":      {httpapi.IfMatch{Match: tt.header}.Check(7), tt.match},
			"If-None-Match": {httpapi.IfNoneMatch{NoneMatch: tt.header}.Check(&seven), tt.none},
		} {
			if (got.err == nil) != (got.want == 0) || (got.err != nil && !fault.Is(got.err, got.want)) {
				t.Errorf("%s: %s gives %v; want kind %d", name, tt.header, got.err, got.want)
			}
		}
	}
	if err := (httpapi.IfNoneMatch{NoneMatch: "*"}).Check(nil); err != nil {
		t.Errorf("If-None-Match: * where there is nothing: %v", err)
	}
	s := api(t)
	for header, want := range map[string]int{`W/"3"`: 304, `"1", "3"`: 304, `*`: 304, `"1"`: 200, `3`: 400} {
		if res, _ := call(
			t,
			s,
			"admin",
			"GET",
			"/api/v1/things/a",
			"",
			"If-None-Match",
			header,
		); res.StatusCode != want {
			t.Errorf("If-None-Match: %s = %d; want %d", header, res.StatusCode, want)
		}
	}
}

func TestAPreconditionIsHeldAgainstWhatIsThereOnceTheCallerMay(t *testing.T) {
	put := httpapi.Handle("PUT", "/weighty/{id}", "Write", func(_ context.Context, _ viewer.Viewer, in *struct {
		ID string `path:"id"`
		httpapi.IfMatch
	}) (*httpapi.One[string], error) {
		return &httpapi.One[string]{ETag: httpapi.ETag(8), Body: "x"}, in.Check(7)
	}).For(viewer.Admin)
	s := serve(t, httpapi.Config{}, put)
	for _, tt := range []struct {
		as, match string
		status    int
		code      any
	}{
		{"", `"7"`, 401, "authentication_required"}, {"manager", "", 403, "forbidden"},
		{"auditor", `"6"`, 403, "read_only_role"},
		{"admin", "", 200, nil}, {"admin", `"6"`, 412, "precondition_failed"},
		{"admin", `W/"7"`, 412, "precondition_failed"},
		{"admin", "7", 400, "invalid_request"}, {"admin", `"7"`, 200, nil}, {"admin", "*", 200, nil},
	} {
		res, body := call(t, s, tt.as, "PUT", "/api/v1/weighty/1", "", "If-Match", tt.match)
		if res.StatusCode != tt.status || (tt.status != 200 && body["code"] != tt.code) {
			t.Errorf(
				"%q with If-Match: %s = %d %v; want %d %v",
				tt.as,
				tt.match,
				res.StatusCode,
				body["code"],
				tt.status,
				tt.code,
			)
		}
	}
}

func TestBodiesHaveBoundsThatBulkRoutesWiden(t *testing.T) {
	type in struct{ Body []int }
	count := func(path string) httpapi.Route {
		return httpapi.Handle(
			"POST",
			path,
			"Count",
			func(_ context.Context, _ viewer.Viewer, in *in) (*httpapi.One[int], error) {
				return &httpapi.One[int]{Body: len(in.Body)}, nil
			},
		)
	}
	s := serve(t, httpapi.Config{}, count("/few"), count("/many/{id}/all").Bulk())
	numbers := func(n int, pad string) string {
		return "[" + strings.TrimSuffix(strings.Repeat("1"+pad+",", n), ",") + "]"
	}
	for _, tt := range []struct {
		name, path, body string
		status           int
		code             any
	}{
		{"9,999 in a usual one", "/few", numbers(9999, ""), 200, nil},
		{"10,000 in a usual one", "/few", numbers(10_000, ""), 400, "malformed_json"},
		{"10,000 in bulk", "/many/1/all", numbers(10_000, ""), 200, nil},
		{"2 MB in a usual one", "/few", numbers(2, strings.Repeat(" ", 1<<20)), 413, "payload_too_large"},
		{"2 MB in bulk", "/many/1/all", numbers(2, strings.Repeat(" ", 1<<20)), 200, nil},
		{"11 MB in bulk", "/many/1/all", numbers(11, strings.Repeat(" ", 1<<20)), 413, "payload_too_large"},
	} {
		res, body := call(t, s, "admin", "POST", "/api/v1"+tt.path, tt.body)
		if res.StatusCode != tt.status || body["code"] != tt.code {
			t.Errorf("%s: %d %v; want %d %v", tt.name, res.StatusCode, body["code"], tt.status, tt.code)
		}
	}
}

func TestAMalformedAuthorizationIsSaidSo(t *testing.T) {
	s := serve(t, httpapi.Config{}, echo("GET"))
	res, body := call(t, s, "admin", "GET", "/api/v1/echo?access_token=x", "")
	if got := res.Header.Get("WWW-Authenticate"); res.StatusCode != 400 || body["code"] != "invalid_request" ||
		got != `Bearer realm="grantwright", error="invalid_request"` {
		t.Errorf("got %d %v %q", res.StatusCode, body["code"], got)
	}
}
