package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/wneessen/go-mail"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/message"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/settings"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/status"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/transport"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Kind is the kind of work that sends messages.
const Kind = "mail"

// Times and sizes of a pass.
const (
	batch   = 20
	lease   = 2 * time.Minute
	longest = lease - 3*transport.Timeout // no message is begun later than that: its lease might run out
)

// Service sends messages. All fields are needed.
type Service struct {
	DB       *pg.DB
	Seal     *seal.Keyring
	Settings *settings.Service
	Log      *slog.Logger

	// Sent is called after the server answered and before that is written down; nil, but in tests. Its error ends the
	// pass at once, as the end of the process would.
	Sent func(id string) error
}

// Kind is the work on messages that are due.
func (s *Service) Kind() queue.Kind {
	const due = `
		select distinct m.tenant_id::text
		  from mail_message m
		  join tenant t
		    on t.id = m.tenant_id
		   and t.status = 'active'
		  left join notification_settings n
		    on n.tenant_id = m.tenant_id
		 where m.state in ('queued', 'deferred', 'sending')
		   and m.due_at <= now()
		   and (m.lease_until is null or m.lease_until < now())
		   and (n.paused_until is null or n.paused_until <= now())`
	return queue.Kind{
		Name:  Kind,
		Title: "Mail",
		About: "Sends messages to the mail server.",
		Part:  s.Send,
		Due:   &queue.Due{SQL: due, Every: time.Second},
	}
}

// pass is a pass over some messages of a tenant.
type pass struct {
	s       *Service
	viewer  viewer.Viewer
	owner   string
	route   *settings.Route
	claimed []message.Claimed
	links   map[string]string // by message
	session *transport.Session
}

// Send sends some messages of a tenant that are due, and says how many it had.
func (s *Service) Send(ctx context.Context, tenant string) (int, error) {
	p := &pass{s: s, viewer: viewer.System(tenant), owner: uuid.NewString()}
	began := time.Now()
	if err := s.DB.As(ctx, p.viewer, func(tx *pg.Tx) error { return p.claim(ctx, tx) }); err != nil {
		return 0, err
	}
	defer p.close()
	for i, m := range p.claimed {
		if ctx.Err() != nil || time.Since(began) > longest {
			return i, p.release(p.claimed[i:], message.Result{Event: status.Retry, Reason: transport.TryLater})
		}
		result, server := p.send(ctx, m)
		if s.Sent != nil {
			if err := s.Sent(m.ID); err != nil {
				return i, err
			}
		}
		if err := p.note(ctx, result); err != nil {
			return i, err
		}
		if server {
			if err := p.pause(result); err != nil {
				return i, err
			}
			return 0, p.release(p.claimed[i+1:], result)
		}
	}
	return len(p.claimed), nil
}

// claim leases messages and reads what is needed to send them. Nothing is claimed while the server is paused.
func (p *pass) claim(ctx context.Context, tx *pg.Tx) (err error) {
	const paused = `select coalesce((select paused_until > now() from notification_settings
		where tenant_id = current_tenant()), false)`
	var waits bool
	if err := tx.QueryRow(ctx, paused).Scan(&waits); err != nil || waits {
		return err
	}
	if p.route, err = p.s.Settings.Route(ctx, tx); err != nil {
		return err
	}
	if p.claimed, err = message.Claim(ctx, tx, p.owner, batch, lease); err != nil {
		return err
	}
	p.links = map[string]string{}
	for _, m := range p.claimed {
		if m.Secret == nil {
			continue
		}
		link, err := p.s.Seal.Open(ctx, tx, message.SecretPlace(m.ID), m.Secret)
		if err != nil {
			return fmt.Errorf("open link of message %s: %w", m.ID, err)
		}
		p.links[m.ID] = string(link)
	}
	return nil
}

// send sends one message. server says that the trouble is the server's.
func (p *pass) send(ctx context.Context, m message.Claimed) (r message.Result, server bool) {
	r.ID = m.ID
	if time.Now().After(m.ExpiresAt) {
		r.Event, r.Reason = status.Expired, message.Expired
		return r, false
	}
	if p.route == nil {
		r.Event, r.Reason, r.Reply = status.Retry, "no_mail_server", "the tenant has no mail server"
		return r, true
	}
	out, err := p.deliver(ctx, m)
	if err != nil {
		r.Event, r.Reason, r.Reply = status.Refused, message.AddressInvalid, err.Error()
		return r, false
	}
	r.Event, r.Reason, r.Code, r.Reply, r.Tried = out.Event, out.Reason, out.Code, out.Reply, !out.Server
	if r.Event == status.Retry && !out.Server { // after trouble of the server, the tenant is paused
		r.Wait = Pause(m.Attempts)
	}
	return r, out.Server
}

// deliver sends a message over the connection of the pass, and over another one if that was worn. An error is of the
// message.
func (p *pass) deliver(ctx context.Context, m message.Claimed) (out transport.Outcome, err error) {
	for {
		msg, err := p.build(m)
		if err != nil {
			return out, err
		}
		if p.session == nil {
			var trouble *transport.Outcome
			if p.session, trouble = transport.Open(ctx, p.route.Server); trouble != nil {
				return *trouble, nil
			}
		}
		if out = p.session.Send(msg); !p.session.Worn(out) {
			return out, nil
		}
		p.close()
	}
}

func (p *pass) build(m message.Claimed) (*mail.Msg, error) {
	return compose.Build(compose.Message{
		ID: m.ID, Thread: m.Thread, From: p.route.From, ReplyTo: p.route.ReplyTo,
		To: compose.Address{Name: m.Name, Address: m.Address}, Subject: m.Subject, Content: m.Content,
		Link: p.links[m.ID], Date: m.CreatedAt,
	})
}

// Pause is how long a message waits after that many attempts: a minute, then twice as long each time, at most four
// hours. Greylisting servers accept after a few minutes.
func Pause(attempts int) time.Duration { return min(time.Minute<<min(attempts, 8), 4*time.Hour) }

// note writes down what became of a message, and that the server works.
func (p *pass) note(ctx context.Context, r message.Result) error {
	// What the server has accepted is written down even if the process is stopped meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return p.s.DB.As(ctx, p.viewer, func(tx *pg.Tx) error {
		if err := message.Note(ctx, tx, p.owner, r); err != nil || r.Event != status.Accepted {
			return err
		}
		const works = `
			insert into notification_settings as n (tenant_id, succeeded_at)
			values (current_tenant(), now())
			    on conflict (tenant_id) do update
			   set failures = 0, paused_until = null, last_error = null, succeeded_at = now()
			 where n.failures > 0 or n.succeeded_at is null or n.succeeded_at < now() - interval '1 minute'`
		return pg.Exec(ctx, tx, "note that the mail server works", works)
	})
}

// pause notes a failure of the server and pauses the tenant.
func (p *pass) pause(r message.Result) error {
	const sql = `
		insert into notification_settings as n (tenant_id, failures, paused_until, last_error)
		values (current_tenant(), 1, now() + interval '30 seconds', @error)
		    on conflict (tenant_id) do update
		   set failures = n.failures + 1, last_error = excluded.last_error,
		       paused_until = now() + least(interval '30 seconds' * 2 ^ least(n.failures, 10), interval '15 minutes')`
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	p.s.Log.WarnContext(
		ctx,
		"the mail server does not work; messages wait",
		"tenant",
		p.viewer.Tenant,
		"reason",
		r.Reason,
		"code",
		r.Code,
		"reply",
		r.Reply,
	)
	return p.s.DB.As(ctx, p.viewer, func(tx *pg.Tx) error {
		return pg.Exec(ctx, tx, "pause the mail server", sql, pgx.NamedArgs{"error": r.Reason + ": " + r.Reply})
	})
}

// release gives back messages that were not tried.
func (p *pass) release(rest []message.Claimed, r message.Result) error {
	if len(rest) == 0 {
		return nil
	}
	ids := make([]string, len(rest))
	for i, m := range rest {
		ids[i] = m.ID
	}
	const sql = `
		update mail_message
		   set state = 'deferred', reason = @reason, reply = @reply, lease_owner = null, lease_until = null
		 where tenant_id = current_tenant()
		   and id = any(@ids::text[]::uuid[])
		   and lease_owner = @owner`
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return p.s.DB.As(ctx, p.viewer, func(tx *pg.Tx) error {
		return pg.Exec(ctx, tx, "release messages", sql, pgx.NamedArgs{
			"reason": r.Reason, "reply": r.Reply, "ids": ids, "owner": p.owner,
		})
	})
}

func (p *pass) close() {
	if p.session != nil {
		p.session.Close()
		p.session = nil
	}
}
