package history

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
)

// recordFields are the fields of a record whose changes are shown, in this order.
var recordFields = []string{
	"status",
	"status_reason",
	"department",
	"manager_id",
	"title",
	"job_code",
	"job_family",
	"employment_type",
	"kind",
	"display_name",
	"first_name",
	"middle_name",
	"last_name",
	"preferred_name",
	"email",
	"secondary_emails",
	"username",
	"employee_number",
	"division",
	"organization",
	"cost_center",
	"location",
	"country",
	"locale",
	"timezone",
	"hire_date",
	"start_date",
	"termination_date",
	"last_working_at",
	"leave_from",
	"leave_to",
	"urgent",
	"manager_external_id",
	"sponsor_id",
	"backup_owner_id",
	"merged_into_id",
	"previous_identity_id",
	"external_id",
	"source_connector_id",
}

// accountFields are the fields of an account whose changes are shown.
var accountFields = []string{
	"status",
	"is_disabled",
	"is_locked",
	"username",
	"account_type",
	"managed",
	"privileged",
	"external_id",
}

// differences are the fields that are other after than before.
func differences(fields []string, before, after map[string]any) []HistoryChange {
	changes := []HistoryChange{}
	for _, f := range fields {
		if !reflect.DeepEqual(before[f], after[f]) {
			changes = append(changes, HistoryChange{Field: f, Before: before[f], After: after[f]})
		}
	}
	for _, set := range []string{"attributes", "labels"} {
		was, _ := before[set].(map[string]any)
		is, _ := after[set].(map[string]any)
		var keys []string
		for k := range was {
			keys = append(keys, k)
		}
		for k := range is {
			if _, there := was[k]; !there {
				keys = append(keys, k)
			}
		}
		sort.Strings(keys)
		for _, k := range keys {
			if !reflect.DeepEqual(was[k], is[k]) {
				changes = append(changes, HistoryChange{Field: set + "." + k, Before: was[k], After: is[k]})
			}
		}
	}
	return changes
}

// hide leaves out the values that name people whom the viewer may not see.
func (n names) hide(changes []HistoryChange) {
	for i := range changes {
		c := &changes[i]
		if !slices.Contains(people, c.Field) {
			continue
		}
		for _, v := range []*any{&c.Before, &c.After} {
			if id, is := (*v).(string); is && n["identity"][id] == "" {
				*v, c.Hidden = nil, true
			}
		}
	}
}

// mostTold is how many changes are written out; the others are counted.
const mostTold = 3

// inWords writes changes out.
func (n names) inWords(changes []HistoryChange) string {
	var said []string
	for i, c := range changes {
		if i == mostTold {
			said = append(said, fmt.Sprintf("%d more fields changed", len(changes)-mostTold))
			break
		}
		said = append(said, n.changeInWords(c))
	}
	return strings.Join(said, "; ")
}

func (n names) changeInWords(c HistoryChange) string {
	name := strings.ReplaceAll(strings.TrimSuffix(c.Field, "_id"), "_", " ")
	before, after := n.value(c.Field, c.Before), n.value(c.Field, c.After)
	switch {
	case c.Field == "status":
		return fmt.Sprintf("became %s, and was %s", after, before)
	case before == "":
		return fmt.Sprintf("%s became %s", name, after)
	case after == "":
		return fmt.Sprintf("%s is no longer %s", name, before)
	}
	return fmt.Sprintf("%s changed from %s to %s", name, before, after)
}

// value is a field's value in words; empty when there is none.
func (n names) value(field string, v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case string:
		if slices.Contains(people, field) {
			return or(n["identity"][v], "somebody else")
		}
		if field == "status" {
			return strings.ReplaceAll(v, "_", " ")
		}
		return v
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = fmt.Sprint(v[i])
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v)
}

// sentence makes a sentence of words.
func sentence(format string, args ...any) string {
	s := strings.TrimSpace(fmt.Sprintf(format, args...))
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if last := s[len(s)-1]; last == '.' || last == '?' || last == '!' {
		return s
	}
	return s + "."
}
