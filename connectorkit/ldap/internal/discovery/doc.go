// Package discovery lists the fields of people and groups: what the schema declares, joined with what a few sampled
// entries hold.
//
// Samples can be masked. Secrets and binary values are never sampled. The schema digest changes when names or types
// change, and not with the sampled entries.
//
//	out, err := discovery.Discover(ctx, env, v1.DiscoverRequest{AuthConfig: auth, SampleSize: 10}, report)
package discovery
