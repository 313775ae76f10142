package target_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target"
	"github.com/grantwright/grantwright/connectorkit/target/internal/shared"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestPassingTroubleIsTriedAgainFiveTimesWithGrowingPauses(t *testing.T) {
	var calls atomic.Int32
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { calls.Add(1); w.WriteHeader(503) })
	naps := &sleeper{}
	err := get(t, client(t, target.Options{BaseURL: base, Sleep: naps.sleep}))
	if d := detail(t, err); d.Code != "http_503" || !d.Retryable || calls.Load() != 5 || len(naps.waits) != 4 {
		t.Fatalf("error %v after %d calls and waits %v", err, calls.Load(), naps.waits)
	}
	for i, w := range naps.waits {
		if ceiling := 500 * time.Millisecond << i; w < 0 || w > ceiling {
			t.Errorf("wait %d = %s, want at most %s", i+1, w, ceiling)
		}
	}
}

func TestWhatCannotPassIsNotTriedAgain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		r      target.Request
		probe  bool
		calls  int32
	}{
		{"401", 401, target.Request{}, false, 1},
		{"404", 404, target.Request{}, false, 1},
		{"501", 501, target.Request{}, false, 1},
		{"500", 500, target.Request{}, false, 5},
		{"408", 408, target.Request{}, false, 5},
		{"425", 425, target.Request{}, false, 5},
		{"503 to a POST", 503, target.Request{Method: "POST"}, false, 1},
		{"503 to a search by POST", 503, target.Request{Method: "POST", Repeatable: true}, false, 5},
		{"503 in a probe", 503, target.Request{}, true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var calls atomic.Int32
			base := serve(t, func(w http.ResponseWriter, _ *http.Request) { calls.Add(1); w.WriteHeader(tt.status) })
			c := client(t, target.Options{BaseURL: base, Sleep: (&sleeper{}).sleep})
			if tt.probe {
				c = c.WithoutRetry()
			}
			if _, err := c.Do(t.Context(), tt.r); detail(t, err).Target.HTTP.Status != tt.status ||
				calls.Load() != tt.calls {
				t.Errorf("error %v after %d calls, want %d", err, calls.Load(), tt.calls)
			}
		})
	}
}

func TestRetryAfterIsHonouredAndTold(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
	} {
		var calls atomic.Int32
		base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) == 1 {
				w.Header().Set("Date", now.Format(http.TimeFormat))
				w.Header().Set("Retry-After", header)
				w.WriteHeader(429)
				return
			}
			fmt.Fprint(w, "{}")
		})
		env, naps := onSite(), &sleeper{}
		var ahead time.Duration
		env.Now = func() time.Time { return now.Add(ahead) }
		var until []time.Time
		c, err := target.New(t.Context(), env,
			target.Options{BaseURL: base, Report: func(p v1.Progress) { until = append(until, *p.RateWaitUntil) },
				Sleep: func(ctx context.Context, d time.Duration) error { ahead += d; return naps.sleep(ctx, d) }})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := get(t, c); err != nil || len(naps.waits) != 1 || naps.waits[0] != want || c.Waited() != want ||
			c.Calls() != 2 {
			t.Errorf("Retry-After %s: error %v, waits %v; want %s", header, err, naps.waits, want)
		}
		if len(until) != 1 || !until[0].Equal(now.Add(want)) {
			t.Errorf("told %v, want %s", until, now.Add(want))
		}
	}
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "301")
		w.WriteHeader(429)
	})
	naps := &sleeper{}
	err := get(t, client(t, target.Options{BaseURL: base, Sleep: naps.sleep}))
	if d := detail(t, err); d.Class != v1.ClassRateLimited || *d.RetryAfterMS != 301000 || len(naps.waits) != 0 {
		t.Errorf("more than five minutes: %+v after waits %v; want the error at once", d, naps.waits)
	}
	for _, nonsense := range []string{"soon", "-7", "0", "NaN", "1e300", "Mon, 99 Foo 2026"} {
		base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", nonsense)
			w.WriteHeader(503)
		})
		naps := &sleeper{}
		err := get(t, client(t, target.Options{BaseURL: base, Sleep: naps.sleep}))
		if d := detail(t, err); d.Code != "http_503" || len(naps.waits) != 4 || naps.waits[3] > 4*time.Second {
			t.Errorf(
				"Retry-After %s: %+v after waits %v; want the pauses of one who was told nothing", nonsense, d,
				naps.waits,
			)
		}
	}
}

func TestABodyThatBreaksOffIsReadAgain(t *testing.T) {
	var calls atomic.Int32
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) < 3 {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"a":`)
			return
		}
		fmt.Fprint(w, `{"a":1}`)
	})
	var v struct{ A int }
	c := client(t, target.Options{BaseURL: base, Sleep: (&sleeper{}).sleep})
	if err := c.JSON(t.Context(), target.Request{}, &v); err != nil || v.A != 1 || calls.Load() != 3 {
		t.Errorf("%+v, %v after %d calls", v, err, calls.Load())
	}
	full := errors.New("full")
	calls.Store(5)
	err := c.Read(t.Context(), target.Request{}, func(*target.Response) error { return target.Stop(full) })
	if !errors.Is(err, full) || calls.Load() != 6 {
		t.Errorf("Read = %v after %d calls, want the callback's own error after 1", err, calls.Load()-5)
	}
}

func TestRateIsKeptByAllWhoUseTheSameCredentials(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	env, shared := onSite(), &shared.State{}
	now := time.Now()
	env.Now = func() time.Time { return now }
	naps := &sleeper{}
	wait := func(token string) time.Duration {
		c, err := target.New(
			t.Context(), env,
			target.Options{
				BaseURL: base, RateRPS: 2, Shared: shared, Sleep: naps.sleep, Auth: target.Bearer{Token: token},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := get(t, c); err != nil {
			t.Fatal(err)
		}
		return c.Waited()
	}
	var got []time.Duration
	for range 4 {
		got = append(got, wait("one"))
	}
	got = append(got, wait("other"))
	if s := fmt.Sprint(got); s != "[0s 0s 500ms 1s 0s]" {
		t.Errorf("waits = %s, want [0s 0s 500ms 1s 0s]", s)
	}
}

func TestCancellingEndsTheWait(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(429)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := client(t, target.Options{BaseURL: base}).Do(ctx, target.Request{})
	if time.Since(began) > 5*time.Second || !strings.Contains(fmt.Sprint(err), "429") {
		t.Errorf("Do = %v after %s; want what the target said, at once", err, time.Since(began))
	}
}
