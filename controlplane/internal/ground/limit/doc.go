// Package limit limits the rate of requests. The rate of a token is shared by all processes, through the database. The
// rate of an address, for requests before authentication, is kept by each process.
//
// A rate is enforced by the generic cell rate algorithm (ITU-T I.371). The state of a token is one instant: the time at
// which all of its requests so far would have been made if they had come at exactly the allowed rate. A request is
// refused if that instant is further ahead than the allowed burst.
package limit
