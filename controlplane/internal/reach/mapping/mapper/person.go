package mapper

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/employment"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Person is a source's record in our words. Nil means that the source says nothing.
type Person struct {
	ExternalID, NativeRef string
	Text                  map[mapping.Field]string // all fields but those below
	HireDate              *time.Time
	StartDate             *time.Time
	TerminationDate       *time.Time
	LastWorkingAt         *time.Time // the instant at which their work ends
	LeaveFrom, LeaveTo    *time.Time // the first and the last day of an absence
	IsDisabled            *bool
	// active, pre_hire, on_leave, notice, deactivated, as of a day; empty: the source does not say
	Status  string
	Said    string // the same by the source's word and flag alone, whatever the dates say
	Manager *v1.Ref
	Custom  map[string]any // custom attributes by name; nil: none is mapped
	Contact map[string]any // custom attributes that are filled unless a mapping fills them
}

// candidate is a source field that can fill a field of the person, with the rule that ranks it.
type candidate struct {
	source string
	rule   mapping.Rule
	value  any
}

// Person maps a record. today decides what a future start or a past end means.
func (m *Mapper) Person(r *v1.RemoteIdentity, today time.Time) (Person, []Problem) {
	p := Person{ExternalID: r.ExternalID, NativeRef: r.NativeRef, Text: make(map[mapping.Field]string, 12)}
	named(r, &p)
	var problems []Problem
	if decided := m.plans[mapping.ObjectIdentity]; decided != nil {
		problems = p.decide(decided, r.Attributes)
	} else {
		problems = p.guess(m.choose(r.Attributes))
	}
	for _, check := range []func() *Problem{p.employ, p.checkLeave} {
		if problem := check(); problem != nil {
			problems = append(problems, *problem)
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Field, b.Field) })
	p.conclude(today)
	return p, problems
}

// decide fills the fields by a person's rules.
func (p *Person) decide(by *plan, record map[string]any) []Problem {
	for f := range by.suppressed {
		p.clear(f)
	}
	return by.apply(record, func(s step, v any) *Problem {
		if s.custom != "" {
			return putCustom(&p.Custom, s.custom, v)
		}
		if !s.usual {
			p.clear(s.target)
		}
		return p.set(s.target, v)
	})
}

// EmploymentSource is the custom attribute that keeps a source's own word for a kind of employment that is not known.
const EmploymentSource = "employment_type_source"

// employ gives the employment type as it is stored and compared: one of its kinds. A word that is not known counts as
// other, and is kept beside it.
func (p *Person) employ() *Problem {
	word := strings.TrimSpace(p.Text[mapping.EmploymentType])
	if word == "" {
		delete(p.Text, mapping.EmploymentType)
		return nil
	}
	kind, known := employment.EmploymentOf(word)
	if p.Text[mapping.EmploymentType] = kind; known {
		return nil
	}
	_ = putCustom(&p.Custom, EmploymentSource, word)
	return &Problem{
		Field: string(mapping.EmploymentType),
		Code:  UnknownEmployment,
		Message: "The employment type is not known. It was recorded as other; the attribute " + EmploymentSource +
			" keeps the source's word.",
	}
}

// UnknownEmployment is the code of the problem that an employment type is not known.
const UnknownEmployment = "unknown_employment_type"

// clear empties a field, so that a lower-ranked candidate does not survive a mapping that makes it
// empty.
func (p *Person) clear(f mapping.Field) {
	delete(p.Text, f)
	switch f {
	case mapping.HireDate:
		p.HireDate = nil
	case mapping.StartDate:
		p.StartDate = nil
	case mapping.TerminationDate:
		p.TerminationDate = nil
	case mapping.LastWorkingAt:
		p.LastWorkingAt = nil
	case mapping.LeaveFrom:
		p.LeaveFrom = nil
	case mapping.LeaveTo:
		p.LeaveTo = nil
	case mapping.IsDisabled:
		p.IsDisabled = nil
	case mapping.Status:
		p.Status = ""
	case mapping.Manager:
		p.Manager = nil
	}
}

// guess fills the fields by what the heuristics chose.
func (p *Person) guess(chosen map[mapping.Field]candidate) (problems []Problem) {
	for f, c := range chosen {
		if problem := p.set(f, c.value); problem != nil {
			problem.Field = c.source
			problems = append(problems, *problem)
		}
	}
	return problems
}

// choose picks, for each of our fields, the source field with the best rule; among equals the first by name.
func (m *Mapper) choose(attributes map[string]any) map[mapping.Field]candidate {
	chosen := make(map[mapping.Field]candidate, 12)
	for source, value := range attributes {
		c := m.claim(source)
		if !c.ok || empty(value) {
			continue
		}
		old, taken := chosen[c.field]
		if !taken || mapping.Rank[c.rule] < mapping.Rank[old.rule] ||
			(mapping.Rank[c.rule] == mapping.Rank[old.rule] && source < old.source) {
			chosen[c.field] = candidate{source, c.rule, value}
		}
	}
	return chosen
}

// empty says whether a value counts as absent: null, the empty text and the empty list.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}

// named takes what the connector itself has named; a mapped attribute goes over it.
func named(r *v1.RemoteIdentity, p *Person) {
	for f, v := range map[mapping.Field]*string{
		mapping.Email: r.Email, mapping.Username: r.Username, mapping.DisplayName: r.DisplayName,
		mapping.FirstName:  r.FirstName,
		mapping.MiddleName: r.MiddleName, mapping.LastName: r.LastName,
		mapping.PreferredName: r.PreferredName, mapping.EmployeeNumber: r.EmployeeNumber,
		mapping.Department:   r.Department,
		mapping.Division:     r.Division,
		mapping.Organization: r.Organization, mapping.CostCenter: r.CostCenter, mapping.Title: r.Title,
		mapping.JobCode:  r.JobCode,
		mapping.Location: r.Location,
		mapping.Country:  r.Country, mapping.EmploymentType: r.EmploymentType,
	} {
		if v != nil && *v != "" {
			p.Text[f] = *v
		}
	}
	p.HireDate, p.StartDate, p.TerminationDate = date(r.HireDate), date(r.StartDate), date(r.TerminationDate)
	p.LeaveFrom, p.LeaveTo = date(r.LeaveFrom), date(r.LeaveTo)
	if r.LastWorkingAt != nil {
		at := r.LastWorkingAt.UTC().Truncate(time.Second)
		p.LastWorkingAt = &at
	}
	p.Contact = contact(r)
	p.IsDisabled = r.IsDisabled
	if r.Status != nil {
		p.Status = statusWord(*r.Status)
	}
	switch {
	case r.ManagerRef != nil:
		p.Manager = r.ManagerRef
	case r.ManagerExternalID != nil && *r.ManagerExternalID != "":
		p.Manager = &v1.Ref{Kind: v1.RefExternalID, Value: *r.ManagerExternalID}
	}
}

// set fills a field from a source value. Lists of one value count as the value. The returned
// Problem says why the value cannot be used; then the field keeps what it had.
func (p *Person) set(f mapping.Field, value any) *Problem {
	text, ok := scalar(value)
	if !ok {
		return &Problem{Code: "not_a_single_value", Message: fmt.Sprintf("%s needs a single value", f)}
	}
	switch f {
	case mapping.HireDate, mapping.StartDate, mapping.TerminationDate, mapping.LeaveFrom, mapping.LeaveTo:
		return p.setDate(f, text)
	case mapping.LastWorkingAt:
		return p.setLastWorking(text)
	case mapping.IsDisabled:
		return p.setDisabled(value, text)
	case mapping.Status:
		p.setStatus(value, text)
	case mapping.Manager:
		p.setManager(text)
	case mapping.Email:
		if !strings.Contains(text, "@") {
			return &Problem{Code: "not_an_email", Message: "an e-mail address needs an @"}
		}
		p.Text[f] = strings.TrimSpace(text)
	default:
		p.Text[f] = text
	}
	return nil
}

// scalar takes the first of several values, as directories often keep a single value as a list of one.
func scalar(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case json.Number:
		return v.String(), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case []any:
		if len(v) > 0 {
			return scalar(v[0])
		}
	case []string:
		if len(v) > 0 {
			return v[0], true
		}
	}
	return "", false
}

// uacDisabled is ACCOUNTDISABLE of Active Directory's userAccountControl.
const uacDisabled = 0x2

// setDisabled reads a truth value, or Active Directory's userAccountControl, whose bit 2 is
// "disabled".
func (p *Person) setDisabled(value any, text string) *Problem {
	if b, ok := truth(value, text); ok {
		p.IsDisabled = &b
		return nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		b := n&uacDisabled != 0
		p.IsDisabled = &b
		return nil
	}
	return &Problem{Code: "not_a_boolean", Message: "is_disabled needs true or false"}
}

// truth reads a truth value in the words that sources use; ok is false for anything else.
func truth(value any, text string) (b, ok bool) {
	if b, ok := value.(bool); ok {
		return b, true
	}
	switch strings.ToLower(text) {
	case "true", "yes", "y":
		return true, true
	case "false", "no", "n":
		return false, true
	}
	return false, false
}

// setStatus reads a word, or a boolean as in active: true.
func (p *Person) setStatus(value any, text string) {
	if active, ok := truth(value, text); ok {
		disabled := !active
		if p.IsDisabled == nil {
			p.IsDisabled = &disabled
		}
		return
	}
	if s := statusWord(text); s != "" {
		p.Status = s
	}
}

// statusWord translates what sources call the states of a person. An unknown word says nothing.
func statusWord(s string) string {
	switch mapping.Fold(s) {
	case "active", "a", "enabled", "employed", "working":
		return "active"
	case "inactive", "terminated", "t", "left", "disabled", "deactivated", "former", "resigned", "retired", "dismissed":
		return "deactivated"
	case "onleave", "leave", "loa", "leaveofabsence", "sabbatical", "parentalleave":
		return "on_leave"
	case "notice", "onnotice", "noticeperiod":
		return "notice"
	case "prehire", "future", "pending", "notstarted":
		return "pre_hire"
	}
	return ""
}

// setManager takes whatever the source uses: an id, a DN, an e-mail, a username or an employee number. A connector that
// has said which of them it is knows better.
func (p *Person) setManager(text string) {
	if p.Manager != nil {
		return
	}
	if strings.Contains(text, "=") {
		p.Manager = &v1.Ref{Kind: v1.RefNative, Value: ldapdn.Normalize(text)}
		return
	}
	p.Manager = &v1.Ref{Kind: v1.RefAny, Value: text}
}

// conclude gives the state that follows from word, flag and dates together.
func (p *Person) conclude(today time.Time) {
	if _, ok := p.Text[mapping.DisplayName]; !ok {
		if name := strings.TrimSpace(p.Text[mapping.FirstName] + " " + p.Text[mapping.LastName]); name != "" {
			p.Text[mapping.DisplayName] = name
		}
	}
	switch {
	case p.IsDisabled != nil && *p.IsDisabled && p.Status != "on_leave" && p.Status != "pre_hire":
		p.Status = "deactivated"
	case p.Status == "" && p.IsDisabled != nil:
		p.Status = "active"
	}
	p.Said = p.Status
	if p.onLeave(today) && (p.Status == "active" || p.Status == "") {
		p.Status = "on_leave"
	}
	if p.LastWorkingAt != nil && !p.LastWorkingAt.After(today) ||
		p.LastWorkingAt == nil && p.TerminationDate != nil && p.TerminationDate.Before(today) {
		p.Status = "deactivated"
	}
	if p.StartDate != nil && p.StartDate.After(today) && (p.Status == "active" || p.Status == "") {
		p.Status = "pre_hire"
	}
}
