package condition

import (
	"slices"
	"strings"
)

// kind is what values a field has.
type kind int

const (
	name   kind = iota // text in which capitals do not matter
	code               // text in which they do
	many               // names
	date               // YYYY-MM-DD
	moment             // a point in time
	flag               // true or false
	anyone             // a custom attribute: whatever its source has
	tree               // the manager
)

func (k kind) String() string {
	return [...]string{"a text", "a code", "a list of texts", "a date", "a time", "true or false", "a custom attribute",
		"the manager"}[k]
}

// field is something of a person that rules ask for.
type field struct {
	name  string
	kind  kind
	label string
	among []string // the values that there are, where they are few
	key   string   // within the map that name is of, for attributes and labels
}

// fields are those of an identity that rules may ask for. Those that only say when and by whom a record was written are
// none, so that writing it changes nobody's access.
var fields = func() map[string]*field {
	all := map[string]*field{}
	add := func(k kind, names ...string) {
		for _, n := range names {
			all[n] = &field{name: n, kind: k, label: strings.ReplaceAll(n, "_", " ")}
		}
	}
	add(
		name,
		"email",
		"username",
		"first_name",
		"middle_name",
		"last_name",
		"preferred_name",
		"display_name",
		"department",
		"division",
		"organization",
		"title",
		"job_family",
		"location",
		"country",
		"locale",
		"timezone",
		"status_reason",
	)
	add(
		code,
		"external_id",
		"employee_number",
		"cost_center",
		"job_code",
		"manager_external_id",
		"id",
		"source_connector_id",
		"manager_id",
		"sponsor_id",
		"backup_owner_id",
		"kind",
		"employment_type",
		"status",
		"status_source",
	)
	add(date, "hire_date", "start_date", "termination_date", "leave_from", "leave_to")
	add(moment, "last_working_at", "status_changed_at", "created_at")
	add(many, "secondary_emails")
	add(flag, "is_disabled")
	add(tree, "manager")
	all["is_disabled"].label = "disabled"
	all["kind"].among = []string{"human", "non_human"}
	all["employment_type"].among = []string{
		"employee",
		"contractor",
		"intern",
		"vendor",
		"partner",
		"student",
		"service",
		"other",
	}
	all["status"].among = []string{"pre_hire", "active", "on_leave", "notice", "deactivated", "archived"}
	return all
}()

// maps are the members of an identity that have members of their own.
var maps = map[string]string{"attributes": "attribute", "labels": "label"}

// fieldNamed finds a field by its name; attributes.x is a custom attribute.
func fieldNamed(n string) (*field, bool) {
	if f, ok := fields[n]; ok {
		return f, true
	}
	of, key, found := strings.Cut(n, ".")
	word, known := maps[of]
	if !found || !known || key == "" {
		return nil, false
	}
	f := &field{name: of, key: key, kind: anyone, label: word + " " + quotedUnless(key, isName)}
	if of == "labels" {
		f.kind = name
	}
	return f, true
}

// full is the name as it is written in a rule.
func (f *field) full() string {
	if f.key != "" {
		return f.name + "." + f.key
	}
	return f.name
}

// FieldNames are the fields that rules may ask for, beside attributes.x and labels.x.
func FieldNames() []string {
	names := make([]string, 0, len(fields))
	for n := range fields {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// synonyms are what people write in other products.
var synonyms = map[string]string{
	"dept":           "department",
	"mail":           "email",
	"e_mail":         "email",
	"emailaddress":   "email",
	"user_name":      "username",
	"login":          "username",
	"givenname":      "first_name",
	"given_name":     "first_name",
	"surname":        "last_name",
	"sn":             "last_name",
	"family_name":    "last_name",
	"displayname":    "display_name",
	"usertype":       "employment_type",
	"user_type":      "employment_type",
	"type":           "employment_type",
	"worker_type":    "employment_type",
	"jobtitle":       "title",
	"job_title":      "title",
	"position":       "title",
	"company":        "organization",
	"org":            "organization",
	"costcenter":     "cost_center",
	"cost_centre":    "cost_center",
	"office":         "location",
	"city":           "location",
	"site":           "location",
	"supervisor":     "manager",
	"boss":           "manager",
	"hired":          "hire_date",
	"join_date":      "start_date",
	"end_date":       "termination_date",
	"state":          "status",
	"active":         "status",
	"employeenumber": "employee_number",
	"employee_id":    "employee_number",
	"employeetype":   "employment_type",
}

// alike suggests names for one that is unknown, the nearest first.
func alike(n string, among []string) []string {
	lower := strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(n))
	if s, ok := synonyms[lower]; ok && slices.Contains(among, s) {
		return []string{s}
	}
	type near struct {
		name string
		far  int
	}
	var found []near
	for _, candidate := range among {
		d := distance(lower, candidate)
		if d <= max(1, len(candidate)/3) || len(lower) > 2 && strings.HasPrefix(candidate, lower) {
			found = append(found, near{candidate, d})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	names := []string{}
	for i := 0; i < len(found) && i < 3; i++ {
		names = append(names, found[i].name)
	}
	return names
}

// distance is how many letters have to be changed, added or taken away. Long words are not worth the work.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			kept := row[j]
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(before+cost, row[j]+1, row[j-1]+1)
			before = kept
		}
	}
	return row[len(b)]
}
