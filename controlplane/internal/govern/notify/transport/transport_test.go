package transport_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/mailtest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/status"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/transport"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

func serverOf(t *testing.T, s *mailtest.Server, security string) transport.Server {
	t.Helper()
	return transport.Server{Host: s.Host, Port: s.Port, Security: security, CA: s.CA, Dial: mailtest.Dial(t)}
}

func with(s transport.Server, password string) transport.Server {
	s.Auth, s.Username = transport.Plain, "sender"
	s.Secret = func(context.Context) (seal.Secret, error) { return seal.Secret(password), nil }
	return s
}

func send(t *testing.T, s transport.Server) transport.Outcome {
	t.Helper()
	session, trouble := transport.Open(t.Context(), s)
	if trouble != nil {
		return *trouble
	}
	defer session.Close()
	msg, err := compose.Build(compose.Message{
		ID: "1", From: compose.Address{Address: "iga@example.com"}, To: compose.Address{Address: "ann@example.org"},
		Subject: "Hello", Content: compose.Content{Heading: "Hello"}, Date: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return session.Send(msg)
}

func TestMessagesAreSentOverProtectedConnections(t *testing.T) {
	for name, tt := range map[string]struct {
		options  mailtest.Options
		security string
	}{
		"STARTTLS":     {mailtest.Options{Password: "right"}, transport.StartTLS},
		"implicit TLS": {mailtest.Options{Password: "right", TLS: true}, transport.TLS},
	} {
		s := mailtest.Start(t, tt.options)
		if got := send(t, with(serverOf(t, s, tt.security), "right")); got.Event != status.Accepted {
			t.Errorf("%s: %+v", name, got)
		}
		if got := send(
			t,
			with(serverOf(t, s, tt.security), "wrong"),
		); got.Reason != transport.ServerSignIn || !got.Server ||
			got.Code != 535 {
			t.Errorf("%s with a wrong password: %+v", name, got)
		}
		stranger := with(serverOf(t, s, tt.security), "right")
		stranger.CA = ""
		if got := send(t, stranger); got.Reason != transport.ServerCertificate || !got.Server {
			t.Errorf("%s with an unknown certificate: %+v", name, got)
		}
		if n := len(s.Mails()); n != 1 {
			t.Errorf("%s: %d messages; want 1", name, n)
		}
	}
}

func TestTroubleOfTheServerConcernsAllMessages(t *testing.T) {
	plain := mailtest.Start(t, mailtest.Options{Plain: true})
	if got := send(t, serverOf(t, plain, transport.StartTLS)); got.Reason != transport.ServerNoSTARTTLS || !got.Server {
		t.Errorf("no STARTTLS: %+v", got)
	}
	if got := send(t, serverOf(t, plain, transport.None)); got.Event != status.Accepted {
		t.Errorf("without protection: %+v", got)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := transport.Server{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, Security: transport.None,
		Dial: mailtest.Dial(t)}
	_ = l.Close()
	if got := send(t, closed); got.Reason != transport.ServerUnreachable || !got.Server {
		t.Errorf("nobody listens: %+v", got)
	}
}

func TestRepliesAreReadByCommandAndCode(t *testing.T) {
	s := mailtest.Start(t, mailtest.Options{Plain: true})
	fails := func(at string, code int, enhanced smtp.EnhancedCode) {
		s.Fail = func(step, _ string) error {
			if step != at {
				return nil
			}
			return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: "because of it"}
		}
	}
	for _, tt := range []struct {
		at       string
		code     int
		enhanced smtp.EnhancedCode
		want     transport.Outcome
	}{
		{"rcpt", 550, smtp.EnhancedCode{5, 1, 1}, transport.Outcome{Event: status.Rejected, Reason: transport.AddressRejected}},
		{"rcpt", 550, smtp.EnhancedCode{5, 7, 1}, transport.Outcome{Event: status.Refused, Reason: transport.NotPermitted}},
		{"rcpt", 552, smtp.EnhancedCode{5, 2, 2}, transport.Outcome{Event: status.Retry, Reason: transport.MailboxFull}},
		{"rcpt", 451, smtp.EnhancedCode{4, 7, 1}, transport.Outcome{Event: status.Retry, Reason: transport.TryLater}},
		{"rcpt", 452, smtp.EnhancedCode{4, 2, 2}, transport.Outcome{Event: status.Retry, Reason: transport.MailboxFull}},
		{"mail", 550, smtp.EnhancedCode{5, 7, 1}, transport.Outcome{Event: status.Retry, Reason: transport.SenderRejected, Server: true}},
		{"mail", 421, smtp.EnhancedCode{4, 3, 2}, transport.Outcome{Event: status.Retry, Reason: transport.TryLater, Server: true}},
		{"data", 554, smtp.EnhancedCode{5, 7, 1}, transport.Outcome{Event: status.Refused, Reason: transport.MessageRejected}},
		{"data", 451, smtp.EnhancedCode{4, 3, 0}, transport.Outcome{Event: status.Retry, Reason: transport.TryLater}},
	} {
		fails(tt.at, tt.code, tt.enhanced)
		got := send(t, serverOf(t, s, transport.None))
		if got.Code != tt.code {
			t.Errorf("%s %d: code %d", tt.at, tt.code, got.Code)
		}
		got.Code, got.Reply = 0, ""
		if got != tt.want {
			t.Errorf("%s %d %v: got %+v; want %+v", tt.at, tt.code, tt.enhanced, got, tt.want)
		}
	}
}
