package field

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Field is a column, or a path into attributes, of one side.
type Field struct {
	Name string
	sql  string   // a column, or empty for a path
	path []string // into attributes
}

// accountFields and identityFields are what rules can compare, with the SQL that gives it.
var (
	AccountFields = map[string]string{
		"username":             "a.username",
		"email":                "a.email",
		"email_local":          "split_part(a.email, '@', 1)",
		"display_name":         "a.display_name",
		"first_name":           "a.first_name",
		"last_name":            "a.last_name",
		"employee_number":      "a.employee_number",
		"external_id":          "a.external_id",
		"native_identity":      "a.native_identity",
		"native_ref":           "a.native_ref",
		"identity_external_id": "a.identity_external_id",
	}
	IdentityFields = map[string]string{
		"external_id":      "i.external_id",
		"email":            "i.email",
		"email_local":      "split_part(i.email, '@', 1)",
		"secondary_emails": "i.secondary_emails",
		"username":         "i.username",
		"first_name":       "i.first_name",
		"middle_name":      "i.middle_name",
		"last_name":        "i.last_name",
		"preferred_name":   "i.preferred_name",
		"display_name":     "i.display_name",
		"employee_number":  "i.employee_number",
		"department":       "i.department",
		"division":         "i.division",
		"organization":     "i.organization",
		"cost_center":      "i.cost_center",
		"title":            "i.title",
		"job_code":         "i.job_code",
		"location":         "i.location",
		"country":          "i.country",
	}
)

// Parse finds a field by its name.
func Parse(name string, known map[string]string) (Field, error) {
	if rest, ok := strings.CutPrefix(name, "attributes."); ok {
		path, err := ParsePath(rest)
		return Field{Name: name, path: path}, err
	}
	if sql := known[name]; sql != "" {
		return Field{Name: name, sql: sql}, nil
	}
	return Field{}, fmt.Errorf(
		"there is no field %q: use %s, or attributes.<path>",
		name,
		strings.Join(slices.Sorted(maps.Keys(known)), ", "),
	)
}

// ParsePath splits a.b."c.d" into its names.
func ParsePath(text string) (path []string, err error) {
	for rest := text; ; rest = rest[1:] {
		name, after, ok := cutName(rest)
		if !ok || name == "" || len(path) == maxDepth || strings.ContainsFunc(name, unicode.IsControl) {
			return nil, fmt.Errorf(
				"%q is no path: names stand between dots, those with dots in them in quotation marks",
				"attributes."+text,
			)
		}
		path = append(path, name)
		if rest = after; rest == "" {
			return path, nil
		}
	}
}

// maxDepth is how many names a path may have.
const maxDepth = 8

// cutName takes the first name from a path; what is left is empty or begins with a dot.
func cutName(path string) (name, rest string, ok bool) {
	if quoted, is := strings.CutPrefix(path, `"`); is {
		name, rest, ok = strings.Cut(quoted, `"`)
		return name, rest, ok && (rest == "" || rest[0] == '.')
	}
	if at := strings.IndexByte(path, '.'); at >= 0 {
		return path[:at], path[at:], true
	}
	return path, "", true
}

// Columns are the select list of fields; table is a or i. Paths travel as arguments, which follow those given.
func Columns(fields []Field, table string, args *[]any) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		if f.sql != "" {
			list[i] = f.sql
			continue
		}
		*args = append(*args, f.path)
		list[i] = table + ".attributes #> $" + strconv.Itoa(len(*args))
	}
	return list
}

// Values are what a field has: none, one, or several.
type Values []string

// MaxValues is how many values of a field are looked at.
const MaxValues = 8

// Cell takes a field from a row.
type Cell struct {
	F    Field
	text *string
	json []byte
	list []string
}

func (c *Cell) Target() any {
	switch {
	case c.F.sql == "":
		return &c.json
	case c.F.Name == "secondary_emails":
		return &c.list
	}
	return &c.text
}

// Take gives what was scanned and makes room for the next row.
func (c *Cell) Take() (v Values) {
	switch {
	case c.text != nil:
		v = Values{*c.text}
	case c.list != nil:
		v = c.list
	case c.json != nil:
		v = FromJSON(c.json)
	}
	c.text, c.json, c.list = nil, nil, nil
	if len(v) > MaxValues {
		v = v[:MaxValues]
	}
	return v
}

// FromJSON gives the texts, numbers and truth values of an attribute: itself, or the members of a list.
func FromJSON(b []byte) (v Values) {
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	var any any
	if d.Decode(&any) != nil {
		return nil
	}
	return appendJSON(nil, any, true)
}

func appendJSON(v Values, x any, outer bool) Values {
	switch x := x.(type) {
	case string:
		return append(v, x)
	case json.Number:
		return append(v, x.String())
	case bool:
		return append(v, strconv.FormatBool(x))
	case []any:
		for _, e := range x {
			if outer && len(v) < MaxValues {
				v = appendJSON(v, e, false)
			}
		}
	}
	return v
}
