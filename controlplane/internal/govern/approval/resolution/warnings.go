package resolution

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/organization"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// sampleSize is how many people are looked at for a warning.
const sampleSize = 200

// placed is a resolver with where it stands.
type placed struct {
	approval.ApproverResolver
	at string
}

// places are all resolvers of a rule.
func places(f rule.ApprovalRuleFields) (all []placed) {
	put := func(at string, list []approval.ApproverResolver) {
		for i, r := range list {
			all = append(all, placed{r, fmt.Sprintf("%s/%d", at, i)})
		}
	}
	for i, b := range f.Branches {
		for j, s := range b.Outcome.Stages {
			at := fmt.Sprintf("#/branches/%d/outcome/stages/%d", i, j)
			for k, g := range s.Groups {
				put(fmt.Sprintf("%s/groups/%d/approvers", at, k), g.Approvers)
			}
			for k, e := range s.Escalation {
				put(fmt.Sprintf("%s/escalation/%d/to", at, k), e.To)
			}
			put(at+"/fallback", s.Fallback)
		}
	}
	return all
}

// Warnings are the resolvers of a rule that name nobody who can decide today. The rule works all the same: its
// fallback is asked.
func Warnings(ctx context.Context, tx *pg.Tx, f rule.ApprovalRuleFields, at time.Time) ([]rule.ApprovalWarning, error) {
	var w organization.Wanted
	all, found := places(f), []rule.ApprovalWarning{}
	for _, r := range all {
		w.Note([]approval.ApproverResolver{r.ApproverResolver})
	}
	ids, sponsored, err := sample(ctx, tx)
	if err != nil {
		return nil, err
	}
	o := &resolver{}
	if err := o.Load(ctx, tx, ids, w, at); err != nil {
		return nil, err
	}
	people := []string{}
	for _, r := range all {
		if r.Kind == approval.ByIdentity || r.Kind == approval.ByGroup ||
			r.Kind == approval.ByOnCall { // the others depend on who asks
			n := o.name(&Case{}, r.ApproverResolver)
			people = append(append(people, n.ids...), n.reserve...)
		}
	}
	for _, chain := range o.Above {
		people = append(people, chain...)
	}
	if err := o.Meet(ctx, tx, people, at); err != nil {
		return nil, err
	}
	for _, r := range all {
		if why := o.whyNobody(r.ApproverResolver, ids, sponsored); why != "" {
			found = append(found, rule.ApprovalWarning{
				Pointer: r.at,
				Code:    "names_nobody",
				Detail:  why + "; the fallback is asked then",
			})
		}
	}
	return append(found, mayExpire(f)...), nil
}

// whyNobody says why a resolver names nobody who could decide today; empty when it names somebody.
func (o *resolver) whyNobody(r approval.ApproverResolver, people []string, sponsored int) string {
	switch r.Kind {
	case approval.ByManager:
		return o.whyNoManagers(max(1, r.Level), people)
	case approval.BySponsor:
		if len(people) > sponsored {
			return fmt.Sprintf("%d of %d people looked at have no sponsor", len(people)-sponsored, len(people))
		}
		return ""
	case approval.ByConnectorOwner:
		return "systems have no owners"
	case approval.ByAppRole:
		if len(o.Users[r.AppRole]) == 0 {
			return "there are no " + approval.RoleName(r.AppRole) + " who could decide"
		}
		return ""
	case approval.ByIdentity, approval.ByGroup, approval.ByOnCall:
		n := o.name(&Case{}, r)
		there := func(id string) bool { return o.WhyAbsent(id) == "" || o.Delegates[id] != "" && !o.Gone(id) }
		switch {
		case n.none != "":
			return n.none
		case slices.ContainsFunc(n.ids, there) || slices.ContainsFunc(n.reserve, there):
			return ""
		case len(n.ids)+len(n.reserve) == 1:
			return o.DisplayName(n.ids[0]) + " " + o.WhyAbsent(n.ids[0])
		}
		return "none of the people it names can decide: " + o.NameUnable(slices.Concat(n.ids, n.reserve))
	}
	return ""
}

// whyNoManagers says of how many people the manager at a level is missing or cannot decide, and names some of those
// managers.
func (o *resolver) whyNoManagers(level int, people []string) string {
	without, unable := 0, []string{}
	for _, id := range people {
		chain := o.Above[id]
		if len(chain) < level {
			without++
		} else if m := chain[level-1]; o.WhyAbsent(m) != "" && (o.Delegates[m] == "" || o.Gone(m)) {
			without++
			unable = append(unable, m)
		}
	}
	switch unable = approval.SortedSet(unable); {
	case without == 0:
		return ""
	case len(unable) == 0:
		return fmt.Sprintf("%d of %d people looked at have no manager at this level", without, len(people))
	}
	return fmt.Sprintf(
		"%d of %d people looked at have no manager at this level who can decide: %s",
		without,
		len(people),
		o.NameUnable(unable),
	)
}

// mayExpire warns of chains that may not end in time.
func mayExpire(f rule.ApprovalRuleFields) (found []rule.ApprovalWarning) {
	ttl, err := span.Parse(f.RequestTTL)
	if err != nil {
		return nil
	}
	for i, b := range f.Branches {
		if sum := rule.AllTime(b.Outcome); sum > ttl {
			found = append(found, rule.ApprovalWarning{
				Pointer: fmt.Sprintf("#/branches/%d/outcome/stages", i),
				Code:    "may_expire",
				Detail: fmt.Sprintf(
					"if all take the time they have, that is %s of working time, and the request ends unanswered "+
						"after %s",
					span.Format(sum),
					f.RequestTTL,
				),
			})
		}
	}
	return found
}

// sample are the last people who came, and how many of them have a sponsor.
func sample(ctx context.Context, tx *pg.Tx) (ids []string, sponsored int, err error) {
	const sql = `
		select i.id::text, i.sponsor_id is not null
		  from identity i
		 where i.status in ('active', 'notice')
		   and i.kind = 'human'
		 order by i.id desc
		 limit $1`
	var id string
	var has bool
	if err := pg.Each(ctx, tx, "look at people", []any{&id, &has}, func() error {
		if ids = append(ids, id); has {
			sponsored++
		}
		return nil
	}, sql, sampleSize); err != nil {
		return nil, 0, err
	}
	return ids, sponsored, nil
}
