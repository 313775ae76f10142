// Package target speaks HTTP to target systems on behalf of connectors: it authenticates, waits, tries again, bounds what
// it reads, and turns every refusal into an error that carries the target's own answer, what it means and how to mend it.
//
// A Client is made for one call of a connector (Test, Discover, Sync) and closed at its end. What outlives the call, such as
// OAuth2 tokens and rate budgets, lives in a Shared that the connector value owns. All connections are opened by the dialer
// of connectorkit.Env; redirects are never followed, so that credentials never leave the host they were given for.
//
// Explain, Steps and TLS know no HTTP: other kinds of connector use them for the same words and the same steps.
package target
