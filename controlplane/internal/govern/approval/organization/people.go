package organization

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/delegate"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// LoadTexts finds the people whom expressions have named by id, external id or e-mail address.
func (o *Organization) LoadTexts(ctx context.Context, tx *pg.Tx, texts []string) error {
	const sql = `
		select i.id::text, i.external_id, coalesce(i.email_lc, '')
		  from identity i
		 where i.status <> 'archived'
		   and (i.id::text = any(@texts) or i.external_id = any(@texts) or i.email_lc = any(@lower))
		 order by i.id`
	o.Texts = map[string]string{}
	if len(texts) == 0 {
		return nil
	}
	var id, external, email string
	return pg.Each(ctx, tx, "find whom expressions name", []any{&id, &external, &email}, func() error {
		// an id is stronger than an address, and that than another system's name
		for _, name := range []string{external, email, id} {
			o.Texts[strings.ToLower(name)] = id
		}
		return nil
	}, sql, pgx.NamedArgs{"texts": texts, "lower": strings.Split(strings.ToLower(strings.Join(texts, "\x01")), "\x01")})
}

// DelegateOf is who decides an approval for a person; empty: the person decides.
func (o *Organization) DelegateOf(id string, t delegate.Task, at time.Time) string {
	if !o.Delegations.Limited() {
		return o.Delegates[id]
	}
	return o.Delegations.End(t, id, at)
}

// Meet reads the people who may come to be asked, and their delegates.
func (o *Organization) Meet(ctx context.Context, tx *pg.Tx, ids []string, at time.Time) (err error) {
	ids = slices.DeleteFunc(approval.SortedSet(ids), func(id string) bool { return id == "" })
	if o.Delegations, err = delegate.Load(ctx, tx, ids, at); err != nil {
		return err
	}
	o.Delegates = o.Delegations.Ends(KindOfTask, ids, at)
	ids = append(ids, o.Delegations.Delegates()...)
	const sql = `
		select i.id::text, i.display_name as display, unable_to_decide(i.id) as unable,
		       not exists (select from app_user u where u.tenant_id = i.tenant_id and u.identity_id = i.id
		           and u.deleted_at is null) as joins
		  from identity i
		 where i.id = any(@ids::text[]::uuid[])`
	o.People = map[string]Person{}
	list, err := pg.AllBy(
		ctx,
		tx,
		"read approvers",
		pgx.RowToStructByPos[Person],
		sql,
		pgx.NamedArgs{"ids": approval.SortedSet(ids)},
	)
	if err != nil {
		return err
	}
	for _, p := range list {
		o.People[p.ID] = p
	}
	return nil
}
