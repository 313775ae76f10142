// Package mailbox is a mail server that delivers nothing: it keeps the last messages in memory and shows them on a
// page.
// The demonstration sends its notifications there.
package mailbox

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http"
	netmail "net/mail"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// most is how many messages are kept.
const most = 200

// Message is a message that was accepted.
type Message struct {
	To, Subject, Text string
	At                time.Time
}

// Mailbox is the server and its page.
type Mailbox struct {
	SMTP string // address of the mail server
	Page string // address of the page

	smtp *smtp.Server
	http *http.Server
	mu   sync.Mutex
	kept []Message
}

// Open starts a mailbox on two free ports of the loopback address.
func Open() (*Mailbox, error) {
	m := &Mailbox{}
	in, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("mailbox: %w", err)
	}
	page, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("mailbox: %w", err)
	}
	m.SMTP, m.Page = in.Addr().String(), "http://"+page.Addr().String()+"/"
	m.smtp = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{box: m}, nil }))
	m.smtp.Domain = "mailbox.example"
	m.smtp.MaxMessageBytes = 1 << 20
	m.http = &http.Server{Handler: http.HandlerFunc(m.show), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = m.smtp.Serve(in) }()
	go func() { _ = m.http.Serve(page) }()
	return m, nil
}

// Close ends both servers.
func (m *Mailbox) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.http.Shutdown(ctx)
	_ = m.smtp.Close()
}

// Messages are the kept messages, the latest first.
func (m *Mailbox) Messages() []Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Message(nil), m.kept...)
}

// keep keeps a message.
func (m *Mailbox) keep(to string, raw []byte) error {
	read, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
	if err != nil {
		return err
	}
	text, err := plain(read)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = append([]Message{{to, subject, text, time.Now()}}, m.kept...)
	m.kept = m.kept[:min(len(m.kept), most)]
	return nil
}

// plain is the text part of a message.
func plain(m *netmail.Message) (string, error) {
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		b, err := io.ReadAll(m.Body)
		return string(b), err
	}
	part, err := multipart.NewReader(m.Body, params["boundary"]).NextRawPart()
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(quotedprintable.NewReader(part))
	return string(b), err
}

// show is the page. Addresses in texts become links.
func (m *Mailbox) show(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	_ = page.Execute(w, m.Messages())
}

// words splits a text into lines of words, so that the page can make links.
func words(text string) [][]string {
	var out [][]string
	for _, line := range strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") {
		out = append(out, strings.Split(line, " "))
	}
	return out
}

var page = template.Must(template.New("mailbox").Funcs(template.FuncMap{
	"words": words,
	"link":  func(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") },
}).Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="10"><title>Mailbox</title>
<style>:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}
article{border-top:1px solid #8888;padding:1rem 0}pre{white-space:pre-wrap;font:inherit}</style></head>
<body><h1>Mailbox</h1><p>Messages that the demonstration sent. None of them left this computer.</p>
{{range .}}<article><h2>{{.Subject}}</h2><p>To {{.To}}, {{.At.Format "15:04:05"}}</p><pre>{{range words .Text}}` +
	`{{range .}}{{if link .}}<a href="{{.}}">{{.}}</a>{{else}}{{.}}{{end}} {{end}}
{{end}}</pre></article>
{{else}}<p>There are no messages yet.</p>{{end}}</body></html>
`))

// session is a connection of a client.
type session struct {
	box *Mailbox
	to  string
}

// Mail implements smtp.Session.
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return s.box.keep(s.to, raw)
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.to = "" }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }
