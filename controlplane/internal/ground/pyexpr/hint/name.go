package hint

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
)

// elsewhere are words of other languages, with those of Python.
var elsewhere = map[string]string{
	"null":        "None",
	"nil":         "None",
	"undefined":   "None",
	"none":        "None",
	"NULL":        "None",
	"true":        "True",
	"false":       "False",
	"TRUE":        "True",
	"FALSE":       "False",
	"this":        "value",
	"source":      "record",
	"row":         "record",
	"user":        "record",
	"toString":    "str",
	"length":      "len",
	"concat":      "join",
	"trim":        "strip",
	"substring":   "value[start:end]",
	"toLowerCase": "lower",
	"toUpperCase": "upper",
	"parseInt":    "int",
	"print":       "nothing; the expression itself is the result",
	"open":        "nothing; there are no files here",
	"eval":        "the expression itself",
	"exec":        "the expression itself",
	"getattr":     "x.name",
	"hasattr":     "'name' in record",
	"strptime":    "datetime.strptime",
	"strftime":    "value.strftime",
	"now":         "nothing; there is no clock here",
	"json":        "the record, which has been read already",
	"os":          "nothing; there is no system here",
	"sys":         "nothing; there is no system here",
	"IF":          "a if test else b",
	"iif":         "a if test else b",
}

// ForName says, as the end of a sentence, what was perhaps meant by a name that does not exist. value and record are
// what the expression calls the two things that it is given; members is true where it reads members of the record by
// a dot.
func ForName(name, value, record string, members bool) string {
	if s, ok := elsewhere[name]; ok && !members {
		return "; in its place write " + s
	}
	names := []string{value, record}
	for n := range library.Names {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, known := range names {
		if strings.EqualFold(known, name) || len(known) > 2 && near(known, name) {
			return "; did you mean " + known + "?"
		}
	}
	if members {
		return "; a member of " + record + " is " + record + "." + name
	}
	return "; a field of the record is record['" + name + "']"
}

// near reports whether one letter makes a of b.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i == len(a) || a[i+1:] == b[i+1:] ||
			i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	}
	return a[i:] == b[i+1:]
}
