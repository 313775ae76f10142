package session

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// New is a session that is not connected yet.
func New(s *settings.Settings) *Session {
	return &Session{Settings: s, Explainer: ldaperr.Explainer{Scrub: s.Scrubber, Peer: s.HostPort()}}
}

// Open connects, protects and signs in, as a sync and a discovery do. The session must be closed.
func Open(ctx context.Context, env connectorkit.Env, s *settings.Settings) (*Session, error) {
	warnings, err := CheckPlaintext(ctx, env, s)
	if err != nil {
		return nil, err
	}
	se := New(s)
	se.Warnings = warnings
	raw, err := Dial(ctx, env, s)
	if err != nil {
		return nil, se.Explain(ctx, "tcp", err)
	}
	if s.Security == settings.SecurityLDAPS {
		secured, err := Handshake(ctx, s, raw)
		if err != nil {
			return nil, se.Explain(ctx, "tls", err)
		}
		raw = secured
	}
	se.Conn = wire.New(ctx, raw, s.IdleTimeout)
	if err := se.signIn(ctx); err != nil {
		se.Conn.Close()
		return nil, err
	}
	return se, nil
}

// signIn protects the connection, binds, and finds out which kind of directory it is. The password
// is sent only after TLS is set up, where TLS is configured.
func (se *Session) signIn(ctx context.Context) error {
	if se.Security == settings.SecurityStartTLS {
		if _, err := se.StartTLS(ctx); err != nil {
			return se.Explain(ctx, "start_tls", err)
		}
	}
	if err := se.Bind(); err != nil {
		return se.Explain(ctx, "bind", err)
	}
	if err := se.Identify(); err != nil {
		return se.Explain(ctx, "root_dse", err)
	}
	return se.ResolveBases()
}

// CheckPlaintext asks whether data may cross without TLS, and collects what the user should know about the connection.
func CheckPlaintext(ctx context.Context, env connectorkit.Env, s *settings.Settings) ([]v1.Warning, error) {
	var warnings []v1.Warning
	if s.Tls != nil && s.Unverified {
		warnings = append(
			warnings,
			v1.Warning{
				Code: "tls_not_verified",
				Message: "the directory's certificate is not verified: anyone on the network path can read the " +
					"traffic and impersonate the directory",
			},
		)
	}
	if s.Security != settings.SecurityNone {
		return warnings, nil
	}
	refusal := &v1.ErrorDetail{
		Class: v1.ClassPolicy, Code: "plaintext_not_allowed", Phase: "tcp",
		Message: "connections without TLS are not allowed here",
		Hint:    "Set security to starttls, or to ldaps (port 636).",
	}
	if env.Plaintext == nil {
		return nil, refusal
	}
	warn, err := env.Plaintext(ctx, s.HostPort())
	var detail *v1.ErrorDetail
	switch {
	case err == nil && warn:
		warnings = append(
			warnings,
			v1.Warning{
				Code:    "plaintext",
				Message: "password and data cross the network without TLS; set security to starttls or ldaps",
			},
		)
	case errors.As(err, &detail):
		return nil, err
	case err != nil:
		refusal.Message += ": " + err.Error()
		return nil, refusal
	}
	return warnings, nil
}

// Dial opens a TCP connection within the connect timeout.
func Dial(ctx context.Context, env connectorkit.Env, s *settings.Settings) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.ConnectTimeout)
	defer cancel()
	return env.Dial(ctx, "tcp", s.HostPort())
}

// Handshake moves raw to TLS, and closes it where that fails.
func Handshake(ctx context.Context, s *settings.Settings, raw net.Conn) (*tls.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.ConnectTimeout)
	defer cancel()
	secured := tls.Client(raw, s.Tls)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return secured, nil
}

// StartTLS protects the connection within the connect timeout (RFC 4511 section 4.14).
func (se *Session) StartTLS(ctx context.Context) (tls.ConnectionState, error) {
	ctx, cancel := context.WithTimeout(ctx, se.ConnectTimeout)
	defer cancel()
	return se.Conn.StartTLS(ctx, se.Tls)
}

// Bind signs in as configured.
func (se *Session) Bind() error {
	if se.Anonymous {
		return se.Conn.Bind("", "")
	}
	return se.Conn.Bind(se.BindDN, se.Password)
}
