package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// invalidRate is how many tokens that are not valid an address may try: 60 a minute.
var invalidRate = viewer.Rate{PerSecond: 1, Burst: 60}

// Names of the rates (draft-ietf-httpapi-ratelimit-headers).
const (
	policy        = "default"        // of a token
	userPolicy    = "user"           // of all sessions of a user together
	tenantPolicy  = "tenant"         // of all tokens of a tenant together
	invalidPolicy = "invalid-tokens" // of an address, for tokens that are not valid
)

// admit counts a viewer's request, and reports in every answer how many more may come.
func (a *API) admit(ctx context.Context, w http.ResponseWriter, v viewer.Viewer) error {
	if a.cfg.Rate == nil {
		return nil
	}
	verdict := a.cfg.Rate.Take(ctx, v)
	wait := problem.Seconds(verdict.Wait)
	h := w.Header()
	h.Set(
		"RateLimit-Policy",
		fmt.Sprintf(`%q;q=%d;w=1;grantwright-burst=%d`, policy, verdict.Rate.PerSecond, verdict.Rate.Burst),
	)
	h.Set("RateLimit", fmt.Sprintf(`%q;r=%d;t=%d`, policy, verdict.Left, wait))
	if !verdict.Allowed {
		return tooMany(
			verdict,
			policy,
			"this token may make %d requests a second, %d at once",
			verdict.Rate.PerSecond,
			verdict.Rate.Burst,
		)
	}
	return a.admitTogether(ctx, v, verdict.Rate)
}

// Rates of tokens together, as multiples of the rate of one: a user who signs in many times, or a tenant with many
// tokens, takes no more than this of the service.
const (
	sessionsOfUser = 3
	tokensOfTenant = 10
)

// admitTogether counts a request for its user and its tenant. A token with a higher rate of its own takes the smaller
// part of the sum for each request; one with a lower rate takes no more than others.
func (a *API) admitTogether(ctx context.Context, v viewer.Viewer, one viewer.Rate) error {
	sum := func(of, id string, times int) limit.Verdict {
		rate := viewer.Rate{
			PerSecond: times * max(
				one.PerSecond,
				limit.Usual.PerSecond,
			),
			Burst: times * max(one.Burst, limit.Usual.Burst),
		}
		return a.cfg.Rate.Take(
			ctx,
			viewer.Viewer{Tenant: cmp.Or(v.Home, v.Tenant), Kind: viewer.Kind(of), Session: id, Rate: rate},
		)
	}
	if v.Kind == viewer.User {
		if verdict := sum("all of user", v.ID, sessionsOfUser); !verdict.Allowed {
			return tooMany(
				verdict,
				userPolicy,
				"All sessions of a user together may make %d requests a second, %d at once.",
				verdict.Rate.PerSecond,
				verdict.Rate.Burst,
			)
		}
	}
	if verdict := sum("all of tenant", "all", tokensOfTenant); !verdict.Allowed {
		return tooMany(
			verdict,
			tenantPolicy,
			"All tokens of a tenant together may make %d requests a second, %d at once.",
			verdict.Rate.PerSecond,
			verdict.Rate.Burst,
		)
	}
	return nil
}

func tooMany(v limit.Verdict, name, format string, args ...any) error {
	f := fault.New(fault.TooMany, format, args...).Also("violated-policies", []string{name})
	f.RetryAfter = max(time.Second, v.Wait)
	return f
}

// refused is the answer to a token that was not accepted. A client that tries many has to wait; a valid token from the
// same address is never in the way.
func (a *API) refused(ctx context.Context, err error) error {
	if !fault.IsCode(err, "invalid_token") {
		return err
	}
	if v := a.invalid.Take(AddressOf(ctx)); !v.Allowed {
		return tooMany(v, invalidPolicy, "too many tokens from this address were not valid")
	}
	return err
}
