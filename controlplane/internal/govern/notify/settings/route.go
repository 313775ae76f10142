package settings

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/transport"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// Relay is the mail server that the operators configured for all tenants.
type Relay struct {
	Server transport.Server
	From   string
}

// Route is how the messages of a tenant leave: by which server, and in whose name.
type Route struct {
	Server  transport.Server
	From    compose.Address
	ReplyTo string
}

// defaultName is the name of senders that have none.
const defaultName = "Grantwright"

// Route finds how the messages of the transaction's tenant leave; nil if it has no mail server.
func (s *Service) Route(ctx context.Context, tx *pg.Tx) (*Route, error) {
	row, err := find(ctx, tx, "")
	if err != nil {
		return nil, err
	}
	r := &Route{From: compose.Address{Name: row.Sender.Name, Address: row.Sender.Address}, ReplyTo: row.Sender.ReplyTo}
	if r.From.Name == "" {
		r.From.Name = defaultName
	}
	switch {
	case row.Server.Use == Own:
		r.Server, err = s.own(ctx, tx, row)
		return r, err
	case s.Relay == nil:
		return nil, nil
	}
	r.Server, r.From.Address = s.Relay.Server, s.Relay.From
	return r, nil
}

// own is the tenant's own server. It is dialed through the guard, as everything that a tenant names.
func (s *Service) own(ctx context.Context, tx *pg.Tx, row stored) (transport.Server, error) {
	m := row.Server
	out := transport.Server{
		Host:     m.Host,
		Port:     m.Port,
		Security: m.Security,
		Auth:     m.Auth,
		Username: m.Username,
		CA:       m.CA,
		Dial:     s.Guard.Dial,
	}
	if m.Auth == transport.NoAuth {
		return out, nil
	}
	var plain []byte
	if row.secret != nil {
		var err error
		if plain, err = s.Seal.Open(ctx, tx, secretPlace(tx), row.secret); err != nil {
			return out, fmt.Errorf("open secret of the mail server: %w", err)
		}
	}
	secret := seal.Secret(plain)
	out.Secret = func(context.Context) (seal.Secret, error) { return secret, nil }
	if m.Auth == transport.XOAuth2 {
		out.Secret = func(ctx context.Context) (seal.Secret, error) { return s.token(ctx, m, secret) }
	}
	return out, nil
}

// token requests an access token.
func (s *Service) token(ctx context.Context, m MailServer, secret seal.Secret) (seal.Secret, error) {
	config := clientcredentials.Config{ClientID: m.ClientID, ClientSecret: secret.Reveal(), TokenURL: m.TokenURL}
	if m.Scope != "" {
		config.Scopes = []string{m.Scope}
	}
	t, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, s.Guard.Client(transport.Timeout)))
	if err != nil {
		var answered *oauth2.RetrieveError
		if errors.As(err, &answered) { // its text repeats the response, which can be long
			return "", fmt.Errorf("the token endpoint answered %s %s", answered.Response.Status, answered.ErrorCode)
		}
		return "", fmt.Errorf("request an access token: %w", err)
	}
	return seal.Secret(t.AccessToken), nil
}

// Rules are the times and modes of the transaction's tenant.
type Rules struct {
	notice.Rules
	Quiet      notice.Quiet
	DigestHour int
}

// ReadRules reads the times and modes of the transaction's tenant.
func ReadRules(ctx context.Context, tx *pg.Tx) (Rules, error) {
	row, err := find(ctx, tx, "")
	return Rules{
		Rules: notice.Rules{Modes: row.Modes, Locked: row.Locked}, Quiet: row.QuietHours, DigestHour: row.DigestHour,
	}, err
}
