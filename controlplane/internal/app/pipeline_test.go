package app_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
)

// atOnce does something from many places at once, and gives how often each status was the answer.
func atOnce(t *testing.T, times int, do func(n int) (reply, error)) map[int]int {
	t.Helper()
	var (
		mu       sync.Mutex
		all      sync.WaitGroup
		statuses = map[int]int{}
	)
	for n := range times {
		all.Go(func() {
			r, err := do(n)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			statuses[r.status]++
		})
	}
	all.Wait()
	return statuses
}

func TestOfFiftyWhoChangeWhatTheyHaveSeenOneDoes(t *testing.T) {
	s := newSite(t)
	path := "/identities/" + s.person("ada", "")
	seen := s.as(s.token, "GET", path, nil).is(t, "read", 200, "").header.Get("ETag")
	version, err := strconv.Atoi(seen[1 : len(seen)-1])
	if err != nil {
		t.Fatal(err)
	}
	statuses := atOnce(t, 50, func(n int) (reply, error) {
		return s.try(s.token, "PATCH", path, map[string]any{"title": "T" + strconv.Itoa(n)}, "If-Match", seen)
	})
	if statuses[200] != 1 || statuses[412] != 49 {
		t.Errorf("answers %v; want one 200 and 49 times 412", statuses)
	}
	if got, want := s.as(
		s.token,
		"GET",
		path,
		nil,
	).header.Get("ETag"), strconv.Quote(strconv.Itoa(version+1)); got != want {
		t.Errorf("the ETag is %s; want %s", got, want)
	}
}

func TestTwoHundredPostsWithOneKeyMakeOnePerson(t *testing.T) {
	s := newSite(t)
	key := uuid.NewString()
	statuses := atOnce(t, 200, func(int) (reply, error) { // as many as a token may send at once
		return s.try(
			s.token,
			"POST",
			"/identities",
			map[string]any{"external_id": "E1", "email": "e1@acme.test", "display_name": "E 1"},
			"Idempotency-Key",
			key,
		)
	})
	if statuses[201] < 1 || statuses[201]+statuses[409] != 200 {
		t.Errorf("answers %v; want 201 and 409 alone", statuses)
	}
	for what, want := range map[string]string{"select count(*)::text from identity": "1",
		"select count(*)::text from audit_event where action = 'identity.created'": "1"} {
		if got := s.told(what); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v; want %s", what, got, want)
		}
	}
}
