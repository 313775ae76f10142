// Package target speaks HTTP to target systems on behalf of connectors: it authenticates, keeps rate limits, retries,
// bounds what it reads, and turns every refusal into an error with the target's own answer, its meaning and a hint
// what to do.
//
// A Client is made for one call of a connector (Test, Discover, Sync, Provision) and closed at its end. What outlives
// the call, such as OAuth2 tokens, rate budgets and circuit breakers, lives in a Shared, by default one for the whole
// process (see Process). All connections are opened by the dialer of connectorkit.Env. Redirects are never followed,
// so credentials never leave the host they were given for.
//
// All calls to one host with the same credentials share one budget: the configured rate, the pauses and allowances
// that the target announces, and the number of concurrent requests, which 429 answers lower. A circuit breaker has
// two states, closed and open. It opens for a minute after ten failures in a row or a refused login; requests then
// fail with the code circuit_open. A successful connection test closes it.
//
// The parts that know no Client are packages of their own: internal/address (URLs that users type), internal/neterr
// (errors of DNS, TCP and TLS), internal/pacing (budgets, circuit breakers, Retry-After and rate limit headers),
// internal/assertion (JWT bearer grant), and httpfields (descriptions of the settings).
//
// Callers are the connectors for SCIM, REST and custom services:
//
//	o := target.Options{BaseURL: "https://example.com/scim/v2", Auth: target.Bearer{Token: t}}
//	c, err := target.New(ctx, env, o)
//	defer c.Close()
//	err = c.JSON(ctx, target.Request{URL: "Users", Phase: "users"}, &page)
package target
