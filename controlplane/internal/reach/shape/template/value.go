package template

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Quiet is an error without values of the person.
func Quiet(err error) string {
	var e *pyexpr.Error
	if errors.As(err, &e) {
		return strings.Replace(e.Quiet(), "of the transform", "of its expression", 1)
	}
	return err.Error()
}

// Unknown says which members of a person are not known.
func Unknown(missing []string) string {
	if len(missing) == 1 {
		return missing[0] + " is not known"
	}
	return strings.Join(missing[:len(missing)-1], ", ") + " and " + missing[len(missing)-1] + " are not known"
}

// Absent are the members among those that an expression reads that are not known of a person.
func Absent(f identity.Facts, reads []string) []string {
	out := []string{}
	for _, path := range reads {
		var v any = map[string]any(f)
		for name := range strings.SplitSeq(path, ".") {
			m, _ := v.(map[string]any)
			v = m[name]
		}
		if v == nil || v == "" {
			out = append(out, "identity."+path)
		}
	}
	return out
}

// Number writes a number as an attribute has it: whole ones without a fraction.
func Number(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}
