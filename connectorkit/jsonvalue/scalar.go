package jsonvalue

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Shorten cuts a text after n characters and marks the cut by an ellipsis. Messages use it for words of the target.
func Shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// Text writes a scalar as text.
func Text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// Texts writes all scalars in values, and in lists among them, as texts; what is empty is left out.
func Texts(values []any) []string {
	var out []string
	for _, v := range values {
		if list, ok := v.([]any); ok {
			out = append(out, Texts(list)...)
			continue
		}
		if text, ok := Text(v); ok && text != "" {
			out = append(out, text)
		}
	}
	return out
}

// truthWords that targets use for a state, by whether they say yes.
var truthWords = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "on": true,
	"false": false, "no": false, "n": false, "0": false, "off": false,
}

// AccountStates maps the words that targets use for an account's state to whether it can be used.
var AccountStates = map[string]bool{
	"active":        true,
	"enabled":       true,
	"valid":         true,
	"live":          true,
	"provisioned":   true,
	"current":       true,
	"employed":      true,
	"ok":            true,
	"inactive":      false,
	"disabled":      false,
	"suspended":     false,
	"deactivated":   false,
	"terminated":    false,
	"deleted":       false,
	"deprovisioned": false,
	"locked":        false,
	"locked_out":    false,
	"blocked":       false,
	"archived":      false,
	"revoked":       false,
	"expired":       false,
	"left":          false,
	"former":        false,
	"staged":        false,
}

// Bool reads a truth value; for is_disabled also the words for a state.
func Bool(v any, target string) (bool, bool) {
	if b, ok := v.(bool); ok {
		return b, true
	}
	text, ok := Text(v)
	if !ok {
		return false, false
	}
	text = strings.ToLower(strings.TrimSpace(text))
	if b, ok := truthWords[text]; ok {
		return b, true
	}
	if target == "is_disabled" {
		if able, ok := AccountStates[text]; ok {
			return !able, true
		}
	}
	return false, false
}

// Int reads a whole number of at most 2^53, also from text such as "3" or "3.0".
func Int(v any) (int, bool) {
	text, ok := Text(v)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > MaxExact {
		return 0, false
	}
	return int(f), true
}

// timeLayouts are the forms of time that are understood, besides numbers. Those without a zone are
// UTC.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", time.DateOnly, time.RFC1123, time.RFC1123Z,
}

// Epochs between 1973 and 2286, in seconds and in milliseconds; smaller numbers are no times.
const (
	firstEpoch = 1e8
	lastEpoch  = 1e10
)

// Time reads the usual ways to write a moment. A time without a zone is taken as UTC.
func Time(v any) (time.Time, bool) {
	text, ok := Text(v)
	if !ok {
		return time.Time{}, false
	}
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		switch {
		case n >= firstEpoch && n < lastEpoch:
			return time.UnixMilli(int64(n * 1000)).UTC(), true
		case n >= firstEpoch*1000 && n < lastEpoch*1000:
			return time.UnixMilli(int64(n)).UTC(), true
		}
		return time.Time{}, false
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

// Date is the date in a moment, or the text as it is where it is none. The date is the one written, whatever its zone.
func Date(v any, text string) string {
	if len(text) > len(time.DateOnly) {
		if _, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)]); err == nil {
			return text[:len(time.DateOnly)]
		}
	}
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return text
	}
	if at, ok := Time(v); ok {
		return at.Format(time.DateOnly)
	}
	return text
}

// Truthy reads the value of a success or has-more member.
func Truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	text, _ := Text(v)
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "0", "0.0", "false", "no", "n", "off", "null", "error", "err", "fail", "failed", "failure", "ko":
		return false
	}
	return true
}
