package notify

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/message"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/wording"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// recipient is a user who receives a one-time link.
type recipient struct {
	UserID   string `db:"user_id"`
	Person   string `db:"person"`
	Name     string `db:"name"`
	Address  string `db:"address"`
	Tenant   string `db:"tenant"`
	Slug     string `db:"slug"`
	Bounced  bool   `db:"bounced"`
	Language string `db:"language"`
}

// letter is what a message with a one-time link says beside its template.
type letter struct{ kind, path, button, note, reason string }

// Invite writes the message with the one-time link of a user whom an administrator invites, in the transaction that
// created it. The link is sealed until the message is sent. Nothing is written if the tenant sends no notifications.
func (s *Service) Invite(ctx context.Context, tx *pg.Tx, userID, token string) error {
	return s.sendLinks(ctx, tx, map[string]string{userID: token}, letter{
		kind: notice.UserInvited, path: "/invited", button: "Choose a password",
		note: "The link works once, and for one hour. Opening the page does not use it up. If it no longer " +
			"works, ask an administrator for another one.",
		reason: "You receive this message because an administrator created a sign-in link for you.",
	})
}

// InviteByRule writes the messages with the links that sign-in rules give, by user.
func (s *Service) InviteByRule(ctx context.Context, tx *pg.Tx, tokens map[string]string) error {
	return s.sendLinks(ctx, tx, tokens, letter{
		kind: notice.UserInvited, path: "/invited", button: "Choose a password",
		note: "The link works once, and for three days. Opening the page does not use it up. If it no longer " +
			"works, ask an administrator for another one.",
		reason: "You receive this message because you manage people or own access, or because of another rule " +
			"for sign-in.",
	})
}

// Reset writes the message with the one-time link of a user who asked to reset their password, as Invite does.
func (s *Service) Reset(ctx context.Context, tx *pg.Tx, userID, token string) error {
	return s.sendLinks(ctx, tx, map[string]string{userID: token}, letter{
		kind: notice.PasswordReset, path: "/reset-password", button: "Choose a new password",
		note: "The link works once, and for one hour. Opening the page does not use it up. Your sessions end when " +
			"you choose a new password.",
		reason: "You receive this message because your address was entered on the sign-in page.",
	})
}

// sendLinks writes the messages to users with their links.
func (s *Service) sendLinks(ctx context.Context, tx *pg.Tx, tokens map[string]string, l letter) error {
	const sql = `
		select u.id::text as user_id, coalesce(u.identity_id, u.id)::text as person, u.display_name as name,
		       u.email as address,
		       t.name as tenant, t.slug, exists (select
		                         from mail_bounce b
		                        where b.tenant_id = u.tenant_id
		                          and b.address_lc = u.email_lc) as bounced,
		       coalesce(nullif(i.locale, ''), u.locale) as language
		  from app_user u
		  join tenant t
		    on t.id = u.tenant_id
		  left join identity i
		    on i.tenant_id = u.tenant_id
		   and i.id = u.identity_id
		 where u.tenant_id = current_tenant()
		   and u.id = any($1::text[]::uuid[])
		   and notifications_enabled()`
	found, err := pg.All[recipient](ctx, tx, "find the users of links", sql, slices.Collect(maps.Keys(tokens)))
	if err != nil || len(found) == 0 {
		return err
	}
	words, err := wording.Read(ctx, tx)
	if err != nil {
		return err
	}
	all := make([]message.New, 0, len(found))
	for _, to := range found {
		m := l.to(to, words)
		if m.Reason == "" {
			link := s.BaseURL(to.Slug) + l.path + "?token=" + url.QueryEscape(tokens[to.UserID])
			if m.Secret, err = s.Seal.Seal(ctx, tx, message.SecretPlace(m.ID), []byte(link)); err != nil {
				return err
			}
		}
		all = append(all, m)
	}
	return message.Insert(ctx, tx, all)
}

// to is the message to a user, without the link.
func (l letter) to(to recipient, words wording.Set) message.New {
	k, _ := notice.Find(l.kind)
	own, values := words.Of(k, to.Language), map[string]string{"title": to.Tenant, "name": to.Name}
	subject := compose.Subject(wording.Fill(own.Subject, values))
	lead, more := compose.Paragraphs(wording.Fill(own.Text, values))
	m := message.New{
		ID: message.NewID(), Kind: l.kind, Person: to.Person, Name: to.Name, Address: to.Address,
		Subject: subject,
		Content: compose.Content{
			Heading: subject,
			Lead:    lead, Paragraphs: more,
			Button: compose.Action{Label: l.button, URL: compose.Link},
			Note:   l.note,
			Reason: l.reason,
		},
	}
	switch {
	case compose.CheckAddress(to.Address) != nil:
		m.Reason = message.AddressInvalid
	case to.Bounced:
		m.Reason = message.AddressBounced
	}
	return m
}
