// Package head checks what stands before the body of a request: the size of its query and headers, its parameters, and
// whether its Accept header leaves a media type that the route answers. Its caller is package httpapi. It returns
// faults of kind Malformed.
//
// Example: GET /api/v1/identities?statsu=active is refused by CheckParameter with unknown_parameter, because a mistyped
// filter must not list every identity.
package head
