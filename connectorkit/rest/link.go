package rest

import (
	"net/http"
	"strings"
)

// linkNext finds the target of rel="next" in Link headers (RFC 8288).
func linkNext(h http.Header) string {
	for _, line := range h.Values("Link") {
		for rest := line; ; {
			_, after, ok := strings.Cut(rest, "<")
			if !ok {
				break
			}
			link, params, ok := strings.Cut(after, ">")
			if !ok {
				break
			}
			var next bool
			next, rest = relNext(params)
			if next {
				return strings.TrimSpace(link)
			}
		}
	}
	return ""
}

// relNext reads the parameters of one link up to the comma that ends it, and gives what is behind. Only the first rel counts.
func relNext(params string) (next bool, rest string) {
	for first := true; ; {
		end := unquoted(params)
		name, value, _ := strings.Cut(strings.TrimSpace(params[:end]), "=")
		if first && strings.EqualFold(strings.TrimSpace(name), "rel") {
			first = false
			for _, rel := range strings.Fields(strings.Trim(strings.TrimSpace(value), `"`)) {
				next = next || strings.EqualFold(rel, "next")
			}
		}
		if end == len(params) || params[end] == ',' {
			return next, params[end:]
		}
		params = params[end+1:]
	}
}

// unquoted is where the first comma or semicolon outside of quotes stands, or the length of the text.
func unquoted(text string) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case (c == ',' || c == ';') && !quoted:
			return i
		}
	}
	return len(text)
}
