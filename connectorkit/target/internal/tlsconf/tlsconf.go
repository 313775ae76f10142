package tlsconf

import (
	"crypto/tls"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Settings is how a target proves who it is, and how we do.
type Settings struct {
	CAPEM         string // certificates to trust instead of the system's, PEM
	ServerName    string // expected name, where it differs from the host
	SkipVerify    bool   // accept any certificate; refused unless Env allows it
	ClientCertPEM string
	ClientKeyPEM  string
}

// Config makes the TLS configuration for host (without port), with a warning where certificates are not checked.
// Errors are of class config or policy.
func (t Settings) Config(env connectorkit.Env, host string) (*tls.Config, []v1.Warning, error) {
	conf := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	if t.ServerName != "" {
		conf.ServerName = t.ServerName
	}
	if t.CAPEM != "" {
		var err error
		if conf.RootCAs, err = connectorkit.CertPool(t.CAPEM); err != nil {
			return nil, nil, &v1.ErrorDetail{
				Class: v1.ClassConfig, Code: "invalid_ca", Phase: "tls",
				Message: "ca_pem: " + err.Error(),
				Hint:    "Paste the CA certificate with its BEGIN CERTIFICATE and END CERTIFICATE lines.",
			}
		}
	}
	if t.ClientCertPEM != "" || t.ClientKeyPEM != "" {
		pair, err := tls.X509KeyPair([]byte(t.ClientCertPEM), []byte(t.ClientKeyPEM))
		if err != nil {
			// The library's own words say nothing of the key, but nothing that touches a key is repeated.
			return nil, nil, &v1.ErrorDetail{
				Class: v1.ClassConfig, Code: "invalid_client_certificate", Phase: "tls",
				Message: "client_cert_pem and client_key_pem are not a certificate and its private key in PEM form",
			}
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	if !t.SkipVerify {
		return conf, nil, nil
	}
	if !env.AllowInsecureTLS {
		return nil, nil, &v1.ErrorDetail{
			Class: v1.ClassPolicy, Code: "insecure_tls_not_allowed", Phase: "tls",
			Message: "tls_insecure_skip_verify is not allowed here",
			Hint:    "Give the target's CA as ca_pem, or run the connector on an agent whose owner allows it.",
		}
	}
	conf.InsecureSkipVerify = true
	return conf, []v1.Warning{{
		Code: "tls_not_verified",
		Message: "the target's certificate is not verified (tls_insecure_skip_verify): anyone on the network path " +
			"can read the credentials",
	}}, nil
}
