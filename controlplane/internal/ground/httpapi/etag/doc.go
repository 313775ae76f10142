// Package etag reads lists of entity tags (RFC 9110 section 8.8.3) and answers 304 to reads whose ETag the client
// already has. Its caller is package httpapi, which also holds If-Match and If-None-Match of writes against a version.
//
// Example: GET /api/v1/identities/{id} with If-None-Match: W/"6", "7" is answered 304 without a body if the ETag of the
// identity is "7".
package etag
