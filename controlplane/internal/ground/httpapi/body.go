package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Limits of a request's body.
const (
	MaxBody  = 1 << 20 // bytes
	maxDepth = 64
)

// serverOwned are the members that only the service sets.
var serverOwned = []string{"id", "tenant_id", "status", "version", "created_at", "updated_at", "created_by"}

// checkBody refuses what a lenient JSON decoder would let through: another media type, duplicate members, trailing data,
// NUL, invalid UTF-8, extreme nesting, and members that belong to the server.
func (a *API) checkBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !under(r.URL.Path, "/api") || r.Method == http.MethodGet || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
		if err != nil {
			a.Fail(w, r, readFault(err))
			return
		}
		if len(body) > 0 {
			if err := checkJSON(r, body); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func readFault(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.Coded(fault.Malformed, "payload_too_large", "the body may have at most %d bytes", MaxBody)
	}
	return fault.New(fault.Malformed, "the body could not be read to its end")
}

func checkJSON(r *http.Request, body []byte) error {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isJSON := media == "application/json" || strings.HasSuffix(media, "+json")
	if err != nil || !isJSON || (params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8")) {
		return fault.Coded(fault.Malformed, "unsupported_media_type", "the body must be JSON in UTF-8, declared by Content-Type: application/json")
	}
	if !utf8.Valid(body) {
		return fault.Coded(fault.Malformed, "invalid_encoding", "the body is not valid UTF-8")
	}
	owned := serverOwned
	if under(r.URL.Path, Prefix+"/auth") || under(r.URL.Path, Prefix+"/agent") {
		owned = nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := walk(d, 0, owned); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.Coded(fault.Malformed, "malformed_json", "there is something after the end of the JSON value")
	}
	return nil
}

// walk reads one value. owned are the names that an object at this level must not have.
func walk(d *json.Decoder, depth int, owned []string) error {
	if depth > maxDepth {
		return fault.Coded(fault.Malformed, "malformed_json", "the JSON is nested deeper than %d levels", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return jsonFault(d, err)
	}
	switch token {
	case json.Delim('{'):
		return walkObject(d, depth, owned)
	case json.Delim('['):
		for d.More() {
			if err := walk(d, depth+1, nil); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return jsonFault(d, err)
	}
	return checkText(token)
}

func walkObject(d *json.Decoder, depth int, owned []string) error {
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
		// Go's decoder matches names without regard to case, so two that differ in case alone are duplicates as well.
		lower := strings.ToLower(name)
		if seen[lower] {
			return fault.Coded(fault.Malformed, "duplicate_member", "the member %q occurs twice in one object", name)
		}
		seen[lower] = true
		if slices.Contains(owned, lower) {
			return fault.Coded(fault.Invalid, "read_only_field", "%s is set by the service", name).
				With(fault.Field{Pointer: "#/" + name, Code: "read_only_field", Detail: "leave it out"})
		}
		if err := walk(d, depth+1, nil); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return jsonFault(d, err)
}

func checkText(token any) error {
	if s, ok := token.(string); ok && strings.ContainsRune(s, 0) {
		return fault.Coded(fault.Malformed, "invalid_encoding", "a text holds the character NUL, which cannot be stored")
	}
	return nil
}

func jsonFault(d *json.Decoder, err error) error {
	if err == nil {
		return nil
	}
	return fault.Coded(fault.Malformed, "malformed_json", "the body is not valid JSON near byte %d", d.InputOffset())
}

// Ignored lists the members of a JSON object that the type of into does not know, for payloads whose senders add fields of
// their own. The names go into the Ignored-Fields header.
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
