package mishap_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/targets/mishap"
)

func start(t *testing.T) (*mishap.Switch, string) {
	t.Helper()
	var s mishap.Switch
	l, err := mishap.Listen(context.Background(), "", func(string) (http.Handler, error) {
		return s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("whole ", 1000))
		})), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return &s, "http://" + l.Addr()
}

func TestEveryNthRequestFailsAsOrdered(t *testing.T) {
	s, url := start(t)
	s.Set(mishap.Faults{TooManyEvery: 2, UnavailableEvery: 3, HTMLEvery: 5, RetryAfter: 1500 * time.Millisecond})
	var got []int
	for range 6 {
		r, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		got = append(got, r.StatusCode)
		if r.StatusCode != 200 && r.Header.Get("Retry-After") != "2" {
			t.Errorf("%d came with Retry-After %q; want 2", r.StatusCode, r.Header.Get("Retry-After"))
		}
		if html := strings.Contains(string(body), "<html") ||
			strings.Contains(string(body), "<!doctype"); html != (len(got) == 5) {
			t.Errorf("request %d: HTML is %v", len(got), html)
		}
	}
	if want := []int{200, 429, 503, 429, 200, 429}; !slices.Equal(got, want) {
		t.Errorf("statuses %v; want %v", got, want)
	}
	if s.Requests() != 6 {
		t.Errorf("counted %d requests; want 6", s.Requests())
	}
}

func TestAnAnswerIsCutEditedOrDelayed(t *testing.T) {
	s, url := start(t)
	s.Set(mishap.Faults{CutEvery: 1})
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	body, err := io.ReadAll(r.Body)
	if err == nil || len(body) != 3000 || r.ContentLength != 6000 {
		t.Errorf("read %d of %d bytes, %v; want half and an error", len(body), r.ContentLength, err)
	}
	s.Set(
		mishap.Faults{
			Edit: func(_ *http.Request, status int, body []byte) (int, []byte) { return status + 3, body[:12] },
		},
	)
	if r, err = http.Get(url); err != nil || r.StatusCode != 203 {
		t.Fatalf("an edited answer came as %v, %v; want 203", r, err)
	}
	if body, err = io.ReadAll(r.Body); err != nil || string(body) != "whole whole " {
		t.Errorf("an edited answer is %q, %v", body, err)
	}
	_ = r.Body.Close()
	s.Set(mishap.Faults{Delay: 30 * time.Millisecond})
	begin := time.Now()
	if r, err = http.Get(url); err != nil || time.Since(begin) < 30*time.Millisecond {
		t.Errorf("a delayed answer took %v, %v", time.Since(begin), err)
	}
	_ = r.Body.Close()
}
