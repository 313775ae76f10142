// Package ldap is the connector for directories that speak LDAPv3: Active Directory, OpenLDAP, 389 Directory
// Server, FreeIPA, eDirectory, Oracle Unified Directory and others that follow the standards.
//
// It maps people to identities and accounts, groups to entitlements, and members to grants. A grant names its
// principal as the directory does: by normalized DN, by user name, or by key. Nested groups are members too. The
// receiver resolves the names, so memory does not grow with the size of the directory.
//
// The package composes the connector from packages by subject:
//
//	ldapdn    distinguished names             settings  connection settings and kinds of directory
//	wire      LDAP operations, BER            ldaperr   errors that users read
//	session   signed-in connection, searches  schema    declared classes and attributes
//	entry     entries made into records       probe     connection test
//	discovery fields and samples              read      one read: pages, cursor, checkpoint
//	records   users, groups, members          full      full sync in partitions
//	changes   incremental sync                lookup    accounts and groups as they are now
//	change    plan, requests and outcome      desired   values to write
//	account   changes of accounts             membership changes of memberships
//	readback  state of single accounts
//
// A sync is incremental where a cursor is given and the directory can list changes, and full otherwise. It has four
// states: reading, reconnecting (at most four times without progress), finished, failed. Every page may carry a
// checkpoint, from which an interrupted sync continues. A scope is complete only if the directory ended every page of
// it with success and the last one without a cookie (RFC 2696). Referrals are never followed: they would send
// credentials to a host that is not configured.
//
// A change reads the account, plans the missing requests with their LDIF, sends each once and in order over one
// connection, and reads the account back over the same connection. A dry run ends with the plan.
//
// The connectors package opens it; agents and the control plane call it:
//
//	c := ldap.New(connectorkit.Env{Dial: dialer.DialContext})
//	err := c.Sync(ctx, v1.SyncRequest{AuthConfig: auth}, func(ctx context.Context, page v1.SyncResponse) error {
//		return store(page)
//	})
package ldap
