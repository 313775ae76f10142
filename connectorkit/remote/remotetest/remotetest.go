// Package remotetest is a service that speaks connector protocol v1 over HTTP with nothing but the standard library, as
// another author would write one: for tests of its callers.
package remotetest

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

// Options say what the service has and how it answers.
type Options struct {
	People int  // with an account each; every ten are a group
	Page   int  // people, or groups, in an answer or in a line; 0: 20
	Stream bool // answers with lines instead of pages
}

// The secrets of the service: of its caller, and of its target, which comes in auth_config.
const (
	Token = "CANARY-custom-token"
	Key   = "CANARY-custom-key"
)

// Service is a running one.
type Service struct {
	URL string

	o       Options
	t       testing.TB
	mu      sync.Mutex
	now     int         // grows with every change
	names   []string    // by number; empty: gone
	changed map[int]int // when, by number
	asked   int
}

// Start starts a service that stops with the test.
func Start(t testing.TB, o Options) *Service {
	t.Helper()
	if o.Page == 0 {
		o.Page = 20
	}
	s := &Service{o: o, t: t, changed: map[int]int{}}
	for i := range o.People {
		s.names = append(s.names, fmt.Sprintf("Person %d", i))
	}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Auth are the settings under which the service is called.
func (s *Service) Auth() map[string]any {
	return map[string]any{
		"base_url":        s.URL,
		"auth_method":     "bearer",
		"bearer_token":    Token,
		"settings":        map[string]any{"directory": "main"},
		"secret_settings": map[string]any{"key": Key},
	}
}

// Records is how many a whole read has.
func (s *Service) Records() int { return 3*s.o.People + (s.o.People+9)/10 }

// Rename changes a person.
func (s *Service) Rename(i int, name string) { s.change(i, name) }

// Remove takes a person away.
func (s *Service) Remove(i int) { s.change(i, "") }

func (s *Service) change(i int, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now++
	s.names[i], s.changed[i] = name, s.now
}

// Asked is how many requests for sync were answered.
func (s *Service) Asked() int { s.mu.Lock(); defer s.mu.Unlock(); return s.asked }

// ID is a person's external_id, and with "a" before it that of the account.
func ID(i int) string { return fmt.Sprintf("p%04d", i) }

type object = map[string]any

type request struct {
	Incremental bool              `json:"incremental"`
	AuthConfig  map[string]string `json:"auth_config"`
	Options     struct {
		Cursor     string `json:"cursor"`
		Checkpoint string `json:"checkpoint"`
		PageToken  string `json:"page_token"`
	} `json:"options"`
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/sync" || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if req.AuthConfig["key"] != Key {
		said := "the directory " + req.AuthConfig["directory"] + " does not take the key " + req.AuthConfig["key"]
		s.write(
			w,
			object{
				"success":      false,
				"identities":   []any{},
				"accounts":     []any{},
				"entitlements": []any{},
				"grants":       []any{},
				"error":        said,
				"error_detail": object{"class": "auth", "code": "key_refused", "message": said, "retryable": false},
			},
		)
		return
	}
	all, last := s.read(req)
	at := req.Options.PageToken + req.Options.Checkpoint
	from, err := strconv.Atoi("0" + at)
	if err != nil || from > len(all) {
		w.WriteHeader(http.StatusGone)
		return
	}
	if !s.o.Stream {
		s.write(w, s.page(all, from, last, "next_page_token"))
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	for i := from; i < len(all); i++ {
		s.write(w, s.page(all, i, last, "checkpoint"))
		_ = http.NewResponseController(w).Flush()
	}
}

func (s *Service) write(w http.ResponseWriter, v any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	_ = json.NewEncoder(w).Encode(v) // the caller has gone
}

// page is the i-th, with what leads to the next under a name.
func (s *Service) page(all []object, i int, last object, next string) object {
	out := object{"success": true, "error": nil}
	for _, kind := range []string{"identities", "accounts", "entitlements", "grants"} {
		if out[kind] = all[i][kind]; out[kind] == nil {
			out[kind] = []any{}
		}
	}
	if out["page"] = last; i < len(all)-1 {
		out["page"] = object{"has_more": true, next: strconv.Itoa(i + 1)}
	}
	return out
}

// read gives all pages, and the page member of the last.
func (s *Service) read(req request) (all []object, last object) {
	since, err := strconv.Atoi(strings.TrimPrefix(req.Options.Cursor, "change-"))
	last = object{"has_more": false, "cursor": fmt.Sprintf("change-%d", s.now)}
	if changes := req.Incremental && err == nil; changes {
		last["read"] = object{"incremental": true, "strategy": "change_number"}
		out := object{}
		for i := range s.names {
			if s.changed[i] > since {
				s.add(out, i)
			}
		}
		return []object{out}, last
	}
	var people []int
	for i, name := range s.names {
		if name != "" {
			people = append(people, i)
		}
	}
	for chunk := range slices.Chunk(people, s.o.Page) {
		out := object{}
		for _, i := range chunk {
			s.add(out, i)
		}
		all = append(all, out)
	}
	for chunk := range slices.Chunk(people, 10*s.o.Page) {
		out := object{}
		for _, i := range chunk {
			if i%10 == 0 {
				put(
					out,
					"entitlements",
					object{"external_id": fmt.Sprintf("g%d", i/10), "name": fmt.Sprintf("Group %d", i/10)},
				)
			}
			put(
				out,
				"grants",
				object{"account_external_id": "a" + ID(i), "entitlement_external_id": fmt.Sprintf("g%d", i/10)},
			)
		}
		all = append(all, out)
	}
	if all == nil {
		all = []object{{}}
	}
	groups := 0
	for _, i := range people {
		if i%10 == 0 {
			groups++
		}
	}
	scope := func(kind string, n int) object { return object{"kind": kind, "key": "*", "complete": true, "count": n} }
	last["scopes"] = []any{
		scope("identities", len(people)),
		scope("accounts", len(people)),
		scope("entitlements", groups),
		scope("grants", len(people)),
	}
	return all, last
}

// add puts a person with an account into a page, or the tombstones of both.
func (s *Service) add(out object, i int) {
	id, name := ID(i), s.names[i]
	if name == "" {
		put(out, "identities", object{"external_id": id, "deleted": true})
		put(out, "accounts", object{"external_id": "a" + id, "deleted": true})
		return
	}
	mail := id + "@custom.test"
	put(
		out,
		"identities",
		object{
			"external_id":  id,
			"display_name": name,
			"email":        mail,
			"attributes":   object{"badge": 1000 + i, "office": object{"city": "Kyiv"}},
		},
	)
	put(
		out,
		"accounts",
		object{
			"external_id":          "a" + id,
			"identity_external_id": id,
			"username":             id,
			"email":                mail,
			"is_disabled":          i%7 == 3,
		},
	)
}

func put(out object, kind string, record object) {
	list, _ := out[kind].([]any)
	out[kind] = append(list, record)
}
