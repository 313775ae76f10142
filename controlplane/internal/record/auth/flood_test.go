package auth_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestFiveFailuresCloseTheAccountToTheirNetwork(t *testing.T) {
	h := open(t)
	spellings := []string{
		"ada@acme.example",
		"ADA@acme.example",
		" ada@acme.example",
		"ada@ACME.example ",
		"ａda@acme.example",
	}
	session := h.signIn()
	for _, email := range spellings {
		h.login(email, "wrong "+canary).want(t, email, 401, "invalid_credentials")
	}
	shut := h.login("ada@acme.example", canary)
	shut.want(t, "the right password while it is closed", 429, "login_throttled")
	if wait, err := strconv.Atoi(shut.header.Get("Retry-After")); err != nil || wait < 899 || wait > 900 {
		t.Errorf("Retry-After = %q; want 900", shut.header.Get("Retry-After"))
	}
	h.call("GET", "/auth/me", session.AccessToken, "").want(t, "a session that was there before", 200, "")
	h.pass(15*time.Minute + time.Second)
	h.login("ada@acme.example", canary).want(t, "after a quarter of an hour", 200, "")
	h.noSecrets(canary)
}

func TestAFloodOfGuessesGetsNoMoreThanAFew(t *testing.T) {
	h := open(t)
	var looked, refused atomic.Int64
	var wg sync.WaitGroup
	for range 60 {
		wg.Go(func() {
			switch a := h.login("ada@acme.example", "wrong "+canary); a.status {
			case 401:
				looked.Add(1)
			case 429:
				refused.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	wg.Wait()
	// Guesses that already have their place when the fifth fails are looked at; there are at most as many as places.
	if n := looked.Load(); n < 5 || n > int64(5+max(2, runtime.NumCPU())) {
		t.Errorf("%d of 60 parallel guesses were looked at, %d refused; want 5 and few more", n, refused.Load())
	}
}

func TestManySignInsAtOnceTakeNoMoreMemoryThanTheirPlaces(t *testing.T) {
	h := open(t)
	h.signIn()
	runtime.GC()
	before, most := resident(t), atomic.Int64{}
	watching := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-watching:
				return
			case <-time.After(2 * time.Millisecond):
				most.Store(max(most.Load(), resident(t)))
			}
		}
	})
	var in, away atomic.Int64
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			switch a := h.login("ada@acme.example", canary); {
			case a.status == 200:
				in.Add(1)
			case a.status == 503 && a.code == "temporarily_overloaded" && a.header.Get("Retry-After") != "":
				away.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	wg.Wait()
	close(watching)
	watch.Wait()
	grown, allowed := most.Load()-before, int64(max(2, runtime.NumCPU()))*64<<20
	// How many are served before those who wait give up depends on the machine.
	if in.Load() < int64(runtime.NumCPU()) || in.Load()+away.Load() != 200 || grown > allowed {
		t.Errorf(
			"%d signed in, %d were sent away, and memory grew by %d MiB; want 200 together, and at most %d MiB",
			in.Load(),
			away.Load(),
			grown>>20,
			allowed>>20,
		)
	}
}

// resident is the memory of this process that is in use, as the system counts it.
func resident(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Error(err)
		return 0
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Error(err)
	}
	return pages * int64(os.Getpagesize())
}
