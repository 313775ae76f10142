// Package assertion signs the assertions of the JWT bearer grant (RFC 7523 section 2.1), as service accounts use it
// instead of a client secret. Keys are RSA (RS256) or EC P-256 (ES256) in PEM form.
//
//	form, err := assertion.Assertion{Issuer: "svc@example.com", Key: pem}.Form(tokenURL, "scope", time.Now())
package assertion
