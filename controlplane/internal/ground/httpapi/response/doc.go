// Package response holds what stands between a handler and its connection: writers that pass on what the connection can
// do (Passing), compress JSON (Gzip), give a slow client more time (SlowWriter, Patient), or hold an answer back until
// it is kept for an Idempotency-Key (Recorder). Its callers are package httpapi and packages that serve plain HTTP.
//
// Example: a list of 50 kB is sent to a client with Accept-Encoding: gzip in about 5 kB; a resource with an ETag is
// sent as it is.
package response
