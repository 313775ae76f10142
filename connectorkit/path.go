package connectorkit

import (
	"net/url"
	"strings"
)

// LeavesBase reports whether a path, taken below another one, leads above it. Dots may be escaped, and servers
// take a backslash for a slash.
func LeavesBase(escaped string) bool {
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		return true
	}
	level := 0
	for _, segment := range strings.FieldsFunc(plain, func(r rune) bool { return r == '/' || r == '\\' }) {
		switch segment {
		case ".":
		case "..":
			level--
		default:
			level++
		}
		if level < 0 {
			return true
		}
	}
	return false
}
