package formatting

import (
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// template writes a text with str.format.
type template struct {
	t     *object.Thread
	args  []object.Value
	named func(name string) (object.Value, bool)
	attr  func(v object.Value, name string) object.Value
	auto  int // the next number of a field without a name; -1 when fields are numbered by hand
}

// Template is s.format(*args, **named): named finds an argument by name, attr reads an attribute of a value. A
// mistake in s raises a ValueError, an argument that is not there an IndexError or a KeyError.
func Template(t *object.Thread,
	s string,
	args []object.Value,
	named func(string) (object.Value, bool),
	attr func(object.Value, string) object.Value,
) string {
	f := &template{t: t, args: args, named: named, attr: attr}
	return f.text(s, 2)
}

func (f *template) text(s string, levels int) string {
	if levels == 0 {
		f.t.ValueError("Max string recursion exceeded")
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '{' && c != '}' {
			b.WriteByte(c)
			continue
		}
		if i+1 < len(s) && s[i+1] == c {
			b.WriteByte(c)
			i++
			continue
		}
		if c == '}' {
			f.t.ValueError("Single '}' encountered in format string")
		}
		end := f.closing(s, i)
		out := f.field(s[i+1:end], levels)
		f.t.Alloc(len(out))
		b.WriteString(out)
		i = end
	}
	f.t.Alloc(len(s) + 16)
	return b.String()
}

// closing finds the brace that ends the field which begins at i.
func (f *template) closing(s string, i int) int {
	depth := 0
	for j := i; j < len(s); j++ {
		switch s[j] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return j
			}
		case '[':
			for depth == 1 && j < len(s) && s[j] != ']' {
				j++
			}
		}
	}
	if i+1 == len(s) {
		f.t.ValueError("Single '{' encountered in format string")
	}
	f.t.ValueError("expected '}' before end of string")
	return 0
}

func (f *template) field(s string, levels int) string {
	f.t.Steps(1)
	end, bracket := len(s), false
	for i := range len(s) {
		if s[i] == '[' {
			bracket = true
		} else if s[i] == ']' {
			bracket = false
		} else if !bracket && (s[i] == '!' || s[i] == ':') {
			end = i
			break
		} else if !bracket && s[i] == '{' {
			f.t.ValueError("unexpected '{' in field name")
		}
	}
	name, rest := s[:end], s[end:]
	v := f.lookup(name)
	if strings.HasPrefix(rest, "!") {
		if len(rest) < 2 || len(rest) > 2 && rest[2] != ':' {
			f.t.ValueError("expected ':' after conversion specifier")
		}
		switch rest[1] {
		case 'r':
			v = f.t.Repr(v)
		case 's':
			v = f.t.Str(v)
		case 'a':
			v = f.t.ASCII(v)
		default:
			f.t.ValueError("Unknown conversion specifier %s", rest[1:2])
		}
		rest = rest[2:]
	}
	format := strings.TrimPrefix(rest, ":")
	if strings.ContainsAny(format, "{}") {
		format = f.text(format, levels-1)
	}
	return Format(f.t, v, format)
}

// lookup finds the value of a field: its name or number, and what follows as .name or [key].
func (f *template) lookup(s string) object.Value {
	end := strings.IndexAny(s, ".[")
	if end < 0 {
		end = len(s)
	}
	v := f.first(s[:end])
	for s = s[end:]; s != ""; {
		f.t.Steps(1)
		if s[0] == '.' {
			s = s[1:]
			end := strings.IndexAny(s, ".[")
			if end < 0 {
				end = len(s)
			}
			if end == 0 {
				f.t.ValueError("Empty attribute in format string")
			}
			v, s = f.attr(v, s[:end]), s[end:]
			continue
		}
		end := strings.IndexByte(s, ']')
		if s[0] != '[' {
			f.t.ValueError("Only '.' or '[' may follow ']' in format field specifier")
		}
		if end < 0 {
			f.t.ValueError("Missing ']' in format string")
		}
		if end == 1 {
			f.t.ValueError("Empty attribute in format string")
		}
		var key object.Value = s[1:end]
		if n, err := strconv.ParseInt(s[1:end], 10, 64); err == nil && s[1] != '-' && s[1] != '+' {
			key = n
		}
		v, s = f.t.Subscript(v, key), s[end+1:]
	}
	return v
}

func (f *template) first(name string) object.Value {
	n, err := strconv.Atoi(name)
	numbered := err == nil && name[0] != '-' && name[0] != '+'
	switch {
	case name == "":
		if f.auto < 0 {
			f.t.ValueError("cannot switch from manual field specification to automatic field numbering")
		}
		n, numbered = f.auto, true
		f.auto++
	case numbered:
		if f.auto > 0 {
			f.t.ValueError("cannot switch from automatic field numbering to manual field specification")
		}
		f.auto = -1
	}
	if numbered {
		if n >= len(f.args) {
			f.t.Raise("IndexError", "Replacement index %d out of range for positional args tuple", n)
		}
		return f.args[n]
	}
	v, ok := f.named(name)
	if !ok {
		f.t.Raise("KeyError", "%s", f.t.Repr(name))
	}
	return v
}
