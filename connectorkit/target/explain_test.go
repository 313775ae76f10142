package target_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target/internal/neterr"
	"github.com/grantwright/grantwright/connectorkit/target/internal/teststeps"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestNetworkTroubleIsExplained(t *testing.T) {
	dial := func(err error) error {
		return fmt.Errorf(
			"wrapped: %w",
			&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: 636}, Err: err},
		)
	}
	policy := &v1.ErrorDetail{Class: v1.ClassPolicy, Code: "destination_not_allowed", Message: "no"}
	for _, tt := range []struct {
		err       error
		class     v1.ErrorClass
		code      string
		retryable bool
		errno     string
		phase     string
	}{
		{&net.DNSError{Name: "x", IsNotFound: true}, v1.ClassConfig, "dns_not_found", false, "NXDOMAIN", "dns"},
		{&net.DNSError{Name: "x", IsTimeout: true}, v1.ClassTransient, "dns_timeout", true, "", "dns"},
		{&net.DNSError{Name: "x", Err: "server misbehaving"}, v1.ClassTransient, "dns_failed", true, "", "dns"},
		{
			dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), v1.ClassTransient, "connection_refused", true,
			"ECONNREFUSED", "tcp",
		},
		{dial(syscall.Errno(10061)), v1.ClassTransient, "connection_refused", true, "ECONNREFUSED", "tcp"},
		{dial(syscall.EHOSTUNREACH), v1.ClassTransient, "host_unreachable", true, "EHOSTUNREACH", "tcp"},
		{dial(os.ErrDeadlineExceeded), v1.ClassTransient, "timeout", true, "ETIMEDOUT", "tcp"},
		{dial(syscall.ECONNRESET), v1.ClassTransient, "connection_reset", true, "ECONNRESET", "tcp"},
		{io.EOF, v1.ClassTransient, "connection_closed", true, "EOF", "tcp"},
		{context.DeadlineExceeded, v1.ClassTransient, "timeout", true, "ETIMEDOUT", "tcp"},
		{context.Canceled, v1.ClassCancelled, "cancelled", false, "", "tcp"},
		{dial(policy), v1.ClassPolicy, "destination_not_allowed", false, "", "tcp"},
		{errors.New("odd"), v1.ClassTransient, "connection_failed", true, "", "tcp"},
	} {
		d := neterr.Explain(tt.err, "dc1.example.test:636", "tcp")
		if d.Class != tt.class || d.Code != tt.code || d.Retryable != tt.retryable || d.Phase != tt.phase {
			t.Errorf("Explain(%v) = %+v; want %s %s %s", tt.err, d, tt.class, tt.code, tt.phase)
		}
		if tt.errno != "" && (d.Target.Net.Errno != tt.errno || d.Target.Host != "dc1.example.test:636" ||
			d.Hint == "") {
			t.Errorf("Explain(%v): target %+v, hint %q", tt.err, d.Target.Net, d.Hint)
		}
	}
	if policy.Phase != "" {
		t.Error("the dialer's own error was changed")
	}
}

// certificate is a self-signed one for name.
func certificate(t *testing.T, name string, from, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test " + name}, DNSNames: []string{name},
		NotBefore: from, NotAfter: until,
		IsCA: true, BasicConstraintsValid: true,
	}, &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test " + name}}, &key.PublicKey,
		key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func TestCertificateTroubleIsExplainedStepByStep(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name, host string
		from       time.Time
		until      time.Time
		trusted    bool
		code       string
	}{
		{"good", "good.test", now.Add(-time.Hour), now.Add(time.Hour), true, ""},
		{"expired", "good.test", now.Add(-48 * time.Hour), now.Add(-24 * time.Hour), true, "tls_expired"},
		{"not yet", "good.test", now.Add(time.Hour), now.Add(24 * time.Hour), true, "tls_not_yet_valid"},
		{"other name", "other.test", now.Add(-time.Hour), now.Add(time.Hour), true, "tls_name_mismatch"},
		{"unknown", "good.test", now.Add(-time.Hour), now.Add(time.Hour), false, "tls_unknown_authority"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cert, pool := certificate(t, "good.test", tt.from, tt.until)
			l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					_ = conn.(*tls.Conn).Handshake()
					_ = conn.Close()
				}
			}()
			conf := &tls.Config{ServerName: tt.host, RootCAs: pool}
			if !tt.trusted {
				conf.RootCAs = x509.NewCertPool()
			}
			var live []string
			steps := teststeps.NewSteps(onSite(), func(p v1.Progress) { live = append(live, p.Step.Name) })
			err = steps.Reach(t.Context(), l.Addr().String(), conf, 5*time.Second)
			resp := steps.Answer(err, nil)
			if fmt.Sprint(live) != "[dns tcp tls]" || len(resp.Steps) != 3 {
				t.Errorf("steps told = %v", live)
			}
			last := resp.Steps[2]
			if tt.code == "" {
				if err != nil || !resp.Success || last.TLS.Subject != "CN=Test good.test" || last.Detail == "" {
					t.Errorf("error %v, step %+v", err, last)
				}
				return
			}
			if resp.Success || resp.Error.Code != tt.code || resp.Error.Class != v1.ClassConfig ||
				resp.Error.Phase != "tls" {
				t.Errorf("answer %+v, want %s", resp.Error, tt.code)
			}
			if last.OK || last.TLS.Issuer != "CN=Test good.test" || last.TLS.NotAfter == "" ||
				last.TLS.VerifyError == "" || last.Hint == "" {
				t.Errorf("step = %+v, tls %+v", last, last.TLS)
			}
		})
	}
}
