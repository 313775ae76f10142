// Package pacing decides when requests to one target may be sent.
//
// A Budget is a token bucket with a limit on concurrent requests, which 429 answers lower to one and steady answers
// raise again, and a common pause once the target asked for one. A Circuit is closed, or open for a minute after ten
// failures in a row or a refused login (CON-8). AllowanceOf and RetryAfter read what targets announce in headers
// (RateLimit fields, X-RateLimit-*, and Retry-After of RFC 9110 section 10.2.3).
//
// Both are shared by all calls with the same host and credentials, and safe for concurrent use:
//
//	time.Sleep(budget.Reserve(now))
//	err := budget.Enter(ctx)
//	defer budget.Leave()
package pacing
