package mailtest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
)

// Mail is a message that the server accepted.
type Mail struct {
	From, To string
	Header   netmail.Header
	Body     string
}

// Server is the mail server.
type Server struct {
	Host string
	Port int
	CA   string // PEM of its own certificate

	// Fail is called at a step (mail, rcpt, data) with the address, and answers with an error; nil: nothing fails.
	Fail func(step, address string) error
	// Accepted is called after a message was accepted, before the client gets the answer; nil: nothing happens.
	Accepted func(m Mail)

	mu    sync.Mutex
	mails []Mail
}

// Options of a server.
type Options struct {
	TLS      bool   // implicit TLS, in place of STARTTLS
	Plain    bool   // neither
	Password string // AUTH PLAIN with the user "sender" is necessary
}

// Start starts a server on the loopback address, until the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	cert, ca := certificate(t)
	s := &Server{Host: "127.0.0.1", CA: ca}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{server: s, password: o.Password, signedIn: o.Password == ""}, nil
	}))
	server.Domain = "mailtest.example.com"
	server.ReadTimeout, server.WriteTimeout = time.Minute, time.Minute
	config := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if !o.Plain && !o.TLS {
		server.TLSConfig = config
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Port = l.Addr().(*net.TCPAddr).Port
	if o.TLS {
		l = tls.NewListener(l, config)
		server.AllowInsecureAuth = true
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return s
}

// Dial connects to servers on the loopback address alone.
func Dial(t testing.TB) func(ctx context.Context, network, address string) (net.Conn, error) {
	t.Helper()
	ranges, err := outbound.ParseCIDRs([]string{"127.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	return (&outbound.Guard{AllowCIDRs: ranges}).Dial
}

// Mails are the accepted messages.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// session is a connection of a client.
type session struct {
	server   *Server
	password string
	signedIn bool
	from, to string
}

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "sender" || password != s.password {
			return smtp.ErrAuthFailed
		}
		s.signedIn = true
		return nil
	}), nil
}

func (s *session) fail(step, address string) error {
	if !s.signedIn {
		return smtp.ErrAuthRequired
	}
	if s.server.Fail == nil {
		return nil
	}
	return s.server.Fail(step, address)
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	return s.fail("mail", from)
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.to != "" {
		return errors.New("a second recipient")
	}
	if err := s.fail("rcpt", to); err != nil {
		return err
	}
	s.to = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	read, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(read.Body)
	if err != nil {
		return err
	}
	if err := s.fail("data", s.to); err != nil {
		return err
	}
	m := Mail{From: s.from, To: s.to, Header: read.Header, Body: strings.ReplaceAll(string(body), "=\r\n", "")}
	s.server.mu.Lock()
	s.server.mails = append(s.server.mails, m)
	s.server.mu.Unlock()
	if s.server.Accepted != nil {
		s.server.Accepted(m)
	}
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.from, s.to = "", "" }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// certificate is a new one for the loopback address, and its PEM.
func certificate(t testing.TB) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(text)
}
