// Package dashboard sums up a tenant for whoever asks: how many people, accounts and rights there are, how its systems
// fare, and what waits for the caller. Each figure is that of the list behind it, by the list's own rule of who sees
// what.
package dashboard
