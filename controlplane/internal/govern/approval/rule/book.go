package rule

import (
	"cmp"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
)

// Rule is an approval rule whose conditions are parsed.
type Rule struct {
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

// Book has all rules of a tenant, and the built-in one.
type Book struct {
	Rules []*Rule // those first that win over others of their kind
	ByID  map[string]*Rule
}

// read reads the conditions. What is stored was checked; one that could not be read all the same is met by nobody.
func (r *Rule) read() {
	r.when = make([]*condition.Condition, len(r.Branches))
	for i, b := range r.Branches {
		if b.When == nil {
			continue
		}
		parsed, _ := b.When.Parse()
		r.when[i] = &parsed
	}
}

// NewBook makes a book of rules and the built-in one, in the order in which they win over others.
func NewBook(list []*Rule) *Book {
	b := &Book{Rules: append(list, builtIn()), ByID: map[string]*Rule{}}
	for _, r := range b.Rules {
		b.ByID[r.ID] = r
	}
	slices.SortFunc(b.Rules, func(x, y *Rule) int {
		builtInLast := func(r *Rule) int { return len(r.ID) * -1 }
		return cmp.Or(
			cmp.Compare(x.Priority, y.Priority),
			cmp.Compare(builtInLast(x), builtInLast(y)),
			cmp.Compare(x.Name, y.Name),
			cmp.Compare(x.ID, y.ID),
		)
	})
	return b
}

// Needs are the facts that the conditions of all rules ask for.
func (b *Book) Needs() (n fact.Needs) {
	for _, r := range b.Rules {
		for _, c := range r.when {
			if c != nil {
				n = n.And(c.Needs())
			}
		}
	}
	return n
}
