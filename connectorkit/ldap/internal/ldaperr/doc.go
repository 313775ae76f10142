// Package ldaperr turns failures of the network, of TLS and of the directory into the errors that users read
// (v1.ErrorDetail): a class, a stable code, a message, a hint what to do, and the directory's own answer.
//
// Meanings of result codes follow RFC 4511 appendix A; those of Active Directory's sub-codes follow MS-ERREF. Read
// and change operations have different meanings for the same code, such as timeLimitExceeded.
//
//	err := explainer.Explain(ctx, "bind", conn.Bind(dn, password))
//	// class auth, code ldap_49, "Wrong bind DN or password. …"
package ldaperr
