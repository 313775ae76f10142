package transport

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"unicode"

	"github.com/wneessen/go-mail"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/status"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Reasons of outcomes.
const (
	ServerUnreachable = "server_unreachable"
	ServerTimeout     = "server_timeout"
	ServerCertificate = "server_certificate"
	ServerNoSTARTTLS  = "server_without_starttls"
	ServerSignIn      = "server_sign_in"
	ServerPolicy      = "server_not_allowed"
	ServerConnection  = "server_connection"
	SenderRejected    = "sender_rejected"
	AddressRejected   = "address_rejected"
	MailboxFull       = "mailbox_full"
	TryLater          = "try_later"
	NotPermitted      = "not_permitted"
	MessageRejected   = "message_rejected"
)

// Outcome is what became of a message, or of the attempt to connect.
type Outcome struct {
	Event  status.Event
	Reason string
	Code   int    // of the server's reply; 0: none
	Reply  string // one line
	Server bool   // all messages fail like this one: the next attempt is for the server
}

// Session is a connection to a mail server. It is not for concurrent use.
type Session struct {
	client *mail.Client
	used   bool // the server accepted a message over it
}

// Open connects and signs in. A failure is an outcome of the server.
func Open(ctx context.Context, s Server) (*Session, *Outcome) {
	client, err := s.client(ctx)
	if err == nil {
		err = client.DialWithContext(ctx)
	}
	if err != nil {
		return nil, &Outcome{
			Event:  status.Retry,
			Reason: connecting(err),
			Code:   codeOf(err),
			Reply:  line(err.Error()),
			Server: true,
		}
	}
	return &Session{client: client}, nil
}

// Close ends the connection.
func (s *Session) Close() { _ = s.client.Close() }

// Send sends a message.
func (s *Session) Send(msg *mail.Msg) Outcome {
	err := s.client.Send(msg)
	if err == nil || msg.IsDelivered() { // a failure after the server accepted the message concerns the next one
		s.used = true
		return Outcome{Event: status.Accepted, Code: 250, Reply: line(msg.ServerResponse())}
	}
	var failed *mail.SendError
	if !errors.As(err, &failed) || failed.ErrorCode() == 0 {
		return Outcome{Event: status.Retry, Reason: broken(err), Reply: line(err.Error()), Server: true}
	}
	text := reply(failed.Error())
	out := classify(failed.Reason, failed.ErrorCode(), enhancedCode.FindString(text))
	out.Code, out.Reply = failed.ErrorCode(), line(text)
	return out
}

// Worn reports whether a failure may be that of the connection alone, so that the message is tried over another one at
// once. Servers limit how many messages a connection may have, and how long it may last.
func (s *Session) Worn(o Outcome) bool {
	return s.used && o.Server && (o.Reason == ServerConnection || o.Reason == TryLater)
}

// enhancedCode is an enhanced status code (RFC 3463). Many servers send it without announcing that they do.
var enhancedCode = regexp.MustCompile(`\b[245]\.[0-9]{1,3}\.[0-9]{1,3}\b`)

// classify reads a reply by the command that it answers, its code and its enhanced status code (RFC 3463).
func classify(at mail.SendErrReason, code int, enhanced string) Outcome {
	full := strings.HasSuffix(enhanced, ".2.2")
	switch {
	case full || code == 452 && at == mail.ErrSMTPRcptTo:
		return Outcome{Event: status.Retry, Reason: MailboxFull} // people empty their mailboxes
	case code == 421:
		return Outcome{Event: status.Retry, Reason: TryLater, Server: true} // the server closes the connection
	case code < 500:
		return Outcome{Event: status.Retry, Reason: TryLater}
	case at == mail.ErrSMTPMailFrom:
		return Outcome{Event: status.Retry, Reason: SenderRejected, Server: true}
	case at == mail.ErrSMTPRcptTo && strings.HasPrefix(enhanced, "5.7."),
		code == 530,
		code == 554 && at == mail.ErrSMTPRcptTo:
		return Outcome{Event: status.Refused, Reason: NotPermitted} // what the sender may do, not the address
	case at == mail.ErrSMTPRcptTo:
		return Outcome{Event: status.Rejected, Reason: AddressRejected}
	}
	return Outcome{Event: status.Refused, Reason: MessageRejected}
}

// connecting says why no connection came about.
func connecting(err error) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var refused *v1.ErrorDetail
	text := err.Error()
	switch {
	case errors.As(err, &refused):
		return ServerPolicy
	case errors.As(err, &authority), errors.As(err, &name), errors.As(err, &invalid),
		strings.Contains(text, "certificate"):
		return ServerCertificate
	case strings.Contains(text, "does not support STARTTLS"):
		return ServerNoSTARTTLS
	case strings.Contains(text, "AUTH"), strings.Contains(text, "token"):
		return ServerSignIn
	case timedOut(err):
		return ServerTimeout
	}
	return ServerUnreachable
}

// broken says why a connection ended.
func broken(err error) string {
	if timedOut(err) {
		return ServerTimeout
	}
	return ServerConnection
}

func timedOut(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout() ||
		strings.Contains(err.Error(), "i/o timeout")
}

// codeOf is the code that an error begins with, after the words of the library; 0 if it has none.
func codeOf(err error) int {
	var code int
	for e := err; e != nil; e = errors.Unwrap(e) {
		if n, scanned := fmt.Sscanf(e.Error(), "%3d ", &code); n == 1 && scanned == nil && code >= 400 && code < 600 {
			return code
		}
	}
	return 0
}

// reply is the server's part of an error of the library.
func reply(text string) string {
	if _, after, found := strings.Cut(text, ": "); found {
		text = after
	}
	text, _, _ = strings.Cut(text, ", affected ")
	return text
}

// line makes one line of at most 500 characters.
func line(s string) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if runes := []rune(s); len(runes) > 500 {
		return string(runes[:499]) + "…"
	}
	return s
}
