package approval

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// rule is one that is ready to be gone through.
type rule struct {
	ID       string
	Name     string
	Version  int
	Enabled  bool
	Priority int
	Applies  ApprovalScope
	Branches []ApprovalBranch
	Terms    ApprovalTerms
	when     []*condition.Condition // by branch; nil: for the rest
}

// book is all rules of a tenant, and the built-in one.
type book struct {
	rules []*rule // those first that win over others of their kind
	byID  map[string]*rule
}

// respondWithin is how long people have to answer where a stage does not say.
const respondWithin = 72 * time.Hour

// builtIn is what holds where the tenant has no rule: the manager, and for what is risky its owner too.
func builtIn() *rule {
	first := ApprovalStage{
		Name:   "Manager",
		Groups: []ApproverGroup{{Approvers: []ApproverResolver{{Kind: byManager, Level: 1}}}},
	}
	second := ApprovalStage{
		Name:   "Owner",
		Groups: []ApproverGroup{{Approvers: []ApproverResolver{{Kind: byResourceOwner}}}},
	}
	first.fill()
	second.fill()
	risky := ApprovalCondition{"field": "item.risk_level", "op": "in", "value": []any{"high", "critical"}}
	r := &rule{
		Name:    "Built-in rule",
		Version: 1,
		Enabled: true,
		Applies: ApprovalScope{Default: true},
		Branches: []ApprovalBranch{
			{When: &risky, Outcome: ApprovalOutcome{Kind: Chain, Stages: []ApprovalStage{first, second}}},
			{Outcome: ApprovalOutcome{Kind: Chain, Stages: []ApprovalStage{first}}}},
	}
	r.Terms.fill()
	r.read()
	return r
}

// read reads the conditions. What is stored was checked; one that could not be read all the same is met by nobody.
func (r *rule) read() {
	r.when = make([]*condition.Condition, len(r.Branches))
	for i, b := range r.Branches {
		if b.When == nil {
			continue
		}
		parsed, _ := b.When.parse()
		r.when[i] = &parsed
	}
}

func (c ApprovalCondition) parse() (condition.Condition, []condition.Problem) {
	raw, err := json.Marshal(c)
	if err != nil {
		return condition.Condition{}, []condition.Problem{
			{Pointer: "#", Code: "malformed", Detail: "it is no JSON", Suggestions: []string{}},
		}
	}
	return vocabulary.Parse(raw)
}

// loadBook reads the tenant's rules.
func loadBook(ctx context.Context, tx *pg.Tx) (*book, error) {
	const sql = `
		select r.id::text, r.name, r.version, r.enabled, r.priority, r.applies_to as applies, r.branches, r.terms
		  from approval_rule r`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, fmt.Errorf("read approval rules: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByNameLax[rule])
	if err != nil {
		return nil, fmt.Errorf("read approval rules: %w", err)
	}
	for _, r := range list {
		r.read()
	}
	return newBook(list), nil
}

func newBook(list []*rule) *book {
	b := &book{rules: append(list, builtIn()), byID: map[string]*rule{}}
	for _, r := range b.rules {
		b.byID[r.ID] = r
	}
	slices.SortFunc(b.rules, func(x, y *rule) int {
		builtInLast := func(r *rule) int { return len(r.ID) * -1 }
		return cmp.Or(
			cmp.Compare(x.Priority, y.Priority),
			cmp.Compare(builtInLast(x), builtInLast(y)),
			cmp.Compare(x.Name, y.Name),
			cmp.Compare(x.ID, y.ID),
		)
	})
	return b
}

// Ways in which a rule is the one for something, the narrowest first.
const (
	itself = iota
	forItem
	forConnector
	forTrait
	forKind
	byDefault
	fromProduct
	notAtAll
)

// choose finds the rule for something that is asked for, and says why it is that one.
func (b *book) choose(it item, kind string) (chosen *rule, level int, why string, log []Step) {
	if it.RuleID != "" {
		switch r, known := b.byID[it.RuleID]; {
		case known && r.Enabled:
			return r, itself, fmt.Sprintf("the %s %s names this rule", it.Type, it.Name), nil
		case known:
			log = append(
				log,
				Step{
					"rule",
					fmt.Sprintf("the %s %s names the rule %s, which is switched off", it.Type, it.Name, r.Name),
				},
			)
		default:
			log = append(
				log,
				Step{"rule", fmt.Sprintf("the %s %s names a rule that is not there any more", it.Type, it.Name)},
			)
		}
	}
	level = notAtAll
	for _, r := range b.rules {
		if !r.Enabled {
			continue
		}
		if l, because := r.match(it, kind); l < level {
			chosen, level, why = r, l, because
		}
	}
	return chosen, level, why, log
}

// match says how narrowly a rule is for something, and why.
func (r *rule) match(it item, kind string) (level int, why string) {
	a := r.Applies
	if len(a.RequestKinds) > 0 && !slices.Contains(a.RequestKinds, kind) {
		return notAtAll, ""
	}
	ids := a.RoleIDs
	if it.Type == "entitlement" {
		ids = a.EntitlementIDs
	}
	tag := slices.IndexFunc(it.Tags, func(t string) bool { return slices.Contains(a.Tags, t) })
	switch {
	case slices.Contains(ids, it.ID):
		return forItem, fmt.Sprintf("it is for the %s %s", it.Type, it.Name)
	case slices.ContainsFunc(it.Connectors, func(c string) bool { return slices.Contains(a.ConnectorIDs, c) }):
		return forConnector, "it is for a system that this is in"
	case tag >= 0:
		return forTrait, "it is for what has the tag " + it.Tags[tag]
	case slices.Contains(a.RiskLevels, it.Risk):
		return forTrait, fmt.Sprintf("it is for what has %s risk", it.Risk)
	case a.Default && len(a.RequestKinds) == 0:
		if r.ID == "" {
			return fromProduct, "no rule of the tenant is for it"
		}
		return byDefault, "no narrower rule is for it"
	case a.Default, len(a.RequestKinds) > 0 && a.targets() == 0:
		return forKind, "it is for requests to " + kind
	}
	return notAtAll, ""
}

func (a ApprovalScope) targets() int {
	return len(a.RoleIDs) + len(a.EntitlementIDs) + len(a.ConnectorIDs) + len(a.RiskLevels) + len(a.Tags)
}

// maxUse is how many rules may hand over to one another.
const maxUse = 5

// walk goes through the branches of a rule, and on into those that it uses. because is why the first branch was taken.
func (b *book) walk(r *rule, f condition.Facts) (branch int, out ApprovalOutcome, because string, log []Step) {
	branch = -1
	for depth := 0; ; depth++ {
		n, why := r.branch(f)
		if branch < 0 {
			branch = n
		}
		if n < 0 || depth == maxUse+1 {
			// What is stored has a last branch and no circle. Were it otherwise all the same, nobody gets access by
			// that.
			log = append(
				log,
				Step{"branch", "no branch of the rule " + r.Name + " is for this: the built-in rule is taken"},
			)
			r = builtIn()
			continue
		}
		if because != "" {
			because += "; there "
		}
		because += why
		log = append(log, Step{"branch", fmt.Sprintf("rule %s, branch %d: %s", r.Name, n+1, why)})
		if out = r.Branches[n].Outcome; out.Kind != useRule {
			return branch, out, because, log
		}
		next, known := b.byID[out.RuleID]
		if !known {
			next = builtIn()
		}
		because += ", which uses the rule " + next.Name
		log = append(log, Step{useRule, fmt.Sprintf("the rule %s uses the rule %s", r.Name, next.Name)})
		r = next
	}
}

// branch is the first that is for somebody, and why it is.
func (r *rule) branch(f condition.Facts) (n int, why string) {
	for i, c := range r.when {
		if c == nil {
			if i == 0 {
				return i, "it has one branch for all"
			}
			return i, "no earlier branch is for this"
		}
		if met, _ := c.Match(f); met {
			return i, c.Sentence()
		}
	}
	return -1, ""
}

// needs are the facts that the conditions of all rules ask for.
func (b *book) needs() (n condition.Needs) {
	for _, r := range b.rules {
		for _, c := range r.when {
			if c != nil {
				n = n.And(c.Needs())
			}
		}
	}
	return n
}

// sentence joins why a rule and why its branch.
func sentence(rule, branch string) string {
	return strings.ToUpper(rule[:1]) + rule[1:] + "; " + branch + "."
}
