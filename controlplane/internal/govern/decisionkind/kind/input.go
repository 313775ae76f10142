package kind

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Reason is the comment of a decision, for records that need a reason, or that it was decided in the inbox.
func Reason(a decision.Answered) string {
	if text := strings.TrimSpace(a.Decision.Comment); text != "" {
		return text
	}
	return "decided in the inbox"
}

// IdentityID reads the id of an identity among the inputs of a decision, or returns a fault that points to it.
func IdentityID(inputs map[string]any, name string) (string, error) {
	text, _ := inputs[name].(string)
	if !listing.IsID(text) {
		return "", BadInput(name, "the id of an identity")
	}
	return text, nil
}

// FutureTime reads an instant to come among the inputs, or a day, at whose end it is; nil if it is not given.
func FutureTime(inputs map[string]any, name string, now time.Time) (*time.Time, error) {
	given, there := inputs[name]
	if !there || given == nil {
		return nil, nil
	}
	text, _ := given.(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		if at, err = time.Parse(time.DateOnly, text); err == nil {
			at = at.Add(Day)
		}
	}
	if err != nil || !at.After(now) {
		return nil, BadInput(name, "a time to come, such as 2030-12-31 or 2030-12-31T12:00:00Z")
	}
	at = at.UTC()
	return &at, nil
}

// SeenVersion is the precondition that the version that a task shows is still the current one.
func SeenVersion(t decision.DecisionTask) httpapi.IfMatch {
	version, is := t.Context["version"].(float64)
	if !is {
		return httpapi.IfMatch{}
	}
	return httpapi.IfMatch{Match: httpapi.ETag(int(version))}
}

// Outdated replaces a fault of kind Precondition by matter_changed: callers of the inbox send no headers.
func Outdated(err error) error {
	if fault.Is(err, fault.Precondition) {
		return fault.Coded(
			fault.Conflict,
			"matter_changed",
			"The subject of this task has changed. Reload the task in a moment.",
		)
	}
	return err
}

// PointIntoInputs makes the pointers of a fault point into the inputs of the decision.
func PointIntoInputs(err error) error {
	var f *fault.Fault
	if !errors.As(err, &f) {
		return err
	}
	out := *f
	out.Fields = slices.Clone(f.Fields)
	for i, field := range out.Fields {
		if rest, is := strings.CutPrefix(field.Pointer, "#/"); is && !strings.HasPrefix(rest, "inputs/") {
			out.Fields[i].Pointer = "#/inputs/" + rest
		}
	}
	return &out
}

// CountOf is a number with a noun, in the plural but for 1.
func CountOf(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// BadInput is the fault of an input that cannot be read.
func BadInput(name, detail string) error {
	return fault.New(fault.Invalid, "inputs.%s is invalid: %s", name, detail).
		With(fault.Field{Pointer: "#/inputs/" + name, Code: "invalid", Detail: detail})
}

// TextOf is the text, or an empty one for nil.
func TextOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
