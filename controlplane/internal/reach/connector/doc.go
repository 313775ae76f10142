// Package connector keeps connector instances: which target systems a tenant is connected to, where each is reached
// from, and with which settings and secrets. It tries connections out and looks at what targets hold; reading them is
// the work of package syncrun.
//
// Secrets go in and never come out: they are sealed as one JSON object (package seal), opened only for a call to the
// target, and shown as set or not.
package connector
