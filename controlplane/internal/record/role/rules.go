package role

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Rule says who has a role by itself.
type Rule struct {
	RoleID     string          `db:"id"`
	Name       string          `db:"name"`
	Version    int             `db:"version"`
	Closed     bool            `db:"closed"` // holders keep it, and no one else gets it
	Condition  RoleCondition   `db:"membership_rule"`
	Exclusions []RoleExclusion `db:"membership_exclusions"`
	Since      time.Time       `db:"rule_since"`
}

// Rules are the membership rules of all roles in use.
func Rules(ctx context.Context, tx *pg.Tx) ([]Rule, error) {
	const sql = `
		select r.id, r.name, r.version, r.lifecycle = 'deprecated' as closed, r.membership_rule,
		    r.membership_exclusions, r.rule_since
		  from role r
		 where r.membership_rule is not null
		   and r.lifecycle in ('active', 'deprecated')
		 order by r.id`
	return pg.All[Rule](ctx, tx, "read rules of roles", sql)
}
