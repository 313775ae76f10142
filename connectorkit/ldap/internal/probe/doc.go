// Package probe tests a connection step by step: dns, tcp, tls or start_tls, anonymous_bind, paged_search_anonymous,
// bind and paged_search.
//
// Each step is reported as it ends. The result of the test is that of the search that a sync would use. With StartTLS
// the connection is protected before the first bind, so that no password crosses the network in the clear.
//
//	out, err := probe.Test(ctx, env, v1.TestRequest{AuthConfig: auth}, report)
//	// out.Success, out.Steps, out.Error.Hint
package probe
