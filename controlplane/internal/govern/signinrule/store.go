package signinrule

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const columns = `r.id::text as id, r.name, r.responsible_for, r.condition, r.roles, r.invitation, r.enabled,
	r.max_loss_percent, r.sentence, r.held_at, r.held_people, r.created_at, r.updated_at, r.version,
	(select count(*) from sign_in_grant g where g.tenant_id = r.tenant_id and g.rule_id = r.id)::int as people`

// Filters narrow the list of rules.
type Filters struct {
	// Whether the rule is held because more people would lose sign-in than its limit allows.
	Held string `query:"held" enum:"true,false"`
	// Whether the rule is enabled.
	Enabled string `query:"enabled" enum:"true,false"`
}

// query is the list's query, in the order of names.
func (f Filters) query() *listing.Query {
	q := &listing.Query{
		Columns: columns, From: "sign_in_rule r", Counted: "sign_in_rule r", ID: "r.id",
		Order: listing.Order{Column: "r.name", Type: "text"},
	}
	q.Is("r.held_at is not null", f.Held)
	q.Is("r.enabled", f.Enabled)
	return q
}

// find reads a rule; locking is empty or a locking clause.
func find(ctx context.Context, tx *pg.Tx, id, locking string) (SignInRule, error) {
	missing := fault.New(fault.NotFound, "Sign-in rule %s was not found.", id)
	if !listing.IsID(id) {
		return SignInRule{}, missing
	}
	r, err := pg.One[SignInRule](ctx, tx, "find rule for sign-in", `select `+columns+`
		from sign_in_rule r where r.tenant_id = current_tenant() and r.id = $1`+locking, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return SignInRule{}, missing
	}
	return r, err
}

// insert stores a new rule.
func insert(ctx context.Context, tx *pg.Tx, f Fields, sentence string) (id string, err error) {
	id = uuid.Must(uuid.NewV7()).String()
	const sql = `
		insert into sign_in_rule (tenant_id, id, name, responsible_for, condition, roles, invitation, enabled,
		       max_loss_percent, sentence)
		values (current_tenant(), @id, @name, @for, @condition, @roles, @invitation, @enabled, @loss, @sentence)`
	_, err = tx.Exec(ctx, sql, f.args(id, sentence))
	return id, named("create rule for sign-in", err)
}

// store writes a changed rule. Nothing counts against its limit any more.
func store(ctx context.Context, tx *pg.Tx, id string, f Fields, sentence string) error {
	const sql = `
		update sign_in_rule
		   set name = @name, responsible_for = @for, condition = @condition, roles = @roles, invitation = @invitation,
		       enabled = @enabled, max_loss_percent = @loss, sentence = @sentence, held_at = null, held_people = 0,
		       updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = @id`
	_, err := tx.Exec(ctx, sql, f.args(id, sentence))
	return named("change rule for sign-in", err)
}

func (f Fields) args(id, sentence string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id": id, "name": f.Name, "for": f.ResponsibleFor, "condition": f.Condition, "roles": f.Roles,
		"invitation": f.Invitation, "enabled": f.Enabled, "loss": f.MaxLossPercent, "sentence": sentence,
	}
}

// named is the conflict of two rules with one name.
func named(what string, err error) error {
	if pg.Violates(err, "sign_in_rule_name_unique") {
		return fault.Coded(fault.Conflict, "duplicate_name", "Another sign-in rule of the tenant has this name.").
			With(fault.Field{Pointer: "#/name", Code: "duplicate_name", Detail: "choose another name"})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
