// Package entry makes records of entries.
//
// A Dictionary decides once per attribute name what becomes of its values: key, user name, member, known field
// (slot), binary, secret or raw attribute. A Record is one entry taken apart by it; it is reused for each entry and
// points into the entry's memory. A Reader adds the settings that decide what a record means, and makes accounts.
//
// Secrets never become part of a record, whatever the settings say. Values and records have upper bounds; what
// exceeds them is replaced by {"$truncated": n}.
//
//	r := entry.NewReader(ctx, se, nil, time.Now())
//	r.Record.Parse(r.Dictionary, e, true)
//	account := r.MakeAccount(dn, ldapdn.Normalize(dn), r.Record.Status(now))
package entry
