package container

import (
	"context"
	"errors"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// special are the characters that end a value in a DN, or give it another meaning (RFC 4514 section 2.4).
const special = ",;+=\\\"<>\x00"

// errUnescaped is a container in which a value of the person has become part of the structure.
var errUnescaped = errors.New(
	"a value of the person has characters that are special in a DN; write escape_dn(…) around it",
)

// Check refuses a container into which a value of the person has brought names of its own: who writes a department
// at the source must not choose the organizational unit. Whether it has, shows the same expression on values without
// special characters.
func Check(program *pyexpr.Program, f identity.Facts, username any, place string) error {
	if !brings(f, program.Reads(), place) {
		return nil
	}
	plain, _ := harmless(map[string]any(f)).(map[string]any)
	v, err := program.Eval(context.Background(), username, pyexpr.NewRecord(plain))
	without, isText := v.(string)
	if err != nil || !isText || !strings.Contains(without, "=") {
		return nil // the whole container is a value of the person, as the template's author wants it
	}
	if partsOf(without) != partsOf(place) {
		return errUnescaped
	}
	return nil
}

// brings reports whether a special character of a value that the expression reads, with its neighbors, is in the
// container.
func brings(f identity.Facts, reads []string, place string) bool {
	place = strings.ToLower(place)
	for _, path := range reads {
		var v any = map[string]any(f)
		for name := range strings.SplitSeq(path, ".") {
			m, _ := v.(map[string]any)
			v = m[name]
		}
		for _, text := range textsIn(v) {
			text = strings.ToLower(text)
			for i, c := range []byte(text) {
				if strings.IndexByte(special, c) >= 0 &&
					strings.Contains(place, text[max(i-1, 0):min(i+2, len(text))]) {
					return true
				}
			}
		}
	}
	return false
}

func textsIn(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, textsIn(e)...)
		}
		return out
	case map[string]any:
		var out []string
		for _, e := range v {
			out = append(out, textsIn(e)...)
		}
		return out
	}
	return nil
}

// harmless is a value with a letter in the place of every special character.
func harmless(v any) any {
	switch v := v.(type) {
	case string:
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(special, r) {
				return 'x'
			}
			return r
		}, v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = harmless(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = harmless(e)
		}
		return out
	}
	return v
}

// partsOf counts the attributes that name an entry and what it lies in.
func partsOf(dn string) int {
	n := 1
	for i := 0; i < len(dn); i++ {
		switch dn[i] {
		case '\\':
			i++
		case ',', ';', '+':
			n++
		}
	}
	return n
}
