// Package limit says whether one more request may come. A token has a rate, which all processes keep together; an
// address has one for what is asked before anybody is known, which each process keeps for itself.
//
// A rate is kept by the generic cell rate algorithm (ITU-T I.371): all there is to know about a token is the instant
// until which its requests so far fill the line, each request a cell of 1/rate.
package limit
