package head

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// wholeNumber is an integer of up to ten digits.
var wholeNumber = regexp.MustCompile(`^-?[0-9]{1,10}$`)

// CheckID refuses a path's parameter that is an id in a form in which ids are never given out.
func CheckID(id string) error {
	if otherwiseSpelt(id) {
		return fault.New(fault.NotFound, "Nothing with this id was found. Ids are 36 characters long.")
	}
	return nil
}

// CheckParameter checks one parameter of a query against the parameters of the operation.
func CheckParameter(op *huma.Operation, name string, values []string) error {
	i := slices.IndexFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == name })
	if i < 0 {
		return fault.Coded(fault.Malformed, "unknown_parameter", "there is no query parameter %q here", name).
			With(fault.Field{Parameter: name, Code: "unknown_parameter", Detail: "check its spelling"})
	}
	if len(values) > 1 {
		return fault.Coded(fault.Malformed, "invalid_parameter", "%s may be given once", name).
			With(fault.Field{Parameter: name, Code: "repeated", Detail: "give it once"})
	}
	if !utf8.ValidString(values[0]) || strings.ContainsRune(values[0], 0) {
		return fault.Coded(fault.Malformed, "invalid_parameter", "%s holds what is no text: NUL, or bytes that are "+
			"not UTF-8", name).
			With(fault.Field{Parameter: name, Code: "invalid_encoding", Detail: "encode it as UTF-8"})
	}
	schema := op.Parameters[i].Schema
	if schema != nil && schema.Format == "uuid" && otherwiseSpelt(values[0]) {
		return fault.Coded(fault.Malformed, "invalid_parameter", "%s must be an id as it was given out", name).
			With(fault.Field{Parameter: name, Code: "invalid", Detail: "36 characters, with hyphens and nothing " +
				"around them"})
	}
	if schema != nil && schema.Type == "integer" && !isWhole(values[0]) {
		return fault.Coded(fault.Malformed, "invalid_parameter", "%s must be a whole number", name).
			With(fault.Field{Parameter: name, Code: "invalid", Detail: "digits only"})
	}
	return nil
}

// isWhole accepts digits that fit 32 bits, without the plus sign and the leading spaces that a lenient parser takes.
func isWhole(s string) bool {
	_, err := strconv.ParseInt(s, 10, 32)
	return err == nil && wholeNumber.MatchString(s)
}

// otherwiseSpelt says whether a text is an id in a form that is known elsewhere and never given out here: behind
// urn:uuid:, in braces, or without hyphens.
func otherwiseSpelt(id string) bool { return len(id) != 36 && uuid.Validate(id) == nil }
