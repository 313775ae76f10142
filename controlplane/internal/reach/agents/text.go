package agents

import (
	"cmp"
	"strings"
)

// Place names a host for people.
func Place(hostname, ip string) string {
	switch {
	case hostname == "":
		return cmp.Or(ip, "an unknown host")
	case ip == "":
		return hostname
	}
	return hostname + " (" + ip + ")"
}

// Short cuts what a host says of itself to a sensible length, without the one character that cannot be stored.
func Short(s string) string {
	const most = 255
	r := []rune(strings.ReplaceAll(s, "\x00", ""))
	return string(r[:min(len(r), most)])
}

// Deref is what a pointer points to, or the zero value.
func Deref[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
