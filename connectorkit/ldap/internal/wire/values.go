package wire

import (
	"strings"
)

// FirstValue is the first value of an attribute; nil where the entry does not show it.
func FirstValue(e *Entry, name string) []byte {
	for i := range e.Attributes {
		if a := &e.Attributes[i]; strings.EqualFold(string(a.Name), name) && len(a.Values) > 0 {
			return a.Values[0]
		}
	}
	return nil
}

// Replace is the change that gives an attribute some values in place of those it has; without values it is removed.
func Replace(name string, values ...string) Change {
	return Change{Kind: ChangeReplace, Name: name, Values: Values(values)}
}

// Values are texts as raw values.
func Values(values []string) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = []byte(v)
	}
	return out
}
