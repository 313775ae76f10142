package rest

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxExact is the largest whole number that every JSON reader keeps exactly.
const maxExact = 1 << 53

// textOf writes a scalar as text.
func textOf(v any) (string, bool) {
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

// texted writes all scalars in values, and in lists among them, as texts; what is empty is left out.
func texted(values []any) []string {
	var out []string
	for _, v := range values {
		if list, ok := v.([]any); ok {
			out = append(out, texted(list)...)
			continue
		}
		if text, ok := textOf(v); ok && text != "" {
			out = append(out, text)
		}
	}
	return out
}

// words that targets use for a state, by whether they say yes.
var words = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "on": true,
	"false": false, "no": false, "n": false, "0": false, "off": false,
}

// usable tells for the words that targets use for an account's state whether it can be used.
var usable = map[string]bool{
	"active": true, "enabled": true, "valid": true, "live": true, "provisioned": true, "current": true, "employed": true, "ok": true,
	"inactive": false, "disabled": false, "suspended": false, "deactivated": false, "terminated": false, "deleted": false, "deprovisioned": false,
	"locked": false, "locked_out": false, "blocked": false, "archived": false, "revoked": false, "expired": false, "left": false, "former": false,
	"staged": false,
}

// boolOf reads a truth value; for is_disabled also the words for a state.
func boolOf(v any, target string) (bool, bool) {
	if b, ok := v.(bool); ok {
		return b, true
	}
	text, ok := textOf(v)
	if !ok {
		return false, false
	}
	text = strings.ToLower(strings.TrimSpace(text))
	if b, ok := words[text]; ok {
		return b, true
	}
	if target == "is_disabled" {
		if able, ok := usable[text]; ok {
			return !able, true
		}
	}
	return false, false
}

func intOf(v any) (int, bool) {
	text, ok := textOf(v)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > maxExact {
		return 0, false
	}
	return int(f), true
}

var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", time.DateOnly, time.RFC1123, time.RFC1123Z,
}

// Epochs between 1973 and 2286, in seconds and in milliseconds; smaller numbers are no times.
const (
	firstEpoch = 1e8
	lastEpoch  = 1e10
)

// timeOf reads the usual ways to write a moment. A time without a zone is taken as UTC.
func timeOf(v any) (time.Time, bool) {
	text, ok := textOf(v)
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

// dayOf is the date in a moment, or the text as it is where it is none. The date is the one written, whatever its zone.
func dayOf(v any, text string) string {
	if len(text) > len(time.DateOnly) {
		if _, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)]); err == nil {
			return text[:len(time.DateOnly)]
		}
	}
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return text
	}
	if at, ok := timeOf(v); ok {
		return at.Format(time.DateOnly)
	}
	return text
}

// truthy reads the value of a success or has-more member.
func truthy(v any) bool {
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
	text, _ := textOf(v)
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "0", "0.0", "false", "no", "n", "off", "null", "error", "err", "fail", "failed", "failure", "ko":
		return false
	}
	return true
}

// flatten lays a record out as attributes with dotted names. Lists stay lists. Numbers become what survives JSON on its way
// through any reader: whole numbers up to 2^53, other numbers as float64, larger ones as text.
func flatten(record any) map[string]any {
	out := map[string]any{}
	object, ok := record.(map[string]any)
	if !ok {
		out["value"] = portable(record)
		return out
	}
	spread(out, "", object, 0)
	return out
}

// maxNesting bounds how deep members get names of their own; what lies deeper stays an object.
const maxNesting = 16

func spread(out map[string]any, prefix string, object map[string]any, depth int) {
	for _, name := range sortedKeys(object) {
		if nested, ok := object[name].(map[string]any); ok && len(nested) > 0 && depth < maxNesting {
			spread(out, prefix+name+".", nested, depth+1)
			continue
		}
		out[prefix+name] = portable(object[name])
	}
}

func portable(v any) any {
	switch v := v.(type) {
	case json.Number:
		return portableNumber(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = portable(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = portable(e)
		}
		return out
	}
	return v
}

func portableNumber(n json.Number) any {
	if i, err := n.Int64(); err == nil && i <= maxExact && i >= -maxExact {
		return i
	}
	f, err := n.Float64()
	if err != nil || !strings.ContainsAny(n.String(), ".eE") {
		return n.String()
	}
	return f
}
