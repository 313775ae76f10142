// Package target speaks HTTP to target systems on behalf of connectors: it authenticates, waits, tries again, bounds what
// it reads, and turns every refusal into an error that carries the target's own answer, what it means and how to mend it.
//
// A Client is made for one call of a connector (Test, Discover, Sync) and closed at its end. What outlives the call, such as
// OAuth2 tokens, rate budgets and circuits, lives in a Shared, by default one for the whole process (see Process). All connections are opened by the dialer
// of connectorkit.Env; redirects are never followed, so that credentials never leave the host they were given for.
//
// All calls to one host with the same credentials share one budget: the rate that is set, the pauses and allowances that the
// target tells, and how many requests are under way, which its complaints lower. A target that fails ten times in a row, or
// that refuses the login, is left alone for a minute: the error circuit_open says until when.
//
// Explain, Steps and TLS know no HTTP: other kinds of connector use them for the same words and the same steps.
package target
