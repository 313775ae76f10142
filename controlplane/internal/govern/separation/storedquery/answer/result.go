package answer

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// MostExamples is how many examples a result has at most.
const MostExamples = 20

// MitigationQueryResult is the answer to a stored query at a time.
type MitigationQueryResult struct {
	// Time at which the query was evaluated.
	AskedAt time.Time `json:"asked_at"`
	// Query that was evaluated.
	Query storedquery.Query `json:"query"`
	// Condition of the query in words.
	Sentence string `json:"sentence"`
	// Version of the control that had the query. 0: it was previewed.
	ControlVersion int `json:"control_version"`
	// Whether the query found what it expects. unanswered: it could not be decided, see problems.
	Outcome string `json:"outcome" enum:"passed,failed,unanswered"`
	// Number of objects that were looked at. For violations: number of people in the last complete scan.
	LookedAt int `json:"looked_at"`
	// Number of objects that meet the condition.
	Found int `json:"found"`
	// Number of objects for which the condition could not be decided.
	Unknown int `json:"unknown"`
	// Objects that meet the condition, up to 20.
	Examples []MitigationQueryExample `json:"examples" nullable:"false"`
	// Systems that the data comes from.
	Sources []MitigationQuerySource `json:"sources" nullable:"false"`
	// What keeps the query from being answered, or limits the answer.
	Problems []MitigationQueryProblem `json:"problems" nullable:"false"`
}

// MitigationQueryExample is an object that meets the condition of a query.
type MitigationQueryExample struct {
	// Type of the object.
	Type string `json:"type" enum:"identity,account,grant,violation"`
	// ID of the object.
	ID string `json:"id"`
	// Name of the object.
	Display string `json:"display"`
	// Person that the object belongs to.
	Identity identity.Reference `json:"identity"`
}

// MitigationQuerySource is a system that data of a query comes from.
type MitigationQuerySource struct {
	// ID of the connector.
	ID string `json:"id"`
	// Name of the connector.
	Display string `json:"display"`
	// Time of the last complete full sync. Null: there was none.
	LastFullSyncAt *time.Time `json:"last_full_sync_at"`
}

// MitigationQueryProblem says why a query could not be answered, or for which objects.
type MitigationQueryProblem struct {
	// Code of the problem.
	Code string `json:"code" enum:"no_subjects,too_many_subjects,unknown_field,unknown_reference,source_never_synced,source_stale,source_disconnected,policy_not_evaluated,policy_blind,scan_stale,invalid_query"`
	// Explanation of the problem.
	Detail string `json:"detail"`
}

// The API names its types without their package, so they have short names here.
type (
	Result  = MitigationQueryResult
	Example = MitigationQueryExample
	Source  = MitigationQuerySource
	Problem = MitigationQueryProblem
)

// problem is a problem with a formatted detail.
func problem(code, format string, args ...any) Problem {
	return Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// kinds are the types of examples and the words for what a query looks at: one, and several.
var kinds = map[string]struct{ kind, one, many string }{
	storedquery.Person:     {"identity", "person", "people"},
	storedquery.Manager:    {"identity", "manager", "managers"},
	storedquery.Accounts:   {"account", "account", "accounts"},
	storedquery.Grants:     {"grant", "grant", "grants"},
	storedquery.Violations: {"violation", "other violation", "other violations"},
}

// Reason is the result in one or two sentences.
func (r Result) Reason() string {
	words := kinds[r.Query.About].many
	if r.Found == 1 {
		words = kinds[r.Query.About].one
	}
	found := fmt.Sprintf("The query found %d %s and expects %s.", r.Found, words, expected(r.Query))
	if r.Outcome != storedquery.Unanswered {
		return found
	}
	if len(r.Problems) == 0 {
		return "The query could not be answered."
	}
	return "The query could not be answered. " + r.Problems[0].Detail
}

func expected(q storedquery.Query) string {
	switch q.Expect {
	case storedquery.None:
		return "none"
	case storedquery.Some:
		return "at least one"
	}
	if q.AtMost == nil {
		return "none"
	}
	return fmt.Sprintf("at most %d", *q.AtMost)
}
