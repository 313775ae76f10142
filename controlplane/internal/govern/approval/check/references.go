package check

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Verdict is a fault of kind Invalid with all problems, or nil if there are none. what names the resource.
func (c *Checker) Verdict(what string) error {
	if len(c.Problems) == 0 {
		return nil
	}
	code := "validation_failed"
	if i := slices.IndexFunc(
		c.Problems,
		func(w fault.Field) bool { return w.Code == "unsupported_resolver" || w.Code == "rule_cycle" },
	); i >= 0 {
		code = c.Problems[i].Code
	}
	return fault.Coded(fault.Invalid, code, "The %s is invalid: %s", what, c.Problems[0].Detail).
		With(c.Problems...)
}

// FindReferences adds a problem for each reference to something that does not exist.
func (c *Checker) FindReferences(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		with mentioned (kind, id) as (select * from unnest(@tables::text[], @ids::text[]::uuid[]))
		select m.kind, m.id::text from mentioned m join identity x on x.id = m.id where m.kind = 'identity'
		    and x.status <> 'archived'
		 union
		select m.kind, m.id::text from mentioned m join role x on x.id = m.id where m.kind = 'role'
		    and x.lifecycle <> 'retired'
		 union
		select m.kind, m.id::text from mentioned m join entitlement x on x.id = m.id where m.kind = 'entitlement'
		    and x.removed_at is null
		 union
		select m.kind, m.id::text from mentioned m join connector x on x.id = m.id where m.kind = 'connector'
		    and x.deleted_at is null
		 union
		select m.kind, m.id::text from mentioned m join work_calendar x on x.id = m.id where m.kind = 'work_calendar'
		 union
		select m.kind, m.id::text from mentioned m join on_call_schedule x on x.id = m.id
		    where m.kind = 'on_call_schedule'
		 union
		select m.kind, m.id::text from mentioned m join approval_rule x on x.id = m.id where m.kind = 'approval_rule'`
	var tables, ids []string
	for _, m := range c.References {
		tables, ids = append(tables, m.Table), append(ids, m.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	there := map[[2]string]bool{}
	var table, id string
	if err := pg.Each(
		ctx,
		tx,
		"find what a rule names",
		[]any{&table, &id},
		func() error { there[[2]string{table, id}] = true; return nil },
		sql,
		pgx.NamedArgs{"tables": tables, "ids": ids},
	); err != nil {
		return err
	}
	for _, m := range c.References {
		if !there[[2]string{m.Table, m.ID}] {
			c.Refuse(m.At, "unknown_"+called[m.Table], "there is no %s %s", words[called[m.Table]], m.ID)
		}
	}
	return nil
}

// called is how the API calls what is in a table.
var called = map[string]string{
	"identity":         "identity",
	"role":             "role",
	"entitlement":      "entitlement",
	"connector":        "connector",
	"work_calendar":    "calendar",
	"on_call_schedule": "schedule",
	"approval_rule":    "rule",
}

// words are what people call it.
var words = map[string]string{
	"identity":    "identity",
	"role":        "role",
	"entitlement": "entitlement",
	"connector":   "connector",
	"calendar":    "calendar",
	"schedule":    "on-call schedule",
	"rule":        "approval rule",
}
