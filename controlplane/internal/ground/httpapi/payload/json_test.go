package payload

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
		err := CheckJSON(r, body, 10_000, []string{"id", "version"})
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
