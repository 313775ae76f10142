package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"

	"github.com/grantwright/grantwright/agent/internal/dial"
)

// soon is how long before a certificate's end it is warned of.
const soon = 14 * 24 * time.Hour

// tls looks at the certificate as it arrives here, and who has signed it: something on the way that opens the traffic
// signs by itself.
func (e *exam) tls(ctx context.Context) finding {
	if e.dialer.Base.Scheme != "https" {
		return skip("the address uses plain HTTP: anyone on the network path can read the traffic")
	}
	conn, err := e.dialer.DialContext(ctx, "tcp", e.dialer.Address())
	if err != nil {
		return fail("The connection opened a moment ago and does not now. Try again.", "%v", err)
	}
	defer conn.Close()
	settings := e.dialer.TLS.Clone()
	settings.ServerName = e.dialer.Base.Hostname()
	secure := tls.Client(conn, settings)
	if err := secure.HandshakeContext(ctx); err != nil {
		return e.distrusted(err)
	}
	return e.trusted(secure.ConnectionState())
}

// distrusted says who signed a certificate that does not hold.
func (e *exam) distrusted(err error) finding {
	mend := "Does the control plane speak TLS at this port?"
	var verify *tls.CertificateVerificationError
	if !errors.As(err, &verify) || len(verify.UnverifiedCertificates) == 0 {
		return fail(mend, "%v", dial.Explain(err))
	}
	leaf := verify.UnverifiedCertificates[0]
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &host):
		mend = "Use the name the certificate was made for in --url, or have it made for this name too."
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		mend = "Have the certificate renewed, or set this host's clock."
	default:
		mend = "If the issuer is the control plane's, give its certificate with --ca-file. If a proxy or firewall " +
			"decrypts the traffic, " +
			"exclude this address from decryption, or give the certificate of its authority with --ca-file."
	}
	return fail(mend, "the certificate of %q, issued by %q, valid until %s, is not trusted: %v",
		leaf.Subject, leaf.Issuer, leaf.NotAfter.UTC().Format(time.DateOnly), verify.Err)
}

// trusted says by which kind of authority a certificate holds.
func (e *exam) trusted(s tls.ConnectionState) finding {
	leaf := s.PeerCertificates[0]
	text := fmt.Sprintf(
		"%s, issued by %q, valid until %s",
		tls.VersionName(s.Version),
		leaf.Issuer,
		leaf.NotAfter.UTC().Format(time.DateOnly),
	)
	if leaf.NotAfter.Sub(e.Now()) < soon {
		text += "; WARN: it ends soon"
	}
	var pinned *x509.CertPool
	if len(e.settings.CA) > 0 {
		pinned = x509.NewCertPool()
		pinned.AppendCertsFromPEM(e.settings.CA)
	}
	switch {
	case e.holds(s, e.publicRoots()):
		return pass("%s, a public authority", text)
	case pinned != nil && e.holds(s, pinned):
		return pass("%s, the authority given with --ca-file", text)
	}
	f := pass("%s; WARN: that is an authority of this host's own store and no public one", text)
	f.mend = "If your organization did not issue the certificate of the control plane, a device on the network path " +
		"decrypts the traffic. It can read all " +
		"data from targets. Exclude this address from decryption."
	return f
}

// holds says whether the server's certificate is valid against these authorities, at the time of
// the examination.
func (e *exam) holds(s tls.ConnectionState, roots *x509.CertPool) bool {
	between := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(
		x509.VerifyOptions{Roots: roots, Intermediates: between, DNSName: s.ServerName, CurrentTime: e.Now()},
	)
	return err == nil
}

// publicRoots are the authorities that browsers trust, whatever this host's store says.
func (e *exam) publicRoots() *x509.CertPool {
	if e.Roots != nil {
		return e.Roots
	}
	pool := x509.NewCertPool()
	for root := range bundle.Roots() {
		c, err := x509.ParseCertificate(root.Certificate)
		switch {
		case err != nil: // one that cannot be read is missed by nobody
		case root.Constraint != nil:
			pool.AddCertWithConstraint(c, root.Constraint)
		default:
			pool.AddCert(c)
		}
	}
	return pool
}
