package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// refusals are all that the strict reader says.
var refusals = []string{"malformed_json", "duplicate_member", "invalid_encoding", "read_only_field"}

// FuzzStrictJSONIsJSON holds the strict reader against the standard library's: whatever passes here, that reads as one
// value, in which no object lost a member; whatever that cannot read does not pass.
func FuzzStrictJSONIsJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, `""`, `0`, `-0.5e+10`, `1e400`, `{"a":{"b":[1,true,null,"x"]}}`, `{"a":1,"a":2}`,
		`{"a":1,"A":2}`, `{"k":1,"K":2}`,
		`{"s":1,"ſ":2}`, `{"id":1}`, `{"a":{"id":1}}`, `{} {}`, `{}]`, `{]`, `[,]`, `[1,]`, `{"a":}`, `{"a"}`, `{a:1}`,
		"\"\xff\"", `"\ud800"`, `"\u0000"`,
		"\xef\xbb\xbf{}", `{"\u0061":1,"a":2}`, strings.Repeat("[", 65) + strings.Repeat("]", 65),
		strings.Repeat("[", 66), `{"a":01}`, "\x00", `'a'`, ` `, "{\"a\":\"\t\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest("POST", "/api/v1/things", nil)
		r.Header.Set("Content-Type", "application/json")
		err := checkJSON(r, body, maxElements)
		var refusal *fault.Fault
		if err != nil {
			if !errors.As(err, &refusal) || !slices.Contains(refusals, refusal.Code) {
				t.Errorf("%q is refused by %v", body, err)
			}
			return
		}
		if !json.Valid(body) || !utf8.Valid(body) {
			t.Fatalf("%q passes and is no JSON", body)
		}
		if got, want := members(t, body), bytes.Count(withoutTexts(body), []byte(":")); got != want {
			t.Errorf("%q has %d members, of which %d are left", body, want, got)
		}
	})
}

// members counts the members of all objects, as they are when each name stands once.
func members(t *testing.T, body []byte) int {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q passes and cannot be read: %v", body, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("%q passes and goes on", body)
	}
	return membersOf(v)
}

func membersOf(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, each := range v {
			n += 1 + membersOf(each)
		}
	case []any:
		for _, each := range v {
			n += membersOf(each)
		}
	}
	return n
}

// withoutTexts leaves texts out, so that each colon is a member's.
func withoutTexts(body []byte) (rest []byte) {
	inside := false
	for i := 0; i < len(body); i++ {
		switch {
		case inside && body[i] == '\\':
			i++
		case body[i] == '"':
			inside = !inside
		case !inside:
			rest = append(rest, body[i])
		}
	}
	return rest
}

func FuzzTraceparent(f *testing.F) {
	for _, seed := range []string{
		"", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x", strings.Repeat("-", 55), strings.Repeat("0", 55),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		id, parent, ok := parseTraceparent(value)
		if ok &&
			(len(id) != 32 || len(parent) != 16 || !lowerHex(id) || !lowerHex(parent) ||
				!strings.Contains(value, "-"+id+"-"+parent+"-")) {
			t.Errorf("%q gives %q and %q", value, id, parent)
		}
	})
}

func FuzzEntityTags(f *testing.F) {
	for _, seed := range []string{"", "*", `"7"`, `W/"7"`, `"6", "7"`, `"6",`, `"a,b"`, `7`, `"`, "\"\x00\"", `""`,
		` * `} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		tags, all, err := entityTags("If-Match", value)
		if err != nil {
			if !fault.Is(err, fault.Malformed) {
				t.Errorf("%q: %v", value, err)
			}
			return
		}
		if all == (len(tags) > 0) {
			t.Errorf("%q is all (%v) and %q", value, all, tags)
		}
		again, _, err := entityTags("If-Match", strings.Join(tags, ", "))
		if !all && (err != nil || !slices.Equal(tags, again)) {
			t.Errorf("%q gives %q, then %q (%v)", value, tags, again, err)
		}
	})
}
