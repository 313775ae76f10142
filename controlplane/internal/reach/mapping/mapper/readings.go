package mapper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// reading makes something of a value, or says why it cannot.
type reading[T any] func(f mapping.Field, value any) (T, *Problem)

// asText reads a single value as text. Lists of several values and objects are a Problem.
func asText(f mapping.Field, value any) (string, *Problem) {
	if text, ok := scalar(value); ok {
		return text, nil
	}
	return "", &Problem{Code: "not_a_single_value", Message: fmt.Sprintf("%s needs a single value", f)}
}

// asEmail reads an e-mail address, without spaces around it. It is only checked for an @: addresses
// belong to the source.
func asEmail(f mapping.Field, value any) (string, *Problem) {
	text, problem := asText(f, value)
	if problem == nil && !strings.Contains(text, "@") {
		problem = &Problem{Code: "not_an_email", Message: "an e-mail address needs an @"}
	}
	return strings.TrimSpace(text), problem
}

// asDisabled reads whether an account is disabled, in the forms of Person.setDisabled.
func asDisabled(f mapping.Field, value any) (bool, *Problem) {
	text, problem := asText(f, value)
	if problem != nil {
		return false, problem
	}
	p := Person{}
	if problem := p.setDisabled(value, text); problem != nil {
		return false, problem
	}
	return *p.IsDisabled, nil
}

// asTruth reads a boolean, or a number that counts as one, such as adminCount of Active Directory: 0 is false.
func asTruth(f mapping.Field, value any) (bool, *Problem) {
	text, problem := asText(f, value)
	if problem != nil {
		return false, problem
	}
	if b, ok := truth(value, strings.TrimSpace(text)); ok {
		return b, nil
	}
	if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		return n != 0, nil
	}
	return false, &Problem{Code: "not_a_boolean", Message: fmt.Sprintf("%s needs true or false", f)}
}

// asCount reads a whole number from 0 to 2,147,483,647, the range of its column.
func asCount(f mapping.Field, value any) (int, *Problem) {
	text, problem := asText(f, value)
	if problem != nil {
		return 0, problem
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32 {
		message := fmt.Sprintf("%s needs a whole number from 0 to %d", f, math.MaxInt32)
		return 0, &Problem{Code: "not_a_number", Message: message}
	}
	return int(n), nil
}

// asBegin reads a beginning: of a day, its first moment.
func asBegin(f mapping.Field, value any) (time.Time, *Problem) { return asTime(f, value, 0) }

// asEnd is as asBegin, but a day without a time counts to its end.
func asEnd(f mapping.Field, value any) (time.Time, *Problem) { return asTime(f, value, 1) }

// asTime reads a time, or a day moved by days: an end that is given as a day is the beginning of
// the next one. Times have a precision of seconds.
func asTime(f mapping.Field, value any, days int) (time.Time, *Problem) {
	text, problem := asText(f, value)
	if problem != nil {
		return time.Time{}, problem
	}
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC().Truncate(time.Second), nil
		}
	}
	if day, ok := parseDate(text); ok {
		return day.AddDate(0, 0, days), nil
	}
	message := string(f) + " needs a time such as 2026-01-31T17:00:00Z, or a date"
	return time.Time{}, &Problem{Code: "not_a_date", Message: message}
}

// kinds of entitlement, as they are written here.
var kinds = []string{
	"group", "role", "permission_set", "profile", "license", "app_access", "distribution_list", "share", "custom",
}

// maxKind bounds the word of a source for a kind that is not known.
const maxKind = 100

// asKind reads the kind of an entitlement: a known word in any spelling, or else the source's own.
func asKind(f mapping.Field, value any) (string, *Problem) {
	text, problem := asText(f, value)
	if problem != nil {
		return "", problem
	}
	text = strings.TrimSpace(text)
	if at := slices.IndexFunc(kinds, func(k string) bool { return mapping.Fold(k) == mapping.Fold(text) }); at >= 0 {
		return kinds[at], nil
	}
	if len(text) > maxKind {
		return "", &Problem{Code: "too_long", Message: fmt.Sprintf("%s may have at most %d bytes", f, maxKind)}
	}
	return text, nil
}

// securityGroup is the flag of Active Directory's groupType for a group that gives access. Without it a group is a
// distribution list.
const securityGroup = 0x80000000

// groupType gives the kind of a group for the number that Active Directory keeps of it; other values stay as they are.
func groupType(value any) any {
	text, _ := scalar(value)
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return value
	case n&securityGroup != 0:
		return "group"
	}
	return "distribution_list"
}
