// Package httpapi is a thin face over huma on chi. A route is a typed function that gets its viewer as a parameter;
// from the types come decoding, validation and the OpenAPI 3.1 description. What every endpoint shares lives here and
// nowhere else: authentication before routing, strict JSON, problem documents (RFC 9457), paging, cursors, ETags,
// server-sent events.
package httpapi
