package pacing

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// A circuit opens after so many failures in a row, and stays open for so long (CON-8).
const (
	failuresInARow = 10
	openFor        = time.Minute
)

// Circuit keeps calls from a target that fails again and again, and from one that refuses the login:
// repeating that would lock the service account. It stops no call that has begun: that ends by the target's
// own answers, but without further tries. Probes, which a person starts, are let through and close it when
// they succeed.
type Circuit struct {
	mu      sync.Mutex
	tickets int64 // of tickets
	barrier int64 // failures of requests that began before it are part of one that was counted
	failed  int   // in a row
	proven  bool  // something was answered with these credentials
	until   time.Time
	cause   *v1.ErrorDetail
	login   bool // it is the login that was refused
}

// Check gives the error of an open circuit.
func (k *Circuit) Check(now time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.Before(k.until) {
		return k.refusal(now)
	}
	return nil
}

// Ticket is for one request. It is the last try where the target has failed too often already.
func (k *Circuit) Ticket() (ticket int64, last bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tickets++
	return k.tickets, k.failed >= failuresInARow
}

// refusal is the error of an open circuit. It carries the answer that opened it.
func (k *Circuit) refusal(now time.Time) *v1.ErrorDetail {
	wait := k.until.Sub(now)
	ms := wait.Milliseconds()
	d := &v1.ErrorDetail{
		Class: v1.ClassTransient, Code: "circuit_open", Retryable: true, RetryAfterMS: &ms, Phase: k.cause.Phase,
		Target: k.cause.Target,
		Message: fmt.Sprintf("the target failed %d times in a row and is not asked again before %s; the last time: %s",
			k.failed, k.until.UTC().Format(time.RFC3339), k.cause.Message),
		Hint: "A successful connection test lets requests through at once.",
	}
	if k.login {
		d.Class, d.Retryable = k.cause.Class, false
		d.Message = fmt.Sprintf("the target refused the login and is not asked again before %s, so that the "+
			"account is not locked: %s",
			k.until.UTC().Format(time.RFC3339), k.cause.Message)
		d.Hint = "Correct the credentials: others are tried at once. " + d.Hint
	}
	return d
}

// Note takes in how a request ended. login says that credentials were sent.
func (k *Circuit) Note(ticket int64, now time.Time, err error, login bool) {
	var d *v1.ErrorDetail
	if err != nil && !errors.As(err, &d) {
		return // the caller's own business
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case err == nil:
		k.failed, k.proven, k.login, k.until = 0, true, false, time.Time{}
	case login && k.refusesLogin(d):
		k.open(now, d)
		k.login, k.proven = true, false
	case d.Class == v1.ClassTransient || d.Code == "http_500":
		// Requests that were under way together fail together: that is one failure.
		if ticket > k.barrier {
			k.failed++
			k.barrier = k.tickets
		}
		if k.failed >= failuresInARow {
			k.open(now, d)
			k.login = false
		}
	case d.Target != nil && d.Target.HTTP != nil && d.Target.HTTP.Status != http.StatusTooManyRequests:
		k.failed = 0 // it answers
	}
}

func (k *Circuit) open(now time.Time, cause *v1.ErrorDetail) {
	k.until, k.cause = now.Add(openFor), cause
}

// refusesLogin distinguishes refused credentials from a missing right: once a call was answered, 403 is about the
// one address.
func (k *Circuit) refusesLogin(d *v1.ErrorDetail) bool {
	if d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	switch d.Target.HTTP.Status {
	case http.StatusUnauthorized:
		return true
	case http.StatusForbidden:
		return d.Class == v1.ClassPermission && (d.Phase == "token" || !k.proven)
	}
	return d.Phase == "token" && d.Class == v1.ClassAuth
}
