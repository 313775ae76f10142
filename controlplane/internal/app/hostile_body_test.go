package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
)

// spoilt is a body made out of a sound one, or in its place, and how it must be refused.
type spoilt struct {
	name   string
	body   string
	header http.Header
	status []int
	codes  []string
	at     string // where the problem says it is; empty: the detail says so
}

// spoils are the ways in which JSON is refused before anybody asks what it means. sound is an object with a member at
// least; most are the bytes that the operation takes, and values the values.
func spoils(sound string, most, values int) []spoilt {
	name, value := firstMember(sound)
	member := func(n, v string) string { return `{` + n + `:` + v + `,` + sound[1:] }
	quoted, upper := fmt.Sprintf("%q", name), fmt.Sprintf("%q", strings.ToUpper(name))
	escaped := fmt.Sprintf(`"\u%04x%s"`, name[0], name[1:])
	malformed, encoding, twice := []string{"malformed_json"}, []string{"invalid_encoding"}, []string{"duplicate_member"}
	all := []spoilt{
		{"a member twice", member(quoted, value), nil, []int{400}, twice, ""},
		{"a member twice, once in capitals", member(upper, value), nil, []int{400}, twice, ""},
		{"a member twice, once escaped", member(escaped, value), nil, []int{400}, twice, ""},
		{"an inner member twice", member(`"deeper"`, `[{"a":1,"A":2}]`), nil, []int{400}, twice, ""},
		{"a second value", sound + `{}`, nil, []int{400}, malformed, ""},
		{"letters behind the end", sound + ` x`, nil, []int{400}, malformed, ""},
		{"a NUL behind the end", sound + "\x00", nil, []int{400}, malformed, ""},
		{"half of it", sound[:len(sound)/2], nil, []int{400}, malformed, ""},
		{"a byte order mark", "\ufeff" + sound, nil, []int{400}, malformed, ""},
		{"a comment", `/* */` + sound, nil, []int{400}, malformed, ""},
		{"a comma too many", sound[:len(sound)-1] + `,}`, nil, []int{400}, malformed, ""},
		{"NaN", member(`"deeper"`, `NaN`), nil, []int{400}, malformed, ""},
		{"a bare NUL", member(`"deeper"`, "\"a\x00b\""), nil, []int{400}, malformed, ""},
		{"an escaped NUL", member(`"deeper"`, `"a\u0000b"`), nil, []int{400}, encoding, ""},
		{"an escaped NUL in a name", member(`"a\u0000b"`, `1`), nil, []int{400}, encoding, ""},
		{"a byte that is no UTF-8", member(`"deeper"`, "\"\xff\""), nil, []int{400}, encoding, ""},
		{"a letter in too many bytes", member(`"deeper"`, "\"\xc0\xaf\""), nil, []int{400}, encoding, ""},
		{"half a pair in UTF-8", member(`"deeper"`, "\"\xed\xa0\x80\""), nil, []int{400}, encoding, ""},
		{"UTF-16", "\xff\xfe" + strings.Join(strings.Split(sound, ""), "\x00"), nil, []int{400}, encoding, ""},
		{
			"65 levels",
			member(`"deeper"`, strings.Repeat("[", 65)+strings.Repeat("]", 65)),
			nil,
			[]int{400},
			malformed,
			"",
		},
		{"levels to the end", strings.Repeat(`[`, min(100_000, most-1)), nil, []int{400}, malformed, ""},
		{"too many values", member(`"deeper"`, `[`+strings.Repeat("1,", values)+`1]`), nil, []int{400}, malformed, ""},
		{"a list in place of the object", `[` + sound + `]`, nil, []int{422}, []string{"validation_failed"}, "#/"},
		{"a text in place of the object", `"x"`, nil, []int{422}, []string{"validation_failed"}, "#/"},
		{"a number in place of the object", `1`, nil, []int{422}, []string{"validation_failed"}, "#/"},
		{"true in place of the object", `true`, nil, []int{422}, []string{"validation_failed"}, "#/"},
		{
			"null in place of the object",
			`null`,
			nil,
			[]int{400, 422},
			[]string{"validation_failed", "invalid_request", "malformed_json"},
			"",
		},
		{"nothing but spaces", "  \n", nil, []int{400}, malformed, ""},
		{
			"too many bytes",
			member(`"deeper"`, `"`+strings.Repeat("x", most)+`"`),
			nil,
			[]int{413},
			[]string{"payload_too_large"},
			"",
		},
	}
	for _, media := range []string{"", "text/plain", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x", "application/json; charset=iso-8859-1",
		"application/json, text/plain", "application/jsonp", "text/json", ";",
		"application/json; charset=utf-8; charset=utf-16"} {
		h := http.Header{"Content-Type": {media}}
		if media == "" {
			h["Content-Type"] = nil
		}
		all = append(all, spoilt{"the type " + media, sound, h, []int{415}, []string{"unsupported_media_type"}, ""})
	}
	for _, folded := range folds(name) {
		all = append(
			all,
			spoilt{
				"a member twice, once as " + folded,
				member(fmt.Sprintf("%q", folded), value),
				nil,
				[]int{400},
				twice,
				"",
			},
		)
	}
	return all
}

// folds are other spellings that a lenient decoder takes for the same name.
func folds(name string) (all []string) {
	for plain, alike := range map[string]string{"s": "ſ", "k": "\u212a"} {
		if strings.Contains(name, plain) {
			all = append(all, strings.Replace(name, plain, alike, 1))
		}
	}
	return all
}

// firstMember is one member of an object: always the same.
func firstMember(object string) (name, value string) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal([]byte(object), &members)
	name = slices.Sorted(maps.Keys(members))[0]
	return name, string(members[name])
}

func TestSpoiltBodiesAreRefusedByEveryOperationAndWriteNothing(t *testing.T) {
	r := newRaid(t)
	bodies := r.sound()
	before := r.standing()
	for _, o := range r.aims() {
		sound := bodies[o.String()]
		if sound == "" {
			continue
		}
		most, values := 1<<20, 10_000
		if presents(o) {
			most = 16 << 10
		}
		archive := o.path == "/sector-packs/upload" || o.path == "/sector-packs/validate" // it may come as it is, too
		file := o.method == "POST" && o.path == "/policies/mitigations/{id}/evidence"
		file = file || o.path == "/policies/separation-of-duties/import"
		file = file || strings.HasPrefix(o.path, "/policies/decision-tables/")
		file = file || o.path == "/policies/access-grant" || o.path == "/policies/access-grant/simulate"
		file = file || o.method == "PATCH" && o.path == "/policies/access-grant/{id}"
		if strings.Contains(o.path, "/bulk-") || archive || file {
			most, values = 10<<20, 500_000
		}
		for _, v := range spoils(sound, most, values) {
			if len(v.body) > most { // its size is looked at before what is in it
				v.status, v.codes = []int{413}, []string{"payload_too_large"}
			}
			if archive && strings.HasPrefix(v.name, "the type multipart") {
				continue
			}
			got, err := r.tryOnce(o, r.filled(o.path), []byte(v.body), v.header)
			if err != nil {
				if len(v.body) > most {
					continue // the server closed the connection while we were still talking
				}
				t.Fatalf("%s, %s: %v", o, v.name, err)
			}
			switch {
			case !slices.Contains(v.status, got.status) || !slices.Contains(v.codes, got.code()):
				t.Errorf(
					"%s, %s = %d %s %v; want %v %v",
					o,
					v.name,
					got.status,
					got.code(),
					got.points(),
					v.status,
					v.codes,
				)
			case v.at != "" && !slices.Contains(got.points(), v.at):
				t.Errorf("%s, %s is said to be wrong at %q; want %q", o, v.name, got.points(), v.at)
			}
		}
		if required, _ := o.described["requestBody"].(map[string]any)["required"].(bool); required {
			if got := r.knock(o, r.filled(o.path), nil, nil); got.status != 400 && got.status != 422 {
				t.Errorf("%s without a body = %d %s; want 400 or 422", o, got.status, got.code())
			}
		}
	}
	r.unchanged(before)
}

// presents says whether an operation does without an access token: it takes less then.
func presents(o aimed) bool {
	switch o.String() {
	case "POST /auth/login",
		"POST /auth/sign-in-link",
		"POST /auth/password-reset",
		"POST /auth/oidc/token",
		"POST /auth/passkey/login",
		"POST /auth/passkey/start",
		"POST /agent/register",
		"POST /agent/token":
		return true
	}
	return false
}

// sharp are the values of odd that every member gets; of members that look alike, only the first gets them all.
const sharp = 13

// odd are values that some member is not made for.
var odd = []string{
	`null`,
	`[]`,
	`{}`,
	`""`,
	`true`,
	`-1`,
	`1e400`,
	`99999999999999999999999999`,
	`"0000-01-01"`,
	`"0000-01-01T00:00:00Z"`,
	`"urn:uuid:01a1f99f-1d39-767a-8283-ef45f2482195"`,
	`"\ud800"`,
	`"` + strings.Repeat("x", 10_000) + `"`,
	`" "`,
	`0`,
	`-0.0`,
	`1E+2147483648`,
	`9223372036854775808`,
	`1.5`,
	`[null]`,
	`[[]]`,
	`{"a":null}`,
	`{"":""}`,
	`"\u0001\u001b[2J\u202e"`,
	`"' or 1=1; drop table identity --"`,
	`"%s%n{{7*7}}${jndi:ldap://x}"`,
	`"../../etc/passwd"`,
	`"0001-01-01T00:00:00Z"`,
	`"999999-12-31T23:59:59Z"`,
	`"-infinity"`,
	`"P999999999999Y"`,
	`"01a1f99f-1d39-767a-8283-ef45f248219G"`,
	`"01A1F99F-1D39-767A-8283-EF45F2482195"`,
	`"{01a1f99f-1d39-767a-8283-ef45f2482195}"`,
	`"127.0.0.1/33"`,
	`["x","x"]`,
	`[1,"x",null,{}]`,
	`"` + strings.Repeat("☃", 4_000) + `"`,
}

// TestNoValueOfAnyMemberIsAFaultOfOurs puts every odd value into every member. What is taken may be taken; what cannot
// be is the caller's fault, and said to be.
func TestNoValueOfAnyMemberIsAFaultOfOurs(t *testing.T) {
	r := newRaid(t)
	bodies := r.sound()
	var tried atomic.Int64
	var group errgroup.Group
	group.SetLimit(4)
	for _, o := range r.aims() {
		sound := bodies[o.String()]
		for name, values := range r.oddities(o) {
			group.Go(func() error {
				for _, v := range values {
					tried.Add(1)
					body := with(sound, name, v)
					got, err := r.tryOnce(o, r.filled(o.path), []byte(body), nil)
					if err != nil {
						return fmt.Errorf("%s %.300s: %w", o, body, err)
					}
					if got.status >= 500 || got.status >= 400 && got.code() == "" {
						t.Errorf("%s %.300s = %d %s", o, body, got.status, got.code())
					}
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if n := tried.Load(); n < 4000 {
		t.Errorf("only %d values tried: the list is not whole", n)
	}
}

// oddities are the odd values of each member of an operation's body, and of the members of its objects.
func (r *raid) oddities(o aimed) map[string][]string {
	all, seen := map[string][]string{}, map[string]bool{}
	for name, schema := range r.members(r.body(o)) {
		look := fmt.Sprint(schema["type"], schema["format"], schema["pattern"], schema["enum"], schema["nullable"])
		values := odd
		if strings.HasPrefix(o.path, "/auth/") || seen[look] { // at signing in, each value costs a password's hash
			values = odd[:sharp]
		}
		seen[look] = true
		all[name] = slices.Clone(values)
		for inner := range r.members(schema) {
			for _, v := range values {
				all[name] = append(all[name], fmt.Sprintf(`{%q:%s}`, inner, v))
			}
		}
	}
	return all
}

// with is an object with one member set, as text: what Go would not encode must be possible.
func with(object, name, value string) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal([]byte(object), &members)
	parts := []string{fmt.Sprintf("%q:%s", name, value)}
	for _, n := range slices.Sorted(maps.Keys(members)) {
		if n != name {
			parts = append(parts, fmt.Sprintf("%q:%s", n, members[n]))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}
