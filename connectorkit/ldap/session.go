package ldap

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// session is a signed-in connection with what is known of the directory.
type session struct {
	*settings
	conn     *wire.Conn
	flavor   flavor
	root     rootDSE
	warnings []v1.Warning
}

// open connects, protects and signs in, as a sync and a discovery do. The session must be closed.
func (c *connector) open(ctx context.Context, s *settings) (*session, error) {
	warnings, err := c.allowed(ctx, s)
	if err != nil {
		return nil, err
	}
	raw, err := c.dial(ctx, s)
	if err != nil {
		return nil, s.explain(ctx, "tcp", err)
	}
	se := &session{settings: s, warnings: warnings}
	if s.security == securityLDAPS {
		secured, err := handshake(ctx, s, raw)
		if err != nil {
			return nil, s.explain(ctx, "tls", err)
		}
		raw = secured
	}
	se.conn = wire.New(ctx, raw, s.silence)
	if err := se.signIn(ctx); err != nil {
		se.conn.Close()
		return nil, err
	}
	return se, nil
}

func (se *session) signIn(ctx context.Context) error {
	if se.security == securityStartTLS {
		if _, err := se.startTLS(ctx); err != nil {
			return se.explain(ctx, "start_tls", err)
		}
	}
	if err := se.bind(); err != nil {
		return se.explain(ctx, "bind", err)
	}
	if err := se.learn(); err != nil {
		return se.explain(ctx, "root_dse", err)
	}
	return se.place()
}

// allowed asks whether data may cross without TLS, and collects what the user should know about the connection.
func (c *connector) allowed(ctx context.Context, s *settings) ([]v1.Warning, error) {
	var warnings []v1.Warning
	if s.tls != nil && s.insecure {
		warnings = append(warnings, v1.Warning{Code: "tls_not_verified", Message: "the directory's certificate is not verified: anyone on the network path can read the traffic and impersonate the directory"})
	}
	if s.security != securityNone {
		return warnings, nil
	}
	refusal := &v1.ErrorDetail{
		Class: v1.ClassPolicy, Code: "plaintext_not_allowed", Phase: "tcp",
		Message: "connections without TLS are not allowed here",
		Hint:    "Set security to starttls, or to ldaps (port 636).",
	}
	if c.env.Plaintext == nil {
		return nil, refusal
	}
	warn, err := c.env.Plaintext(ctx, s.hostport())
	var detail *v1.ErrorDetail
	switch {
	case err == nil && warn:
		warnings = append(warnings, v1.Warning{Code: "plaintext", Message: "password and data cross the network without TLS; set security to starttls or ldaps"})
	case errors.As(err, &detail):
		return nil, err
	case err != nil:
		refusal.Message += ": " + err.Error()
		return nil, refusal
	}
	return warnings, nil
}

func (c *connector) dial(ctx context.Context, s *settings) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.connect)
	defer cancel()
	return c.env.Dial(ctx, "tcp", s.hostport())
}

// handshake moves raw to TLS, and closes it where that fails.
func handshake(ctx context.Context, s *settings, raw net.Conn) (*tls.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.connect)
	defer cancel()
	secured := tls.Client(raw, s.tls)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return secured, nil
}

func (se *session) startTLS(ctx context.Context) (tls.ConnectionState, error) {
	ctx, cancel := context.WithTimeout(ctx, se.connect)
	defer cancel()
	return se.conn.StartTLS(ctx, se.tls)
}

// bind signs in as configured.
func (se *session) bind() error {
	if se.anonymous {
		return se.conn.Bind("", "")
	}
	return se.conn.Bind(se.bindDN, se.password)
}

// learn reads the rootDSE and settles what kind of directory this is.
func (se *session) learn() error {
	root, err := readRoot(se.conn)
	if err != nil {
		return err
	}
	se.root = root
	if se.settings.flavor == auto {
		se.flavor = detect(root)
	} else {
		se.flavor = flavorNamed(se.settings.flavor)
	}
	return nil
}

// place settles where searches start.
func (se *session) place() error {
	base := se.base
	if base == "" {
		base = se.root.first("defaultNamingContext")
	}
	if contexts := se.root["namingcontexts"]; base == "" && len(contexts) == 1 {
		base = contexts[0]
	}
	if base == "" && (se.userBase == "" || se.groupBase == "") {
		return &v1.ErrorDetail{
			Class: v1.ClassConfig, Code: "invalid_settings", Message: "base_dn is missing, and the directory does not name one naming context",
			Hint: "Set base_dn." + se.contextsHint(),
		}
	}
	se.base = base
	if se.userBase == "" {
		se.userBase = base
	}
	if se.groupBase == "" {
		se.groupBase = base
	}
	return nil
}

// contextsHint lists the naming contexts, for somebody who looks for the right base DN.
func (se *session) contextsHint() string {
	contexts := sorted(se.root["namingcontexts"])
	if len(contexts) == 0 {
		return ""
	}
	if len(contexts) > 10 {
		contexts = contexts[:10]
	}
	return fmt.Sprintf(" This server's naming contexts: %s.", quoted(contexts))
}

// searchError explains a search that failed. A wrong base DN is answered with the right ones.
func (se *session) searchError(ctx context.Context, phase string, err error) error {
	err = se.explain(ctx, phase, err)
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Target != nil && d.Target.LDAP != nil {
		switch d.Target.LDAP.ResultCode {
		case goldap.LDAPResultNoSuchObject, goldap.LDAPResultReferral, goldap.LDAPResultInvalidDNSyntax:
			d.Hint += se.contextsHint()
		}
	}
	return err
}

func quoted(list []string) string {
	out := ""
	for i, s := range list {
		if i > 0 {
			out += ", "
		}
		out += `"` + s + `"`
	}
	return out
}
