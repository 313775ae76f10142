package limit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// clock is moved by hand.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// memory is a store that processes of one test share.
type memory struct {
	clock *clock
	rows  map[string]row
	down  bool
	asked int
}

type row struct {
	writer uuid.UUID
	full   time.Time
}

func (m *memory) Settle(_ context.Context, spent []Spent) (out []time.Duration, err error) {
	m.asked++
	if m.down {
		return nil, errors.New("no answer")
	}
	now := m.clock.now()
	for _, s := range spent {
		r, known := m.rows[string(s.Key)]
		full := now.Add(s.Filled)
		if since := now.Add(-s.Age); known && r.writer != s.Writer {
			if full = r.full; full.Before(since) {
				full = since
			}
			full = full.Add(s.Cost)
		}
		m.rows[string(s.Key)] = row{s.Writer, full}
		out = append(out, full.Sub(now))
	}
	return out, nil
}

func (m *memory) Processes(context.Context) (int, error) { return 2, nil }

func newMemory(c *clock) *memory { return &memory{clock: c, rows: map[string]row{}} }

func newLimiter(s Store, c *clock) *Limiter { return New(s, slog.New(slog.DiscardHandler), c.now) }

var someone = viewer.Viewer{Tenant: "t", Kind: viewer.User, ID: "u", Session: "s"}

func admitted(l *Limiter, v viewer.Viewer, n int) (count int) {
	for range n {
		if l.Take(context.Background(), v).Allowed {
			count++
		}
	}
	return count
}

func TestABurstOf200PassesAndThe201stDoesNot(t *testing.T) {
	c := newClock()
	l := newLimiter(newMemory(c), c)
	if got := admitted(l, someone, 200); got != 200 {
		t.Fatalf("of 200 at once %d pass", got)
	}
	v := l.Take(t.Context(), someone)
	if v.Allowed || v.Left != 0 || v.Wait != 10*time.Millisecond {
		t.Errorf("the 201st: %+v", v)
	}
	admitted(l, someone, 1000) // what is refused costs nothing
	c.pass(10 * time.Millisecond)
	if got := admitted(l, someone, 5); got != 1 {
		t.Errorf("after 10 ms %d pass; want 1", got)
	}
	c.pass(2 * time.Second)
	if got := admitted(l, someone, 300); got != 200 {
		t.Errorf("after two seconds %d pass; want 200", got)
	}
}

func TestATokenIsKnownByItsSessionAndATenantsLinesAreItsOwn(t *testing.T) {
	c := newClock()
	l := newLimiter(newMemory(c), c)
	admitted(l, someone, 200)
	for name, tt := range map[string]struct {
		change func(*viewer.Viewer)
		want   bool
	}{
		"the same":        {func(*viewer.Viewer) {}, false},
		"another session": {func(v *viewer.Viewer) { v.Session = "s2" }, true},
		"another tenant":  {func(v *viewer.Viewer) { v.Tenant = "t2" }, true},
		"another kind":    {func(v *viewer.Viewer) { v.Kind = viewer.Service }, true},
	} {
		v := someone
		tt.change(&v)
		if got := l.Take(t.Context(), v).Allowed; got != tt.want {
			t.Errorf("%s: allowed = %v; want %v", name, got, tt.want)
		}
	}
}

func TestARaisedRateIsKept(t *testing.T) {
	c := newClock()
	l := newLimiter(newMemory(c), c)
	v := someone
	v.Rate = viewer.Rate{PerSecond: 500, Burst: 700}
	if got := admitted(l, v, 1000); got != 700 {
		t.Errorf("%d pass at once; want 700", got)
	}
	c.pass(time.Second)
	if got := admitted(l, v, 1000); got != 500 {
		t.Errorf("%d pass after a second; want 500", got)
	}
}

// bucket is the reference: tokens that drip in, counted in units of which a token has a thousand million.
type bucket struct {
	level, most int64
	rate        int64
	last        time.Time
}

func (b *bucket) take(now time.Time) bool {
	b.level = min(b.most, b.level+now.Sub(b.last).Nanoseconds()*b.rate)
	b.last = now
	if b.level < 1_000_000_000 {
		return false
	}
	b.level -= 1_000_000_000
	return true
}

func TestAProcessAloneJudgesAsTheReferenceDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		store := newMemory(c)
		l := newLimiter(store, c)
		rate := viewer.Rate{
			PerSecond: rapid.SampledFrom([]int{1, 10, 100, 250, 1000}).Draw(t, "rate"),
			Burst:     rapid.IntRange(1, 300).Draw(t, "burst"),
		}
		v := someone
		v.Rate = rate
		ref := &bucket{
			level: int64(rate.Burst) * 1e9,
			most:  int64(rate.Burst) * 1e9,
			rate:  int64(rate.PerSecond),
			last:  c.now(),
		}
		for i := range rapid.IntRange(1, 400).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				c.pass(time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "pause")))
			case 1, 2:
				c.pass(time.Duration(rapid.Int64Range(0, int64(30*time.Millisecond)).Draw(t, "wait")))
			case 3:
				l.settleAll(context.Background())
			default:
				got := l.Take(context.Background(), v)
				if want := ref.take(c.now()); got.Allowed != want {
					t.Fatalf("request %d: allowed = %v; want %v", i, got.Allowed, want)
				}
				if left := int(ref.level / 1e9); got.Left != left {
					t.Fatalf("request %d: %d left; want %d", i, got.Left, left)
				}
			}
		}
	})
}

func TestProcessesTogetherKeepTheRateWithinWhatTheyMayOwe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		store := newMemory(c)
		var all []*Limiter
		for range rapid.IntRange(2, 4).Draw(t, "processes") {
			all = append(all, newLimiter(store, c))
		}
		start, passed := c.now(), 0
		for range rapid.IntRange(100, 3000).Draw(t, "requests") {
			l := all[rapid.IntRange(0, len(all)-1).Draw(t, "process")]
			if l.Take(context.Background(), someone).Allowed {
				passed++
			}
			if rapid.IntRange(0, 20).Draw(t, "told") == 0 {
				l.settleAll(context.Background())
			}
			c.pass(time.Duration(rapid.Int64Range(0, int64(4*time.Millisecond)).Draw(t, "wait")))
			bound := 200 + int(c.now().Sub(start)/(10*time.Millisecond)) + maxDebt*len(all)
			if passed > bound {
				t.Fatalf("%d have passed; at most %d may", passed, bound)
			}
		}
	})
}

func TestWithoutTheStoreAProcessLetsItsPartThrough(t *testing.T) {
	c := newClock()
	store := newMemory(c)
	l := newLimiter(store, c)
	l.count(t.Context()) // two processes
	store.down = true
	if got := admitted(l, someone, 500); got > 120 {
		t.Errorf("of 500 at once %d pass; half of 200, and what may be owed, would be right", got)
	}
	passed := 0
	for range 100 { // ten seconds
		c.pass(100 * time.Millisecond)
		passed += admitted(l, someone, 100)
		l.settleAll(t.Context())
	}
	if passed < 480 || passed > 640 {
		t.Errorf("%d pass in ten seconds; want about 500", passed)
	}
	store.down = false
	c.pass(5 * time.Second)
	l.settleAll(t.Context())
	if got := admitted(l, someone, 500); got != 200 {
		t.Errorf("when the store is back %d pass at once; want 200", got)
	}
}

func TestTheStoreIsAskedSeldom(t *testing.T) {
	c := newClock()
	store := newMemory(c)
	l := newLimiter(store, c)
	for i := range 10_000 {
		l.Take(t.Context(), viewer.Viewer{Tenant: "t", Kind: viewer.User, Session: fmt.Sprint(i)})
	}
	if store.asked != 0 {
		t.Errorf("the store was asked %d times before anybody owed much", store.asked)
	}
	l.settleAll(t.Context())
	if store.asked != 20 {
		t.Errorf("10,000 tokens were told in %d calls; want 20", store.asked)
	}
}

func TestOnlySoManyTokensAreRemembered(t *testing.T) {
	r := newRecent[int, int](3)
	for _, k := range []int{1, 2, 3, 1, 4} {
		*r.get(k, func() int { return 0 }) += k
	}
	var kept []int
	for k := range r.slots {
		kept = append(kept, k)
	}
	slices.Sort(kept)
	if !slices.Equal(kept, []int{1, 3, 4}) || *r.get(1, func() int { return 0 }) != 2 {
		t.Errorf("kept %v", kept)
	}
}

func TestAddressesOfOneNetworkShareARate(t *testing.T) {
	c := newClock()
	a := NewAddresses(viewer.Rate{PerSecond: 1, Burst: 2}, c.now)
	for _, tt := range []struct {
		address string
		want    bool
	}{
		{"192.0.2.1", true}, {"::ffff:192.0.2.1", true}, {"192.0.2.1", false}, {"192.0.2.2", true},
		{"2001:db8::1", true}, {"2001:db8::2", true}, {"2001:db8:0:0:ffff::3", false}, {"2001:db8:0:1::1", true},
		{"@", true}, {"pipe", true}, {"", false},
	} {
		if got := a.Take(tt.address); got.Allowed != tt.want {
			t.Errorf("%s: %+v; want %v", tt.address, got, tt.want)
		}
	}
}

func TestTwoProcessesOnOneDatabaseKeepOneRate(t *testing.T) {
	db := pgtest.New(t)
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	var all []*Limiter
	for range 2 {
		l := New(NewShared(db), slog.New(slog.DiscardHandler), time.Now)
		all = append(all, l)
		done.Go(func() { _ = l.Run(ctx) })
	}
	const seconds = 3
	var mu sync.Mutex
	passed := 0
	end := time.Now().Add(seconds * time.Second)
	var load sync.WaitGroup
	for _, l := range all {
		load.Go(func() {
			for time.Now().Before(end) {
				if l.Take(ctx, someone).Allowed {
					mu.Lock()
					passed++
					mu.Unlock()
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	load.Wait()
	if want := 200 + 100*seconds; passed < want*9/10 || passed > want*11/10 {
		t.Errorf("%d pass in %d s; want %d, a tenth more or less", passed, seconds, want)
	}
	if n, err := all[0].store.Processes(ctx); err != nil || n != 2 {
		t.Errorf("there are %d processes (%v); want 2", n, err)
	}
	stop()
	done.Wait()
}

func TestABurstThroughTheDatabaseIsExact(t *testing.T) {
	db := pgtest.New(t)
	c := newClock() // stands still, so that nothing drips in meanwhile
	l := New(NewShared(db), slog.New(slog.DiscardHandler), c.now)
	var mu sync.Mutex
	passed := 0
	var load sync.WaitGroup
	for range 20 {
		load.Go(func() {
			n := admitted(l, someone, 20)
			mu.Lock()
			defer mu.Unlock()
			passed += n
		})
	}
	load.Wait()
	if passed != 200 {
		t.Errorf("of 400 at once %d pass; want 200", passed)
	}
}

func BenchmarkTake(b *testing.B) {
	c := newClock()
	l := New(newMemory(c), slog.New(slog.DiscardHandler), time.Now)
	v := someone
	v.Rate = viewer.Rate{PerSecond: 1_000_000, Burst: 1_000_000}
	for b.Loop() {
		l.Take(b.Context(), v)
	}
}
