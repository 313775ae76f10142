package field

import (
	"slices"
	"strings"
)

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

// Suggest suggests names for one that is unknown, the nearest first; three at most.
func Suggest(n string, among []string) []string {
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
