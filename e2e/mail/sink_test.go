package mail

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// letter is a message as it was accepted.
type letter struct {
	to  []string
	raw []byte
}

// sink is a mail server that accepts everything and keeps it.
type sink struct {
	port int

	// refuse is called at each command about a message, and answers with an error; nil: nothing is refused.
	refuse func() error

	mu      sync.Mutex
	letters []letter
}

func openSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &visit{sink: s}, nil
	}))
	server.Domain = "sink.test"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.port = l.Addr().(*net.TCPAddr).Port
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return s
}

// all are the accepted messages.
func (s *sink) all() []letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]letter(nil), s.letters...)
}

// count is how many messages were accepted, whatever they are.
func (s *sink) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.letters)
}

// visit is a connection of a client.
type visit struct {
	sink *sink
	to   []string
}

// Mail implements smtp.Session.
func (v *visit) Mail(string, *smtp.MailOptions) error { return v.refused() }

func (v *visit) refused() error {
	if v.sink.refuse == nil {
		return nil
	}
	return v.sink.refuse()
}

// Rcpt implements smtp.Session.
func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.to = append(v.to, to)
	return v.refused()
}

// Data implements smtp.Session.
func (v *visit) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err == nil {
		err = v.refused()
	}
	if err != nil {
		return err
	}
	v.sink.mu.Lock()
	defer v.sink.mu.Unlock()
	v.sink.letters = append(v.sink.letters, letter{v.to, raw})
	return nil
}

// Reset implements smtp.Session.
func (v *visit) Reset() { v.to = nil }

// Logout implements smtp.Session.
func (v *visit) Logout() error { return nil }
