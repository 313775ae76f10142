package resource

import (
	"net/url"
	"slices"
	"strings"
)

// IDOfURI returns the id at the end of the URI of a resource.
func IDOfURI(ref string) string {
	ref, _, _ = strings.Cut(ref, "?")
	last := ref[strings.LastIndexByte(ref, '/')+1:]
	if plain, err := url.PathUnescape(last); err == nil {
		return plain
	}
	return last
}

// InvalidID returns why an id cannot be a key; empty if it can.
func InvalidID(id string) string {
	switch {
	case id == "":
		return "has no id"
	case len(id) > 1024:
		return "has an id of more than 1024 bytes"
	case slices.Contains([]byte(id), 0):
		return "has an id with a NUL character"
	}
	return ""
}
