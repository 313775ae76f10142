package app_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestOddHeadersAreRefusedOrMeanNothing(t *testing.T) {
	r := newRaid(t)
	get := aimed{method: "GET", path: "/identities"}
	one := aimed{method: "PATCH", path: "/settings/webhooks/{id}"}
	post := aimed{method: "POST", path: "/settings/agents"}
	bearer := "Bearer " + r.token
	many := http.Header{}
	for i := range 120 {
		many[fmt.Sprintf("X-Many-%d", i)] = []string{"x"}
	}
	key := uuid.NewString()
	for _, tt := range []struct {
		name   string
		at     aimed
		body   string
		header http.Header
		status int
		code   string // empty: any
	}{
		{"two tenants", get, "", http.Header{"X-Tenant-Id": {r.tenant.Tenant, r.home}}, 400, ""},
		{"the same tenant twice", get, "", http.Header{"X-Tenant-Id": {r.tenant.Tenant, r.tenant.Tenant}}, 400, ""},
		{"a tenant that is no id", get, "", http.Header{"X-Tenant-Id": {"acme"}}, 400, ""},
		{"two tenants in one", get, "", http.Header{"X-Tenant-Id": {r.tenant.Tenant + "," + r.home}}, 400, ""},
		{"another's tenant", get, "", http.Header{"X-Tenant-Id": {r.home}}, 403, "tenant_override_forbidden"},
		{"no tenant's id", get, "", http.Header{"X-Tenant-Id": {nothing}}, 403, "tenant_override_forbidden"},
		{"two tokens", get, "", http.Header{"Authorization": {bearer, bearer}}, 400, "invalid_request"},
		{"a token and a password", get, "", http.Header{"Authorization": {bearer, "Basic eDp5"}}, 400,
			"invalid_request"},
		{"two tokens in one", get, "", http.Header{"Authorization": {bearer + ", " + bearer}}, 401, "invalid_token"},
		{"Basic", get, "", http.Header{"Authorization": {"Basic eDp5"}}, 401, "authentication_required"},
		{"no scheme", get, "", http.Header{"Authorization": {r.token}}, 401, "authentication_required"},
		{"an empty token", get, "", http.Header{"Authorization": {"Bearer "}}, 401, ""},
		{"a token in another case", get, "", http.Header{"Authorization": {"bEaReR " + r.token}}, 200, ""},
		{"a token in a cookie", get, "", http.Header{"Authorization": nil,
			"Cookie": {"access_token=" + r.token + "; token=" + r.token}}, 401, "authentication_required"},
		{"another method by a header", get, "",
			http.Header{"X-Http-Method-Override": {"DELETE"}, "X-Method-Override": {"DELETE"}}, 200, ""},
		{"another path by a header", get, "",
			http.Header{"X-Original-Url": {"/api/v1/control-plane/tenants"}, "X-Rewrite-Url": {"/health"}}, 200, ""},
		{"40 kB in a header", get, "", http.Header{"X-Large": {strings.Repeat("x", 40<<10)}}, 431, "headers_too_large"},
		{"120 headers", get, "", many, 431, "headers_too_large"},
		{"Accept: text/html", get, "", http.Header{"Accept": {"text/html"}}, 406, "not_acceptable"},
		{"Accept: JSON by no means", get, "", http.Header{"Accept": {"application/json;q=0"}}, 406, "not_acceptable"},
		{"Accept that cannot be read", get, "", http.Header{"Accept": {";;;///"}}, 200, ""},
		{"Accept of 8 kB", get, "", http.Header{"Accept": {strings.Repeat("a/b,", 2000) + "*/*"}}, 200, ""},
		{"a trace of garbage", get, "", http.Header{"Traceparent": {"00-zz-zz-zz"},
			"Tracestate": {"\x01"[:0] + strings.Repeat("a=b,", 500)}}, 200, ""},
		{"two traces", get, "", http.Header{"Traceparent": {"00-" + strings.Repeat("a", 32) + "-" +
			strings.Repeat("b", 16) + "-01", "x"}}, 200, ""},
		{"a request's id that is none", get, "", http.Header{"X-Request-Id": {"<script>", strings.Repeat("x", 500)}},
			200, ""},
		{"If-None-Match that cannot be read", get, "", http.Header{"If-None-Match": {`"x`}}, 400, "invalid_request"},
		{"If-Match without quotes", one, `{"name":"m"}`, http.Header{"If-Match": {"1"}}, 400, "invalid_request"},
		{"If-Match weakly", one, `{"name":"m"}`, http.Header{"If-Match": {`W/"1"`}}, 412, "precondition_failed"},
		{"If-Match with more behind", one, `{"name":"m"}`, http.Header{"If-Match": {`"1" or true`}}, 400,
			"invalid_request"},
		{"If-Match of another version", one, `{"name":"m"}`, http.Header{"If-Match": {`"99999999999999999999"`}}, 412,
			"precondition_failed"},
		{"If-Match of nothing", one, `{"name":"m"}`, http.Header{"If-Match": {`""`}}, 412, "precondition_failed"},
		{"a key that is no UUID", post, `{"name":"m"}`, http.Header{"Idempotency-Key": {"x"}}, 400,
			"invalid_idempotency_key"},
		{"an empty key", post, `{"name":"m"}`, http.Header{"Idempotency-Key": {""}}, 400, "invalid_idempotency_key"},
		{"two keys", post, `{"name":"m"}`, http.Header{"Idempotency-Key": {key, key}}, 400, "invalid_idempotency_key"},
		{"a key of 10 kB", post, `{"name":"m"}`, http.Header{"Idempotency-Key": {strings.Repeat("a", 10_000)}}, 400,
			"invalid_idempotency_key"},
		{"a key with quotes and more", post, `{"name":"m"}`, http.Header{"Idempotency-Key": {`"` + key + `";a=b`}}, 400,
			"invalid_idempotency_key"},
		{"a key as a URN", post, `{"name":"m"}`, http.Header{"Idempotency-Key": {"urn:uuid:" + key}}, 400,
			"invalid_idempotency_key"},
	} {
		got := r.knock(tt.at, r.filled(tt.at.path), []byte(tt.body), tt.header)
		if got.status != tt.status || tt.code != "" && got.code() != tt.code {
			t.Errorf("%s = %d %s; want %d %s (%.200s)", tt.name, got.status, got.code(), tt.status, tt.code, got.raw)
		}
		if strings.Contains(got.raw, r.token) || strings.Contains(fmt.Sprint(got.header), "<script>") {
			t.Errorf("%s: what was sent comes back: %v %.300s", tt.name, got.header, got.raw)
		}
	}
	if list := r.as(r.token, "GET", "/settings/agents", nil).column("name"); !slices.Equal(list, []string{"site"}) {
		t.Errorf("the agents are %q: something that was refused has written", list)
	}
}

// TestACursorIsGoodForOneListOfOneCaller takes cursors apart, and to where they do not belong.
func TestACursorIsGoodForOneListOfOneCaller(t *testing.T) {
	r := newRaid(t)
	for _, name := range []string{"a", "b", "c"} {
		r.person(name, "")
	}
	cursor := r.as(r.token, "GET", "/identities?limit=1", nil).is(t, "a page", 200, "").text("next_cursor")
	r.as(r.token, "GET", "/identities?limit=2&cursor="+cursor, nil).is(t, "the next page, of another size", 200, "")
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	tampered := map[string]string{
		"cut short":        cursor[:len(cursor)-1],
		"longer":           cursor + "A",
		"padded":           cursor + "=",
		"twice":            cursor + cursor,
		"of other letters": base64.StdEncoding.EncodeToString(raw) + "+/",
		"a word":           "next",
		"JSON":             base64.RawURLEncoding.EncodeToString([]byte(`{"e":9999999999,"a":["",""]}`)),
		"nothing sealed":   base64.RawURLEncoding.EncodeToString(make([]byte, 64)),
	}
	for at := range raw {
		flipped := slices.Clone(raw)
		flipped[at] ^= 1 << (at % 8)
		tampered[fmt.Sprintf("with a bit of byte %d flipped", at)] = base64.RawURLEncoding.EncodeToString(flipped)
	}
	for name, c := range tampered {
		if got := r.as(
			r.token,
			"GET",
			"/identities?cursor="+strings.NewReplacer("+", "%2B", "=", "%3D", "/", "%2F").Replace(c),
			nil,
		); got.status != 400 ||
			got.text("code") != "invalid_cursor" {
			t.Errorf("a cursor %s = %d %s", name, got.status, got.text("code"))
		}
	}
	_, colleague := r.user("colleague@acme.test", "", "admin")
	for _, tt := range []struct{ name, token, query string }{
		{"a colleague's", colleague, "/identities?cursor="}, {"another tenant's", r.operator, "/identities?cursor="},
		{"with another order", r.token, "/identities?sort=-email&cursor="},
		{"with a filter", r.token, "/identities?kind=human&cursor="},
	} {
		r.as(tt.token, "GET", tt.query+cursor, nil).is(t, "a cursor "+tt.name, 400, "invalid_cursor")
	}
	r.as(r.token, "GET", "/identities?offset=1&cursor="+cursor, nil).
		is(t, "a cursor and an offset", 400, "conflicting_parameters")
	lists := 0
	for _, o := range r.aims() {
		if o.method == "GET" && o.path != "/identities" &&
			slices.ContainsFunc(r.parameters(o), func(p parameter) bool { return p.name == "cursor" }) {
			lists++
			if got := r.knock(
				o,
				r.filled(o.path)+"?cursor="+cursor,
				nil,
				nil,
			); got.status != 400 ||
				got.code() != "invalid_cursor" {
				t.Errorf("%s with the cursor of another list = %d %s", o, got.status, got.code())
			}
		}
	}
	if lists < 20 {
		t.Errorf("only %d lists tried", lists)
	}
}
