package field

import (
	"slices"
)

// Operators of a rule.
const (
	Eq             = "eq"
	Ne             = "ne"
	In             = "in"
	NotIn          = "not_in"
	Contains       = "contains"
	StartsWith     = "starts_with"
	Exists         = "exists"
	Gt             = "gt"
	Lt             = "lt"
	Before         = "before"
	After          = "after"
	InTree         = "in_tree"
	HasRole        = "has_role"
	HasEntitlement = "has_entitlement"
)

// Ways in which a group matches.
const (
	MatchAll  = "all"
	MatchAny  = "any"
	MatchNone = "none"
)

// Operators are all operators of rules.
var Operators = []string{
	Eq,
	Ne,
	In,
	NotIn,
	Contains,
	StartsWith,
	Exists,
	Gt,
	Lt,
	Before,
	After,
	InTree,
	HasRole,
	HasEntitlement,
}

// OperatorSynonyms are operators of other products, with ours.
var OperatorSynonyms = map[string]string{
	"==":          Eq,
	"=":           Eq,
	"equals":      Eq,
	"is":          Eq,
	"!=":          Ne,
	"<>":          Ne,
	"not_equals":  Ne,
	"is_not":      Ne,
	"nin":         NotIn,
	"notin":       NotIn,
	"not in":      NotIn,
	"co":          Contains,
	"sw":          StartsWith,
	"startswith":  StartsWith,
	"begins_with": StartsWith,
	"pr":          Exists,
	"present":     Exists,
	">":           Gt,
	"<":           Lt,
	"ge":          Gt,
	"le":          Lt,
	"gte":         Gt,
	"lte":         Lt,
	"role":        HasRole,
	"member_of":   HasEntitlement,
	"reports_to":  InTree,
	"under":       InTree,
}

// OperatorsOf are the operators for fields of a kind.
var OperatorsOf = map[Kind][]string{
	Name:   {Eq, Ne, In, NotIn, Contains, StartsWith, Exists},
	Code:   {Eq, Ne, In, NotIn, Contains, StartsWith, Exists},
	Many:   {Contains, Exists},
	Date:   {Eq, Ne, Before, After, Exists},
	Moment: {Before, After, Exists},
	Flag:   {Eq, Ne, Exists},
	Custom: {Eq, Ne, In, NotIn, Contains, StartsWith, Exists, Gt, Lt, Before, After},
	tree:   {InTree, Exists},
}

// IsOperator says whether there is such an operator.
func IsOperator(op string) bool { return slices.Contains(Operators, op) }
