package app_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// strange are values for parameters of queries, as they travel.
var strange = []string{
	"",
	"%20",
	"%00",
	"a%00b",
	"%ff",
	"%c0%af",
	"%ed%a0%80",
	"%0d%0aX-Injected:1",
	"'",
	"%27%20or%201=1--",
	"%25%25%5f",
	"*",
	"null",
	"true",
	"-1",
	"0",
	"1e400",
	"9223372036854775808",
	"%2B5",
	"0000-01-01T00:00:00Z",
	"0001-01-01T00:00:00Z",
	"999999-01-01T00:00:00Z",
	"9999-12-31T23:59:60Z",
	"9999-12-31T23:59:59.999999999%2B23:59",
	"-infinity",
	"urn:uuid:01a1f99f-1d39-767a-8283-ef45f2482195",
	"%7B01a1f99f-1d39-767a-8283-ef45f2482195%7D",
	"01a1f99f1d39767a8283ef45f2482195",
	"01A1F99F-1D39-767A-8283-EF45F2482195",
	"01a1f99f-1d39-767a-8283-ef45f248219g",
	"created_at;drop%20table%20identity",
	"created_at%20desc",
	"-",
	"--created_at",
	"created_at,",
	"(select%201)",
	"password_hash",
	"%E2%80%AE",
	",,,,",
	strings.Repeat("a,", 500),
	strings.Repeat("x", 7000),
}

func TestStrangeQueriesAreTheCallersFault(t *testing.T) {
	r := newRaid(t)
	before := r.standing()
	tried := 0
	for _, o := range r.aims() {
		if o.method != "GET" || o.path == "/auth/oidc/callback" || strings.HasSuffix(o.path, "/events") {
			continue
		}
		path := r.filled(o.path)
		ask := func(query string) received { tried++; return r.knock(o, path+"?"+query, nil, nil) }
		if plain := r.knock(o, path, nil, nil); plain.status >= 500 {
			t.Errorf("%s = %d %s", o, plain.status, plain.code())
		}
		for _, unknown := range []string{"nonsense=1", "Limit=1", "limit%5B%5D=1", "tenant_id=" + r.home, "%00=1",
			"$filter=1", "__proto__=1"} {
			if got := ask(unknown); got.status != 400 || got.code() != "unknown_parameter" {
				t.Errorf("%s?%s = %d %s; want 400 unknown_parameter", o, unknown, got.status, got.code())
			}
		}
		if got := ask("access_token=" + r.token); got.status != 400 {
			t.Errorf("%s with a token in the query = %d; want 400", o, got.status)
		}
		if got := ask("q=" + strings.Repeat("x", 10_000)); got.status != 414 || got.code() != "uri_too_long" {
			t.Errorf("%s with 10 kB = %d %s; want 414 uri_too_long", o, got.status, got.code())
		}
		for _, p := range r.parameters(o) {
			if p.in != "query" {
				continue
			}
			for _, v := range strange {
				got := ask(p.name + "=" + v)
				if !slices.Contains([]int{200, 400, 404, 422}, got.status) {
					t.Errorf("%s?%s=%.80s = %d %s", o, p.name, v, got.status, got.code())
				}
				if raw, err := url.QueryUnescape(v); err == nil && strings.Contains(raw, "\x00") && got.status != 400 &&
					got.status != 404 {
					t.Errorf("%s?%s=%.80s = %d %s; a NUL is 400", o, p.name, v, got.status, got.code())
				}
				if got.header.Get("X-Injected") != "" {
					t.Errorf("%s?%s=%s writes a header of its own", o, p.name, v)
				}
			}
			if got := ask(p.name + "=1&" + p.name + "=1"); got.status != 400 {
				t.Errorf("%s with %s twice = %d %s; want 400", o, p.name, got.status, got.code())
			}
			if p.kind != "integer" || p.name != "limit" && p.name != "offset" {
				continue
			}
			for _, v := range []string{"abc", "1.5", "%2B5", "-1", "0x10", "1e3", "%205", "5%20", "2147483648",
				"99999999999999999999", "%D9%A3", ""} {
				if got := ask(p.name + "=" + v); got.status != 400 || got.code() != "invalid_parameter" {
					t.Errorf("%s?%s=%s = %d %s; want 400 invalid_parameter", o, p.name, v, got.status, got.code())
				}
			}
		}
		if hasLimit(r.parameters(o)) && !strings.HasPrefix(o.path, "/sector-packs/{key}/") &&
			!strings.HasPrefix(o.path, "/access-requests/{id}/") { // of which there is none here
			if got := ask("limit=0"); got.status != 400 || !slices.Contains(got.points(), "limit") {
				t.Errorf("%s?limit=0 = %d %v; want 400 at limit", o, got.status, got.points())
			}
			if got := ask("limit=1000000000"); got.status != 200 || got.body["limit"] != 500.0 {
				t.Errorf("%s?limit=1000000000 = %d, limit %v; want 200 and 500", o, got.status, got.body["limit"])
			}
			if got := ask("offset=2147483647"); got.status != 200 || len(got.body["items"].([]any)) != 0 {
				t.Errorf("%s?offset=2147483647 = %d; want 200 and nothing", o, got.status)
			}
		}
	}
	if tried < 5000 {
		t.Errorf("only %d queries tried: the list is not whole", tried)
	}
	r.unchanged(before)
}

func hasLimit(all []parameter) bool {
	return slices.ContainsFunc(all, func(p parameter) bool { return p.name == "limit" })
}

// crooked are ids that are none, as they travel in a path.
var crooked = []string{
	"x",
	"0",
	"-1",
	"null",
	"%00",
	"01a1f99f-1d39-767a-8283-ef45f2482195%00",
	"%ff",
	"..%2f..%2fsettings",
	"%2e%2e",
	".",
	"%20",
	"01a1f99f-1d39-767a-8283-ef45f248219",
	"01a1f99f-1d39-767a-8283-ef45f24821955",
	"01a1f99f-1d39-767a-8283-ef45f248219g",
	"01a1f99f1d39767a8283ef45f2482195",
	"%7B01a1f99f-1d39-767a-8283-ef45f2482195%7D",
	"urn:uuid:01a1f99f-1d39-767a-8283-ef45f2482195",
	"01A1F99F-1D39-767A-8283-EF45F2482195",
	"00000000-0000-0000-0000-000000000000",
	"%27%20or%20%271%27=%271",
	"*",
	"%25",
	strings.Repeat("x", 10_000),
	"%E2%80%AE",
	"id%0d%0aX-Injected:1",
}

func TestCrookedIdsNameNothing(t *testing.T) {
	r := newRaid(t)
	bodies := r.sound()
	before := r.standing()
	for _, o := range r.aims() {
		for _, place := range []string{"{id}", "{run_id}", "{evidence_id}", "{delivery_id}", "{item_id}", "{key}"} {
			if !strings.Contains(o.path, place) {
				continue
			}
			for _, id := range crooked {
				path := r.filled(strings.Replace(o.path, place, id, 1))
				got := r.knock(o, path, []byte(bodies[o.String()]), nil)
				if !slices.Contains([]int{400, 404, 422, http.StatusMethodNotAllowed}, got.status) || got.code() == "" {
					t.Errorf("%s with %.80s = %d %s %.100s", o, id, got.status, got.code(), got.raw)
				}
			}
		}
	}
	r.unchanged(before)
}
