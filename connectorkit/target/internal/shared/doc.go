// Package shared keeps what outlives the calls of connectors: OAuth2 tokens, rate budgets and circuit breakers, each
// under a digest of host and credentials. It is bounded: beyond 4,096 entries of a kind all of that kind are dropped.
//
//	budget := shared.Process().Budget(key)
package shared
