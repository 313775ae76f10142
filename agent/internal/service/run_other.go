//go:build !windows

package service

// Run does the work as a service, or in the foreground: outside Windows the two are the same.
func Run(w Work, _ bool) int { return foreground(w) }
