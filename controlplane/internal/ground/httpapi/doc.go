// Package httpapi wraps huma and chi. A route is a typed function that gets its viewer as a parameter; decoding,
// validation and the OpenAPI 3.1 description follow from the types. The package has what all endpoints share:
// authentication before routing, strict JSON, problem documents (RFC 9457), paging, cursors, ETags, server-sent
// events.
package httpapi
