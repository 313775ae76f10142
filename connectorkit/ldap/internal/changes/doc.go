// Package changes reads what has changed since an earlier sync, by the best strategy that the directory offers:
//
//	ldap_syncrepl         content synchronization (RFC 4533): OpenLDAP, 389 Directory Server
//	ldap_dirsync          DirSync of Active Directory (MS-ADTS section 3.1.1.3.4.1.3)
//	ldap_usn              update sequence numbers of Active Directory
//	ldap_changelog        retro changelog (draft-good-ldap-changelog)
//	ldap_modify_timestamp times of change, with the keys of all entries
//
// A strategy notes a position before a full read and reads changes from a position later. If it cannot, the sync
// becomes a full one, and the page says why (fallback_reason). Positions come from the directory, never from a local
// clock. A container that was renamed gives its entries other DNs without changing them, so containers are compared
// with those of the earlier sync.
//
//	r := changes.NewReader(ctx, se, &options, emit, time.Now())
//	err := r.Sync(true, &options)
package changes
