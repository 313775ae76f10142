package ldaperr

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"strings"
	"testing"
)

// Certificates that Samba and older authorities make carry a host in the common name alone.
func TestACertificateThatNamesNoHostIsExplained(t *testing.T) {
	for _, tt := range []struct {
		names []string
		hint  string
	}{
		{nil, "The certificate names no host"},
		{[]string{"dc1.corp"}, "tls_server_name"},
	} {
		certificate := &x509.Certificate{Subject: pkix.Name{CommonName: "dc1.corp"}, DNSNames: tt.names}
		d := certificateError(x509.HostnameError{Certificate: certificate, Host: "dc2.corp"})
		if d == nil || d.Code != "tls_name_mismatch" || !strings.Contains(d.Hint, tt.hint) {
			t.Errorf("with the names %v: %+v; want a hint with %q", tt.names, d, tt.hint)
		}
	}
}
