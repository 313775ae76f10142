package httpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

type thing struct {
	Name string `json:"name" minLength:"1" maxLength:"20"`
	Size int    `json:"size,omitempty"`
}

type listIn struct {
	httpapi.Paging
	Color string `query:"color" enum:"red,blue"`
}

func api(t *testing.T) *httptest.Server {
	t.Helper()
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	a := httpapi.New(
		httpapi.Config{Title: "test", Version: "1", Log: slog.New(slog.DiscardHandler), User: byName, Agent: nobody},
	)
	a.Add(
		httpapi.Handle(
			"GET",
			"/things",
			"List things",
			func(_ context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[thing], error) {
				w, err := cursors.Walk(v, "things", in.Paging, in.Color)
				if err != nil {
					return nil, err
				}
				start := w.Page.Offset
				if len(w.Page.After) > 0 {
					start = int(w.Page.After[0][0]-'a') + 1
				}
				var items []thing
				for i := start; i < 5 && len(items) <= w.Page.Limit; i++ {
					items = append(items, thing{Name: string(rune('a' + i))})
				}
				return httpapi.Out(w, items, 5, func(x thing) []string { return []string{x.Name} }), nil
			},
		),
		httpapi.Handle("POST", "/things", "Make a thing",
			func(_ context.Context, _ viewer.Viewer, in *struct{ Body thing }) (*httpapi.Created[thing], error) {
				if in.Body.Name == "taken" {
					return nil, fault.Coded(fault.Conflict, "taken", "there is one already")
				}
				return &httpapi.Created[thing]{ETag: httpapi.ETag(1), Location: "/api/v1/things/1", Body: in.Body}, nil
			}).
			For(viewer.Admin).
			Status(201),
		httpapi.Handle("GET", "/things/{id}", "Read a thing", func(_ context.Context, _ viewer.Viewer, in *struct {
			ID string `path:"id"`
		}) (*httpapi.One[thing], error) {
			if in.ID == "panic" {
				panic("secret words")
			}
			return &httpapi.One[thing]{ETag: httpapi.ETag(3), Body: thing{Name: in.ID}}, nil
		}),
		httpapi.Handle("POST", "/auth/login", "Sign in",
			func(_ context.Context, _ viewer.Viewer, in *struct{ Body thing }) (*httpapi.One[thing], error) {
				return &httpapi.One[thing]{Body: in.Body}, nil
			}).
			NoToken(),
	)
	s := httptest.NewServer(a.Router)
	t.Cleanup(s.Close)
	return s
}

func byName(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
	switch bearer {
	case "admin", "auditor", "manager":
		return viewer.Viewer{Tenant: "t", Kind: viewer.User, ID: bearer, Roles: []viewer.Role{viewer.Role(bearer)}}, nil
	}
	return nobody(context.Background(), "", nil)
}

func nobody(context.Context, string, *http.Request) (viewer.Viewer, error) {
	return viewer.Viewer{}, fault.Coded(fault.Unauthenticated, "invalid_token", "this token is not valid here")
}

func call(
	t *testing.T,
	s *httptest.Server,
	as, method, path, body string,
	header ...string,
) (*http.Response, map[string]any) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if as != "" {
		req.Header.Set("Authorization", "Bearer "+as)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	var m map[string]any
	_ = json.Unmarshal(b, &m)
	return res, m
}

func TestEveryRefusalIsAProblemWithItsCode(t *testing.T) {
	s := api(t)
	for _, tt := range []struct {
		name, as, method, path, body string
		status                       int
		code                         string
	}{
		{"no token", "", "GET", "/api/v1/things", "", 401, "authentication_required"},
		{"bad token", "x", "GET", "/api/v1/things", "", 401, "invalid_token"},
		{"unknown path without a token", "", "GET", "/api/v1/nothing", "", 401, "authentication_required"},
		{"unknown path with a token", "admin", "GET", "/api/v1/nothing", "", 404, "not_found"},
		{"user token on an agent path", "admin", "GET", "/api/v1/agent/x", "", 401, "invalid_token"},
		{"a path that only starts like an agent path", "admin", "GET", "/api/v1/agents", "", 404, "not_found"},
		{"wrong method", "admin", "DELETE", "/api/v1/things", "", 405, "method_not_allowed"},
		{"unknown parameter", "admin", "GET", "/api/v1/things?colour=red", "", 400, "unknown_parameter"},
		{"repeated parameter", "admin", "GET", "/api/v1/things?limit=1&limit=2", "", 400, "invalid_parameter"},
		{"limit 0", "admin", "GET", "/api/v1/things?limit=0", "", 400, "invalid_parameter"},
		{"limit negative", "admin", "GET", "/api/v1/things?limit=-1", "", 400, "invalid_parameter"},
		{"limit text", "admin", "GET", "/api/v1/things?limit=abc", "", 400, "invalid_parameter"},
		{"limit with plus", "admin", "GET", "/api/v1/things?limit=%2B5", "", 400, "invalid_parameter"},
		{"limit empty", "admin", "GET", "/api/v1/things?limit=", "", 400, "invalid_parameter"},
		{"limit fraction", "admin", "GET", "/api/v1/things?limit=1.5", "", 400, "invalid_parameter"},
		{"limit beyond 32 bits", "admin", "GET", "/api/v1/things?limit=3000000000", "", 400, "invalid_parameter"},
		{"offset negative", "admin", "GET", "/api/v1/things?offset=-1", "", 400, "invalid_parameter"},
		{"unknown enum value", "admin", "GET", "/api/v1/things?color=green", "", 400, "invalid_parameter"},
		{"forged cursor", "admin", "GET", "/api/v1/things?cursor=abc", "", 400, "invalid_cursor"},
		{"not JSON", "admin", "POST", "/api/v1/things", "{", 400, "malformed_json"},
		{"trailing data", "admin", "POST", "/api/v1/things", `{"name":"a"} x`, 400, "malformed_json"},
		{"duplicate member", "admin", "POST", "/api/v1/things", `{"name":"a","Name":"b"}`, 400, "duplicate_member"},
		{"NUL", "admin", "POST", "/api/v1/things", `{"name":"a\u0000"}`, 400, "invalid_encoding"},
		{"invalid UTF-8", "admin", "POST", "/api/v1/things", "{\"name\":\"\xff\"}", 400, "invalid_encoding"},
		{"too deep", "admin", "POST", "/api/v1/things", strings.Repeat("[", 70), 400, "malformed_json"},
		{"server's member", "admin", "POST", "/api/v1/things", `{"name":"a","id":"1"}`, 422, "read_only_field"},
		{"unknown member", "admin", "POST", "/api/v1/things", `{"name":"a","nmae":"b"}`, 422, "unknown_field"},
		{"member in capitals", "admin", "POST", "/api/v1/things", `{"name":"a","Size":1}`, 422, "unknown_field"},
		{"duplicate in another case", "admin", "POST", "/api/v1/things", `{"name":"a","size":1,"ſize":2}`, 400,
			"duplicate_member"},
		{"duplicate further in", "admin", "POST", "/api/v1/things", `{"name":"a","x":[{"b":1,"b":2}]}`, 400,
			"duplicate_member"},
		{"server's member in another case", "admin", "POST", "/api/v1/things", `{"name":"a","ſtatuſ":"1"}`, 422,
			"read_only_field"},
		{"NUL in a name", "admin", "POST", "/api/v1/things", `{"name":"a","\u0000":1}`, 400, "invalid_encoding"},
		{"malformed If-None-Match without a token", "", "GET", "/api/v1/things", "", 401, "authentication_required"},
		{"rule broken", "admin", "POST", "/api/v1/things", `{"name":""}`, 422, "validation_failed"},
		{"fault of the handler", "admin", "POST", "/api/v1/things", `{"name":"taken"}`, 409, "taken"},
		{"auditor writes", "auditor", "POST", "/api/v1/things", `{"name":"a"}`, 403, "read_only_role"},
		{"auditor writes what is not valid", "auditor", "POST", "/api/v1/things", `{"name":""}`, 403, "read_only_role"},
		{"role missing", "manager", "POST", "/api/v1/things", `{"name":"a"}`, 403, "forbidden"},
		{"too large", "admin", "POST", "/api/v1/things", `{"name":"` + strings.Repeat("a", 1<<20) + `"}`, 413,
			"payload_too_large"},
		{"panic", "admin", "GET", "/api/v1/things/panic", "", 500, "internal_error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var header []string
			if strings.Contains(tt.name, "If-None-Match") {
				header = []string{"If-None-Match", "x"}
			}
			res, body := call(t, s, tt.as, tt.method, tt.path, tt.body, header...)
			if res.StatusCode != tt.status || body["code"] != tt.code {
				t.Errorf("got %d %v; want %d %s (%v)", res.StatusCode, body["code"], tt.status, tt.code, body)
			}
			if got := res.Header.Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("Content-Type = %q", got)
			}
			if body["request_id"] == "" || body["request_id"] != res.Header.Get("X-Request-Id") {
				t.Errorf("request_id = %v; want that of the header", body["request_id"])
			}
			if tt.status == 401 && !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("WWW-Authenticate = %q", res.Header.Get("WWW-Authenticate"))
			}
		})
	}
}

func TestOnlyJSONInUTF8IsTaken(t *testing.T) {
	s := api(t)
	for _, tt := range []struct {
		media, coding string
		status        int
	}{
		{"application/json", "", 201}, {"Application/JSON; charset=UTF-8", "", 201},
		{"application/merge-patch+json", "", 201}, {"application/json", "identity", 201},
		{"text/plain", "", 415}, {"", "", 415}, {"application/json; charset=latin1", "", 415},
		{"application/x-www-form-urlencoded", "", 415},
		{"application/jsonx", "", 415}, {"application/json, text/plain", "", 415}, {"application/json", "gzip", 415},
		{"application/json", "br", 415},
	} {
		res, body := call(
			t,
			s,
			"admin",
			"POST",
			"/api/v1/things",
			`{"name":"a"}`,
			"Content-Type",
			tt.media,
			"Content-Encoding",
			tt.coding,
		)
		if res.StatusCode != tt.status || (tt.status == 415 && body["code"] != "unsupported_media_type") {
			t.Errorf("%s %s: got %d %v; want %d", tt.media, tt.coding, res.StatusCode, body, tt.status)
		}
	}
}

func TestARejectedValueIsNeverEchoed(t *testing.T) {
	_, body := call(t, api(t), "", "POST", "/api/v1/auth/login", `{"name":"a-password-that-is-far-too-long"}`)
	if b, _ := json.Marshal(body); strings.Contains(string(b), "a-password") {
		t.Errorf("the answer repeats the value: %s", b)
	}
}

func TestAListIsWalkedByCursorToItsEnd(t *testing.T) {
	s := api(t)
	var got, cursor string
	for range 4 {
		_, body := call(t, s, "admin", "GET", "/api/v1/things?limit=2"+cursor, "")
		for _, item := range body["items"].([]any) {
			got += item.(map[string]any)["name"].(string)
		}
		next, _ := body["next_cursor"].(string)
		if next == "" {
			break
		}
		cursor = "&cursor=" + next
	}
	if got != "abcde" {
		t.Errorf("walked %q; want abcde", got)
	}
	if res, body := call(t, s, "manager", "GET", "/api/v1/things?limit=2"+cursor, ""); res.StatusCode != 400 {
		t.Errorf("another viewer may use the cursor: %d %v", res.StatusCode, body)
	}
	if res, body := call(t, s, "admin", "GET", "/api/v1/things?color=red"+cursor, ""); res.StatusCode != 400 {
		t.Errorf("the cursor works with other filters: %d %v", res.StatusCode, body)
	}
	if res, body := call(
		t,
		s,
		"admin",
		"GET",
		"/api/v1/things?offset=1"+cursor,
		"",
	); body["code"] != "conflicting_parameters" {
		t.Errorf("cursor and offset: %d %v", res.StatusCode, body)
	}
}

func TestTheEnvelopeTellsWhatWasApplied(t *testing.T) {
	_, body := call(t, api(t), "admin", "GET", "/api/v1/things?limit=9999&offset=7", "")
	if body["limit"] != 500.0 || body["offset"] != 7.0 || body["total"] != 5.0 || len(body["items"].([]any)) != 0 {
		t.Errorf("got %v", body)
	}
	if next, there := body["next_cursor"]; !there || next != nil {
		t.Errorf("next_cursor = %v, there: %v; want null", next, there)
	}
}

func TestAnUnchangedResourceIsNotSentAgain(t *testing.T) {
	s := api(t)
	res, _ := call(t, s, "admin", "GET", "/api/v1/things/a", "", "If-None-Match", `"3"`)
	if res.StatusCode != 304 {
		t.Errorf("got %d; want 304", res.StatusCode)
	}
	res, _ = call(t, s, "admin", "GET", "/api/v1/things/a", "", "If-None-Match", `"2"`)
	if res.StatusCode != 200 || res.Header.Get("ETag") != `"3"` {
		t.Errorf("got %d, ETag %s", res.StatusCode, res.Header.Get("ETag"))
	}
}

func TestACreatedThingHasALocation(t *testing.T) {
	res, body := call(t, api(t), "admin", "POST", "/api/v1/things", `{"name":"a"}`)
	if res.StatusCode != 201 || res.Header.Get("Location") == "" || body["name"] != "a" || body["$schema"] != nil {
		t.Errorf("got %d, Location %q, %v", res.StatusCode, res.Header.Get("Location"), body)
	}
}
