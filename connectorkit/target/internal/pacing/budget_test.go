package pacing

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAComplaintLeavesOneRequestAtATimeAndAnswersBringTheOthersBack(t *testing.T) {
	b := &Budget{}
	b.Configure(0, 0, 3)
	room := func() (n int) {
		done, cancel := context.WithCancel(t.Context())
		cancel()
		for b.Enter(done) == nil {
			n++
		}
		for range n {
			b.Leave()
		}
		return n
	}
	if got := room(); got != 3 {
		t.Fatalf("room for %d requests, want 3", got)
	}
	b.NoteLimited()
	for answers, want := range []int{1, 2, 3, 3} {
		if got := room(); got != want {
			t.Errorf("room for %d requests after %d answers, want %d", got, answers*steadyAnswers, want)
		}
		for range steadyAnswers {
			b.NoteAnswered()
		}
	}
	b.NoteLimited()
	b.Configure(0, 0, 5)
	if got := room(); got != 1 {
		t.Errorf("another call made room for %d requests; what was learned must stay", got)
	}
}

// TestPlacesAreNeitherLostNorGivenTwice lets requests come, go and give up at random.
func TestPlacesAreNeitherLostNorGivenTwice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := &Budget{}
		most := rapid.IntRange(1, 5).Draw(rt, "most")
		b.Configure(0, 0, most)
		var (
			inside, peak atomic.Int32
			done         sync.WaitGroup
		)
		for range rapid.IntRange(1, 40).Draw(rt, "requests") {
			patience := rapid.IntRange(0, 2).Draw(rt, "patience")
			done.Go(func() {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if patience == 0 {
					time.AfterFunc(50*time.Microsecond, cancel)
				}
				if b.Enter(ctx) != nil {
					return
				}
				if n := inside.Add(1); n > peak.Load() {
					peak.Store(n)
				}
				inside.Add(-1)
				b.Leave()
			})
		}
		done.Wait()
		if b.under != 0 || len(b.queue) != 0 || int(peak.Load()) > most {
			rt.Fatalf(
				"%d under way and %d waiting at the end, %d at once; at most %d allowed", b.under, len(b.queue),
				peak.Load(), most,
			)
		}
	})
}

func TestABurstMayBeLargerThanTheRate(t *testing.T) {
	b, now := &Budget{}, time.Unix(1e9, 0)
	b.Configure(0.5, 3, 4)
	for i, want := range []time.Duration{0, 0, 0, 2 * time.Second, 4 * time.Second} {
		if got := b.Reserve(now); got != want {
			t.Errorf("request %d waits %s, want %s", i+1, got, want)
		}
	}
	if got := b.Reserve(now.Add(time.Hour)); got != 0 {
		t.Errorf("after an hour's rest a request waits %s", got)
	}
}

func TestAllowancesAreReadInAllTheirForms(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	in30, date := "1777636830", "Fri, 01 May 2026 12:00:30 GMT"
	for _, tt := range []struct {
		fields    map[string]string
		remaining float64
		reset     time.Duration // -1: nothing is said
	}{
		{map[string]string{"RateLimit": `"default";r=5;t=30`}, 5, 30 * time.Second},
		{map[string]string{"RateLimit": `"a";r=0;t=30, "b";r=9;t=99`}, 0, 30 * time.Second},
		{map[string]string{"RateLimit": `limit=10, remaining=2, reset=30`}, 2, 30 * time.Second},
		{map[string]string{"RateLimit": `"default";r=5`}, 0, -1},
		{map[string]string{"RateLimit": `garbage;;;==`}, 0, -1},
		{map[string]string{"RateLimit-Remaining": "3", "RateLimit-Reset": "30"}, 3, 30 * time.Second},
		{map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": in30}, 0, 30 * time.Second},
		{map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": in30 + "000"}, 0, 30 * time.Second},
		{map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": date}, 0, 30 * time.Second},
		{map[string]string{"X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": "0.5"}, 0, 500 * time.Millisecond},
		{map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000000000"}, 0, 0}, // long past
		{map[string]string{"X-RateLimit-Remaining": "few", "X-RateLimit-Reset": "30"}, 0, -1},
		{map[string]string{"X-RateLimit-Remaining": "-1", "X-RateLimit-Reset": "30"}, 0, -1},
		{map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "NaN"}, 0, -1},
		{map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1e300"}, 0, -1},
		{map[string]string{"X-RateLimit-Remaining": "0"}, 0, -1},
		{nil, 0, -1},
	} {
		// The target's clock is an hour ahead of ours: its moments are read by its own.
		h := http.Header{"Date": {now.Format(http.TimeFormat)}}
		for name, v := range tt.fields {
			h.Set(name, v)
		}
		a, ok := AllowanceOf(h, now.Add(-time.Hour))
		if ok != (tt.reset >= 0) || ok && (a.Remaining != tt.remaining || a.Reset != tt.reset) {
			t.Errorf("%v = %+v, %v; want %g remaining and more in %s", tt.fields, a, ok, tt.remaining, tt.reset)
		}
	}
}

func FuzzRateFieldsNeverPanic(f *testing.F) {
	f.Add(`"default";r=5;t=30`, "30", "Fri, 01 May 2026 12:00:30 GMT")
	f.Add(`limit=10, remaining=2`, "-1", "1e309")
	f.Fuzz(func(t *testing.T, field, reset, after string) {
		now := time.Unix(1777636800, 0)
		h := http.Header{
			"Ratelimit": {field}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {reset}, "Retry-After": {after},
		}
		for range 2 {
			if a, ok := AllowanceOf(h, now); ok && (a.Reset < 0 || a.Remaining < 0) {
				t.Fatalf("%q %q = %+v", field, reset, a)
			}
			h.Del("RateLimit")
		}
		if ms := RetryAfter(h, now); ms != nil && *ms < 0 {
			t.Fatalf("Retry-After %q = %d ms", after, *ms)
		}
	})
}
