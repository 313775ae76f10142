package stream

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/ocsf"
	"github.com/grantwright/grantwright/protocol/retryafter"
)

// message is a line that is sent.
type message struct {
	line    []byte // without the line feed
	at      time.Time
	action  string
	outcome audit.Outcome
	seq     int64 // 0 for what is no entry
}

// messageOf converts an entry to a stream's format.
func messageOf(l chain.Link, format string) (message, error) {
	e, err := audit.Parse(l)
	if err != nil {
		return message{}, fmt.Errorf("read audit event %d: %w", l.Seq, err)
	}
	m := message{at: e.Time, action: e.Action, outcome: e.Outcome, seq: l.Seq}
	if format == OCSF {
		if m.line, err = json.Marshal(ocsf.From(e)); err != nil {
			return m, fmt.Errorf("encode audit event %d: %w", l.Seq, err)
		}
		return m, nil
	}
	m.line = bytes.TrimSuffix(chain.AppendLink(nil, l), []byte("\n"))
	return m, nil
}

// pingOf is the line by which a stream is tried out.
func pingOf(tenant, format string) message {
	now := time.Now().UTC()
	m := message{at: now, action: "audit_stream.ping", outcome: audit.Success}
	if format == OCSF {
		m.line, _ = json.Marshal(
			ocsf.From(audit.Event{TenantID: tenant, Action: "audit_stream.tested", Outcome: audit.Success, Time: now,
				Category: audit.Settings, Actor: audit.Actor{Type: "system"}}),
		)
		return m
	}
	m.line, _ = json.Marshal(chain.Line{Type: chain.TypePing, TenantID: tenant})
	return m
}

// refusal is an answer of a sink that is no success.
type refusal struct {
	status int
	after  time.Duration // how long it asks us to wait
}

// Error names the status alone: what a sink's answer says is not for the tenant's eyes, nor for the log.
func (r *refusal) Error() string { return "the sink answered with status " + strconv.Itoa(r.status) }

// send sends lines by the stream's transport, within its time limit.
func (s *Service) send(ctx context.Context, tenant string, st Stream, keys secrets, batch []message) error {
	ctx, cancel := context.WithTimeout(ctx, s.pace.timeout)
	defer cancel()
	if st.Kind == Syslog {
		return s.sendSyslog(ctx, tenant, st, keys, batch)
	}
	return s.post(ctx, st, keys, batch)
}

// post sends lines as one request of NDJSON. Anything but 2xx is an error; the body is read only to
// reuse the connection.
func (s *Service) post(ctx context.Context, st Stream, keys secrets, batch []message) error {
	var body bytes.Buffer
	for _, m := range batch {
		body.Write(m.line)
		body.WriteByte('\n')
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, st.URL, &body)
	if err != nil {
		return fmt.Errorf("the stream's address: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	req.Header.Set("User-Agent", "Grantwright")
	if keys.header != "" {
		req.Header.Set(st.Header, keys.header.Reveal())
	}
	client, err := s.client(keys)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 16<<10))
	if res.StatusCode < 200 || res.StatusCode > 299 {
		wait, _ := retryafter.Parse(res.Header.Get("Retry-After"), time.Now())
		return &refusal{status: res.StatusCode, after: min(wait, time.Hour)}
	}
	return nil
}

// client is the guard's, which trusts the stream's own authority as well where one is given.
func (s *Service) client(keys secrets) (*http.Client, error) {
	if keys.ca == "" {
		return s.Guard.Client(s.pace.timeout), nil
	}
	settings, err := tlsConfig(keys, "")
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Timeout:       s.pace.timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            s.Guard.Dial,
			TLSClientConfig:        settings,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: 32 << 10,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
		},
	}, nil
}

// tlsConfig is TLS 1.2 or later, with the stream's own authority where it has one.
func tlsConfig(keys secrets, host string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	if keys.ca == "" {
		return c, nil
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM([]byte(keys.ca.Reveal())) {
		return nil, errors.New("the stream's ca holds no certificate")
	}
	return c, nil
}

// shortError is the text of a failure for users. Errors of the network are reworded: they name the addresses
// that the sink's name resolved to, and our name servers.
func shortError(err error) string {
	var (
		call   *url.Error
		dial   *net.OpError
		lookup *net.DNSError
	)
	if errors.As(err, &call) || errors.As(err, &dial) || errors.As(err, &lookup) {
		words, _ := outbound.FailureReason(err)
		return words
	}
	return err.Error()
}
