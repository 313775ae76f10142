// Package admission counts what a process does at once and refuses what is too much: requests (Places), connections
// (Connections), bodies on their way (Bodies) and event streams (Streams). It keeps its counts in memory and owns no
// table. Package httpapi asks it before it works on a request; package app bounds the connections of its listeners by
// it.
//
// Requests, streams and connections beyond a bound are refused, with a fault of kind Unavailable or TooMany, or by
// closing the connection. Of the bodies on their way the oldest is cut off instead.
//
// Example: 512 requests are worked on when another arrives. Enter answers temporarily_overloaded, which becomes a 503
// with Retry-After between one and five seconds, and Shedding is true for five seconds.
package admission
