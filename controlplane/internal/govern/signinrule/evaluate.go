package signinrule

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// batch is how many people are evaluated in one transaction of the queue. Tests set fewer.
var batch = 2000

// window is the time in which the limit of a rule counts who loses sign-in.
const window = 24 * time.Hour

// rule is a rule that can be matched.
type rule struct {
	Fields
	id        string
	condition condition.Condition
	held      bool
}

// about says whether the rule gives somebody sign-in who can have it.
func (r *rule) about(p *fact.Person, responsible map[string]bool) bool {
	if len(r.ResponsibleFor) > 0 &&
		!slices.ContainsFunc(r.ResponsibleFor, func(n string) bool { return responsible[n] }) {
		return false
	}
	met, _ := r.condition.Match(p)
	return met
}

// found is what an evaluation finds of people.
type found struct {
	current map[string]bool            // may have sign-in: humans who work here
	met     map[string]map[string]bool // by rule
}

// load reads the rules that are on.
func load(ctx context.Context, tx *pg.Tx) ([]*rule, error) {
	const sql = `
		select ` + columns + `
		  from sign_in_rule r
		 where r.tenant_id = current_tenant()
		   and r.enabled
		 order by r.id`
	stored, err := pg.All[SignInRule](ctx, tx, "read rules for sign-in", sql)
	if err != nil {
		return nil, err
	}
	var out []*rule
	for _, s := range stored {
		c, err := s.Condition.parse()
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", s.ID, err)
		}
		out = append(out, &rule{Fields: s.Fields, id: s.ID, condition: c, held: s.HeldAt != nil})
	}
	return out, nil
}

// match evaluates rules for people.
func match(ctx context.Context, tx *pg.Tx, rules []*rule, ids []string, now time.Time) (found, error) {
	out := found{current: map[string]bool{}, met: map[string]map[string]bool{}}
	var needs fact.Needs
	for _, r := range rules {
		out.met[r.id] = map[string]bool{}
		needs = needs.And(r.condition.Needs())
	}
	above, err := fact.ManagersAbove(ctx, tx, ids, needs.Managers)
	if err != nil {
		return out, err
	}
	responsible, err := responsibilities(ctx, tx, ids)
	if err != nil {
		return out, err
	}
	day := now.UTC().Truncate(24 * time.Hour)
	return out, identity.EachFacts(ctx, tx, ids, func(id string, f identity.Facts) error {
		kind, _ := f["kind"].(string)
		status, _ := f["status"].(string)
		if kind != "human" || !slices.Contains([]string{"active", "on_leave", "notice"}, status) {
			return nil
		}
		out.current[id] = true
		p := &fact.Person{Identity: f, Managers: above[id], Day: day}
		for _, r := range rules {
			if r.about(p, responsible[id]) {
				out.met[r.id][id] = true
			}
		}
		return nil
	})
}

// responsibilities says who of the people manages somebody, and who owns access.
func responsibilities(ctx context.Context, tx *pg.Tx, ids []string) (map[string]map[string]bool, error) {
	const sql = `
		select i.manager_id::text, 'people'
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.manager_id = any(@ids::text[]::uuid[])
		   and i.status not in ('deactivated', 'archived')
		 group by i.manager_id
		 union
		select o::text, 'access'
		  from entitlement e
		 cross join unnest(e.owner_ids) o
		 where e.tenant_id = current_tenant()
		   and e.owner_ids && @ids::text[]::uuid[]
		   and e.removed_at is null
		 union
		select o::text, 'access'
		  from role r
		 cross join unnest(r.owner_ids) o
		 where r.tenant_id = current_tenant()
		   and r.owner_ids && @ids::text[]::uuid[]
		   and r.lifecycle in ('active', 'deprecated')`
	out := map[string]map[string]bool{}
	var id, what string
	err := pg.Each(ctx, tx, "find managers and owners", []any{&id, &what}, func() error {
		if out[id] == nil {
			out[id] = map[string]bool{}
		}
		out[id][what] = true
		return nil
	}, sql, pgx.NamedArgs{"ids": ids})
	return out, err
}

// granted reads whom rules give sign-in already, by rule.
func granted(ctx context.Context, tx *pg.Tx, ids []string) (map[string][]string, error) {
	const sql = `
		select g.rule_id::text, g.identity_id::text
		  from sign_in_grant g
		 where g.tenant_id = current_tenant()
		   and g.identity_id = any($1::text[]::uuid[])
		 order by g.identity_id`
	out := map[string][]string{}
	var rule, id string
	err := pg.Each(ctx, tx, "read grants of sign-in", []any{&rule, &id}, func() error {
		out[rule] = append(out[rule], id)
		return nil
	}, sql, ids)
	return out, err
}

// evaluate brings the grants of people in line with the rules, and then their users. The limit of the rule accepted
// does not count.
func (s *Service) evaluate(ctx context.Context, tx *pg.Tx, ids []string, accepted string) error {
	rules, err := load(ctx, tx)
	if err != nil {
		return err
	}
	now, err := match(ctx, tx, rules, ids, s.Now())
	if err != nil {
		return err
	}
	before, err := granted(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, r := range rules {
		had := map[string]bool{}
		var lost, left, gained []string
		for _, id := range before[r.id] {
			had[id] = true
			switch {
			case now.met[r.id][id]:
			case !now.current[id]:
				left = append(left, id)
			default:
				lost = append(lost, id)
			}
		}
		for id := range now.met[r.id] {
			if !had[id] {
				gained = append(gained, id)
			}
		}
		if len(lost) > 0 && r.id != accepted {
			may, err := s.mayEnd(ctx, tx, r, len(lost))
			if err != nil {
				return err
			}
			if !may {
				lost = nil
			}
		}
		if err := writeGrants(ctx, tx, r.id, gained, append(left, lost...)); err != nil {
			return err
		}
	}
	return s.Users.FollowRules(ctx, tx, ids)
}

// writeGrants stores who gained and who lost sign-in by a rule.
func writeGrants(ctx context.Context, tx *pg.Tx, rule string, gained, lost []string) error {
	if len(gained)+len(lost) == 0 {
		return nil
	}
	const sql = `
		with gone as (
			delete from sign_in_grant
			 where tenant_id = current_tenant()
			   and rule_id = @rule
			   and identity_id = any(@lost::text[]::uuid[])
		)
		insert into sign_in_grant (tenant_id, rule_id, identity_id)
		select current_tenant(), @rule, g::uuid
		  from unnest(@gained::text[]) g`
	return pg.Exec(ctx, tx, "write grants of sign-in", sql,
		pgx.NamedArgs{"rule": rule, "gained": gained, "lost": lost})
}

// mayEnd says whether so many more people may lose sign-in by the rule today, and counts them. Otherwise the rule is
// held.
func (s *Service) mayEnd(ctx context.Context, tx *pg.Tx, r *rule, n int) (bool, error) {
	if r.held {
		return false, nil
	}
	const sql = `
		select case when r.counted_from > @since::timestamptz then r.counted else 0 end,
		       case when r.counted_from > @since::timestamptz then r.counted_of
		            else (select count(*) from sign_in_grant g where g.tenant_id = r.tenant_id and g.rule_id = r.id) end
		  from sign_in_rule r
		 where r.tenant_id = current_tenant()
		   and r.id = @id
		   for update`
	var counted, of int
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": r.id, "since": s.Now().Add(-window)}).
		Scan(&counted, &of); err != nil {
		return false, fmt.Errorf("count who loses sign-in: %w", err)
	}
	if counted+n <= allowance(of, r.MaxLossPercent) {
		const count = `
			update sign_in_rule
			   set counted = case when counted_from > @since::timestamptz then counted else 0 end + @n,
			       counted_of = @of,
			       counted_from = case when counted_from > @since::timestamptz then counted_from else @now end
			 where tenant_id = current_tenant()
			   and id = @id`
		return true, pg.Exec(ctx, tx, "count who loses sign-in", count, pgx.NamedArgs{"id": r.id, "n": n, "of": of,
			"now": s.Now(), "since": s.Now().Add(-window)})
	}
	const hold = `
		update sign_in_rule
		   set held_at = $2, held_people = $3
		 where tenant_id = current_tenant()
		   and id = $1`
	if err := pg.Exec(ctx, tx, "hold rule for sign-in", hold, r.id, s.Now(), counted+n); err != nil {
		return false, err
	}
	r.held = true
	return false, audit.Record(ctx, tx, audit.Entry{
		Action: "sign_in_rule.held", Subject: subject(r.id, r.Name),
		Context: map[string]any{"people": of, "losing": counted + n, "limit": allowance(of, r.MaxLossPercent)},
	})
}

// allowance is how many people may lose sign-in by a rule within a day.
func allowance(of, percent int) int { return max(leastLoss, of*percent/100) }

// eachBatch gives the ids of everybody whom a rule may be about, a batch at a time.
func eachBatch(ctx context.Context, tx *pg.Tx, use func(ids []string) error) error {
	const sql = `
		select i.id::text
		  from identity i
		 where i.tenant_id = current_tenant()
		   and ($1::text is null or i.id > $1::text::uuid)
		   and ` + concerned + `
		 order by i.id
		 limit $2`
	var after *string
	for {
		ids, err := pg.All[string](ctx, tx, "list people", sql, after, batch)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := use(ids); err != nil {
			return err
		}
		after = &ids[len(ids)-1]
	}
}
