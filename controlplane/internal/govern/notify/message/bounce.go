package message

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Bounce is a rejected address that a person still has.
type Bounce struct {
	ID      string `db:"id"`
	Message string `db:"message_id"`
	Person  string `db:"person_id"`
	Type    string `db:"person_type"` // identity or user
	Name    string `db:"name"`
	Subject string `db:"subject"`
	Code    int    `db:"reply_code"`
}

// Bounces reads rejected addresses.
func Bounces(ctx context.Context, tx *pg.Tx, ids []string) ([]Bounce, error) {
	const sql = `
		select r.id::text, r.message_id::text, m.person_id::text,
		       case when i.id is null then 'user' else 'identity' end as person_type,
		       coalesce(i.display_name, m.name) as name, m.subject, coalesce(m.reply_code, 0) as reply_code
		  from rejected_addresses() r
		  join mail_message m
		    on m.tenant_id = current_tenant()
		   and m.id = r.message_id
		  left join identity i
		    on i.tenant_id = m.tenant_id
		   and i.id = m.person_id
		 where r.id = any(@ids::text[]::uuid[])
		   and m.person_id is not null`
	return pg.All[Bounce](ctx, tx, "read rejected addresses", sql, pgx.NamedArgs{"ids": ids})
}

// Unmark removes the mark of an address without sending a message.
func Unmark(ctx context.Context, tx *pg.Tx, id string) error {
	return decided(ctx, tx, "mail_address.unmarked", `
		with gone as (
			delete from mail_bounce
			 where tenant_id = current_tenant()
			   and id = $1
			returning message_id)
		select message_id::text from gone`, id)
}

// Keep notes that nothing is to be sent to a rejected address.
func Keep(ctx context.Context, tx *pg.Tx, id string) error {
	return decided(ctx, tx, "mail_address.kept", `
		with kept as (
			update mail_bounce
			   set kept_at = now()
			 where tenant_id = current_tenant()
			   and id = $1
			returning message_id)
		select message_id::text from kept`, id)
}

func decided(ctx context.Context, tx *pg.Tx, action, sql, id string) error {
	messages, err := pg.All[string](ctx, tx, "decide about a rejected address", sql, id)
	for _, m := range messages {
		if err := audit.Record(ctx, tx, audit.Entry{
			Action: action, Subject: audit.Subject{Type: "mail_message", ID: m},
		}); err != nil {
			return err
		}
	}
	return err
}
