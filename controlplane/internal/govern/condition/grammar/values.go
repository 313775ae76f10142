package grammar

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
)

// list reads values between commas, and the joint before the last. With typed, numbers and true and false are what they
// look like.
func (r *reader) list(joint string, typed bool) ([]any, error) {
	var values []any
	for {
		v, err := r.value(typed)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		rest := r.rest()
		if strings.HasPrefix(rest, ", ") && !strings.HasPrefix(rest, ", and ") && !strings.HasPrefix(rest, ", or ") &&
			r.took(", ") ||
			r.took(joint) {
			continue
		}
		return values, nil
	}
}

// ends are what a value that is not in quotes ends before.
var ends = regexp.MustCompile(`,| or | nor | and |\)|$`)

// value reads a value, in quotes or up to the next word of the grammar. typed reads true, false and
// numbers as such; without it they are texts.
func (r *reader) value(typed bool) (any, error) {
	if strings.HasPrefix(r.rest(), `"`) {
		return r.quoted()
	}
	text := r.rest()[:ends.FindStringIndex(r.rest())[0]]
	if text == "" {
		return nil, r.wrong("a value")
	}
	r.at += len(text)
	switch {
	case typed && (text == "true" || text == "false"):
		return text == "true", nil
	case typed && field.LooksLikeNumber(text) && json.Valid([]byte(text)):
		return json.Number(text), nil
	}
	return text, nil
}

// quoted reads a text in quotes, with Go's escapes.
func (r *reader) quoted() (string, error) {
	text, err := strconv.QuotedPrefix(r.rest())
	if err != nil || text[0] != '"' {
		return "", r.wrong("a text in quotes")
	}
	r.at += len(text)
	return strconv.Unquote(text)
}

// spokenTime matches a relative date, such as "30 days ago".
var spokenTime = regexp.MustCompile(`^(?:(\d+) years? ?)?(?:(\d+) months? ?)?(?:(\d+) days? ?)?(ago|from today)`)

// time reads a date, or a relative one as an ISO 8601 duration.
func (r *reader) time() (any, error) {
	if m := spokenTime.FindStringSubmatch(r.rest()); m != nil && m[1]+m[2]+m[3] != "" {
		r.at += len(m[0])
		text := "P"
		for i, unit := range []string{"Y", "M", "D"} {
			if m[i+1] != "" {
				text += m[i+1] + unit
			}
		}
		if m[4] == "ago" {
			text = "-" + text
		}
		return text, nil
	}
	return r.value(false)
}
