package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// CheckJSON checks the one JSON value of a body: its media type, its encoding, and what a lenient decoder would let
// through. elements bounds its members and elements together; serverOwned are the names that the outermost object must
// not have. It sets the request's Content-Type to the bare media type.
func CheckJSON(r *http.Request, body []byte, elements int, serverOwned []string) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return fault.Coded(fault.Malformed, "unsupported_media_type", "the body must be sent as it is, without "+
			"Content-Encoding: a packed one may become any size").
			With(fault.Field{Header: "Content-Encoding", Code: "unsupported_media_type", Detail: "leave it out"})
	}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isJSON := media == "application/json" || strings.HasSuffix(media, "+json")
	if err != nil || !isJSON || (params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8")) {
		return fault.Coded(
			fault.Malformed,
			"unsupported_media_type",
			"the body must be JSON in UTF-8, declared by Content-Type: application/json",
		)
	}
	r.Header.Set("Content-Type", media) // what comes later compares letters
	if !utf8.Valid(body) {
		return fault.Coded(fault.Malformed, "invalid_encoding", "the body is not valid UTF-8")
	}
	d := &reading{Decoder: json.NewDecoder(bytes.NewReader(body)), left: elements}
	d.UseNumber()
	if err := d.walk(0, serverOwned); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.Coded(fault.Malformed, "malformed_json", "there is something after the end of the JSON value")
	}
	return nil
}

// maxDepth is how deep objects and arrays may be nested.
const maxDepth = 64

// reading is a body on its way.
type reading struct {
	*json.Decoder
	left int // values that may still come
}

// walk reads one value. owned are the names that an object at this level must not have.
func (d *reading) walk(depth int, owned []string) error {
	if d.left--; d.left < 0 {
		return fault.Coded(fault.Malformed, "malformed_json", "the JSON holds too many values; send fewer at once")
	}
	if depth > maxDepth {
		return fault.Coded(fault.Malformed, "malformed_json", "the JSON is nested deeper than %d levels", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return jsonFault(d, err)
	}
	switch token {
	case json.Delim('{'):
		return d.walkObject(depth, owned)
	case json.Delim('['):
		for d.More() {
			if err := d.walk(depth+1, nil); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return jsonFault(d, err)
	}
	return checkText(token)
}

func (d *reading) walkObject(depth int, owned []string) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return jsonFault(d, err)
		}
		name, _ := token.(string)
		if err := checkText(name); err != nil {
			return err
		}
		same := folded(name)
		if seen[same] {
			return fault.Coded(fault.Malformed, "duplicate_member", "the member %q occurs twice in one object", name)
		}
		seen[same] = true
		if slices.Contains(owned, same) {
			return fault.Coded(fault.Invalid, "read_only_field", "%s is set by the service", name).
				With(fault.Field{Pointer: "#/" + name, Code: "read_only_field", Detail: "leave it out"})
		}
		if err := d.walk(depth+1, nil); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return jsonFault(d, err)
}

// folded is what all names have in common that Go's decoder takes for one: it matches without regard to case, which is
// more than capitals, since the long ſ is an s and the sign of the kelvin a k. Two of them in one object are
// duplicates.
func folded(name string) string {
	first := func(r rune) rune { // of all that are r in another case
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}
	return strings.ToLower(strings.Map(first, name))
}

func checkText(token any) error {
	if s, ok := token.(string); ok && strings.ContainsRune(s, 0) {
		return fault.Coded(
			fault.Malformed,
			"invalid_encoding",
			"a text holds the character NUL, which cannot be stored",
		)
	}
	return nil
}

func jsonFault(d *reading, err error) error {
	if err == nil {
		return nil
	}
	return fault.Coded(fault.Malformed, "malformed_json", "the body is not valid JSON near byte %d", d.InputOffset())
}
