package rule

import (
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
)

// Walk goes through the branches of a rule, and on into the rules that it uses. because is why the first branch was
// taken.
func (b *Book) Walk(r *Rule, f fact.Facts) (branch int, out ApprovalOutcome, because string, log []approval.Step) {
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
				approval.Step{
					Step:   "branch",
					Detail: "no branch of the rule " + r.Name + " is for this: the built-in rule is taken",
				},
			)
			r = builtIn()
			continue
		}
		if because != "" {
			because += "; there "
		}
		because += why
		log = append(
			log,
			approval.Step{Step: "branch", Detail: fmt.Sprintf("rule %s, branch %d: %s", r.Name, n+1, why)},
		)
		if out = r.Branches[n].Outcome; out.Kind != UseRule {
			return branch, out, because, log
		}
		next, known := b.ByID[out.RuleID]
		if !known {
			next = builtIn()
		}
		because += ", which uses the rule " + next.Name
		log = append(
			log,
			approval.Step{Step: UseRule, Detail: fmt.Sprintf("the rule %s uses the rule %s", r.Name, next.Name)},
		)
		r = next
	}
}

// branch is the first that is for somebody, and why it is.
func (r *Rule) branch(f fact.Facts) (n int, why string) {
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

// Sentence joins why a rule was chosen and why its branch.
func Sentence(rule, branch string) string {
	return strings.ToUpper(rule[:1]) + rule[1:] + "; " + branch + "."
}
