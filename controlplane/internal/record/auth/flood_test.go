package auth_test

import (
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestFiveFailuresCloseTheAccountToTheirNetwork(t *testing.T) {
	h := open(t)
	spellings := []string{"ada@acme.example", "ADA@acme.example", " ada@acme.example", "ada@ACME.example ", "ａda@acme.example"}
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
