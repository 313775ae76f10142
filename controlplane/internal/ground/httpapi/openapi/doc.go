// Package openapi describes what does not follow from a route's Go types: the IDs of operations, and the requests that
// the service sends to others (webhooks and callbacks). Its callers are package httpapi and the routes that send
// requests.
//
// Example: Outgoing{Name: "identity.created"} becomes a webhook of the description, with the signature headers of
// Standard Webhooks and the operation ID send_identity.created.
package openapi
