package loop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
)

var errDown = errors.New("the database is down")

// written is a log and what stands in it, without times.
func written() (*slog.Logger, *bytes.Buffer) {
	var out bytes.Buffer
	return slog.New(
		slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}),
	), &out
}

// passes notes when passes are made.
type passes struct {
	began time.Time
	at    []time.Duration
}

func (p *passes) note() { p.at = append(p.at, time.Since(p.began)) }

func (p *passes) want(t *testing.T, want ...time.Duration) {
	t.Helper()
	if diff := cmp.Diff(want, p.at); diff != "" {
		t.Errorf("passes were made at other times (-want +got):\n%s", diff)
	}
}

// during runs work for so long in a bubble of its own time, lets more happen beside it, and ends it.
func during(t *testing.T, d time.Duration, work func(ctx context.Context, p *passes) error, beside func()) *passes {
	t.Helper()
	p := &passes{began: time.Now()}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- work(ctx, p) }()
	if beside != nil {
		go beside()
	}
	time.Sleep(d)
	synctest.Wait()
	stop()
	if err := <-done; err != nil {
		t.Errorf("the work ended with %v; want nil", err)
	}
	return p
}

func TestAWorkerMakesAPassAtOnceAndThenAtEachInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := during(t, 25*time.Second, func(ctx context.Context, p *passes) error {
			return loop.Worker{Every: 10 * time.Second}.Run(ctx, func(context.Context) error { p.note(); return nil })
		}, nil)
		p.want(t, 0, 10*time.Second, 20*time.Second)
	})
}

func TestAWorkerMakesAPassWhenTheBellRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bell loop.Wakeup
		p := during(t, 12*time.Second, func(ctx context.Context, p *passes) error {
			return loop.Worker{
				Every: 10 * time.Second,
				Wake:  &bell,
			}.Run(
				ctx,
				func(context.Context) error { p.note(); return nil },
			)
		}, func() {
			time.Sleep(3 * time.Second)
			bell.Notify()
		})
		p.want(t, 0, 3*time.Second, 10*time.Second)
	})
}

func TestABellThatIsRungDuringAPassIsHeardOnceAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bell loop.Wakeup
		bell.Notify() // and before anybody listens
		p := during(t, 9*time.Second, func(ctx context.Context, p *passes) error {
			return loop.Worker{Every: 10 * time.Second, Wake: &bell}.Run(ctx, func(context.Context) error {
				p.note()
				if len(p.at) == 2 {
					time.Sleep(2 * time.Second)
				}
				return nil
			})
		}, func() {
			time.Sleep(time.Second)
			for range 5 {
				bell.Notify()
			}
		})
		p.want(t, 0, 0, 2*time.Second)
	})
}

func TestAPassThatFailsIsLoggedAndTheNextComesAsIfNothingHadHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, out := written()
		p := during(t, 15*time.Second, func(ctx context.Context, p *passes) error {
			return loop.Worker{
				Every:  10 * time.Second,
				Log:    log,
				Cannot: "cannot look",
			}.Run(
				ctx,
				func(context.Context) error {
					p.note()
					return errDown
				},
			)
		}, nil)
		p.want(t, 0, 10*time.Second)
		want := strings.Repeat("level=WARN msg=\"cannot look\" err=\"the database is down\"\n", 2)
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAWorkerWaitsForThePassThatItIsInAndSaysNothingOfItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, out := written()
		var ended time.Duration
		during(t, 5*time.Second, func(ctx context.Context, p *passes) error {
			defer func() { ended = time.Since(p.began) }()
			return loop.Worker{
				Every:  time.Second,
				Log:    log,
				Cannot: "cannot look",
			}.Run(
				ctx,
				func(ctx context.Context) error {
					<-ctx.Done()
					time.Sleep(3 * time.Second) // what it has begun it finishes
					return ctx.Err()
				},
			)
		}, nil)
		if ended != 8*time.Second || out.Len() > 0 {
			t.Errorf("ended after %v and logged %q; want 8s and nothing", ended, out)
		}
	})
}

func TestWhatIsDoneInPartsGoesOnUntilNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := 3
		p := during(t, 15*time.Second, func(ctx context.Context, p *passes) error {
			return loop.Worker{Every: 10 * time.Second}.Drain(ctx, func(context.Context) (int, error) {
				p.note()
				if left == 0 {
					return 0, nil
				}
				left--
				return 1, nil
			})
		}, nil)
		p.want(t, 0, 0, 0, 0, 10*time.Second)
	})
}

func TestAPartThatFailsHasTheRestWaitThoughItHasDoneSomething(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, out := written()
		p := during(t, 15*time.Second, func(ctx context.Context, p *passes) error {
			return loop.Worker{
				Every:  10 * time.Second,
				Log:    log,
				Cannot: "cannot look",
			}.Drain(
				ctx,
				func(context.Context) (int, error) {
					p.note()
					return 7, errDown
				},
			)
		}, nil)
		p.want(t, 0, 10*time.Second)
		if n := strings.Count(out.String(), "cannot look"); n != 2 {
			t.Errorf("logged %d times; want one line a pass:\n%s", n, out)
		}
	})
}

func TestNoPartBeginsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := during(t, 0, func(ctx context.Context, p *passes) error {
			return loop.Worker{Every: time.Second}.Drain(ctx, func(ctx context.Context) (int, error) {
				p.note()
				<-ctx.Done()
				return 1, nil // there is more, for another process
			})
		}, nil)
		p.want(t, 0)
	})
}

func TestEachTenantGetsItsPartWhateverFailsInAnother(t *testing.T) {
	log, out := written()
	var seen []string
	sum, err := loop.EachTenant(
		t.Context(),
		log,
		"cannot follow",
		[]string{"a", "b", "c"},
		func(_ context.Context, tenant string) (int, error) {
			seen = append(seen, tenant)
			if tenant == "b" {
				return 1, errDown
			}
			return 10, nil
		},
	)
	slices.Sort(seen)
	if sum != 21 || err != nil || !slices.Equal(seen, []string{"a", "b", "c"}) {
		t.Errorf("did %d in %v, %v; want 21 in all three", sum, seen, err)
	}
	if want := "level=WARN msg=\"cannot follow\" tenant=b err=\"the database is down\"\n"; out.String() != want {
		t.Errorf("logged %q; want %q", out, want)
	}
}

func TestTenantsComeInAnyOrder(t *testing.T) {
	firsts := map[string]bool{}
	for range 1000 {
		first := ""
		_, _ = loop.EachTenant(
			t.Context(),
			slog.Default(),
			"",
			[]string{"a", "b", "c"},
			func(_ context.Context, tenant string) (int, error) {
				if first == "" {
					first = tenant
				}
				return 0, nil
			},
		)
		firsts[first] = true
	}
	if len(firsts) != 3 {
		t.Errorf("in a thousand rounds only %v came first", firsts)
	}
}

func TestTenantsAreNotComplainedOfWhenTheProcessStops(t *testing.T) {
	log, out := written()
	ctx, stop := context.WithCancel(t.Context())
	sum, err := loop.EachTenant(
		ctx,
		log,
		"cannot follow",
		[]string{"a", "b"},
		func(ctx context.Context, tenant string) (int, error) {
			stop()
			return 1, fmt.Errorf("tenant %s: %w", tenant, ctx.Err())
		},
	)
	if sum != 2 || !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("did %d, %v, logged %q; want 2, the context's end, and nothing", sum, err, out)
	}
}
