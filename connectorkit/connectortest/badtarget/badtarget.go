// Package badtarget is a SCIM and REST service that misbehaves on schedule: the acceptance tests read it, and every
// fault of the schedule must have happened at the end, or the test has proven nothing.
package badtarget

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Kind is a way to misbehave. A fault falls on one request of its place in the order of requests for it.
type Kind string

// Faults after which a read must still bring everything: the connector asks again.
const (
	TooMany       Kind = "429 with Retry-After 0"
	TooManyByDate Kind = "429 with Retry-After as a date"
	TooManyOddly  Kind = "429 with a Retry-After that says nothing"
	Unavailable   Kind = "503"
	ServerError   Kind = "500"
	ResetBefore   Kind = "connection closed without an answer"
	CutInBody     Kind = "connection closed in the middle of the JSON"
	ShortLength   Kind = "content-length larger than the body"
)

// Faults after which a read must not pass for complete: it fails, or says of the kind that it is not whole.
const (
	HTMLPage        Kind = "200 with an HTML page"
	ErrorBody       Kind = "200 with an error in the body"
	GzipBomb        Kind = "a gzip bomb"
	EndlessBody     Kind = "a body without an end"
	RepeatedPage    Kind = "the page before, once more, for ever"
	EmptyPage       Kind = "an empty page although more was announced"
	BadUTF8         Kind = "bytes that are no UTF-8"
	DeepNesting     Kind = "arrays nested ten thousand deep"
	NotJSON         Kind = "a body that is no JSON"
	Forbidden       Kind = "403 in the middle"
	WrongTypes      Kind = "a list where an object belongs"
	TotalShrinks    Kind = "a total that shrinks to a fifth"
	RedirectElse    Kind = "a redirect to another host"
	MissingKey      Kind = "a record without its key"
	HugeString      Kind = "a text of two megabytes in a record"
	NumberTooLarge  Kind = "a number beyond every range"
	DuplicateMember Kind = "a member that stands twice in a record"
)

// Recoverable are the faults that a connector overcomes by asking again.
var Recoverable = []Kind{
	TooMany,
	TooManyByDate,
	TooManyOddly,
	Unavailable,
	ServerError,
	ResetBefore,
	CutInBody,
	ShortLength,
}

// Fatal are the faults after which nothing may be taken for gone.
var Fatal = []Kind{
	HTMLPage,
	ErrorBody,
	GzipBomb,
	EndlessBody,
	RepeatedPage,
	EmptyPage,
	BadUTF8,
	DeepNesting,
	NotJSON,
	Forbidden,
	WrongTypes,
	TotalShrinks,
	RedirectElse,
}

// Poison are faults of one record: it may be set aside, the others must come.
var Poison = []Kind{MissingKey, HugeString, NumberTooLarge, DuplicateMember}

// Fault orders one misbehaviour: at the At-th request (from 1) whose path ends in Path.
type Fault struct {
	Kind Kind
	Path string // such as /Users; empty: any
	At   int

	// seen counts the matching requests, fired those that were answered badly.
	seen  int
	fired int
}

// Target is the service. It has users, and groups of ten users each, under /scim/v2 and under /rest.
type Target struct {
	URL   string
	Token string // the bearer token it asks for

	// Elsewhere counts requests that followed a redirect to another host and brought the token along.
	Elsewhere int

	users, groups int
	t             testing.TB
	mu            sync.Mutex
	faults        []*Fault
	requests      int
}

// Start serves users people in pages, and misbehaves as ordered.
func Start(t testing.TB, users int, faults ...Fault) *Target {
	t.Helper()
	b := &Target{t: t, Token: "CANARY-bad-target-token", users: users, groups: users / 10}
	for _, f := range faults {
		b.faults = append(b.faults, &f)
	}
	server := httptest.NewServer(http.HandlerFunc(b.serve))
	server.Config.ErrorLog = nil
	t.Cleanup(server.Close)
	b.URL = server.URL
	return b
}

// Must fails the test unless every fault has happened.
func (b *Target) Must(t testing.TB) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		if f.fired == 0 {
			t.Errorf(
				"the fault %q at request %d for %q never happened (%d requests were made)",
				f.Kind,
				f.At,
				f.Path,
				b.requests,
			)
		}
	}
}

// due is the fault that falls on a request. Faults that go on for ever fall on all that follow.
func (b *Target) due(r *http.Request) *Fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests++
	var hit *Fault
	for _, f := range b.faults {
		if !strings.HasSuffix(r.URL.Path, f.Path) {
			continue
		}
		f.seen++
		if f.seen == f.At || f.seen > f.At && lasting(f.Kind) {
			f.fired++
			hit = f
		}
	}
	return hit
}

// lasting says whether a fault, once it has come, comes at every matching request.
func lasting(k Kind) bool {
	return slices.Contains(Fatal, k) && k != EmptyPage && k != TotalShrinks || slices.Contains(Poison, k)
}

// serve answers a request, badly if a fault is due. Requests without the token are refused.
func (b *Target) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/elsewhere" {
		if r.Header.Get("Authorization") != "" {
			b.mu.Lock()
			b.Elsewhere++
			b.mu.Unlock()
		}
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+b.Token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	f := b.due(r)
	if f != nil && b.misbehave(w, r, f.Kind) {
		return
	}
	b.answer(w, r, f)
}

// answer gives what was asked for, spoiled by f where it is a fault of the content.
func (b *Target) answer(w http.ResponseWriter, r *http.Request, f *Fault) {
	rest, scim := strings.CutPrefix(r.URL.Path, "/scim/v2")
	if !scim {
		rest = strings.TrimPrefix(r.URL.Path, "/rest")
	}
	var body any
	switch {
	case scim && rest == "/ServiceProviderConfig":
		body = map[string]any{
			"schemas": []string{
				"urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
			},
			"filter": map[string]any{"supported": false},
			"patch": map[string]any{
				"supported": false,
			},
			"bulk": map[string]any{"supported": false},
			"sort": map[string]any{"supported": false},
			"etag": map[string]any{
				"supported": false,
			},
			"changePassword":        map[string]any{"supported": false},
			"authenticationSchemes": []any{},
		}
	case strings.EqualFold(rest, "/users"):
		body = b.page(r, scim, b.users, b.user, f)
	case strings.EqualFold(rest, "/groups"):
		body = b.page(r, scim, b.groups, b.group, f)
	case scim && strings.HasPrefix(rest, "/Groups/"):
		n, err := strconv.Atoi(strings.TrimPrefix(rest, "/Groups/g"))
		if err != nil || n >= b.groups {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		body = b.group(n, true)
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Errorf("encode: %v", err)
	}
	if f != nil {
		text = spoil(text, f.Kind)
	}
	_, _ = w.Write(text)
}

// page is one page: by startIndex and count as SCIM has it, by offset and limit for REST.
func (b *Target) page(r *http.Request, scim bool, total int, record func(int, bool) map[string]any, f *Fault) any {
	number := func(name string, def int) int {
		n, err := strconv.Atoi(r.URL.Query().Get(name))
		if err != nil {
			return def
		}
		return n
	}
	from, size := number("offset", 0), number("limit", 20)
	if scim {
		from, size = number("startIndex", 1)-1, min(number("count", 20), 20)
	}
	if f != nil && f.Kind == RepeatedPage {
		from = 0
	}
	announced := total
	if f != nil && f.Kind == TotalShrinks {
		announced = total / 5
	}
	records := []any{}
	for i := from; i < min(from+size, total) && (f == nil || f.Kind != EmptyPage); i++ {
		records = append(records, record(i, scim))
	}
	if !scim {
		return map[string]any{"total": announced, "items": records}
	}
	return map[string]any{
		"schemas": []string{
			"urn:ietf:params:scim:api:messages:2.0:ListResponse",
		},
		"totalResults": announced,
		"startIndex":   from + 1,
		"itemsPerPage": len(records),
		"Resources":    records,
	}
}

// user is the i-th user, in the form of SCIM or of REST. Every seventh is inactive.
func (b *Target) user(i int, scim bool) map[string]any {
	id, name := fmt.Sprintf("u%d", i), fmt.Sprintf("user%d", i)
	if !scim {
		return map[string]any{"id": id, "login": name, "mail": name + "@bad.test", "active": i%7 != 0}
	}
	return map[string]any{
		"schemas": []string{
			"urn:ietf:params:scim:schemas:core:2.0:User",
		},
		"id":       id,
		"userName": name,
		"active":   i%7 != 0,
		"emails": []any{
			map[string]any{"value": name + "@bad.test", "primary": true},
		},
		"meta": map[string]any{"resourceType": "User"},
	}
}

// group is the i-th group, with users i*10 to i*10+9 as members.
func (b *Target) group(i int, scim bool) map[string]any {
	id := fmt.Sprintf("g%d", i)
	var members []any
	for n := range 10 {
		user := fmt.Sprintf("u%d", i*10+n)
		if scim {
			members = append(members, map[string]any{"value": user})
		} else {
			members = append(members, user)
		}
	}
	if !scim {
		return map[string]any{"id": id, "name": "Group " + id, "members": members}
	}
	return map[string]any{
		"schemas": []string{
			"urn:ietf:params:scim:schemas:core:2.0:Group",
		},
		"id":          id,
		"displayName": "Group " + id,
		"members":     members,
		"meta":        map[string]any{"resourceType": "Group"},
	}
}

// Whole is the number of records of a read without faults: people, accounts, groups and memberships.
func (b *Target) Whole() int { return 2*b.users + b.groups + b.groups*10 }

// SCIM are the settings under which the SCIM connector reads the target.
func (b *Target) SCIM() map[string]any {
	return map[string]any{"base_url": b.URL + "/scim/v2", "auth_method": "bearer", "bearer_token": b.Token, "count": 20}
}

// REST are the settings under which the REST connector reads the target.
func (b *Target) REST() map[string]any {
	paging := map[string]any{
		"style":        "offset",
		"offset_param": "offset",
		"limit_param":  "limit",
		"size":         20,
		"total_path":   "$.total",
	}
	failure := map[string]any{"success_path": "$.items", "message_path": "$.detail"}
	return map[string]any{
		"base_url": b.URL + "/rest", "auth_method": "bearer", "bearer_token": b.Token,
		"streams": []any{
			map[string]any{
				"name":            "users",
				"object":          "user",
				"record_selector": "$.items",
				"key_path":        "id",
				"request":         map[string]any{"path": "/users"},
				"pagination":      paging,
				"error":           failure,
				"fields":          map[string]any{"username": "login", "email": "mail", "is_disabled": "!active"},
			},
			map[string]any{
				"name":            "groups",
				"object":          "entitlement",
				"record_selector": "$.items",
				"key_path":        "id",
				"request":         map[string]any{"path": "/groups"},
				"pagination":      paging,
				"error":           failure,
				"explode":         map[string]any{"path": "members", "as": "grant"},
			},
		},
	}
}
