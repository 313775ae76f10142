package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Limits of a request's body.
const (
	MaxBody  = 1 << 20  // bytes
	MaxBulk  = 10 << 20 // bytes, of routes that are made for many things at once
	maxDepth = 64

	maxElements     = 10_000  // members and elements, all together
	maxBulkElements = 500_000 // of routes that take MaxBulk
)

// serverOwned are the members that only the service sets.
var serverOwned = []string{"id", "tenant_id", "status", "version", "created_at", "updated_at", "created_by"}

// checkBody refuses what a lenient JSON decoder would let through: another media type, duplicate members, trailing
// data, NUL, invalid UTF-8, extreme nesting, and members that belong to the server.
func (a *API) checkBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !under(r.URL.Path, "/api") || r.Method == http.MethodGet || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		most, elements := a.bodyLimits(r)
		lines := a.bringsLines(r)
		if lines {
			most = MaxLines
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if err != nil {
			a.Fail(w, r, readFault(err))
			return
		}
		passageOf(r.Context()).body = body
		if lines {
			if body, err = enclosed(r, body); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		if len(body) > 0 {
			if err := checkJSON(r, body, elements); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// bodyLimits are the most bytes and elements of a body. Few routes take many, so they are looked for only when a body
// is large, or does not say how large it is.
func (a *API) bodyLimits(r *http.Request) (bytes int64, elements int) {
	if len(a.bulk) > 0 && (r.ContentLength < 0 || r.ContentLength > smallBody) {
		if a.bulk[r.Method+" "+a.Router.Find(chi.NewRouteContext(), r.Method, r.URL.Path)] {
			return MaxBulk, maxBulkElements
		}
	}
	return MaxBody, maxElements
}

// smallBody has no room for maxElements.
const smallBody = 16 << 10

func readFault(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.Coded(fault.Malformed, "payload_too_large", "the body may have at most %d bytes", tooLarge.Limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return tooSlow()
	}
	return fault.New(fault.Malformed, "the body could not be read to its end")
}

func checkJSON(r *http.Request, body []byte, elements int) error {
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
	owned := serverOwned
	if under(r.URL.Path, Prefix+"/auth") || under(r.URL.Path, Prefix+"/agent") ||
		under(r.URL.Path, Prefix+"/sector-packs") { // a pack's version is asked for
		owned = nil
	}
	d := &reading{Decoder: json.NewDecoder(bytes.NewReader(body)), left: elements}
	d.UseNumber()
	if err := d.walk(0, owned); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.Coded(fault.Malformed, "malformed_json", "there is something after the end of the JSON value")
	}
	return nil
}

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

// Ignored lists the members of a JSON object that the type of into does not know, for payloads whose senders add fields
// of their own. The names go into the Ignored-Fields header.
func Ignored(raw []byte, into any) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return ""
	}
	known := map[string]bool{}
	jsonNames(reflect.TypeOf(into), known)
	var names []string
	for name := range members {
		if !known[name] {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func jsonNames(t reflect.Type, into map[string]bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			jsonNames(f.Type, into)
			continue
		}
		if name != "" && name != "-" {
			into[name] = true
		}
	}
}
