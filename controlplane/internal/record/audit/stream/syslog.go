package stream

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Of RFC 5424: the facility "log audit", and severities.
const (
	facility      = 13
	informational = 6
	warning       = 4
)

// drained is how long a receiver has to close the connection after the last message. Syslog knows no acknowledgement:
// that it closes only after having read everything is the best there is.
const drained = 2 * time.Second

// sendSyslog opens a connection, sends the lines as messages of RFC 5424 and closes it. A sink
// gives no answer, so that the end of the writing is all there is to know.
func (s *Service) sendSyslog(ctx context.Context, tenant string, st Stream, keys secrets, batch []message) error {
	u, err := url.Parse(st.URL)
	if err != nil {
		return errors.New("the stream's address cannot be read")
	}
	if u.Scheme == "tcp" {
		if _, err := s.Guard.Plaintext(ctx, u.Host); err != nil {
			return err
		}
	}
	conn, err := s.Guard.Dial(ctx, "tcp", u.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	if u.Scheme == "tls" {
		settings, err := tlsConfig(keys, u.Hostname())
		if err != nil {
			return err
		}
		secured := tls.Client(conn, settings)
		if err := secured.HandshakeContext(ctx); err != nil {
			return fmt.Errorf("TLS with the sink: %w", err)
		}
		conn = secured
	}
	if _, err := conn.Write(frames(tenant, batch)); err != nil {
		return fmt.Errorf("send to the sink: %w", err)
	}
	return finish(conn)
}

// finish ends our half of the connection and waits until the receiver has closed its own.
func finish(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		if err := half.CloseWrite(); err != nil {
			return fmt.Errorf("end the connection to the sink: %w", err)
		}
	}
	_ = conn.SetReadDeadline(time.Now().Add(drained))
	_, err := io.Copy(io.Discard, io.LimitReader(conn, 16<<10))
	var timeout net.Error
	if err == nil || (errors.As(err, &timeout) && timeout.Timeout()) {
		return nil
	}
	return fmt.Errorf("the sink broke the connection: %w", err)
}

// frames are messages one behind the other, each after its length in bytes (RFC 6587 section 3.4.1, RFC 5425 section
// 4.3).
func frames(tenant string, batch []message) []byte {
	var out bytes.Buffer
	host := hostname()
	for _, m := range batch {
		one := m.syslog(host, tenant)
		out.WriteString(strconv.Itoa(len(one)))
		out.WriteByte(' ')
		out.Write(one)
	}
	return out.Bytes()
}

// syslog is a message of RFC 5424. The tenant is the process, the action the kind of message; the sequence of the
// metadata is the entry's number, which starts again at 1 behind 2147483647, as the RFC wants it.
func (m message) syslog(host, tenant string) []byte {
	severity := informational
	if m.outcome != audit.Success {
		severity = warning
	}
	structured := "-"
	if m.seq > 0 {
		structured = `[meta sequenceId="` + strconv.FormatInt((m.seq-1)%2147483647+1, 10) + `"]`
	}
	var out bytes.Buffer
	fmt.Fprintf(
		&out,
		"<%d>1 %s %s grantwright %s %s %s \ufeff",
		facility*8+severity,
		m.at.UTC().Format("2006-01-02T15:04:05.000Z"),
		word(host, 255),
		word(tenant, 128),
		word(m.action, 32),
		structured,
	)
	out.Write(m.line)
	return out.Bytes()
}

// word is a header field: printable ASCII without spaces, of at most so many characters, or a hyphen for nothing.
func word(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	if s == "" {
		return "-"
	}
	return s[:min(len(s), most)]
}

// hostname is this machine's name, or a dash, the nil value of RFC 5424.
func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "-"
	}
	return name
}
