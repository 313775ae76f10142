package storedquery

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
)

// What a query looks at.
const (
	Person     = "person"     // the person whose violation is mitigated
	Manager    = "manager"    // their manager
	Accounts   = "accounts"   // their accounts in the named systems
	Grants     = "grants"     // their grants that the violation consists of
	Violations = "violations" // other violations of the policy
)

// How many a query expects to find.
const (
	None   = "none"
	Some   = "some"
	AtMost = "at_most"
)

// MitigatingControlQuery is a query over stored data that shows whether a control operates.
type MitigatingControlQuery struct {
	// What the query looks at. person: the person whose violation is mitigated. manager: their manager. accounts: their
	// accounts in the systems of connector_ids. grants: their grants that the violation consists of. violations: other
	// violations of the policy that are not remediated, by anyone.
	About string `json:"about" enum:"person,manager,accounts,grants,violations"`
	// IDs of the connectors whose accounts are looked at. Required if about is accounts; otherwise empty.
	ConnectorIDs []string `json:"connector_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// Which of these are counted, in the language of conditions, without expressions. Beside fields of the person,
	// manager or violator, it can name account.*, grant.* or violation.*, depending on about. Empty or null: all.
	Condition QueryCondition `json:"condition" required:"false"`
	// How many are expected to be found. none: zero. some: at least one. at_most: up to the number at_most.
	Expect string `json:"expect" enum:"none,some,at_most"`
	// Largest number that is expected. Required if expect is at_most; otherwise null.
	AtMost *int `json:"at_most" required:"false" minimum:"1" maximum:"100000"`
}

// QueryCondition is the condition of a query, as an object, or nil.
type QueryCondition map[string]any

// Schema is that of an object with any members, or null.
func (QueryCondition) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[map[string]any]())
	s.Nullable = true
	return &s
}

// Query is the short name of the type, which the API names without its package.
type Query = MitigatingControlQuery

// vocabularies are what conditions can name beside the fields of a person, by what a query looks at.
var vocabularies = map[string]condition.Vocabulary{
	Accounts: condition.NewVocabulary("account",
		condition.Term{Name: "account.connector_id", Kind: condition.Code},
		condition.Term{Name: "account.username", Kind: condition.Name},
		condition.Term{Name: "account.account_type", Kind: condition.Name},
		condition.Term{Name: "account.status", Kind: condition.Code, Among: []string{"provisioning", "active",
			"disabled", "locked", "missing", "deprovisioning", "failed"}},
		condition.Term{Name: "account.is_disabled", Kind: condition.Flag},
		condition.Term{Name: "account.is_locked", Kind: condition.Flag},
		condition.Term{Name: "account.mfa_enrolled", Kind: condition.Flag},
		condition.Term{Name: "account.privileged", Kind: condition.Flag},
		condition.Term{Name: "account.last_login_at", Kind: condition.Moment},
		condition.Term{Name: "account.password_last_set_at", Kind: condition.Moment},
	),
	Grants: condition.NewVocabulary("grant",
		condition.Term{Name: "grant.connector_id", Kind: condition.Code},
		condition.Term{Name: "grant.entitlement_id", Kind: condition.Code},
		condition.Term{Name: "grant.entitlement", Kind: condition.Name},
		condition.Term{Name: "grant.status", Kind: condition.Code, Among: []string{"active", "pending", "ending",
			"revoking", "missing"}},
		condition.Term{Name: "grant.directness", Kind: condition.Code, Among: []string{"direct", "inherited"}},
		condition.Term{Name: "grant.privileged", Kind: condition.Flag},
		condition.Term{Name: "grant.risk_level", Kind: condition.Code, Among: levels},
		condition.Term{Name: "grant.permanent", Kind: condition.Flag},
		condition.Term{Name: "grant.ends_at", Kind: condition.Moment},
		condition.Term{Name: "grant.granted_at", Kind: condition.Moment},
		condition.Term{Name: "grant.last_used_at", Kind: condition.Moment},
	),
	Violations: condition.NewVocabulary("violation",
		condition.Term{Name: "violation.state", Kind: condition.Code, Among: []string{"open", "mitigated",
			"false_positive"}},
		condition.Term{Name: "violation.severity", Kind: condition.Code, Among: levels},
		condition.Term{Name: "violation.grade", Kind: condition.Code, Among: []string{"latent", "potential",
			"exercised_one", "exercised_both", "inside_role"}},
		condition.Term{Name: "violation.first_seen_at", Kind: condition.Moment},
	),
}

var levels = []string{"low", "medium", "high", "critical"}

// Parse reads the condition with the vocabulary of what the query looks at. Without a condition it counts everything.
func (q Query) Parse() (condition.Condition, []condition.Problem) {
	if len(q.Condition) == 0 {
		return condition.Everybody(), nil
	}
	raw, err := json.Marshal(map[string]any(q.Condition))
	if err != nil {
		return condition.Condition{}, []condition.Problem{
			{Pointer: "#", Code: "malformed", Detail: "it is not valid JSON", Suggestions: []string{}},
		}
	}
	c, problems := vocabularies[q.About].Parse(raw)
	if len(problems) > 0 {
		return c, problems
	}
	if _, scripted := c.Fields(); scripted {
		// An expression cannot tell a field that is unknown from one that is empty, so its answer would prove nothing.
		return c, []condition.Problem{{Pointer: "#", Code: "expression_not_allowed",
			Detail: "a query cannot have expressions; use rules", Suggestions: []string{}}}
	}
	return c, nil
}
