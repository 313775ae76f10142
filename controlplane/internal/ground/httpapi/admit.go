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

// invalidRate is how many tokens that are not valid an address may try: 60 a minute.
var invalidRate = viewer.Rate{PerSecond: 1, Burst: 60}

// Names of the rates (draft-ietf-httpapi-ratelimit-headers).
const (
	policy        = "default"        // of a token
	invalidPolicy = "invalid-tokens" // of an address, for tokens that are not valid
)

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
	return tooMany(verdict, policy, "this token may make %d requests a second, %d at once", verdict.Rate.PerSecond, verdict.Rate.Burst)
}

func tooMany(v limit.Verdict, name, format string, args ...any) error {
	f := fault.New(fault.TooMany, format, args...).Also("violated-policies", []string{name})
	f.RetryAfter = max(time.Second, v.Wait)
	return f
}

// seconds are whole ones, never too few.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// refused is the answer to a token that was not accepted. Whoever tries many is told to wait; a valid token from the same address
// is never in the way.
func (a *API) refused(ctx context.Context, err error) error {
	if !fault.IsCode(err, "invalid_token") {
		return err
	}
	if v := a.invalid.Take(AddressOf(ctx)); !v.Allowed {
		return tooMany(v, invalidPolicy, "too many tokens from this address were not valid")
	}
	return err
}
