// Package incoming holds what is known of a request while it is served: its ID, the client's address, the token, the
// trace, the tenant that its address names, and its viewer. Package httpapi makes a Request for each request and adds
// to it stage by stage; everything that serves the request finds it in its context.
//
// Example: a request with the headers X-Request-Id: import-7 and Authorization: Bearer t gets a Request with an ID of
// its own, the ClientID import-7 and, once the bearer is read, the Bearer t.
package incoming
