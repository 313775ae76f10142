package hint

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// hints say what to write instead, by a part of the message.
var hints = []struct{ name, part, hint string }{
	{"TypeError", "can only concatenate str", "write str(…) around what is no text, or an f-string: f'{a}{b}'"},
	{
		"TypeError",
		"unsupported operand type(s) for +: 'int' and 'str'",
		"write str(…) around the number, or int(…) around the text",
	},
	{"TypeError", "'NoneType'", "the value is None; ask first: x if value is not None else None"},
	{
		"AttributeError",
		"'NoneType'",
		"the value is None; ask first: value.lower() if value else None. The helpers, as lower(value), pass None on",
	},
	{
		"AttributeError",
		"'list' object",
		"the field has several values; take one: value[0], or all: [x.lower() for x in value]",
	},
	{"AttributeError", "'dict' object", "a member of a dict is x['name'] or x.get('name')"},
	{"AttributeError", "'int' object", "the value is a number; str(value) is its text"},
	{"KeyError", "", "x.get('name') gives None where there is no such member; x.get('name', '') something else"},
	{"IndexError", "out of range", "a slice, as value[:1], is empty where there is nothing"},
	{"ValueError", "invalid literal for int()", "default(int(value), None) gives None where the text is no number"},
	{
		"ValueError",
		"could not convert string to float",
		"default(float(value), None) gives None where the text is no number",
	},
	{"ValueError", "does not match format", "parse_date(value, '%d.%m.%Y', '%Y-%m-%d') tries several formats"},
}

// ForException says what to write instead of what raised the exception; it is empty where there is no advice.
func ForException(r *object.Raised) string {
	if owner, name, ok := strings.Cut(r.Msg, "' object has no attribute '"); ok && r.Name == "AttributeError" {
		if h := attributeHint(strings.TrimPrefix(owner, "'"), strings.TrimSuffix(name, "'")); h != "" {
			return h
		}
	}
	for _, h := range hints {
		if h.name == r.Name && strings.Contains(r.Msg, h.part) {
			return h.hint
		}
	}
	return ""
}

// methods are those of other languages, with what Python has in their place.
var methods = map[string]string{
	"toLowerCase": "value.lower()",
	"toUpperCase": "value.upper()",
	"trim":        "value.strip()",
	"length":      "len(value)",
	"size":        "len(value)",
	"substring":   "value[start:end]",
	"substr":      "value[start:end]",
	"contains":    "'x' in value",
	"includes":    "'x' in value",
	"indexOf":     "value.find('x')",
	"toString":    "str(value)",
	"concat":      "a + b, or f'{a}{b}'",
	"startsWith":  "value.startswith('x')",
	"endsWith":    "value.endswith('x')",
	"replaceAll":  "value.replace('a', 'b')",
	"padStart":    "value.rjust(10)",
	"charAt":      "value[0]",
	"strftime":    "format_date(value, '%d.%m.%Y'), or parse_date(value).strftime(…)",
	"isoformat":   "parse_date(value).isoformat()",
	"year":        "parse_date(value).year",
	"match":       "re.match('…', value)",
	"has_key":     "'name' in record",
	"push":        "list.append",
	"isEmpty":     "not value",
	"map":         "[x for x in value]",
	"filter":      "[x for x in value if …]",
}

// attributeHint names what was perhaps meant by an attribute that a type does not have.
func attributeHint(owner, name string) string {
	if owner == "NoneType" || owner == "dict" && methods[name] == "" {
		return ""
	}
	if h := methods[name]; h != "" {
		return "write " + h
	}
	for _, m := range library.MethodsOf(owner) {
		if strings.EqualFold(m, name) || near(m, name) {
			return "did you mean " + m + "?"
		}
	}
	return ""
}
