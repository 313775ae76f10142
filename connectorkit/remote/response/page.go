package response

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Page is what one answer brings.
type Page struct {
	v1.SyncResponse
	Carried map[v1.ObjectKind]bool // kinds that the answer has a list of
	Keyless map[v1.ObjectKind]bool // kinds of which a record without a usable key was set aside
	Present map[v1.ObjectKind][]string
	Unfit   []v1.Warning
	Skipped int // records set aside
	Digest  uint64
	look    func(v1.ObjectKind, map[string]any) // sees every record that fits; may be nil
}

// Records reads all records of an answer, and lets look see the members of each. Only a list that is none is an error.
func (e *Response) Records(
	wanted map[v1.ObjectKind]bool,
	allowed func(string) bool,
	look func(v1.ObjectKind, map[string]any),
) (*Page, error) {
	p := &Page{
		look:    look,
		Carried: map[v1.ObjectKind]bool{},
		Keyless: map[v1.ObjectKind]bool{},
		Present: map[v1.ObjectKind][]string{},
		Digest:  digestOf(e),
	}
	p.Success = true
	room := MaxRecords
	for _, kind := range AllKinds {
		list, err := e.list(kind, &room)
		if err != nil {
			return nil, err
		}
		if p.Carried[kind] = list != nil; !wanted[kind] {
			continue
		}
		switch kind {
		case v1.Identities:
			p.Identities, err = take(p, list, func(r *v1.RemoteIdentity, m map[string]any) (string, bool) {
				r.Attributes = fields(m, allowed)
				return r.ExternalID, r.Deleted
			})
		case v1.Accounts:
			p.Accounts, err = take(p, list, func(r *v1.RemoteAccount, m map[string]any) (string, bool) {
				r.Attributes = fields(m, allowed)
				return r.ExternalID, r.Deleted
			})
		case v1.Entitlements:
			p.Entitlements, err = take(p, list, func(r *v1.RemoteEntitlement, m map[string]any) (string, bool) {
				r.Attributes = attributes(m, allowed)
				return r.ExternalID, r.Deleted
			})
		case v1.Grants:
			p.Grants, err = take(p, list, func(r *v1.RemoteGrant, m map[string]any) (string, bool) {
				r.Attributes = attributes(m, allowed)
				return grantKey(r), r.Deleted
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// grantKey is empty if the subject of the grant is unknown.
func grantKey(r *v1.RemoteGrant) string {
	if r.ExternalID == "" &&
		(r.EntitlementExternalID == "" || r.AccountExternalID == nil && r.PrincipalEntitlementExternalID == nil &&
			r.PrincipalRef == nil) {
		return ""
	}
	return "named"
}

// take decodes the records of a kind. finish completes one and gives its key, and whether it is a tombstone. It ends
// early where so many are set aside that the answer is refused anyway.
func take[T any](p *Page, list *records, finish func(*T, map[string]any) (string, bool)) ([]T, error) {
	out := []T{}
	for i := 0; p.Skipped <= MostSkipped; i++ {
		raw, err := list.next()
		if err != nil || raw == nil {
			return out, err
		}
		r, bad := decode[T](raw)
		if bad == nil {
			key, deleted := finish(&r.record, r.members)
			if key != "" && p.look != nil {
				p.look(list.kind, r.members)
			}
			if key != "" {
				out = append(out, r.record)
				continue
			}
			bad = &BadRecord{why: "has no external_id", deleted: deleted}
			if list.kind == v1.Grants {
				bad.why = "has no entitlement or no holder"
			}
		}
		p.aside(list.kind, i, bad)
	}
	return out, nil
}

// aside sets a record aside. One that can be named still counts as there: it is only its content that is not known.
func (p *Page) aside(kind v1.ObjectKind, i int, bad *BadRecord) {
	p.Skipped++
	if len(p.Unfit) < MaxWarnings {
		p.Unfit = append(
			p.Unfit,
			v1.Warning{
				Code:       "record_unfit",
				Message:    fmt.Sprintf("%s[%d] %s; it was omitted", kind, i, bad.why),
				ExternalID: bad.id,
			},
		)
	}
	switch {
	case bad.deleted && bad.id != "":
	case bad.id != "" && kind != v1.Grants:
		p.Present[kind] = append(p.Present[kind], bad.id)
	default:
		p.Keyless[kind] = true
	}
}

// Living is how many records of a kind the page says are there.
func (p *Page) Living(kind v1.ObjectKind) (n int) {
	switch kind {
	case v1.Identities:
		n = count(p.Identities, func(r *v1.RemoteIdentity) bool { return r.Deleted })
	case v1.Accounts:
		n = count(p.Accounts, func(r *v1.RemoteAccount) bool { return r.Deleted })
	case v1.Entitlements:
		n = count(p.Entitlements, func(r *v1.RemoteEntitlement) bool { return r.Deleted })
	case v1.Grants:
		n = count(p.Grants, func(r *v1.RemoteGrant) bool { return r.Deleted })
	}
	return n + len(p.Present[kind])
}

func count[T any](records []T, deleted func(*T) bool) (n int) {
	for i := range records {
		if !deleted(&records[i]) {
			n++
		}
	}
	return n
}

// digestOf distinguishes answers with different records. It is 0 if there are none.
func digestOf(e *Response) uint64 {
	h := fnv.New64a()
	some := false
	for _, list := range []json.RawMessage{e.Identities, e.Accounts, e.Entitlements, e.Grants} {
		_, _ = h.Write(list)
		_, _ = h.Write([]byte{0})
		some = some || len(list) > len("null")
	}
	if !some {
		return 0
	}
	return h.Sum64()
}
