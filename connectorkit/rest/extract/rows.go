package extract

import (
	"fmt"
	"maps"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Rows turns records of one stream into rows.
type Rows struct {
	St *stream.Stream
	// What was exceeded is found out by its owner, behind each batch.
	Budget  *jsonpath.Budget
	Allowed func(attribute string) bool
	Warn    func(code, message, externalID string)
	Skip    func(code, message, key string, kinds ...v1.ObjectKind)
	// Entitlements made from elements of records so far, by a digest of their key.
	Made map[uint64]bool

	// Those made by the last record.
	MadeLast []uint64
	known    memberNames
}

// Add appends what a record becomes. It gives the record's key for the streams that hang on it.
func (r *Rows) Add(out *v1.SyncResponse, record any, at *stream.ParentRecord) (key string, ok bool) {
	st := r.St
	r.MadeLast = r.MadeLast[:0]
	key, ok = st.KeyOf(r.Budget, record)
	if st.Object == stream.ObjectGrant {
		r.grant(out, record, at)
		return key, ok
	}
	if !ok {
		r.Skip(
			"record_without_key",
			fmt.Sprintf("a record of %s has no key; it was skipped", st.Name),
			"",
			st.Kinds()...)
		return "", false
	}
	ref := ""
	if st.NativeRef != nil {
		v, _ := st.NativeRef.First(r.Budget, record)
		ref, _ = jsonvalue.Text(v)
	}
	switch st.Object {
	case stream.ObjectIdentity:
		r.identity(out, record, at, key, ref, r.Attributes(record))
	case stream.ObjectAccount:
		r.Account(out, record, at, key, ref, r.Attributes(record))
	case stream.ObjectUser:
		attributes := r.Attributes(record)
		r.identity(out, record, at, key, ref, maps.Clone(attributes))
		r.Account(out, record, at, key, ref, attributes)
		out.Accounts[len(out.Accounts)-1].IdentityExternalID = &key
	case stream.ObjectEntitlement:
		r.entitlement(out, record, at, key, ref)
	}
	for _, e := range st.Expansions {
		r.elements(out, e, record, key)
	}
	return key, true
}

// maxInline elements of a list that becomes rows are kept in the record as well.
const maxInline = 1000

// identity adds a person made of a record.
func (r *Rows) identity(
	out *v1.SyncResponse,
	record any,
	at *stream.ParentRecord,
	key, ref string,
	attributes map[string]any,
) {
	row := v1.RemoteIdentity{ExternalID: key, NativeRef: ref, Attributes: attributes}
	r.fill(&row, stream.ObjectIdentity, record, at, key, row.Attributes)
	out.Identities = append(out.Identities, row)
}

// Account appends the account that a record stands for. key and ref are its external id and native reference;
// attributes are filled further by fields named attributes.NAME.
func (r *Rows) Account(
	out *v1.SyncResponse,
	record any,
	at *stream.ParentRecord,
	key, ref string,
	attributes map[string]any,
) {
	row := v1.RemoteAccount{ExternalID: key, NativeRef: ref, Attributes: attributes}
	if len(r.St.FieldRules) == 0 {
		r.learn(record)
		r.fillWellKnown(&row, stream.ObjectAccount, record, key, accountNames)
		r.state(&row, record)
	}
	r.fill(&row, stream.ObjectAccount, record, at, key, row.Attributes)
	r.statusFromFields(&row, record)
	out.Accounts = append(out.Accounts, row)
}

// entitlement adds an entitlement made of a record. Without field rules the usual names of members
// are used.
func (r *Rows) entitlement(out *v1.SyncResponse, record any, at *stream.ParentRecord, key, ref string) {
	row := v1.RemoteEntitlement{
		ExternalID: key,
		NativeRef:  ref,
		Kind:       r.St.EntitlementKind,
		Attributes: r.Attributes(record),
	}
	if len(r.St.FieldRules) == 0 {
		r.learn(record)
		r.fillWellKnown(&row, stream.ObjectEntitlement, record, key, entitlementNames)
	}
	r.fill(&row, stream.ObjectEntitlement, record, at, key, row.Attributes)
	out.Entitlements = append(out.Entitlements, row)
}

// learn notes how the target writes member names.
func (r *Rows) learn(record any) {
	if object, ok := record.(map[string]any); ok {
		r.known.learn(object)
	}
}

// Tombstone notes that a record was deleted.
func (r *Rows) Tombstone(out *v1.SyncResponse, record any) {
	if r.St.Object == stream.ObjectGrant {
		before := len(out.Grants)
		r.grant(out, record, nil)
		for i := range out.Grants[before:] {
			out.Grants[before+i].Deleted = true
		}
		return
	}
	key, ok := r.St.KeyOf(r.Budget, record)
	if !ok {
		r.Skip(
			"record_without_key",
			fmt.Sprintf("a deleted record of %s has no key; it was skipped", r.St.Name),
			"",
			r.St.Kinds()...)
		return
	}
	AddTombstones(out, r.St, key)
}

// AddTombstones adds the tombstones of a record, one for each kind of row that it was.
func AddTombstones(out *v1.SyncResponse, st *stream.Stream, key string) {
	for _, object := range stream.RowTypes(st.Object) {
		switch object {
		case stream.ObjectIdentity:
			out.Identities = append(out.Identities, v1.RemoteIdentity{ExternalID: key, Deleted: true})
		case stream.ObjectAccount:
			out.Accounts = append(out.Accounts, v1.RemoteAccount{ExternalID: key, Deleted: true})
		case stream.ObjectEntitlement:
			out.Entitlements = append(out.Entitlements, v1.RemoteEntitlement{ExternalID: key, Deleted: true})
		case stream.ObjectGrant:
			out.Grants = append(out.Grants, v1.RemoteGrant{ExternalID: key, Deleted: true})
		}
	}
}

// Attributes gives the flattened members of a record that the field allow-list of the request permits. Arrays that
// become rows of their own are left out beyond 1,000 elements.
func (r *Rows) Attributes(record any) map[string]any {
	all := jsonvalue.Flatten(record)
	for _, e := range r.St.Expansions {
		// A long list that becomes rows of its own would make the record too long to keep.
		if names, ok := e.Path.Names(); ok && len(jsonvalue.Expand(e.Path.Select(r.Budget, record))) > maxInline {
			delete(all, strings.Join(names, "."))
		}
	}
	for name := range all {
		if !r.Allowed(name) {
			delete(all, name)
		}
	}
	return all
}

// fill applies the stream's fields to a row.
func (r *Rows) fill(row any, kind string, record any, at *stream.ParentRecord, key string, attributes map[string]any) {
	for _, f := range r.St.FieldRules {
		var values []any
		if f.Param != "" {
			if v, ok := at.Value(f.Param); ok {
				values = []any{v}
			}
		} else {
			values = f.Path.Select(r.Budget, record)
		}
		if name, ok := strings.CutPrefix(f.Target, "attributes."); ok {
			if len(values) == 1 {
				attributes[name] = jsonvalue.Portable(values[0])
			} else if len(values) > 1 {
				attributes[name] = jsonvalue.Portable(values)
			}
			continue
		}
		if err := setMember(row, kind, f.Target, values, f.Negate); err != nil {
			r.Warn("unreadable_field", fmt.Sprintf("a record of %s: %v", r.St.Name, err), key)
		}
	}
}
