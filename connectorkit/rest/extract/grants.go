package extract

import (
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// grant makes a grant. What the fields leave open, the parent and the record's own key tell: below an entitlement the
// record is the account that holds it, below anybody else it is the entitlement held.
func (r *Rows) grant(out *v1.SyncResponse, record any, at *stream.ParentRecord) {
	row := v1.RemoteGrant{Attributes: r.Attributes(record)}
	own, _ := r.St.KeyOf(r.Budget, record)
	r.fill(&row, stream.ObjectGrant, record, at, own, row.Attributes)
	named := row.AccountExternalID != nil || row.PrincipalEntitlementExternalID != nil || row.PrincipalRef != nil
	used := false
	switch {
	case at == nil || at.Object == stream.ObjectGrant:
	case at.Object == stream.ObjectEntitlement:
		if row.EntitlementExternalID == "" {
			row.EntitlementExternalID = at.Key
		}
		if !named && own != "" {
			row.AccountExternalID = &own
			named = true
			used = true
		}
	default:
		if !named {
			row.AccountExternalID = &at.Key
			named = true
		}
		if row.EntitlementExternalID == "" {
			row.EntitlementExternalID = own
			used = true
		}
	}
	if !named || row.EntitlementExternalID == "" {
		r.Skip(
			"incomplete_grant",
			fmt.Sprintf("a record of %s does not contain the holder and the entitlement; it was skipped", r.St.Name),
			"",
			v1.Grants,
		)
		return
	}
	if r.St.Key != nil && !used {
		row.ExternalID = own
	}
	out.Grants = append(out.Grants, row)
}

// elements makes grants and entitlements of the elements of an array in a record.
func (r *Rows) elements(out *v1.SyncResponse, e stream.Expansion, record any, key string) {
	for _, element := range jsonvalue.Expand(e.Path.Select(r.Budget, record)) {
		id := e.KeyOf(r.Budget, element)
		switch {
		case element == nil:
			continue
		case id == "":
			r.Skip(
				"element_without_key",
				fmt.Sprintf("an element of %s in a record of %s has no key; it was skipped", e.Path, r.St.Name),
				"",
				r.elementKinds(e)...)
			continue
		}
		if e.As != "entitlement" {
			out.Grants = append(out.Grants, r.elementGrant(e, key, id))
		}
		if digest := answer.Hash(id); e.As != "grant" && !r.Made[digest] {
			r.Made[digest] = true
			r.MadeLast = append(r.MadeLast, digest)
			out.Entitlements = append(out.Entitlements, r.elementEntitlement(e, element, id))
		}
	}
}

// elementKinds are the kinds of row that an element becomes.
func (r *Rows) elementKinds(e stream.Expansion) []v1.ObjectKind {
	switch e.As {
	case "grant":
		return []v1.ObjectKind{v1.Grants}
	case "entitlement":
		return []v1.ObjectKind{v1.Entitlements}
	}
	return []v1.ObjectKind{v1.Entitlements, v1.Grants}
}

// elementGrant is the grant between a record and one of its elements. Which of the two is the
// entitlement depends on the stream.
func (r *Rows) elementGrant(e stream.Expansion, key, id string) v1.RemoteGrant {
	switch {
	case r.St.Object != stream.ObjectEntitlement:
		return v1.RemoteGrant{AccountExternalID: &key, EntitlementExternalID: id}
	case e.Principal == stream.ObjectEntitlement:
		return v1.RemoteGrant{PrincipalEntitlementExternalID: &id, EntitlementExternalID: key}
	}
	return v1.RemoteGrant{AccountExternalID: &id, EntitlementExternalID: key}
}

// elementEntitlement is the entitlement that an element represents. Its name comes from the
// configured path, or from the usual members, or is the key.
func (r *Rows) elementEntitlement(e stream.Expansion, element any, id string) v1.RemoteEntitlement {
	row := v1.RemoteEntitlement{ExternalID: id, Kind: e.EntitlementKind}
	if row.Kind == "" {
		row.Kind = r.St.EntitlementKind
	}
	name := id
	if e.Name != nil {
		if v, ok := e.Name.First(r.Budget, element); ok {
			if text, ok := jsonvalue.Text(v); ok {
				name = text
			}
		}
	} else if object, ok := element.(map[string]any); ok {
		for _, candidate := range []string{"name", "displayName", "display"} {
			if text, ok := jsonvalue.Text(jsonvalue.Member(object, candidate)); ok && text != "" {
				name = text
				break
			}
		}
		row.Attributes = r.Attributes(element)
	}
	row.Name = &name
	return row
}
