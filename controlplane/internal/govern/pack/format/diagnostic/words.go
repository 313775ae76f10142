package diagnostic

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"
)

// Show is a value in a message: texts in quotes, and lists and mappings by their kind.
func Show(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", Printable(v))
	case nil:
		return "nothing"
	case map[string]any, []any:
		return KindOf(v)
	}
	return fmt.Sprint(v)
}

// KindOf names the kind of a value, such as "a text".
func KindOf(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	case nil:
		return "empty"
	}
	return reflect.TypeOf(v).String()
}

// JoinOrNone joins names by commas, and is "none" if there are none.
func JoinOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Under is the JSON pointer to a member or element.
func Under(pointer string, name any) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(name))
}

// Nearest is the known word that an unknown one was probably meant to be; empty: none is near.
func Nearest(word string, known []string) string {
	best, distance := "", 1+len(word)/3
	for _, k := range known {
		if d := edits(strings.ToLower(word), strings.ToLower(k)); d <= distance {
			best, distance = k, d-1
		}
	}
	return best
}

// edits is the Levenshtein distance of two texts, by bytes: names in packs are ASCII.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}
