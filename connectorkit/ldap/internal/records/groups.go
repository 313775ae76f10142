package records

import (
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Group emits a group as an entitlement and its members as grants.
func (r *Reader) Group(e *wire.Entry) error {
	r.Record.Parse(r.Dictionary, e, r.Wanted[v1.Entitlements])
	if r.Record.Key == "" {
		r.SkipEntry(e, v1.Entitlements, v1.Grants)
		return nil
	}
	r.NoteTime(entry.Later(r.Record.Time(entry.SlotModified), r.Record.Time(entry.SlotCreated)))
	dn := string(e.DN)
	native := ldapdn.Normalize(dn)
	r.Undeclared.Note(native)
	if r.Wanted[v1.Entitlements] {
		r.entitlement(dn, native)
	}
	g := pendingGroup{id: r.Record.Key, complete: true}
	if sid, ok := syntax.FormatSID(r.Record.Slots[entry.SlotSID]); ok && r.Flavor.ActiveDirectory {
		r.PrimaryKeys[sid] = r.Record.Key
		g.sid = sid
	}
	if err := r.FlushIfFull(); err != nil || !r.Wanted[v1.Grants] {
		return err
	}
	if mayRepeatMembers(r.Record.Members) {
		g.listed = map[string]bool{}
	}
	for _, m := range r.Record.Members {
		if next, more := nextRange(m.Attribute.RangeEnd); more {
			g.ranges = append(g.ranges, r.pendingRange(e, m.Attribute.Base, next))
		}
		if m.Attribute.ByName && r.Aliases == nil && r.waiting+len(m.Values) <= maxWaiting {
			r.waiting += len(m.Values)
			g.names = append(g.names, m.Copied())
			continue
		}
		if err := r.grants(&g, m); err != nil {
			return err
		}
	}
	if len(g.ranges) > 0 || len(g.names) > 0 || g.sid != "" && r.ChangesOnly() {
		r.pendingGroups = append(r.pendingGroups, g)
		return nil
	}
	return r.completeGroup(g)
}

// entitlement adds the group in hand to the page. The name is cn, which every kind of directory
// has; the display name falls back to it.
func (r *Reader) entitlement(dn, native string) {
	modified := r.Record.Time(entry.SlotModified)
	r.NoteTruncated(r.Record.Key)
	r.Page.Entitlements = append(r.Page.Entitlements, v1.RemoteEntitlement{
		ExternalID: r.Record.Key, NativeRef: native, NativeIdentity: dn, Kind: "group",
		Name:        r.Record.FirstText(entry.SlotCN, entry.SlotSAM),
		DisplayName: r.Record.FirstText(entry.SlotDisplayName, entry.SlotCN, entry.SlotSAM),
		Description: r.Record.Text(entry.SlotDescription),
		OwnerRefs:   r.owners(), Attributes: r.Record.Attributes, ModifiedAt: modified,
	})
	r.Counts[v1.Entitlements]++
}

// owners are who the directory says answers for a group.
func (r *Reader) owners() []v1.Ref {
	var out []v1.Ref
	for _, dn := range r.Record.Owners {
		if len(dn) > 0 && entry.IsText(dn) {
			out = append(out, v1.Ref{Kind: v1.RefNative, Value: ldapdn.Normalize(string(dn))})
		}
	}
	return out
}
