package proposal

import (
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// Complete adds proposals to the rules that are there: for each field that has no rule. Where a rule fills a field of
// ours already, the proposal for it is to be ignored, and says so. added is how many there are.
func Complete(rules, proposals []mapping.Mapping) (all []mapping.Mapping, added int) {
	known, filled := map[[2]string]bool{}, map[[2]string]string{}
	all = append(all, rules...)
	for _, r := range rules {
		known[[2]string{r.Object, r.Source}] = true
		if r.Action == mapping.ActionMap {
			filled[[2]string{r.Object, string(r.Target)}] = r.Source
		}
	}
	for _, p := range proposals {
		if known[[2]string{p.Object, p.Source}] {
			continue
		}
		if by, taken := filled[[2]string{p.Object, string(p.Target)}]; taken && p.Action == mapping.ActionMap {
			p = ignored(p, string(p.Target)+" comes from "+mapping.Quoted(by))
		}
		all = append(all, p)
	}
	return all, len(all) - len(rules)
}
