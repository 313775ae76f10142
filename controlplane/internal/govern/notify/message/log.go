package message

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/status"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// MailDelivery is one message of the delivery log.
type MailDelivery struct {
	// ID of the message. The Message-ID of the mail starts with it.
	ID string `json:"id" db:"id"`
	// Kind of notification, or digest, or summary of several notifications.
	Kind string `json:"kind" db:"kind"`
	// ID of the identity, or of the user without one, that the message is for.
	PersonID *string `json:"person_id" db:"person_id"`
	// Display name of the recipient.
	Name string `json:"name" db:"name"`
	// Address of the recipient. Empty if there is none.
	Address string `json:"address" db:"address"`
	// Subject of the message.
	Subject string `json:"subject" db:"subject"`
	// State of the message. deferred: it is tried again. bounced: the address was rejected for good. suppressed: it was
	// not sent at all.
	State string `json:"state" db:"state" enum:"queued,sending,sent,deferred,bounced,failed,suppressed"`
	// Code of the reason for the state, such as mailbox_full or no_address. Empty if there is none.
	Reason string `json:"reason" db:"reason"`
	// Attempts with a known outcome.
	Attempts int `json:"attempts" db:"attempts"`
	// Times that a process ended while it had the message. The recipient may have it as often as that in addition, with
	// the same Message-ID.
	Repeats int `json:"repeats" db:"repeats"`
	// Last reply code of the mail server. Null if there is none.
	ReplyCode *int `json:"reply_code" db:"reply_code"`
	// Last reply of the mail server, or the last error.
	Reply string `json:"reply" db:"reply"`
	// Next attempt. Null if there is none.
	DueAt *time.Time `json:"due_at" db:"due_at"`
	// Time at which the message was written.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time at which the mail server accepted the message. Null if it has not.
	SentAt *time.Time `json:"sent_at" db:"sent_at"`
}

// MailDeliveryDetail is a message of the delivery log with its text.
type MailDeliveryDetail struct {
	MailDelivery
	// Plain text of the message. One-time links are not in it.
	Text string `json:"text"`
}

const columns = `m.id::text, m.kind, m.person_id::text, m.name, m.address, m.subject, m.state, m.reason, m.attempts,
	m.repeats, m.reply_code, m.reply, case when m.state in ('queued', 'deferred') then m.due_at end as due_at,
	m.created_at, m.sent_at`

// Filters narrow the delivery log; each one given must hold.
type Filters struct {
	// Several values, separated by commas.
	State []string `query:"state" enum:"queued,sending,sent,deferred,bounced,failed,suppressed"`
	// Kind of notification.
	Kind string `query:"kind" maxLength:"100"`
	// Messages for this identity, or user without one.
	PersonID string `query:"person_id" format:"uuid"`
	// Messages to addresses, names or subjects with these words.
	Q string `query:"q" maxLength:"200"`
	// Only messages whose address was rejected for good, if active people still have it and no one has decided.
	Marked bool `query:"marked"`
	// Written then or later.
	From time.Time `query:"from"`
	// Written before.
	To time.Time `query:"to"`
}

// Service shows the delivery log.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

const (
	base     = "/settings/notifications/deliveries"
	aboutLog = "The latest messages come first. Ended messages are kept for 90 days."
	aboutOne = "The text is what the recipient reads. One-time links are not kept."
	resend   = "Queues a message that is deferred, bounced, failed or suppressed again, with its Message-ID. A mark " +
		"on a bounced address is removed. 409 not_resendable if the message has another state, no valid address, or " +
		"held a one-time link, which is gone."
)

// Routes are the paths of the delivery log.
func (s *Service) Routes() []httpapi.Route {
	read := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("GET", base, "List mail deliveries", s.list).For(read...).Tag("settings").Describe(aboutLog),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a mail delivery", s.one).
			For(read...).
			Tag("settings").
			Describe(aboutOne),
		httpapi.Handle("POST", base+"/{id}/resend", "Redeliver a message", s.resend).
			For(viewer.Admin).
			Status(http.StatusAccepted).
			Errors(409).
			Tag("settings").
			Describe(resend),
	}
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET of the delivery log.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[MailDelivery], error) {
	walk, err := s.Cursors.Walk(v, "mail-deliveries", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{
		Columns: columns, From: "mail_message m", ID: "m.id",
		Order: listing.Order{Column: "m.created_at", Type: "timestamptz", Desc: true},
	}
	q.Equal("m.kind", "kind", in.Kind)
	q.Equal("m.person_id", "person_id", in.PersonID)
	q.Search(in.Q, "m.name", "m.address", "m.subject")
	if len(in.State) > 0 {
		q.Where("m.state = any(@state)", pgx.NamedArgs{"state": in.State})
	}
	if in.Marked {
		q.Where("m.id in (select r.message_id from rejected_addresses() r)", pgx.NamedArgs{})
	}
	if !in.From.IsZero() {
		q.Where("m.created_at >= @from", pgx.NamedArgs{"from": in.From})
	}
	if !in.To.IsZero() {
		q.Where("m.created_at < @to", pgx.NamedArgs{"to": in.To})
	}
	var items []MailDelivery
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		items, total, err = listing.Fetch[MailDelivery](ctx, tx, q, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(walk, items, total, func(m MailDelivery) []string {
		return []string{m.CreatedAt.Format(time.RFC3339Nano), m.ID}
	}), nil
}

type idIn struct {
	// ID of the message.
	ID string `path:"id" format:"uuid"`
}

// found is a message as it is stored.
type found struct {
	MailDelivery
	Content compose.Content `db:"content"`
}

func find(ctx context.Context, tx *pg.Tx, id, lock string) (MailDeliveryDetail, error) {
	const sql = `select ` + columns + `, m.content from mail_message m where m.tenant_id = current_tenant()
		and m.id = $1 `
	missing := fault.New(fault.NotFound, "Message %s was not found.", id)
	if !listing.IsID(id) {
		return MailDeliveryDetail{}, missing
	}
	m, err := pg.One[found](ctx, tx, "find message", sql+lock, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return MailDeliveryDetail{}, missing
	}
	return MailDeliveryDetail{MailDelivery: m.MailDelivery, Text: m.Content.Text()}, err
}

// one is GET of a message.
func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[MailDeliveryDetail], error) {
	var m MailDeliveryDetail
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		m, err = find(ctx, tx, in.ID, "")
		return err
	})
	return &httpapi.One[MailDeliveryDetail]{Body: m}, err
}

// resend is POST of another attempt.
func (s *Service) resend(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[MailDeliveryDetail], error) {
	var after MailDeliveryDetail
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		after, err = queueAgain(ctx, tx, in.ID)
		return err
	})
	return &httpapi.One[MailDeliveryDetail]{Body: after}, err
}

// queueAgain queues a message again, for the address that the person has now, and removes the mark of that address.
func queueAgain(ctx context.Context, tx *pg.Tx, id string) (after MailDeliveryDetail, err error) {
	const readdress = `
		update mail_message m
		   set address = p.address, name = p.name
		  from notification_people(array(select o.person_id
		                                   from mail_message o
		                                  where o.tenant_id = current_tenant()
		                                    and o.id = $1)) p
		 where m.tenant_id = current_tenant()
		   and m.id = $1
		   and m.state <> 'sending'
		   and p.address <> ''`
	if listing.IsID(id) {
		if err := pg.Exec(ctx, tx, "find the person's address", readdress, id); err != nil {
			return after, err
		}
	}
	m, err := find(ctx, tx, id, "for update")
	if err != nil {
		return after, err
	}
	if err := m.resendable(); err != nil {
		return after, err
	}
	const unmark = `delete from mail_bounce where tenant_id = current_tenant() and address_lc = lower($1)`
	if err := pg.Exec(ctx, tx, "remove the mark of an address", unmark, m.Address); err != nil {
		return after, err
	}
	const sql = `
		update mail_message
		   set state = 'queued', reason = '', due_at = now(), ended_at = null,
		       expires_at = now() + interval '3 days'
		 where tenant_id = current_tenant()
		   and id = $1`
	if err := pg.Exec(ctx, tx, "resend message", sql, id); err != nil {
		return after, err
	}
	if after, err = find(ctx, tx, id, ""); err != nil {
		return after, err
	}
	return after, audit.Record(ctx, tx, audit.Entry{
		Action:  "mail_message.resent",
		Subject: audit.Subject{Type: "mail_message", ID: m.ID, Display: m.Subject},
		Context: map[string]any{"state": m.State, "reason": m.Reason},
	})
}

// resendable says why a message cannot be sent again.
func (m MailDeliveryDetail) resendable() error {
	const code = "not_resendable"
	_, possible := status.State(m.State).Next(status.Resent)
	switch {
	case !possible:
		return fault.Coded(fault.Conflict, code, "Message %s is %s and cannot be sent again.", m.ID, m.State)
	case compose.CheckAddress(m.Address) != nil:
		return fault.Coded(fault.Conflict, code, "Message %s has no valid address. Correct the person's address.", m.ID)
	case oneTime(m.Kind) && status.State(m.State).Ended():
		return fault.Coded(fault.Conflict, code, "The one-time link of message %s is gone. Create another link.", m.ID)
	}
	return nil
}
