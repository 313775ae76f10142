package ldap_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// oddlySigned is a certificate with a negative serial number, which crypto/x509 does not make: the number is
// changed, and the certificate is signed again.
func oddlySigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(0x7BCDEF01), Subject: pkix.Name{CommonName: "dc1"}, IsCA: true,
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	var cert struct {
		TBS       asn1.RawValue
		Algorithm pkix.AlgorithmIdentifier
		Signature asn1.BitString
	}
	if _, err := asn1.Unmarshal(der, &cert); err != nil {
		t.Fatal(err)
	}
	cert.TBS.FullBytes = bytes.Replace(
		cert.TBS.FullBytes, []byte{2, 4, 0x7B, 0xCD, 0xEF, 1}, []byte{2, 4, 0xAE, 0xCD, 0xEF, 1}, 1,
	)
	digest := sha256.Sum256(cert.TBS.FullBytes)
	if cert.Signature.Bytes, err = ecdsa.SignASN1(rand.Reader, key, digest[:]); err != nil {
		t.Fatal(err)
	}
	cert.Signature.BitLength = 8 * len(cert.Signature.Bytes)
	if der, err = asn1.Marshal(cert); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestACertificateWithANegativeSerialNumberIsUnderstood(t *testing.T) {
	pair := oddlySigned(t)
	port := listener(t, func(c net.Conn) {
		_ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}).Handshake()
		_ = c.Close()
	})
	auth := v1.AuthConfig{
		"host": "127.0.0.1", "port": port, "security": "ldaps", "base_dn": "dc=x", "bind_dn": "cn=reader,dc=x",
		"bind_password": "s3cret",
	}
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}))

	t.Setenv("GODEBUG", "x509negativeserial=0")
	got := probe(t, agentEnv(), auth)
	if got.Error == nil || got.Error.Class != v1.ClassConfig || got.Error.Code != "tls_certificate_unreadable" {
		t.Errorf("as the language has it by default: %+v", got.Error)
	}
	if _, err := connectorkit.CertPool(ca); err == nil || !strings.Contains(err.Error(), "certificate number 1") ||
		!strings.Contains(err.Error(), "serial") {
		t.Errorf("as an authority: %v", err)
	}
	if _, err := connectorkit.CertPool("no certificate"); err == nil ||
		!strings.Contains(err.Error(), "no certificate in PEM") {
		t.Errorf("no certificate at all: %v", err)
	}

	t.Setenv("GODEBUG", "x509negativeserial=1") // as both programs are built
	auth["ca_pem"] = ca
	got = probe(t, agentEnv(), auth)
	if got.Error == nil || strings.HasPrefix(got.Error.Code, "tls_") {
		t.Errorf("as both programs have it the handshake ends with %+v", got.Error)
	}
}
