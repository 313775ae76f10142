package signinrule

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// SignInRulePreviewRequest is the body of POST /settings/sign-in-rules/preview.
type SignInRulePreviewRequest struct {
	// ID of the rule that would be changed. Null: a new rule.
	RuleID *string `json:"rule_id,omitempty" nullable:"true" format:"uuid"`
	// The rule as it would be. It counts as enabled.
	Rule NewSignInRule `json:"rule"`
}

// SignInRulePreview says who would get and lose sign-in.
type SignInRulePreview struct {
	// The rule in words.
	Sentence string `json:"sentence"`
	// Number of people who meet the rule.
	People int `json:"people"`
	// Number of people whom it would give sign-in that they do not have by it yet.
	Gained int `json:"gained"`
	// Number of people who would no longer have sign-in by it.
	Lost int `json:"lost"`
	// Number of people by what would happen to their user.
	Effects []SignInEffectCount `json:"effects" nullable:"false"`
	// The limit of the rule: how many people may lose sign-in within a day.
	Limit int `json:"limit"`
	// True if the rule would be held, because more people would lose sign-in than the limit.
	Held bool `json:"held"`
	// The first 200 people, those who lose sign-in first.
	Items []SignInEffect `json:"items" nullable:"false"`
}

// SignInEffectCount is how many people an effect concerns.
type SignInEffectCount struct {
	// What would happen to the user.
	Effect string `json:"effect" enum:"invited,at_first_sign_in,enabled,has_user,no_email,address_taken,disabled,kept,not_used"`
	// Number of people.
	Count int `json:"count"`
}

// SignInEffect is what would happen to the user of a person.
type SignInEffect struct {
	// ID of the identity.
	IdentityID string `json:"identity_id" db:"identity_id"`
	// Display name of the person.
	DisplayName string `json:"display_name" db:"display_name"`
	// E-mail address of the person. Empty: none is known.
	Email string `json:"email" db:"email"`
	// What would happen to the user. invited: created, and sent a link. at_first_sign_in: created when the person first
	// signs in with an identity provider. enabled: enabled again. has_user: nothing, the person has a user.
	// no_email and address_taken: nothing, the person cannot get a user. disabled: disabled, and signed out.
	// kept: nothing, another rule or an administrator gives sign-in. not_used: there is no user yet.
	Effect string `json:"effect" db:"effect" enum:"invited,at_first_sign_in,enabled,has_user,no_email,address_taken,disabled,kept,not_used"`
}

// shownEffects is how many people a preview names.
const shownEffects = 200

// Preview says who would get and lose sign-in by a rule, and changes nothing.
func (s *Service) Preview(
	ctx context.Context,
	v viewer.Viewer,
	in SignInRulePreviewRequest,
) (SignInRulePreview, error) {
	f := in.Rule.fields()
	parsed, err := f.complete()
	if err != nil {
		return SignInRulePreview{}, err
	}
	out := SignInRulePreview{Sentence: f.sentence(parsed), Effects: []SignInEffectCount{}, Items: []SignInEffect{}}
	draft := &rule{Fields: f, condition: parsed}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if in.RuleID != nil {
			before, err := find(ctx, tx, *in.RuleID, "")
			if err != nil {
				return err
			}
			draft.id = before.ID
		}
		return s.preview(ctx, tx, draft, &out)
	})
	return out, err
}

// preview matches everybody and counts.
func (s *Service) preview(ctx context.Context, tx *pg.Tx, r *rule, out *SignInRulePreview) error {
	var gained, lost []string
	had, losing := 0, 0
	if err := eachBatch(ctx, tx, func(ids []string) error {
		now, err := match(ctx, tx, []*rule{r}, ids, s.Now())
		if err != nil {
			return err
		}
		before, err := granted(ctx, tx, ids)
		if err != nil {
			return err
		}
		out.People += len(now.met[r.id])
		for _, id := range before[r.id] {
			had++
			if now.met[r.id][id] {
				delete(now.met[r.id], id)
				continue
			}
			lost = append(lost, id)
			if now.current[id] {
				losing++
			}
		}
		for id := range now.met[r.id] {
			gained = append(gained, id)
		}
		return nil
	}); err != nil {
		return err
	}
	out.Gained, out.Lost = len(gained), len(lost)
	out.Limit = allowance(had, r.MaxLossPercent)
	out.Held = losing > out.Limit
	return effects(ctx, tx, r, gained, lost, out)
}

// effects reads what would happen to the users of these people.
func effects(ctx context.Context, tx *pg.Tx, r *rule, gained, lost []string, out *SignInRulePreview) error {
	const told = `
		with told as (
			select i.id, i.display_name, coalesce(i.email, '') as email, 2 as place,
			       case when u.by_rule and u.ended_by_rule then 'enabled'
			            when u.id is not null then 'has_user'
			            when coalesce(i.email, '') = '' then 'no_email'
			            when exists (select from app_user x where x.tenant_id = i.tenant_id and x.email_lc = i.email_lc)
			            then 'address_taken'
			            when @mail then 'invited'
			            else 'at_first_sign_in' end as effect
			  from identity i
			  left join app_user u on u.tenant_id = i.tenant_id and u.identity_id = i.id
			 where i.tenant_id = current_tenant()
			   and i.id = any(@gained::text[]::uuid[])
			 union all
			select i.id, i.display_name, coalesce(i.email, ''), 1,
			       case when u.id is null then 'not_used'
			            when not u.by_rule or u.status = 'disabled' or not u.roles <@ u.rule_roles
			                 or exists (select from sign_in_grant g
			                              join sign_in_rule k
			                                on k.tenant_id = g.tenant_id
			                               and k.id = g.rule_id
			                               and k.enabled
			                             where g.tenant_id = i.tenant_id
			                               and g.identity_id = i.id
			                               and g.rule_id::text <> @rule)
			            then 'kept'
			            else 'disabled' end
			  from identity i
			  left join app_user u on u.tenant_id = i.tenant_id and u.identity_id = i.id
			 where i.tenant_id = current_tenant()
			   and i.id = any(@lost::text[]::uuid[])
		) `
	args := pgx.NamedArgs{
		"gained": gained, "lost": lost, "rule": r.id, "mail": r.Invitation == byMail, "limit": shownEffects,
	}
	var effect string
	var n int
	if err := pg.Each(ctx, tx, "count effects on users", []any{&effect, &n}, func() error {
		out.Effects = append(out.Effects, SignInEffectCount{Effect: effect, Count: n})
		return nil
	}, told+`select effect, count(*)::int from told group by effect order by 1`, args); err != nil {
		return err
	}
	items, err := pg.All[SignInEffect](ctx, tx, "list effects on users", told+`
		select id::text as identity_id, display_name, email, effect
		  from told
		 order by place, display_name, id
		 limit @limit`, args)
	out.Items = append(out.Items, items...)
	return err
}
