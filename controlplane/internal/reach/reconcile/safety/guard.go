package safety

import (
	"math"
)

// Kinds of change that the guard weighs. Rewrites are weighed for each field apart.
const (
	IdentityDeactivation = "identity_deactivation"
	AccountMissing       = "account_missing"
	AccountDisabled      = "account_disabled"
	GrantRemoved         = "grant_removed"
	EntitlementRemoved   = "entitlement_removed"
	IdentityCreate       = "identity_create"
	AttributeRewrite     = "attribute_rewrite"
)

// Rewrites are the fields whose rewriting in mass does harm: they decide who gets what, and who an account belongs to.
var Rewrites = []string{"department", "manager", "email", "employee_number"}

// Kinds are all kinds of change that are weighed, in the order they are shown.
var Kinds = func() []string {
	all := []string{
		IdentityDeactivation,
		AccountMissing,
		AccountDisabled,
		GrantRemoved,
		EntitlementRemoved,
		IdentityCreate,
	}
	for _, field := range Rewrites {
		all = append(all, AttributeRewrite+"."+field)
	}
	return all
}()

// absences are the kinds that follow from what was not read. Other settings may be the whole reason for them.
var absences = map[string]bool{
	IdentityDeactivation: true,
	AccountMissing:       true,
	GrantRemoved:         true,
	EntitlementRemoved:   true,
}

// losses are the kinds that take something away, so that most of a population going at once is never ordinary.
var losses = map[string]bool{
	IdentityDeactivation: true,
	AccountMissing:       true,
	AccountDisabled:      true,
	GrantRemoved:         true,
	EntitlementRemoved:   true,
}

// Rules by which a hold comes about.
const (
	ruleLimit           = "limit"
	ruleTotalLoss       = "total_loss"
	RuleSettingsChanged = "settings_changed"
)

// limit is how much of a kind of change passes unseen: Pct of the population, but never less than Floor or more than
// Cap.
type limit struct {
	// Floor and Cap are numbers of objects, Pct is per cent of the population.
	Floor int64
	Pct   float64
	Cap   int64
}

// standard are the limits of a connector that has none of its own.
var standard = map[string]limit{
	IdentityDeactivation: {5, 2, 200},
	AccountMissing:       {10, 3, 500},
	AccountDisabled:      {10, 3, 500},
	GrantRemoved:         {25, 5, 2000},
	EntitlementRemoved:   {5, 5, 100},
	IdentityCreate:       {20, 10, 2000},
	AttributeRewrite:     {10, 10, 1000},
}

// allows is the greatest number that passes in a population.
func (l limit) allows(population int64) int64 {
	share := int64(math.Floor(l.Pct * float64(population) / 100))
	return min(l.Cap, max(l.Floor, share))
}

// Measure is what there is of a kind: in this run, applied to others in the window before it, and among how many.
type Measure struct {
	Kind string
	// Observed is of this run, Recent of the window before it, Population what there is.
	Observed, Recent, Population int64
}

// Guard weighs measures.
type Guard struct {
	limits          map[string]limit
	totalLoss       bool // whether losing most of a population always trips
	SettingsChanged bool
}

// Finding is why a kind is held.
type Finding struct {
	Measure
	// Rule is what tripped: the limit or the total loss. Allowed is how many would have passed.
	Rule    string
	Allowed int64
}

// Weigh reports whether a kind trips, and why. What a run does not do cannot trip, however much was done before it.
func (g Guard) Weigh(m Measure) (Finding, bool) {
	f := Finding{Measure: m, Allowed: g.limitOf(m.Kind).allows(m.Population)}
	all := m.Observed + m.Recent
	switch {
	case m.Observed == 0:
		return f, false
	case g.SettingsChanged && absences[m.Kind]:
		f.Rule, f.Allowed = RuleSettingsChanged, 0
	case g.totalLoss && losses[m.Kind] && isTotalLoss(all, m.Population):
		f.Rule = ruleTotalLoss
	case all > f.Allowed:
		f.Rule = ruleLimit
	default:
		return f, false
	}
	return f, true
}

// isTotalLoss: half of a population of at least five, or all of one of at least two.
func isTotalLoss(lost, population int64) bool {
	return population >= 5 && 2*lost >= population || population >= 2 && lost >= population
}

// limitOf is the limit of a kind: the connector's own, else the standard one. A field of
// attribute_rewrite without a limit has that of attribute_rewrite as a whole.
func (g Guard) limitOf(kind string) limit {
	if l, own := g.limits[kind]; own {
		return l
	}
	if l, known := standard[kind]; known {
		return l
	}
	if l, own := g.limits[AttributeRewrite]; own { // each field's, where the field has none of its own
		return l
	}
	return standard[AttributeRewrite]
}
