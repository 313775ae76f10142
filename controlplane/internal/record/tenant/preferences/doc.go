// Package preferences holds what a tenant sets for itself: its time zone, the hosts that callbacks may go to and the
// notice of operators' access; and the limits of requests that operators set for it.
package preferences
