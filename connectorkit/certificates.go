package connectorkit

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// CertPool reads certificates in PEM. Unlike x509.CertPool.AppendCertsFromPEM, it fails if one of them cannot be read,
// and the error names the certificate and the cause.
func CertPool(text string) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	read := 0
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		read++
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate number %d cannot be read: %w", read, err)
		}
		pool.AddCert(cert)
	}
	if read == 0 {
		return nil, errors.New("there is no certificate in PEM form: it begins with -----BEGIN CERTIFICATE-----")
	}
	return pool, nil
}
