package probe

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// connect takes the steps dns, tcp, and tls or start_tls.
func (p *probe) connect() error {
	if err := p.step("dns", p.lookup); err != nil {
		return err
	}
	var raw net.Conn
	err := p.step("tcp", func(*v1.TestStep) (err error) {
		raw, err = session.Dial(p.ctx, p.env, p.Settings)
		return err
	})
	if err != nil {
		return err
	}
	if p.Security == settings.SecurityLDAPS {
		err := p.step("tls", func(step *v1.TestStep) error {
			secured, err := session.Handshake(p.ctx, p.Settings, raw)
			if err != nil {
				return err
			}
			raw = secured
			describeTLS(step, secured.ConnectionState())
			return nil
		})
		if err != nil {
			return err
		}
	}
	p.Conn = wire.New(p.ctx, raw, p.IdleTimeout)
	if p.Security != settings.SecurityStartTLS {
		return nil
	}
	return p.step("start_tls", func(step *v1.TestStep) error {
		state, err := p.StartTLS(p.ctx)
		if err == nil {
			step.LDAP = p.Result(wire.Result{})
			describeTLS(step, state)
		}
		return err
	})
}

// lookup is its own step, since a wrong name is the most common mistake. What it resolves to is shown on an agent only:
// in hosted mode it could disclose the network of the service.
func (p *probe) lookup(step *v1.TestStep) error {
	if net.ParseIP(p.Host) != nil {
		step.Detail = "the host is an address"
		return nil
	}
	ctx, cancel := context.WithTimeout(p.ctx, p.Settings.ConnectTimeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupHost(ctx, p.Host)
	if err != nil {
		return err
	}
	step.Detail = p.Host + " resolves"
	if p.env.By.Mode == "agent" {
		step.Detail = p.Host + " -> " + strings.Join(addrs, ", ")
	}
	return nil
}

// describeTLS adds the negotiated version and the server's certificate to a step. A certificate is
// shown even if it was not trusted: its issuer and expiry are what the administrator has to know.
func describeTLS(step *v1.TestStep, state tls.ConnectionState) {
	step.TLS = &v1.TLSResult{Version: tls.VersionName(state.Version)}
	if len(state.PeerCertificates) > 0 {
		cert := state.PeerCertificates[0]
		ldaperr.FillCertificate(step.TLS, cert)
		step.Detail = fmt.Sprintf(
			"%s, issuer %s, expires %s", step.TLS.Version, cert.Issuer, cert.NotAfter.UTC().Format(time.DateOnly),
		)
	}
}

// reconnect opens a second connection without telling of its steps again.
func (p *probe) reconnect() error {
	p.Conn.Close()
	raw, err := session.Dial(p.ctx, p.env, p.Settings)
	if err != nil {
		return p.Explain(p.ctx, "tcp", err)
	}
	if p.Security == settings.SecurityLDAPS {
		secured, err := session.Handshake(p.ctx, p.Settings, raw)
		if err != nil {
			return p.Explain(p.ctx, "tls", err)
		}
		raw = secured
	}
	p.Conn = wire.New(p.ctx, raw, p.IdleTimeout)
	if p.Security == settings.SecurityStartTLS {
		_, err := p.StartTLS(p.ctx)
		return p.Explain(p.ctx, "start_tls", err)
	}
	return nil
}
