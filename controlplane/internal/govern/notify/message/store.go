package message

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/status"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// Reasons for which a message is suppressed, or failed.
const (
	NoAddress      = "no_address"
	AddressInvalid = "address_invalid"
	AddressShared  = "address_shared"
	AddressBounced = "address_bounced"
	Expired        = "expired"
)

// New is a message to be sent.
type New struct {
	ID      string // made when empty
	Kind    string
	Person  string
	Name    string
	Address string
	Subject string
	Content compose.Content
	Secret  []byte // sealed for SecretPlace of the ID; nil: none
	Thread  string
	Reason  string // why it is suppressed; empty: it is not
}

// SecretPlace is where the one-time link of a message is sealed for.
func SecretPlace(id string) seal.Place {
	return seal.Place{Table: "mail_message", Column: "secret", Row: id}
}

// NewID makes the ID of a message.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Insert stores messages. Those with a reason are suppressed; the others are due at once.
func Insert(ctx context.Context, tx *pg.Tx, all []New) error {
	if len(all) == 0 {
		return nil
	}
	type row struct {
		ID      string          `json:"id"`
		Kind    string          `json:"kind"`
		Person  string          `json:"person_id"`
		Name    string          `json:"name"`
		Address string          `json:"address"`
		Subject string          `json:"subject"`
		Content compose.Content `json:"content"`
		Secret  []byte          `json:"secret"`
		Thread  string          `json:"thread"`
		Reason  string          `json:"reason"`
	}
	rows := make([]row, len(all))
	for i, m := range all {
		if m.ID == "" {
			m.ID = NewID()
		}
		rows[i] = row(m)
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("encode messages: %w", err)
	}
	const sql = `
		insert into mail_message (tenant_id, id, kind, person_id, name, address, subject, content, secret, thread,
		       state, reason, ended_at)
		select current_tenant(), m.id, m.kind, m.person_id, m.name, m.address, m.subject, m.content,
		       case when m.reason = '' then decode(m.secret, 'base64') end, m.thread,
		       case when m.reason = '' then 'queued' else 'suppressed' end, m.reason,
		       case when m.reason <> '' then now() end
		  from jsonb_to_recordset(@messages) m (id uuid, kind text, person_id uuid, name text, address text,
		       subject text, content jsonb, secret text, thread text, reason text)`
	return pg.Exec(ctx, tx, "store messages", sql, pgx.NamedArgs{"messages": string(text)})
}

// Claimed is a message that this process has leased.
type Claimed struct {
	ID        string          `db:"id"`
	Address   string          `db:"address"`
	Name      string          `db:"name"`
	Subject   string          `db:"subject"`
	Content   compose.Content `db:"content"`
	Secret    []byte          `db:"secret"`
	Thread    string          `db:"thread"`
	Attempts  int             `db:"attempts"`
	CreatedAt time.Time       `db:"created_at"`
	ExpiresAt time.Time       `db:"expires_at"`
}

// Claim leases messages that are due, the oldest first. A message whose lease has run out is claimed again.
func Claim(ctx context.Context, tx *pg.Tx, owner string, limit int, lease time.Duration) ([]Claimed, error) {
	const sql = `
		with next as (
			select m.id
			  from mail_message m
			 where m.tenant_id = current_tenant()
			   and m.state = any(@from)
			   and m.due_at <= now()
			   and (m.lease_until is null or m.lease_until < clock_timestamp())
			 order by m.due_at
			 limit @limit
			   for update of m skip locked)
		update mail_message m
		   set state = 'sending', lease_owner = @owner, repeats = m.repeats + (m.state = 'sending')::int,
		       lease_until = clock_timestamp() + make_interval(secs => @lease)
		  from next
		 where m.tenant_id = current_tenant()
		   and m.id = next.id
		returning m.id::text, m.address, m.name, m.subject, m.content, m.secret, m.thread, m.attempts, m.created_at,
		          m.expires_at`
	return pg.All[Claimed](ctx, tx, "claim messages", sql, pgx.NamedArgs{
		"from": status.From(status.Claimed), "limit": limit, "owner": owner, "lease": lease.Seconds(),
	})
}

// Result is what became of a claimed message.
type Result struct {
	ID     string
	Event  status.Event
	Reason string
	Code   int
	Reply  string
	Wait   time.Duration // until the next attempt, with the event Retry
	Tried  bool          // the server was asked about this message
}

// Note writes down what became of a message, unless another process has leased it since. A message that ended keeps no
// one-time link. An address that was rejected is marked.
func Note(ctx context.Context, tx *pg.Tx, owner string, r Result) error {
	next, possible := status.Sending.Next(r.Event)
	if !possible {
		return fmt.Errorf("a message that is sent cannot be %s", r.Event)
	}
	const sql = `
		update mail_message
		   set state = @state, reason = @reason, reply_code = coalesce(nullif(@code, 0), reply_code), reply = @reply,
		       attempts = attempts + @tried::boolean::int, lease_owner = null, lease_until = null,
		       due_at = now() + make_interval(secs => @wait), sent_at = case when @state = 'sent' then now() end,
		       ended_at = case when @ended::boolean then now() end,
		       secret = case when @ended::boolean then null else secret end
		 where tenant_id = current_tenant()
		   and id = @id
		   and state = 'sending'
		   and lease_owner = @owner`
	if err := pg.Exec(ctx, tx, "note what became of a message", sql, pgx.NamedArgs{
		"state": string(next), "reason": r.Reason, "code": r.Code, "reply": r.Reply, "tried": r.Tried,
		"wait": r.Wait.Seconds(), "ended": next.Ended(), "id": r.ID, "owner": owner,
	}); err != nil {
		return err
	}
	if next != status.Bounced {
		return nil
	}
	const mark = `
		insert into mail_bounce (tenant_id, address_lc, message_id, reply)
		select current_tenant(), lower(m.address), m.id, m.reply
		  from mail_message m
		 where m.tenant_id = current_tenant()
		   and m.id = $1
		   and m.state = 'bounced'
		    on conflict (tenant_id, address_lc) do update
		   set message_id = excluded.message_id, reply = excluded.reply, bounced_at = now(), kept_at = null`
	return pg.Exec(ctx, tx, "mark an address", mark, r.ID)
}
