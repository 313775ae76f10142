package approval

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const columns = `r.id::text as id, r.name, r.description, r.enabled, r.priority, r.applies_to, r.branches, r.terms, r.labels, r.origin, r.created_at,
	r.updated_at, r.version`

// Filters narrow a list of rules; each one given must hold.
type Filters struct {
	Enabled       string `query:"enabled" enum:"true,false"`
	Default       string `query:"default" enum:"true,false" doc:"Those that are for whatever has no rule of its own."`
	RoleID        string `query:"role_id" format:"uuid" doc:"Those that are for the role itself."`
	EntitlementID string `query:"entitlement_id" format:"uuid" doc:"Those that are for the entitlement itself."`
	ConnectorID   string `query:"connector_id" format:"uuid" doc:"Those that are for the system."`
	Q             string `query:"q" maxLength:"200" doc:"Words, each of which is part of a name or description, without regard to case, accents and order."`
	Sort          string `query:"sort" default:"priority" enum:"created_at,name,priority,-created_at,-name,-priority" doc:"A leading - is descending."`
}

var orders = map[string]listing.Order{
	"created_at": {Column: "r.id", Type: "uuid"}, // ids rise with the time of creation
	"name":       {Column: "r.name", Type: "text"},
	"priority":   {Column: "r.priority", Type: "int"},
}

func (f Filters) query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: "approval_rule r", ID: "r.id", Order: order}
	q.Is("r.enabled", f.Enabled)
	q.Is("coalesce((r.applies_to ->> 'default')::boolean, false)", f.Default)
	for member, id := range map[string]string{"role_ids": f.RoleID, "entitlement_ids": f.EntitlementID,
		"connector_ids": f.ConnectorID} {
		if id != "" {
			q.Where("r.applies_to -> '"+member+"' ? @"+member, pgx.NamedArgs{member: strings.ToLower(id)})
		}
	}
	q.Search(f.Q, "r.name", "r.description")
	return q, nil
}

// after is the position of a rule in the list's order.
func (f Filters) after(r ApprovalRule) []string {
	switch f.Sort {
	case "name", "-name":
		return []string{r.Name, r.ID}
	case "created_at", "-created_at":
		return []string{r.ID, r.ID}
	}
	return []string{strconv.Itoa(r.Priority), r.ID}
}

// Find reads a rule; when there is none, it is a fault of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (ApprovalRule, error) {
	return find(ctx, tx, id, "")
}

func find(ctx context.Context, tx *pg.Tx, id, locking string) (ApprovalRule, error) {
	found, err := findOne[ApprovalRule](
		ctx,
		tx,
		"approval rule",
		`select `+columns+` from approval_rule r where r.id = $1`+locking,
		id,
	)
	if err != nil {
		return ApprovalRule{}, err
	}
	found.shown()
	return found, nil
}

// findOne reads a rule, a calendar or a schedule; when there is none of that id, it is a fault of kind NotFound.
func findOne[T any](ctx context.Context, tx *pg.Tx, what, sql, id string) (none T, err error) {
	missing := fault.New(fault.NotFound, "there is no %s %s", what, id)
	if !listing.IsID(id) {
		return none, missing
	}
	rows, err := tx.Query(ctx, sql, id)
	if err != nil {
		return none, fmt.Errorf("find %s: %w", what, err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return none, missing
	case err != nil:
		return none, fmt.Errorf("find %s: %w", what, err)
	}
	return found, nil
}

func (f ApprovalRuleFields) args(id string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id":          id,
		"name":        f.Name,
		"description": f.Description,
		"enabled":     f.Enabled,
		"priority":    f.Priority,
		"applies_to":  f.AppliesTo,
		"branches":    f.Branches,
		"terms":       f.ApprovalTerms,
		"labels":      f.Labels,
	}
}

func insert(ctx context.Context, tx *pg.Tx, id string, n New) error {
	const sql = `
		insert into approval_rule (tenant_id, id, name, description, enabled, priority, applies_to, branches, terms,
		    labels, origin)
		values (current_tenant(), @id, @name, @description, @enabled, @priority, @applies_to, @branches, @terms,
		    @labels, @origin)`
	args := n.args(id)
	args["origin"] = n.Origin
	if _, err := tx.Exec(ctx, sql, args); err != nil {
		return taken(err, "approval_rule_name_unique", "an approval rule", n.Name)
	}
	return keepVersion(ctx, tx, id)
}

func update(ctx context.Context, tx *pg.Tx, id string, f ApprovalRuleFields) error {
	const sql = `
		update approval_rule
		   set name = @name, description = @description, enabled = @enabled, priority = @priority,
		       applies_to = @applies_to, branches = @branches, terms = @terms, labels = @labels, updated_at = now(),
		           version = version + 1
		 where id = @id`
	if _, err := tx.Exec(ctx, sql, f.args(id)); err != nil {
		return taken(err, "approval_rule_name_unique", "an approval rule", f.Name)
	}
	return keepVersion(ctx, tx, id)
}

// taken says so when the name is another's already.
func taken(err error, constraint, what, name string) error {
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.ConstraintName == constraint {
		return fault.Coded(fault.Conflict, "name_taken", "there is %s with the name %s already", what, name).
			With(fault.Field{Pointer: "#/name", Code: "name_taken", Detail: "choose another name"})
	}
	return fmt.Errorf("write %s: %w", what, err)
}

// keepVersion keeps what the rule says now.
func keepVersion(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		insert into approval_rule_version (tenant_id, rule_id, version, content, changed_by)
		select current_tenant(), r.id, r.version,
		       jsonb_build_object('name', r.name, 'description', r.description, 'enabled', r.enabled, 'priority',
		           r.priority, 'applies_to', r.applies_to, 'branches', r.branches, 'labels', r.labels) || r.terms,
		       @by
		  from approval_rule r
		 where r.id = @id`
	by := map[string]any{"type": string(tx.Viewer.Kind), "id": tx.Viewer.ID, "display": tx.Viewer.Display}
	if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": id, "by": by}); err != nil {
		return fmt.Errorf("keep version of approval rule: %w", err)
	}
	return nil
}

// ApprovalRuleVersion is what a rule said once.
type ApprovalRuleVersion struct {
	Version   int                `json:"version" db:"version"`
	Content   ApprovalRuleFields `json:"content" db:"content"`
	Sentences []string           `json:"sentences" db:"-" nullable:"false"`
	ChangedBy map[string]any     `json:"changed_by" db:"changed_by" nullable:"false"`
	ChangedAt time.Time          `json:"changed_at" db:"changed_at"`
}

func versions(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	page pg.Page,
) (items []ApprovalRuleVersion, total int64, err error) {
	const sql = `
		select v.version, v.content, v.changed_by, v.changed_at
		  from approval_rule_version v
		 where v.rule_id = @id
		   and v.version < @before
		 order by v.version desc
		 limit @rows offset @skipped`
	before := 1 << 30
	if len(page.After) > 0 {
		if before, err = strconv.Atoi(page.After[0]); err != nil {
			return nil, 0, fmt.Errorf("position in versions: %w", err)
		}
	}
	rows, err := tx.Query(
		ctx,
		sql,
		pgx.NamedArgs{"id": id, "before": before, "rows": page.Limit + 1, "skipped": page.Offset},
	)
	if err != nil {
		return nil, 0, fmt.Errorf("list versions of approval rule: %w", err)
	}
	if items, err = pgx.CollectRows(rows, pgx.RowToStructByName[ApprovalRuleVersion]); err != nil {
		return nil, 0, fmt.Errorf("list versions of approval rule: %w", err)
	}
	for i := range items {
		items[i].Content.fillLists()
		items[i].Sentences = sentences(items[i].Content.Branches)
	}
	if err := tx.QueryRow(ctx, `select count(*) from approval_rule_version where rule_id = $1`, id).
		Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count versions of approval rule: %w", err)
	}
	return items, total, nil
}

// users are who uses a rule, a calendar or a schedule.
func usersOf(ctx context.Context, tx *pg.Tx, id string) ([]ApprovalUse, error) {
	const sql = `
		select 'role' as type, r.id::text as id, r.name as display from role r
		    where r.approval_rule_id = @id::text::uuid and r.lifecycle <> 'retired'
		 union all
		select 'entitlement', e.id::text, coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id)
		  from entitlement e
		 where e.approval_rule_id = @id::text::uuid
		   and e.removed_at is null
		 union all
		select 'approval_rule', r.id::text, r.name
		  from approval_rule r
		 where r.id <> @id::text::uuid
		   and (position(@id::text in r.branches::text) > 0 or position(@id::text in r.terms::text) > 0)
		 union all
		select 'on_call_schedule', s.id::text, s.name from on_call_schedule s where s.calendar_id = @id::text::uuid
		 order by 1, 3, 2
		 limit 20`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"id": strings.ToLower(id)})
	if err != nil {
		return nil, fmt.Errorf("find what uses it: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[ApprovalUse])
	if err != nil {
		return nil, fmt.Errorf("find what uses it: %w", err)
	}
	return found, nil
}

// ApprovalUse is something that uses a rule.
type ApprovalUse struct {
	Type    string `json:"type" db:"type"`
	ID      string `json:"id" db:"id"`
	Display string `json:"display" db:"display"`
}

// unused is a fault of kind Conflict, naming them, while something uses it.
func unused(ctx context.Context, tx *pg.Tx, id, code, what string) error {
	by, err := usersOf(ctx, tx, id)
	if err != nil || len(by) == 0 {
		return err
	}
	names := make([]string, len(by))
	for i, u := range by {
		names[i] = "the " + strings.ReplaceAll(u.Type, "_", " ") + " " + u.Display
	}
	return fault.Coded(fault.Conflict, code, "this %s is used by %s", what, strings.Join(names, ", ")).
		Also("used_by", by)
}
