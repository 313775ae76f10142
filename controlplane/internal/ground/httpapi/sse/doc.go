// Package sse sends server-sent events (WHATWG HTML, section 9.2). A route of httpapi.Stream or httpapi.Either gets an
// Events; Relay runs work, sends its progress as events, and ends the stream with the event result or error.
//
// Example: POST /connectors/{id}/test with Accept: text/event-stream relays each check as an event, then its outcome as
// result.
package sse
