// Package chain is the arithmetic of the audit log: the canonical form of an entry, the hash that ties it to the one
// before, the signed checkpoints over both, and the verification of all of them. It knows no database, so that an
// export can be verified by the holder of the file.
package chain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxNesting is how deep a canonical value may go.
const maxNesting = 128

// Canonical writes a JSON value as RFC 8785 wants it: no spaces, members in the order of their UTF-16 code units,
// numbers and texts in one form alone. It refuses what has no single meaning: duplicate members, lone surrogates,
// invalid UTF-8, numbers beyond IEEE 754, anything after the value.
func Canonical(raw []byte) ([]byte, error) { return canonical(raw) }

// canonical leaves out the named members of the outermost object.
func canonical(raw []byte, without ...string) ([]byte, error) {
	if err := checkText(raw); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out bytes.Buffer
	out.Grow(len(raw))
	if err := writeNext(&out, d, 0, without); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the JSON value")
	}
	return out.Bytes(), nil
}

// checkText refuses what the decoder would silently replace.
func checkText(raw []byte) error {
	if !utf8.Valid(raw) {
		return errors.New("not valid UTF-8")
	}
	for rest := raw; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 >= len(rest) {
			return nil
		}
		if rest[i+1] != 'u' {
			rest = rest[i+2:]
			continue
		}
		r, ok := hexUnit(rest[i:])
		if ok && utf16.IsSurrogate(r) {
			low, paired := hexUnit(rest[min(i+6, len(rest)):])
			if !paired || utf16.DecodeRune(r, low) == utf8.RuneError {
				return errors.New("a lone surrogate is not a character")
			}
			i += 6
		}
		rest = rest[min(i+6, len(rest)):]
	}
}

// hexUnit reads \uXXXX at the start of b.
func hexUnit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}

// writeNext writes the next value in canonical form (RFC 8785). without names members of the
// outermost object that are left out. Nesting is bounded.
func writeNext(out *bytes.Buffer, d *json.Decoder, depth int, without []string) error {
	token, err := d.Token()
	if err != nil {
		return fmt.Errorf("not valid JSON: %w", err)
	}
	if depth > maxNesting {
		return fmt.Errorf("nested deeper than %d levels", maxNesting)
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return writeObject(out, d, depth, without)
		}
		return writeArray(out, d, depth)
	case string:
		writeString(out, t)
	case json.Number:
		return writeNumber(out, t)
	case bool:
		out.WriteString(strconv.FormatBool(t))
	default:
		out.WriteString("null")
	}
	return nil
}

// writeArray writes the elements of an array up to its end.
func writeArray(out *bytes.Buffer, d *json.Decoder, depth int) error {
	out.WriteByte('[')
	for i := 0; d.More(); i++ {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeNext(out, d, depth+1, nil); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return closed(d)
}

// member is a member of an object, with where its value is in a buffer.
type member struct {
	name       string
	start, end int // of its value
}

// writeObject writes the members of an object in the order of their names' UTF-16 code units (RFC
// 8785 section 3.2.3). Values are written into a buffer first, since their order is known only at
// the end.
func writeObject(out *bytes.Buffer, d *json.Decoder, depth int, without []string) error {
	var members []member
	var values bytes.Buffer
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("not valid JSON: %w", err)
		}
		m := member{name: token.(string), start: values.Len()}
		if err := writeNext(&values, d, depth+1, nil); err != nil {
			return err
		}
		m.end = values.Len()
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b member) int { return compareUTF16(a.name, b.name) })
	return writeMembers(out, d, members, values.Bytes(), without)
}

// writeMembers writes sorted members. A name that occurs twice is an error: readers would differ
// about which one counts.
func writeMembers(out *bytes.Buffer, d *json.Decoder, members []member, values []byte, without []string) error {
	out.WriteByte('{')
	first := true
	for i, m := range members {
		if i > 0 && members[i-1].name == m.name {
			return fmt.Errorf("the member %q occurs twice in one object", m.name)
		}
		if slices.Contains(without, m.name) {
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		writeString(out, m.name)
		out.WriteByte(':')
		out.Write(values[m.start:m.end])
	}
	out.WriteByte('}')
	return closed(d)
}

// closed reads the delimiter that ends an object or array.
func closed(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("not valid JSON: %w", err)
	}
	return nil
}

// compareUTF16 orders names as RFC 8785 section 3.2.3 does: by UTF-16 code units, which differs from the order of code
// points where a name leaves the basic plane.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return slices.Compare(utf16.AppendRune(nil, ra), utf16.AppendRune(nil, rb))
		}
		a, b = a[na:], b[nb:]
	}
	return strings.Compare(a, b)
}

const hexDigits = "0123456789abcdef"

// writeString writes a string with the escapes that RFC 8785 section 3.2.2.2 demands, and no
// others.
func writeString(out *bytes.Buffer, s string) {
	out.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case c >= 0x20:
			out.WriteByte(c)
		default:
			writeControl(out, c)
		}
	}
	out.WriteByte('"')
}

// writeControl writes a control character.
func writeControl(out *bytes.Buffer, c byte) {
	out.WriteByte('\\')
	switch c {
	case '\b':
		out.WriteByte('b')
	case '\t':
		out.WriteByte('t')
	case '\n':
		out.WriteByte('n')
	case '\f':
		out.WriteByte('f')
	case '\r':
		out.WriteByte('r')
	default:
		out.WriteString("u00")
		out.WriteByte(hexDigits[c>>4])
		out.WriteByte(hexDigits[c&15])
	}
}

// writeNumber writes a number as ECMAScript does: the shortest digits that give the same double.
func writeNumber(out *bytes.Buffer, n json.Number) error {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return fmt.Errorf("the number %s does not fit a double", n)
	}
	out.Write(appendNumber(nil, f))
	return nil
}

// appendNumber writes a number as ECMAScript does (RFC 8785 section 3.2.2.3): the shortest digits
// that read back, without an exponent from 1e-6 up to 1e21.
func appendNumber(b []byte, f float64) []byte {
	if f == 0 {
		return append(b, '0') // also minus zero
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	// e-07 becomes e-7
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// Exact reports whether a JSON number keeps its value as a double; other numbers are kept as text by the writer of
// entries.
func Exact(n json.Number) bool {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return false
	}
	if strings.ContainsAny(string(n), ".eE") {
		return true
	}
	return math.Abs(f) <= 1<<53
}
