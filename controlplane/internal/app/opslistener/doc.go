// Package opslistener opens the listener for readiness, metrics and profiles, on a loopback address or a Unix socket,
// and refuses requests that name another host.
package opslistener
