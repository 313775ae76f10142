// Package httpapi wraps huma and chi. A route is a typed function that gets its viewer as a parameter; decoding,
// validation and the OpenAPI 3.1 description follow from the types. Every package with resources makes its routes here
// (Handle, Download, Stream, Either, Report), and package app adds them to the API.
//
// A request passes these stages: its request ID (identify), the size of its head (bounds), a place among the requests
// worked on (shed), its token and rate (authenticate, admit), its body (receive, checkBody), and by its route the
// caller's rights (guard) and its Idempotency-Key (once). What the stages need and others may use is in packages below:
// incoming (what is known of a request), head and payload (strict checks), admission (bounds of load), problem (RFC
// 9457), etag, cursor, response (writers), sse (events) and openapi (descriptions).
//
// Example:
//
//	httpapi.Handle("GET", "/identities/{id}", "Retrieve an identity", s.read).For(viewer.Admin, viewer.Auditor)
//
// serves GET /api/v1/identities/{id} to administrators and auditors. s.read returns an httpapi.One with the ETag of the
// identity, or a fault, which becomes a problem document.
package httpapi
