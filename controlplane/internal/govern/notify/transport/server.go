package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// Ways to protect the connection.
const (
	StartTLS = "starttls"
	TLS      = "tls"
	None     = "none"
)

// Ways to authenticate.
const (
	NoAuth  = "none"
	Plain   = "plain"
	XOAuth2 = "xoauth2"
)

// Timeout bounds each step: the connection with sign-in, and each message.
const Timeout = 20 * time.Second

// Dial opens a connection to host:port.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Server is a mail server and how to speak to it. Secret may be nil without a sign-in; Dial is always needed.
type Server struct {
	Host     string
	Port     int
	Security string
	Auth     string
	Username string
	// Secret is the password, or gives the access token of XOAuth2.
	Secret func(ctx context.Context) (seal.Secret, error)
	CA     string // PEM; empty: the system's authorities
	Dial   Dial
}

// Address is host:port.
func (s Server) Address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// Pool is the pool of certificates of a PEM text; nil, for the system's, if it is empty.
func Pool(text string) (*x509.CertPool, error) {
	if text == "" {
		return nil, nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return nil, errors.New("it contains no certificate in PEM form")
	}
	return pool, nil
}

// client prepares the connection.
func (s Server) client(ctx context.Context) (*mail.Client, error) {
	pool, err := Pool(s.CA)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	config := &tls.Config{ServerName: s.Host, RootCAs: pool, MinVersion: tls.VersionTLS12}
	options := []mail.Option{
		mail.WithPort(s.Port), mail.WithTimeout(Timeout), mail.WithTLSConfig(config), mail.WithoutNoop(),
	}
	auth := mail.SMTPAuthPlain
	switch s.Security {
	case TLS:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS), mail.WithDialContextFunc(overTLS(s.Dial, config)))
		auth = mail.SMTPAuthPlainNoEnc // the library does not see that the connection is encrypted already
	case None:
		options = append(
			options,
			mail.WithTLSPolicy(mail.NoTLS),
			mail.WithDialContextFunc(mail.DialContextFunc(s.Dial)),
		)
	default:
		options = append(
			options,
			mail.WithTLSPolicy(mail.TLSMandatory),
			mail.WithDialContextFunc(mail.DialContextFunc(s.Dial)),
		)
	}
	if s.Auth == XOAuth2 {
		auth = mail.SMTPAuthXOAUTH2
	}
	if s.Auth == Plain || s.Auth == XOAuth2 {
		secret, err := s.Secret(ctx)
		if err != nil {
			return nil, err
		}
		options = append(options, mail.WithSMTPAuth(auth), mail.WithUsername(s.Username),
			mail.WithPassword(secret.Reveal()))
	}
	client, err := mail.NewClient(s.Host, options...)
	if err != nil {
		return nil, fmt.Errorf("mail server: %w", err)
	}
	return client, nil
}

// overTLS speaks TLS from the first byte.
func overTLS(dial Dial, config *tls.Config) mail.DialContextFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		secured := tls.Client(conn, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return secured, nil
	}
}
