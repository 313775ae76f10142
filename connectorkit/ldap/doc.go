// Package ldap reads and changes directories over LDAPv3: Active Directory, OpenLDAP, 389 Directory Server, FreeIPA, eDirectory, Oracle
// Unified Directory and others that keep to the standards.
//
// People are read as identities and as accounts, groups as entitlements, and members as grants whose principal is named as
// the directory names it: by DN, normalised by NormalizeDN, or by user name. Nested groups are plain members too. Whoever
// receives the records resolves those names, so nothing here grows with the size of the directory.
//
// What has changed since an earlier read is found by the best way the directory offers: content synchronisation (RFC 4533),
// Active Directory's DirSync or update sequence numbers, a changelog, or the times of change together with the keys of all that is
// still there. Where the directory no longer knows, everything is read, and the reason told. Watermarks are the directory's own.
//
// A full read is divided into partitions, by place or by number, and marked by checkpoints. One that was interrupted goes on in the
// partition it was in: what was handed on already is passed over if the directory shows it in the same order again, and read again
// otherwise.
//
// A scope is complete only when the target ended every page of it with success and the last one without a cookie (RFC 2696).
// Referrals and search continuations are never followed: they would carry credentials to a host nobody configured.
//
// A change begins with reading what is there. What is missing becomes a list of requests, each with its LDIF; a dry run ends here.
// They are sent in order over one connection and never twice, and on the same connection the record is read back, made of the entry
// in the very way in which a sync makes it. Entries are found by their key: a DN only saves a search.
package ldap
