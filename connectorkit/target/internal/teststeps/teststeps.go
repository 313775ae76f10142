package teststeps

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target/internal/neterr"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Steps measures the steps of a connection test and reports each as it ends. It serves one goroutine.
type Steps struct {
	env     connectorkit.Env
	report  connectorkit.Report
	started time.Time
	done    []v1.TestStep
}

// NewSteps begins a test.
func NewSteps(env connectorkit.Env, report connectorkit.Report) *Steps {
	return &Steps{env: env, report: report, started: time.Now()}
}

// Run does one step. What do fills in is shown; where it fails, the error's words and the target's answer are.
func (s *Steps) Run(name string, do func(step *v1.TestStep) error) error {
	step := v1.TestStep{Name: name}
	began := time.Now()
	err := do(&step)
	step.MS, step.OK = time.Since(began).Milliseconds(), err == nil
	if err != nil {
		noteFailure(&step, err)
	}
	s.done = append(s.done, step)
	s.report.Send(v1.Progress{Phase: "connect", Step: &step})
	return err
}

func noteFailure(step *v1.TestStep, err error) {
	step.Detail = err.Error()
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		return
	}
	step.Detail, step.Hint = d.Message, d.Hint
	if t := d.Target; t != nil {
		step.HTTP, step.LDAP, step.TLS, step.Net = t.HTTP, t.LDAP, t.TLS, t.Net
	}
}

// Reach does the steps dns, tcp and tls for host:port through the environment's dialer; without conf there is
// no tls step. Errors are those of Explain.
func (s *Steps) Reach(ctx context.Context, hostport string, conf *tls.Config, timeout time.Duration) error {
	if err := s.Run("dns", func(step *v1.TestStep) error { return lookup(ctx, hostport, timeout, step) }); err != nil {
		return err
	}
	var conn net.Conn
	err := s.Run("tcp", func(step *v1.TestStep) (err error) {
		conn, err = s.dial(ctx, hostport, timeout, step)
		return err
	})
	if err != nil {
		return err
	}
	defer conn.Close()
	if conf == nil {
		return nil
	}
	return s.Run("tls", func(step *v1.TestStep) error { return handshake(ctx, conn, hostport, conf, timeout, step) })
}

// lookup returns how many addresses a name has, but not which: if the dialer refuses private ones, they must not be
// disclosed.
func lookup(ctx context.Context, hostport string, timeout time.Duration, step *v1.TestStep) error {
	host := neterr.HostOf(hostport)
	if _, err := netip.ParseAddr(host); err == nil {
		step.Detail = host + " is an address; there is nothing to look up"
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return neterr.Explain(err, hostport, "dns")
	}
	step.Detail = fmt.Sprintf("%s has %d address(es)", host, len(addrs))
	return nil
}

func (s *Steps) dial(ctx context.Context, hostport string, timeout time.Duration, step *v1.TestStep) (net.Conn, error) {
	if s.env.Dial == nil {
		return nil, errors.New("no dialer was lent to the connector")
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := s.env.Dial(ctx, "tcp", hostport)
	if err != nil {
		return nil, neterr.Explain(err, hostport, "tcp")
	}
	step.Detail = fmt.Sprintf("connected to %s", conn.RemoteAddr())
	return conn, nil
}

func handshake(
	ctx context.Context, conn net.Conn, hostport string, conf *tls.Config, timeout time.Duration, step *v1.TestStep,
) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	secured := tls.Client(conn, conf)
	if err := secured.HandshakeContext(ctx); err != nil {
		return neterr.Explain(err, hostport, "tls")
	}
	state := secured.ConnectionState()
	step.TLS = &v1.TLSResult{Version: tls.VersionName(state.Version)}
	if len(state.PeerCertificates) > 0 {
		cert := state.PeerCertificates[0]
		neterr.Describe(step.TLS, cert)
		step.Detail = fmt.Sprintf("%s, issuer %s, expires %s", step.TLS.Version, cert.Issuer, neterr.Day(cert.NotAfter))
	}
	return nil
}

// Answer is the verdict: a test is a success when err is nil. result is the answer that the verdict rests on,
// where there is one.
func (s *Steps) Answer(err error, result *v1.Target) v1.TestResponse {
	resp := v1.TestResponse{
		Success: err == nil, DurationMS: time.Since(s.started).Milliseconds(), Steps: s.done, Result: result,
	}
	if resp.Steps == nil {
		resp.Steps = []v1.TestStep{}
	}
	if s.env.By != (v1.ExecutedBy{}) {
		by := s.env.By
		resp.ExecutedBy = &by
	}
	if err == nil {
		return resp
	}
	if !errors.As(err, &resp.Error) {
		resp.Error = &v1.ErrorDetail{Class: v1.ClassInternal, Code: "connector_failed", Message: err.Error()}
	}
	if resp.Result == nil {
		resp.Result = resp.Error.Target
	}
	return resp
}
