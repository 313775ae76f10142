package condition

import "slices"

// Operators of a rule.
const (
	eq             = "eq"
	ne             = "ne"
	in             = "in"
	notIn          = "not_in"
	contains       = "contains"
	startsWith     = "starts_with"
	exists         = "exists"
	gt             = "gt"
	lt             = "lt"
	before         = "before"
	after          = "after"
	inTree         = "in_tree"
	hasRole        = "has_role"
	hasEntitlement = "has_entitlement"
)

// Ways in which a group matches.
const (
	all  = "all"
	some = "any"
	none = "none"
)

var operators = []string{
	eq,
	ne,
	in,
	notIn,
	contains,
	startsWith,
	exists,
	gt,
	lt,
	before,
	after,
	inTree,
	hasRole,
	hasEntitlement,
}

// otherwise are operators of other products.
var otherwise = map[string]string{
	"==":          eq,
	"=":           eq,
	"equals":      eq,
	"is":          eq,
	"!=":          ne,
	"<>":          ne,
	"not_equals":  ne,
	"is_not":      ne,
	"nin":         notIn,
	"notin":       notIn,
	"not in":      notIn,
	"co":          contains,
	"sw":          startsWith,
	"startswith":  startsWith,
	"begins_with": startsWith,
	"pr":          exists,
	"present":     exists,
	">":           gt,
	"<":           lt,
	"ge":          gt,
	"le":          lt,
	"gte":         gt,
	"lte":         lt,
	"role":        hasRole,
	"member_of":   hasEntitlement,
	"reports_to":  inTree,
	"under":       inTree,
}

// possible are the operators for fields of a kind.
var possible = map[kind][]string{
	name:   {eq, ne, in, notIn, contains, startsWith, exists},
	code:   {eq, ne, in, notIn, contains, startsWith, exists},
	many:   {contains, exists},
	date:   {eq, ne, before, after, exists},
	moment: {before, after, exists},
	flag:   {eq, ne, exists},
	anyone: {eq, ne, in, notIn, contains, startsWith, exists, gt, lt, before, after},
	tree:   {inTree, exists},
}

func known(op string) bool { return slices.Contains(operators, op) }
