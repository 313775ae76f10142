package connectorkit

import (
	"net/url"
	"strings"
)

// LeavesBase reports whether a path that is appended to a base leads above the base. It also recognizes escaped dots,
// and the backslash that some servers treat as a slash.
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
