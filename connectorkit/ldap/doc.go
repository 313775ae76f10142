// Package ldap reads directories over LDAPv3: Active Directory, OpenLDAP, 389 Directory Server, FreeIPA, eDirectory, Oracle
// Unified Directory and others that keep to the standards.
//
// People are read as identities and as accounts, groups as entitlements, and members as grants whose principal is named as
// the directory names it: by DN, normalised by NormalizeDN, or by user name. Nested groups are plain members too. Whoever
// receives the records resolves those names, so nothing here grows with the size of the directory.
//
// A scope is complete only when the target ended every page of it with success and the last one without a cookie (RFC 2696).
// Referrals and search continuations are never followed: they would carry credentials to a host nobody configured.
package ldap
