package field

import (
	"slices"
	"strings"
)

// Kind is what values a field has.
type Kind int

const (
	Name   Kind = iota // text in which capitals do not matter
	Code               // text in which they do
	Many               // names
	Date               // YYYY-MM-DD
	Moment             // a point in time
	Flag               // true or false
	Custom             // a custom attribute: whatever its source has
	tree               // the manager
)

// String says in words what values of the kind are, for messages.
func (k Kind) String() string {
	return [...]string{"a text", "a code", "a list of texts", "a date", "a time", "true or false", "a custom attribute",
		"the manager"}[k]
}

// Field is something of a person, or of a vocabulary, that rules ask for.
type Field struct {
	// Name is the name in rules, Label the words in sentences, Kind how values are compared.
	Name  string
	Kind  Kind
	Label string
	Among []string // the values that there are, where they are few
	Key   string   // within the map that name is of, for attributes and labels
}

// All are the fields of an identity that rules may ask for, by their names. Those that only say when and by whom a
// record was written are none, so that writing it changes no one's access.
var All = func() map[string]*Field {
	all := map[string]*Field{}
	add := func(k Kind, names ...string) {
		for _, n := range names {
			all[n] = &Field{Name: n, Kind: k, Label: strings.ReplaceAll(n, "_", " ")}
		}
	}
	add(
		Name,
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
		Code,
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
	add(Date, "hire_date", "start_date", "termination_date", "leave_from", "leave_to")
	add(Moment, "last_working_at", "status_changed_at", "created_at")
	add(Many, "secondary_emails")
	add(Flag, "is_disabled")
	add(tree, "manager")
	all["is_disabled"].Label = "disabled"
	all["kind"].Among = []string{"human", "non_human"}
	all["employment_type"].Among = []string{
		"employee",
		"contractor",
		"intern",
		"vendor",
		"partner",
		"student",
		"service",
		"other",
	}
	all["status"].Among = []string{"pre_hire", "active", "on_leave", "notice", "deactivated", "archived"}
	return all
}()

// Maps are the members of an identity that have members of their own, with the word for one.
var Maps = map[string]string{"attributes": "attribute", "labels": "label"}

// Find finds a field by its name; attributes.x is a custom attribute.
func Find(n string) (*Field, bool) {
	if f, ok := All[n]; ok {
		return f, true
	}
	of, key, found := strings.Cut(n, ".")
	word, known := Maps[of]
	if !found || !known || key == "" {
		return nil, false
	}
	f := &Field{Name: of, Key: key, Kind: Custom, Label: word + " " + QuotedUnless(key, isName)}
	if of == "labels" {
		f.Kind = Name
	}
	return f, true
}

// FullName is the name as it is written in a rule.
func (f *Field) FullName() string {
	if f.Key != "" {
		return f.Name + "." + f.Key
	}
	return f.Name
}

// Fold is the form in which texts of the field are compared. Codes of other systems are compared exactly, everything
// else without case.
func (f *Field) Fold(s string) string {
	if f.Kind == Code && f.Among == nil {
		return s
	}
	return strings.ToLower(s)
}

// Names are the names of All, in order.
func Names() []string {
	names := make([]string, 0, len(All))
	for n := range All {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
