package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// placeholder stands for a value in a template: {{account.username}}, {{target.remote_id|quoted}}.
type placeholder struct {
	name   string
	filter string
}

// What may follow a placeholder's name.
const (
	filterQuoted = "quoted" // a string of a query language: in double quotes, with backslashes
	filterNumber = "number"
	filterNot    = "not"
)

var (
	placeholderPattern = regexp.MustCompile(`\{\{\s*([A-Za-z_][^\s{}|]*)\s*(?:\|\s*([a-z]+)\s*)?\}\}`)
	wholePlaceholder   = regexp.MustCompile(`^\{\{\s*([A-Za-z_][^\s{}|]*)\s*(?:\|\s*([a-z]+)\s*)?\}\}$`)
)

// literalPattern is how braces are written that are none of a placeholder: {{'{{'}} and {{'}}'}}.
var literalPattern = regexp.MustCompile(`\{\{\s*'(\{\{|\}\})'\s*\}\}`)

// bracePattern finds literals and placeholders alike.
var bracePattern = regexp.MustCompile(literalPattern.String() + "|" + placeholderPattern.String())

// halfPlaceholder is a placeholder with a brace too few at its beginning.
var halfPlaceholder = regexp.MustCompile(`(?:^|[^{])\{\s*(?:account|target|entitlement|credential|reads|idempotency_key|expires_at)\b[^{}]*\}\}`)

// placeholdersIn lists those of a text. What looks like one and is none is a mistake. Closing braces alone are text, as they end
// nested objects in queries of GraphQL.
func placeholdersIn(text string) ([]placeholder, error) {
	var out []placeholder
	text = literalPattern.ReplaceAllString(text, "")
	for _, m := range placeholderPattern.FindAllStringSubmatch(text, -1) {
		switch m[2] {
		case "", filterQuoted, filterNumber, filterNot:
		default:
			return nil, fmt.Errorf("%q is no filter; there are quoted, number and not", m[2])
		}
		out = append(out, placeholder{m[1], m[2]})
	}
	if rest := placeholderPattern.ReplaceAllString(text, ""); strings.Contains(rest, "{{") || halfPlaceholder.MatchString(rest) {
		return nil, errors.New("has braces that are no placeholder; two opening braces as text are written {{'{{'}}")
	}
	return out, nil
}

// absentError says that a placeholder has no value.
type absentError struct{ name string }

// Error names the placeholder.
func (e absentError) Error() string { return "there is no value for {{" + e.name + "}}" }

// lookup gives the value of a placeholder; ok is false where there is none.
type lookup func(name string) (value any, ok bool)

func (p placeholder) value(of lookup) (any, error) {
	v, ok := of(p.name)
	if !ok {
		return nil, absentError{p.name}
	}
	switch p.filter {
	case filterNot:
		b, is := boolOf(v, "")
		if !is {
			return nil, fmt.Errorf("{{%s}} is no truth value", p.name)
		}
		return !b, nil
	case filterNumber:
		text, _ := textOf(v)
		if !json.Valid([]byte(text)) || strings.Trim(text, "-+.0123456789eE") != "" {
			return nil, fmt.Errorf("{{%s}} is no number", p.name)
		}
		return json.Number(text), nil
	case filterQuoted:
		text, ok := textOf(v)
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

// fillText replaces the placeholders of a text, each value through escape.
func fillText(text string, of lookup, escape func(string) (string, error)) (string, error) {
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
		s, ok := textOf(v)
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

// fillPath replaces the placeholders of a path. A value is a part of one segment, whatever it holds.
func fillPath(path string, of lookup) (string, error) {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		out, err := fillText(segment, of, func(s string) (string, error) {
			if s == "" {
				return "", errors.New("is empty")
			}
			return url.PathEscape(s), nil
		})
		if err != nil {
			return "", err
		}
		if plain, err := url.PathUnescape(out); out != segment && (err != nil || plain == "." || plain == ".." || strings.ContainsRune(plain, 0)) {
			return "", errors.New("a value would lead to another path")
		}
		segments[i] = out
	}
	return strings.Join(segments, "/"), nil
}

func noLineBreak(s string) (string, error) {
	if strings.ContainsAny(s, "\r\n\x00") {
		return "", errors.New("has a line break")
	}
	return s, nil
}

// fillJSON replaces the placeholders in all texts of a JSON value. A text that is one placeholder takes the value as it is, and
// its member goes where there is none; so does an object that loses all its members.
func fillJSON(v any, of lookup) (out any, ok bool, err error) {
	switch v := v.(type) {
	case string:
		if m := wholePlaceholder.FindStringSubmatch(v); m != nil {
			out, err := placeholder{m[1], m[2]}.value(of)
			var absent absentError
			if errors.As(err, &absent) {
				return nil, false, nil
			}
			return out, err == nil, err
		}
		out, err := fillText(v, of, nil)
		var absent absentError
		if errors.As(err, &absent) {
			return nil, false, nil
		}
		return out, err == nil, err
	case []any:
		list := make([]any, 0, len(v))
		for _, e := range v {
			one, ok, err := fillJSON(e, of)
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
			one, ok, err := fillJSON(e, of)
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

// textsIn gives every text of a JSON value.
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
		for _, name := range sortedKeys(v) {
			out = append(out, textsIn(v[name])...)
		}
		return out
	}
	return nil
}
