package reconcile

import "math"

// Kinds of change that the guard weighs. Rewrites are weighed for each field apart.
const (
	identityDeactivation = "identity_deactivation"
	accountMissing       = "account_missing"
	accountDisabled      = "account_disabled"
	grantRemoved         = "grant_removed"
	entitlementRemoved   = "entitlement_removed"
	identityCreate       = "identity_create"
	attributeRewrite     = "attribute_rewrite"
)

// rewrites are the fields whose rewriting in mass does harm: they decide who gets what, and who an account belongs to.
var rewrites = []string{"department", "manager", "email", "employee_number"}

// kinds are all kinds in the order they are told.
var kinds = func() []string {
	all := []string{
		identityDeactivation,
		accountMissing,
		accountDisabled,
		grantRemoved,
		entitlementRemoved,
		identityCreate,
	}
	for _, field := range rewrites {
		all = append(all, attributeRewrite+"."+field)
	}
	return all
}()

// absences are the kinds that follow from what was not read. Other settings may be the whole reason for them.
var absences = map[string]bool{
	identityDeactivation: true,
	accountMissing:       true,
	grantRemoved:         true,
	entitlementRemoved:   true,
}

// losses are the kinds that take something away, so that most of a population going at once is never ordinary.
var losses = map[string]bool{
	identityDeactivation: true,
	accountMissing:       true,
	accountDisabled:      true,
	grantRemoved:         true,
	entitlementRemoved:   true,
}

// Rules by which a hold comes about.
const (
	ruleLimit           = "limit"
	ruleTotalLoss       = "total_loss"
	ruleSettingsChanged = "settings_changed"
)

// limit is how much of a kind of change passes unseen: Pct of the population, but never less than Floor or more than
// Cap.
type limit struct {
	Floor int64
	Pct   float64
	Cap   int64
}

// standard are the limits of a connector that has none of its own.
var standard = map[string]limit{
	identityDeactivation: {5, 2, 200},
	accountMissing:       {10, 3, 500},
	accountDisabled:      {10, 3, 500},
	grantRemoved:         {25, 5, 2000},
	entitlementRemoved:   {5, 5, 100},
	identityCreate:       {20, 10, 2000},
	attributeRewrite:     {10, 10, 1000},
}

// allows is the greatest number that passes in a population.
func (l limit) allows(population int64) int64 {
	share := int64(math.Floor(l.Pct * float64(population) / 100))
	return min(l.Cap, max(l.Floor, share))
}

// measure is what there is of a kind: in this run, applied to others in the window before it, and among how many.
type measure struct {
	kind                         string
	observed, recent, population int64
}

// guard weighs measures.
type guard struct {
	limits          map[string]limit
	totalLoss       bool // whether losing most of a population always trips
	settingsChanged bool
}

// finding is why a kind is held.
type finding struct {
	measure
	rule    string
	allowed int64
}

// weigh says whether a kind trips. What a run does not do cannot trip, however much was done before it.
func (g guard) weigh(m measure) (finding, bool) {
	f := finding{measure: m, allowed: g.limitOf(m.kind).allows(m.population)}
	all := m.observed + m.recent
	switch {
	case m.observed == 0:
		return f, false
	case g.settingsChanged && absences[m.kind]:
		f.rule, f.allowed = ruleSettingsChanged, 0
	case g.totalLoss && losses[m.kind] && isTotalLoss(all, m.population):
		f.rule = ruleTotalLoss
	case all > f.allowed:
		f.rule = ruleLimit
	default:
		return f, false
	}
	return f, true
}

// isTotalLoss: half of a population of at least five, or all of one of at least two.
func isTotalLoss(lost, population int64) bool {
	return population >= 5 && 2*lost >= population || population >= 2 && lost >= population
}

func (g guard) limitOf(kind string) limit {
	if l, own := g.limits[kind]; own {
		return l
	}
	if l, known := standard[kind]; known {
		return l
	}
	if l, own := g.limits[attributeRewrite]; own { // each field's, where the field has none of its own
		return l
	}
	return standard[attributeRewrite]
}
