package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Rates of an address, before anybody is known.
var (
	healthRate  = viewer.Rate{PerSecond: 50, Burst: 50}
	invalidRate = viewer.Rate{PerSecond: 1, Burst: 60} // tokens that are not valid: 60 a minute
)

// policy is the name of the one rate that tokens have (draft-ietf-httpapi-ratelimit-headers).
const policy = "default"

// admit counts a viewer's request, and tells in every answer how many more may come.
func (a *API) admit(ctx context.Context, w http.ResponseWriter, v viewer.Viewer) error {
	if a.cfg.Rate == nil {
		return nil
	}
	verdict := a.cfg.Rate.Take(ctx, v)
	wait := seconds(verdict.Wait)
	h := w.Header()
	h.Set("RateLimit-Policy", fmt.Sprintf(`%q;q=%d;w=1;grantwright-burst=%d`, policy, verdict.Rate.PerSecond, verdict.Rate.Burst))
	h.Set("RateLimit", fmt.Sprintf(`%q;r=%d;t=%d`, policy, verdict.Left, wait))
	if verdict.Allowed {
		return nil
	}
	return tooMany(verdict, "this token may make %d requests a second, %d at once", verdict.Rate.PerSecond, verdict.Rate.Burst)
}

func tooMany(v limit.Verdict, format string, args ...any) error {
	f := fault.New(fault.TooMany, format, args...).Also("violated-policies", []string{policy})
	f.RetryAfter = max(time.Second, v.Wait)
	return f
}

// seconds are whole ones, never too few.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// checkHealth keeps whoever asks for the state of the process too often at a distance.
func (a *API) checkHealth(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" {
			if v := a.health.Take(AddressOf(r.Context())); !v.Allowed {
				a.Fail(w, r, tooMany(v, "once every few seconds is often enough"))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// refused is the answer to a token that was not accepted. Whoever tries many is told to wait; a valid token from the same address
// is never in the way.
func (a *API) refused(ctx context.Context, err error) error {
	if !fault.IsCode(err, "invalid_token") {
		return err
	}
	if v := a.invalid.Take(AddressOf(ctx)); !v.Allowed {
		return tooMany(v, "too many tokens from this address were not valid")
	}
	return err
}
