package rest

import (
	"fmt"
	"maps"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// keyNames are the members that are taken for the key of a record when nobody said which it is, the best first.
var keyNames = []string{"id", "uuid", "guid", "externalId", "external_id", "employeeId", "employee_id", "userId", "user_id", "login"}

// keyOf is the record's key: what key_path says, or the first of the usual members that has a value.
func (st *stream) keyOf(b *jsonpath.Budget, record any) (string, bool) {
	if st.key != nil {
		v, _ := st.key.First(b, record)
		text, ok := textOf(v)
		return text, ok && text != ""
	}
	object, ok := record.(map[string]any)
	if !ok {
		text, ok := textOf(record)
		return text, ok && text != ""
	}
	for _, name := range keyNames {
		if text, ok := textOf(member(object, name)); ok && text != "" {
			return text, true
		}
	}
	return "", false
}

// member finds a member by its name, or by its name in another case. Of several such names the first in order counts.
func member(object map[string]any, name string) any {
	if v, ok := object[name]; ok {
		return v
	}
	found := ""
	for other := range object {
		if strings.EqualFold(other, name) && (found == "" || other < found) {
			found = other
		}
	}
	if found == "" {
		return nil
	}
	return object[found]
}

// rows turns records of one stream into rows.
type rows struct {
	st      *stream
	budget  *jsonpath.Budget // what was exceeded is found out by its owner, behind each batch
	allowed func(attribute string) bool
	warn    func(code, message, externalID string)
	skip    func(code, message, key string, kinds ...v1.ObjectKind)
	made    map[uint64]bool // entitlements made from elements of records so far, by a digest of their key

	madeLast []uint64 // those made by the last record
	known    spellings
}

// add appends what a record becomes. It gives the record's key for the streams that hang on it.
func (r *rows) add(out *v1.SyncResponse, record any, at *ancestor) (key string, ok bool) {
	st := r.st
	r.madeLast = r.madeLast[:0]
	key, ok = st.keyOf(r.budget, record)
	if st.Object == objectGrant {
		r.grant(out, record, at)
		return key, ok
	}
	if !ok {
		r.skip("record_without_key", fmt.Sprintf("a record of %s has no key; it was skipped", st.Name), "", st.kinds()...)
		return "", false
	}
	ref := ""
	if st.nativeRef != nil {
		v, _ := st.nativeRef.First(r.budget, record)
		ref, _ = textOf(v)
	}
	switch st.Object {
	case objectIdentity:
		r.identity(out, record, at, key, ref, r.attributes(record))
	case objectAccount:
		r.account(out, record, at, key, ref, r.attributes(record))
	case objectUser:
		attributes := r.attributes(record)
		r.identity(out, record, at, key, ref, maps.Clone(attributes))
		r.account(out, record, at, key, ref, attributes)
		out.Accounts[len(out.Accounts)-1].IdentityExternalID = &key
	case objectEntitlement:
		r.entitlement(out, record, at, key, ref)
	}
	for _, e := range st.explode {
		r.elements(out, e, record, key)
	}
	return key, true
}

// maxInline elements of a list that becomes rows are kept in the record as well.
const maxInline = 1000

func (r *rows) identity(out *v1.SyncResponse, record any, at *ancestor, key, ref string, attributes map[string]any) {
	row := v1.RemoteIdentity{ExternalID: key, NativeRef: ref, Attributes: attributes}
	r.fill(&row, objectIdentity, record, at, key, row.Attributes)
	out.Identities = append(out.Identities, row)
}

func (r *rows) account(out *v1.SyncResponse, record any, at *ancestor, key, ref string, attributes map[string]any) {
	row := v1.RemoteAccount{ExternalID: key, NativeRef: ref, Attributes: attributes}
	if len(r.st.fields) == 0 {
		r.learn(record)
		r.obvious(&row, objectAccount, record, key, accountNames)
		r.state(&row, record)
	}
	r.fill(&row, objectAccount, record, at, key, row.Attributes)
	r.stated(&row, record)
	out.Accounts = append(out.Accounts, row)
}

func (r *rows) entitlement(out *v1.SyncResponse, record any, at *ancestor, key, ref string) {
	row := v1.RemoteEntitlement{ExternalID: key, NativeRef: ref, Kind: r.st.EntitlementKind, Attributes: r.attributes(record)}
	if len(r.st.fields) == 0 {
		r.learn(record)
		r.obvious(&row, objectEntitlement, record, key, entitlementNames)
	}
	r.fill(&row, objectEntitlement, record, at, key, row.Attributes)
	out.Entitlements = append(out.Entitlements, row)
}

func (r *rows) learn(record any) {
	if object, ok := record.(map[string]any); ok {
		r.known.learn(object)
	}
}

// grant makes a grant. What the fields leave open, the parent and the record's own key tell: below an entitlement the record
// is the account that holds it, below anybody else it is the entitlement held.
func (r *rows) grant(out *v1.SyncResponse, record any, at *ancestor) {
	row := v1.RemoteGrant{Attributes: r.attributes(record)}
	own, _ := r.st.keyOf(r.budget, record)
	r.fill(&row, objectGrant, record, at, own, row.Attributes)
	named := row.AccountExternalID != nil || row.PrincipalEntitlementExternalID != nil || row.PrincipalRef != nil
	used := false
	switch {
	case at == nil || at.object == objectGrant:
	case at.object == objectEntitlement:
		if row.EntitlementExternalID == "" {
			row.EntitlementExternalID = at.key
		}
		if !named && own != "" {
			row.AccountExternalID, named, used = &own, true, true
		}
	default:
		if !named {
			row.AccountExternalID, named = &at.key, true
		}
		if row.EntitlementExternalID == "" {
			row.EntitlementExternalID, used = own, true
		}
	}
	if !named || row.EntitlementExternalID == "" {
		r.skip("incomplete_grant", fmt.Sprintf("a record of %s does not tell who holds what; it was skipped", r.st.Name), "", v1.Grants)
		return
	}
	if r.st.key != nil && !used {
		row.ExternalID = own
	}
	out.Grants = append(out.Grants, row)
}

// elements makes grants and entitlements of the elements of an array in a record.
func (r *rows) elements(out *v1.SyncResponse, e explosion, record any, key string) {
	for _, element := range expand(e.path.Select(r.budget, record)) {
		id := e.keyOf(r.budget, element)
		switch {
		case element == nil:
			continue
		case id == "":
			r.skip("element_without_key", fmt.Sprintf("an element of %s in a record of %s has no key; it was skipped", e.path, r.st.Name), "", r.elementKinds(e)...)
			continue
		}
		if e.As != "entitlement" {
			out.Grants = append(out.Grants, r.elementGrant(e, key, id))
		}
		if digest := hashOf(id); e.As != "grant" && !r.made[digest] {
			r.made[digest] = true
			r.madeLast = append(r.madeLast, digest)
			out.Entitlements = append(out.Entitlements, r.elementEntitlement(e, element, id))
		}
	}
}

// keyOf is the key of an element: where none is among the usual members, a value or a name is.
func (e explosion) keyOf(b *jsonpath.Budget, element any) string {
	id, ok := (&stream{key: e.key}).keyOf(b, element)
	object, is := element.(map[string]any)
	if ok || e.key != nil || !is {
		return id
	}
	for _, name := range []string{"value", "name", "code", "key"} {
		if id, ok := textOf(member(object, name)); ok && id != "" {
			return id
		}
	}
	return ""
}

func (r *rows) elementKinds(e explosion) []v1.ObjectKind {
	switch e.As {
	case "grant":
		return []v1.ObjectKind{v1.Grants}
	case "entitlement":
		return []v1.ObjectKind{v1.Entitlements}
	}
	return []v1.ObjectKind{v1.Entitlements, v1.Grants}
}

// expand gives the elements of lists among values.
func expand(values []any) []any {
	var out []any
	for _, v := range values {
		if list, ok := v.([]any); ok {
			out = append(out, list...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

func (r *rows) elementGrant(e explosion, key, id string) v1.RemoteGrant {
	switch {
	case r.st.Object != objectEntitlement:
		return v1.RemoteGrant{AccountExternalID: &key, EntitlementExternalID: id}
	case e.Principal == objectEntitlement:
		return v1.RemoteGrant{PrincipalEntitlementExternalID: &id, EntitlementExternalID: key}
	}
	return v1.RemoteGrant{AccountExternalID: &id, EntitlementExternalID: key}
}

func (r *rows) elementEntitlement(e explosion, element any, id string) v1.RemoteEntitlement {
	row := v1.RemoteEntitlement{ExternalID: id, Kind: e.EntitlementKind}
	if row.Kind == "" {
		row.Kind = r.st.EntitlementKind
	}
	name := id
	if e.name != nil {
		if v, ok := e.name.First(r.budget, element); ok {
			if text, ok := textOf(v); ok {
				name = text
			}
		}
	} else if object, ok := element.(map[string]any); ok {
		for _, candidate := range []string{"name", "displayName", "display"} {
			if text, ok := textOf(member(object, candidate)); ok && text != "" {
				name = text
				break
			}
		}
		row.Attributes = r.attributes(element)
	}
	row.Name = &name
	return row
}

// tombstone notes that a record was deleted.
func (r *rows) tombstone(out *v1.SyncResponse, record any) {
	if r.st.Object == objectGrant {
		before := len(out.Grants)
		r.grant(out, record, nil)
		for i := range out.Grants[before:] {
			out.Grants[before+i].Deleted = true
		}
		return
	}
	key, ok := r.st.keyOf(r.budget, record)
	if !ok {
		r.skip("record_without_key", fmt.Sprintf("a deleted record of %s has no key; it was skipped", r.st.Name), "", r.st.kinds()...)
		return
	}
	bury(out, r.st, key)
}

// bury adds the tombstones of a record, one for each kind of row that it was.
func bury(out *v1.SyncResponse, st *stream, key string) {
	for _, object := range rowsOf(st.Object) {
		switch object {
		case objectIdentity:
			out.Identities = append(out.Identities, v1.RemoteIdentity{ExternalID: key, Deleted: true})
		case objectAccount:
			out.Accounts = append(out.Accounts, v1.RemoteAccount{ExternalID: key, Deleted: true})
		case objectEntitlement:
			out.Entitlements = append(out.Entitlements, v1.RemoteEntitlement{ExternalID: key, Deleted: true})
		case objectGrant:
			out.Grants = append(out.Grants, v1.RemoteGrant{ExternalID: key, Deleted: true})
		}
	}
}

func (r *rows) attributes(record any) map[string]any {
	all := flatten(record)
	for _, e := range r.st.explode {
		// A long list that becomes rows of its own would make the record too long to keep.
		if names, ok := e.path.Names(); ok && len(expand(e.path.Select(r.budget, record))) > maxInline {
			delete(all, strings.Join(names, "."))
		}
	}
	for name := range all {
		if !r.allowed(name) {
			delete(all, name)
		}
	}
	return all
}

// fill applies the stream's fields to a row.
func (r *rows) fill(row any, kind string, record any, at *ancestor, key string, attributes map[string]any) {
	for _, f := range r.st.fields {
		var values []any
		if f.param != "" {
			if v, ok := at.value(f.param); ok {
				values = []any{v}
			}
		} else {
			values = f.path.Select(r.budget, record)
		}
		if name, ok := strings.CutPrefix(f.target, "attributes."); ok {
			if len(values) == 1 {
				attributes[name] = portable(values[0])
			} else if len(values) > 1 {
				attributes[name] = portable(values)
			}
			continue
		}
		if err := set(row, kind, f.target, values, f.negate); err != nil {
			r.warn("unreadable_field", fmt.Sprintf("a record of %s: %v", r.st.Name, err), key)
		}
	}
}
