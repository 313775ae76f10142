package app

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/tenantaddress"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/settings"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/transport"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// addNotifications adds notifications by mail.
func addNotifications(ctx context.Context, p *parts) error {
	at, err := tenantaddress.New(p.config)
	if err != nil {
		return fmt.Errorf("base-url: %w", err)
	}
	relay, err := relayOf(p.config)
	if err != nil {
		return err
	}
	guard := *p.guard
	guard.AllowPlaintext = false
	out := &notify.Service{DB: p.db, Seal: p.ring, Guard: &guard, Cursors: p.cursors, Log: p.log, Now: time.Now,
		BaseURL: at.Of, Relay: relay}
	if err := out.Announce(ctx); err != nil {
		return fmt.Errorf("note the mail server: %w", err)
	}
	p.invited, p.invitedByRule = out.Invite, out.InviteByRule
	p.sessions.Passwords.Mail = out.Reset
	p.routes = append(p.routes, out.Routes()...)
	p.kinds = append(p.kinds, out.Kinds()...)
	p.jobs = append(p.jobs, out.Jobs()...)
	return nil
}

// relayOf is the mail server that the operators configured; nil if there is none. Its operators may place it
// anywhere but at the link-local and metadata addresses.
func relayOf(c config.Config) (*settings.Relay, error) {
	if c.MailServer == "" {
		return nil, nil
	}
	host, portText, err := net.SplitHostPort(c.MailServer)
	port, bad := strconv.Atoi(portText)
	if err != nil || bad != nil || host == "" {
		return nil, fmt.Errorf("mail-server: %q must look like smtp.example.com:587", c.MailServer)
	}
	if err := compose.CheckAddress(c.MailFrom); err != nil {
		return nil, fmt.Errorf("mail-from: %w", err)
	}
	everywhere, err := outbound.ParseCIDRs([]string{"0.0.0.0/0", "::/0", "127.0.0.0/8", "::1/128"})
	if err != nil {
		return nil, err
	}
	server := transport.Server{Host: host, Port: port, Security: c.MailSecurity, Auth: transport.NoAuth,
		Dial: (&outbound.Guard{AllowCIDRs: everywhere}).Dial}
	switch c.MailSecurity {
	case transport.StartTLS, transport.TLS, transport.None:
	default:
		return nil, fmt.Errorf("mail-security is starttls, tls or none, not %q", c.MailSecurity)
	}
	if c.MailUsername != "" {
		server.Auth, server.Username = transport.Plain, c.MailUsername
		server.Secret = func(context.Context) (seal.Secret, error) { return seal.Secret(c.MailPassword), nil }
	}
	if c.MailCA != "" {
		text, err := os.ReadFile(c.MailCA)
		if err != nil {
			return nil, fmt.Errorf("mail-ca: %w", err)
		}
		if _, err := transport.Pool(string(text)); err != nil {
			return nil, fmt.Errorf("mail-ca: %w", err)
		}
		server.CA = string(text)
	}
	return &settings.Relay{Server: server, From: c.MailFrom}, nil
}
