// Package health holds the parts of a connector that other packages watch: its schedule and the health of reading and
// writing.
package health
