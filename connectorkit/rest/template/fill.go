package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
)

// AbsentError says that a placeholder has no value.
type AbsentError struct{ name string }

// Error names the placeholder.
func (e AbsentError) Error() string { return "there is no value for {{" + e.name + "}}" }

// Lookup gives the value of a placeholder; ok is false where there is none.
type Lookup func(name string) (value any, ok bool)

// value is the value that replaces the placeholder, after its filter. A value that is absent is an
// AbsentError, by which optional parts of a template are left out.
func (p placeholder) value(of Lookup) (any, error) {
	v, ok := of(p.name)
	if !ok {
		return nil, AbsentError{p.name}
	}
	switch p.filter {
	case filterNot:
		b, is := jsonvalue.Bool(v, "")
		if !is {
			return nil, fmt.Errorf("{{%s}} is no truth value", p.name)
		}
		return !b, nil
	case filterNumber:
		text, _ := jsonvalue.Text(v)
		if !json.Valid([]byte(text)) || strings.Trim(text, "-+.0123456789eE") != "" {
			return nil, fmt.Errorf("{{%s}} is no number", p.name)
		}
		return json.Number(text), nil
	case filterQuoted:
		text, ok := jsonvalue.Text(v)
		if !ok {
			return nil, fmt.Errorf("{{%s}} is no text", p.name)
		}
		return quoted(text), nil
	}
	return v, nil
}

// quoted writes a text as a string of the usual query languages.
func quoted(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// FillText replaces the placeholders of a text, each value through escape.
func FillText(text string, of Lookup, escape func(string) (string, error)) (string, error) {
	var failed error
	out := bracePattern.ReplaceAllStringFunc(text, func(match string) string {
		if m := literalPattern.FindStringSubmatch(match); m != nil {
			return m[1]
		}
		m := placeholderPattern.FindStringSubmatch(match)
		v, err := placeholder{m[1], m[2]}.value(of)
		if err != nil {
			failed = errors.Join(failed, err)
			return ""
		}
		s, ok := jsonvalue.Text(v)
		if !ok {
			failed = errors.Join(failed, fmt.Errorf("{{%s}} is no text", m[1]))
			return ""
		}
		if escape != nil {
			if s, err = escape(s); err != nil {
				failed = errors.Join(failed, fmt.Errorf("{{%s}} %w", m[1], err))
			}
		}
		return s
	})
	return out, failed
}

// FillPath replaces the placeholders of a path. A value is a part of one segment, whatever it holds.
func FillPath(path string, of Lookup) (string, error) {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		out, err := FillText(segment, of, func(s string) (string, error) {
			if s == "" {
				return "", errors.New("is empty")
			}
			return url.PathEscape(s), nil
		})
		if err != nil {
			return "", err
		}
		if plain, err := url.PathUnescape(out); out != segment &&
			(err != nil || plain == "." || plain == ".." || strings.ContainsRune(plain, 0)) {
			return "", errors.New("a value would lead to another path")
		}
		segments[i] = out
	}
	return strings.Join(segments, "/"), nil
}

// NoLineBreak refuses values that would end a header field and begin another (RFC 9110 section 5.5).
func NoLineBreak(s string) (string, error) {
	if strings.ContainsAny(s, "\r\n\x00") {
		return "", errors.New("has a line break")
	}
	return s, nil
}

// FillJSON replaces the placeholders in all texts of a JSON value. A text that is one placeholder takes the value as it
// is, and its member goes where there is none; so does an object that loses all its members.
func FillJSON(v any, of Lookup) (out any, ok bool, err error) {
	switch v := v.(type) {
	case string:
		if m := wholePlaceholder.FindStringSubmatch(v); m != nil {
			out, err := placeholder{m[1], m[2]}.value(of)
			var absent AbsentError
			if errors.As(err, &absent) {
				return nil, false, nil
			}
			return out, err == nil, err
		}
		out, err := FillText(v, of, nil)
		var absent AbsentError
		if errors.As(err, &absent) {
			return nil, false, nil
		}
		return out, err == nil, err
	case []any:
		list := make([]any, 0, len(v))
		for _, e := range v {
			one, ok, err := FillJSON(e, of)
			if err != nil {
				return nil, false, err
			}
			if ok {
				list = append(list, one)
			}
		}
		return list, len(list) > 0 || len(v) == 0, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, e := range v {
			one, ok, err := FillJSON(e, of)
			if err != nil {
				return nil, false, err
			}
			if ok {
				object[name] = one
			}
		}
		return object, len(object) > 0 || len(v) == 0, nil
	}
	return v, true, nil
}
