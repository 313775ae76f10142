package compose

import (
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// Message is one message to one address.
type Message struct {
	ID      string // of the stored message; the Message-ID is made of it
	Thread  string // the object that it is about, such as decision_task.<id>; empty: none
	From    Address
	ReplyTo string // empty: From
	To      Address
	Subject string
	Content Content
	Link    string // takes the place of Link
	Date    time.Time
}

// Address is an address with the name of its owner.
type Address struct {
	Name, Address string
}

// parsed is the address for a header. Characters with a meaning in headers are left out of names: mail programs and
// libraries disagree about how to escape them.
func (a Address) parsed() *netmail.Address {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`\"<>@,;:()[]`, r) {
			return ' '
		}
		return r
	}, a.Name)
	return &netmail.Address{Name: unencoded(Line(name, maxName)), Address: a.Address}
}

// unencoded breaks what mail programs would decode in a header (RFC 2047). ASCII texts are written as they are, so that
// an encoded word in a name or a title would be read as what it encodes.
func unencoded(s string) string { return strings.ReplaceAll(s, "=?", "= ?") }

// CheckAddress says what is wrong with an address; nil if nothing is. It takes a bare address alone: no name, no
// comment, no list and no quoted local part.
func CheckAddress(s string) error {
	if len(s) > 254 || strings.ContainsAny(s, " \t\r\n\"<>(),;:\\[]") {
		return errors.New("it is not a plain address such as ann@example.com")
	}
	parsed, err := netmail.ParseAddress(s)
	if err != nil || parsed.Address != s || parsed.Name != "" {
		return errors.New("it is not a plain address such as ann@example.com")
	}
	local, domain, _ := strings.Cut(s, "@")
	if local == "" || len(local) > 64 || !strings.Contains(domain, ".") && domain != "localhost" {
		return errors.New("it is not a plain address such as ann@example.com")
	}
	return nil
}

// host is the part of an address after the @.
func host(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

// MessageID is the Message-ID of a stored message, without angle brackets.
func MessageID(id, from string) string { return id + "@" + host(from) }

// Build makes the message.
func Build(m Message) (*mail.Msg, error) {
	for _, a := range []string{m.From.Address, m.To.Address} {
		if err := CheckAddress(a); err != nil {
			return nil, fmt.Errorf("address %q: %w", Line(a, maxName), err)
		}
	}
	html, err := m.Content.HTML()
	if err != nil {
		return nil, err
	}
	msg := mail.NewMsg(
		mail.WithCharset(mail.CharsetUTF8),
		mail.WithEncoding(mail.EncodingQP),
		mail.WithNoDefaultUserAgent(),
	)
	msg.FromMailAddress(m.From.parsed())
	msg.ToMailAddress(m.To.parsed())
	if m.ReplyTo != "" {
		if err := msg.ReplyTo(m.ReplyTo); err != nil {
			return nil, fmt.Errorf("reply-to: %w", err)
		}
	}
	msg.Subject(unencoded(Subject(m.Subject)))
	msg.SetDateWithValue(m.Date)
	msg.SetMessageIDWithValue(MessageID(m.ID, m.From.Address))
	if m.Thread != "" {
		root := "<" + m.Thread + "@" + host(m.From.Address) + ">"
		msg.SetGenHeaderPreformatted(mail.HeaderReferences, root)
		msg.SetGenHeaderPreformatted(mail.HeaderInReplyTo, root)
	}
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetGenHeader("X-Auto-Response-Suppress", "All")
	msg.SetGenHeader(mail.HeaderPrecedence, "bulk")
	if m.Content.Settings != "" {
		msg.SetGenHeaderPreformatted(mail.HeaderListUnsubscribe, "<"+m.Content.Settings+">")
	}
	text := m.Content.Text()
	if m.Link != "" {
		text, html = strings.ReplaceAll(text, Link, m.Link), m.withLink(html)
	}
	msg.SetBodyString(mail.TypeTextPlain, text)
	msg.AddAlternativeString(mail.TypeTextHTML, html)
	return msg, nil
}

// withLink renders the HTML with the one-time link in its place.
func (m Message) withLink(html string) string {
	c := m.Content
	c.Button.URL = m.Link
	if out, err := c.HTML(); err == nil {
		return out
	}
	return html
}
