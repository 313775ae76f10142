// Package serve is the other side of a custom connector: it turns a connectorkit.Connector, or a plain function from
// SyncRequest to SyncResponse, into an http.Handler that speaks connector protocol v1 over HTTP. It knows its caller by
// a bearer token, by the signature of the request, or by both.
package serve
