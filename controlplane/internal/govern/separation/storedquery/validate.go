package storedquery

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Complete brings the query into its normal form, and returns what is wrong with it, with pointers below at.
func (q *Query) Complete(at string) []fault.Field {
	var wrong []fault.Field
	add := func(pointer, code, format string, args ...any) {
		wrong = append(wrong, fault.Field{Pointer: at + pointer, Code: code, Detail: fmt.Sprintf(format, args...)})
	}
	if !slices.Contains([]string{Person, Manager, Accounts, Grants, Violations}, q.About) {
		add("/about", "required", "The query does not say what it looks at.")
		return wrong
	}
	q.ConnectorIDs = distinct(q.ConnectorIDs)
	switch {
	case q.About == Accounts && len(q.ConnectorIDs) == 0:
		add("/connector_ids", "required", "A query about accounts names the systems that it looks at.")
	case q.About != Accounts && len(q.ConnectorIDs) > 0:
		add("/connector_ids", "not_applicable", "Only a query about accounts names systems.")
	}
	switch {
	case !slices.Contains([]string{None, Some, AtMost}, q.Expect):
		add("/expect", "required", "The query does not say what it expects to find.")
	case q.Expect == AtMost && (q.AtMost == nil || *q.AtMost < 1):
		add("/at_most", "required", "The query does not say how many it expects at most. For zero, expect none.")
	case q.Expect != AtMost && q.AtMost != nil:
		add("/at_most", "not_applicable", "A number is expected only with at_most.")
	}
	return append(wrong, q.normal(at+"/condition")...)
}

// normal brings the condition into its normal form. An empty condition becomes nil.
func (q *Query) normal(at string) (wrong []fault.Field) {
	if len(q.Condition) == 0 {
		q.Condition = nil
		return nil
	}
	c, problems := q.Parse()
	for _, p := range problems {
		detail := p.Detail
		if len(p.Suggestions) > 0 {
			detail += "; did you mean " + strings.Join(p.Suggestions, ", ") + "?"
		}
		wrong = append(
			wrong,
			fault.Field{Pointer: at + strings.TrimPrefix(p.Pointer, "#"), Code: p.Code, Detail: detail},
		)
	}
	if len(problems) > 0 {
		return wrong
	}
	var normal QueryCondition
	raw, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(raw, &normal)
	}
	if err != nil {
		return []fault.Field{{Pointer: at, Code: "malformed", Detail: "The condition cannot be written."}}
	}
	q.Condition = normal
	return nil
}

// distinct returns IDs in lower case and in their order, each once, and never nil.
func distinct(ids []string) []string {
	list := []string{}
	for _, id := range ids {
		if id = strings.ToLower(id); !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}
