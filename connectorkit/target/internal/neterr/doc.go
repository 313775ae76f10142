// Package neterr turns errors of DNS, TCP and TLS into errors that users read: class, code, message and a hint what to
// do, with the certificate or the system call that they are about. It knows no HTTP; connection tests use it for
// their steps.
//
//	d := neterr.Explain(err, "example.com:443", "tls") // for example class config, code tls_name_mismatch
package neterr
