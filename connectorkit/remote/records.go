package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/grantwright/grantwright/connectorkit/rest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Bounds of a record. What is beyond is set aside.
const (
	maxRecord = 256 << 10 // bytes of JSON
	maxDepth  = 32        // objects and lists inside each other
)

// row is one record as it came and as it is passed on.
type row[T any] struct {
	record  T
	members map[string]any // as decoded, numbers as json.Number
}

// unfit is a record that is set aside.
type unfit struct {
	why     string // with the place in the record
	id      string // its external_id, where it can be made out
	deleted bool
}

// decode reads one record.
func decode[T any](raw json.RawMessage) (row[T], *unfit) {
	var out row[T]
	switch {
	case len(raw) > maxRecord:
		return out, &unfit{why: fmt.Sprintf("is larger than %d KiB", maxRecord>>10), id: idIn(raw)}
	case !utf8.Valid(raw):
		return out, &unfit{why: "is not UTF-8"}
	case depth(raw) > maxDepth:
		return out, &unfit{why: fmt.Sprintf("is nested more than %d levels deep", maxDepth), id: idIn(raw)}
	}
	members, err := objectOf(raw)
	if err != nil {
		return out, &unfit{why: "is no object"}
	}
	if err := into(raw, &out.record); err != nil {
		bad := &unfit{why: placeOf[T](members, err), id: idIn(raw)}
		bad.deleted, _ = members["deleted"].(bool)
		return out, bad
	}
	out.members = members
	return out, nil
}

func into(raw []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(v)
}

func objectOf(raw []byte) (members map[string]any, err error) {
	if err = into(raw, &members); err == nil && members == nil {
		err = &misfit{"null"}
	}
	return members, err
}

// placeOf names the member that does not fit. The decoder does so itself, but for times.
func placeOf[T any](members map[string]any, err error) string {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) && typ.Field != "" {
		return explain(err)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text, wrong := json.Marshal(map[string]any{name: members[name]})
		if one := into(text, new(T)); wrong == nil && one != nil {
			return shortName(name) + ": " + explain(one)
		}
	}
	return explain(err)
}

func shortName(name string) string {
	if len(name) > 64 {
		return "a member"
	}
	return name
}

// idIn finds the external_id in a record that cannot be used as a whole.
func idIn(raw []byte) string {
	var key struct {
		ExternalID string `json:"external_id"`
	}
	if json.Unmarshal(raw, &key) != nil || len(key.ExternalID) > 1024 {
		return ""
	}
	return key.ExternalID
}

// depth counts how deep objects and lists of valid JSON lie inside each other.
func depth(raw []byte) (deepest int) {
	level, text, escaped := 0, false, false
	for _, b := range raw {
		switch {
		case escaped:
			escaped = false
		case text:
			escaped = b == '\\'
			text = b != '"'
		case b == '"':
			text = true
		case b == '{' || b == '[':
			level++
			deepest = max(deepest, level)
		case b == '}' || b == ']':
			level--
		}
	}
	return deepest
}

// notFields are members that are no fields of a person or an account.
var notFields = []string{"attributes", "deleted", "etag"}

// laidOut is a record as one object of fields: its own members, and the attributes over them. Nested objects are left as they are.
func laidOut(members map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range members {
		if v != nil && !slices.Contains(notFields, name) {
			out[name] = v
		}
	}
	if attributes, ok := members["attributes"].(map[string]any); ok {
		maps.Copy(out, attributes)
	}
	return out
}

// fields are what mappings see of a person or an account: the members too, under their names, so that each may be mapped in
// another way than the service has.
func fields(members map[string]any, allowed func(string) bool) map[string]any {
	out := rest.Flatten(laidOut(members))
	for name := range out {
		if !allowed(name) {
			delete(out, name)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// attributes are those of other records.
func attributes(members map[string]any, allowed func(string) bool) map[string]any {
	given, _ := members["attributes"].(map[string]any)
	return fields(map[string]any{"attributes": given}, allowed)
}

// page is what one answer brings.
type page struct {
	v1.SyncResponse
	carried map[v1.ObjectKind]bool // kinds that the answer has a list of
	keyless map[v1.ObjectKind]bool // kinds of which a record was set aside that nobody can name
	present map[v1.ObjectKind][]string
	unfit   []v1.Warning
	skipped int // records set aside
	digest  uint64
	look    func(v1.ObjectKind, map[string]any) // sees every record that fits; may be nil
}

// records reads all records of an answer, and lets look see the members of each. Only a list that is none is an error.
func (e *envelope) records(wanted map[v1.ObjectKind]bool, allowed func(string) bool, look func(v1.ObjectKind, map[string]any)) (*page, error) {
	p := &page{look: look, carried: map[v1.ObjectKind]bool{}, keyless: map[v1.ObjectKind]bool{}, present: map[v1.ObjectKind][]string{}, digest: digestOf(e)}
	p.Success = true
	for _, kind := range allKinds {
		list, err := e.list(kind)
		if err != nil {
			return nil, err
		}
		if p.carried[kind] = list != nil; !wanted[kind] {
			continue
		}
		switch kind {
		case v1.Identities:
			p.Identities = take(p, kind, list, func(r *v1.RemoteIdentity, m map[string]any) (string, bool) {
				r.Attributes = fields(m, allowed)
				return r.ExternalID, r.Deleted
			})
		case v1.Accounts:
			p.Accounts = take(p, kind, list, func(r *v1.RemoteAccount, m map[string]any) (string, bool) {
				r.Attributes = fields(m, allowed)
				return r.ExternalID, r.Deleted
			})
		case v1.Entitlements:
			p.Entitlements = take(p, kind, list, func(r *v1.RemoteEntitlement, m map[string]any) (string, bool) {
				r.Attributes = attributes(m, allowed)
				return r.ExternalID, r.Deleted
			})
		case v1.Grants:
			p.Grants = take(p, kind, list, func(r *v1.RemoteGrant, m map[string]any) (string, bool) {
				r.Attributes = attributes(m, allowed)
				return grantKey(r), r.Deleted
			})
		}
	}
	return p, nil
}

// grantKey is empty where nobody could tell what the grant is of.
func grantKey(r *v1.RemoteGrant) string {
	if r.ExternalID == "" && (r.EntitlementExternalID == "" || r.AccountExternalID == nil && r.PrincipalEntitlementExternalID == nil && r.PrincipalRef == nil) {
		return ""
	}
	return "named"
}

// take decodes the records of a kind. finish completes one and gives its key, and whether it is a tombstone.
func take[T any](p *page, kind v1.ObjectKind, list []json.RawMessage, finish func(*T, map[string]any) (string, bool)) []T {
	out := make([]T, 0, len(list))
	for i, raw := range list {
		r, bad := decode[T](raw)
		if bad == nil {
			key, deleted := finish(&r.record, r.members)
			if key != "" && p.look != nil {
				p.look(kind, r.members)
			}
			if key != "" {
				out = append(out, r.record)
				continue
			}
			bad = &unfit{why: "has no external_id", deleted: deleted}
			if kind == v1.Grants {
				bad.why = "names no entitlement or nobody who holds it"
			}
		}
		p.aside(kind, i, bad)
	}
	return out
}

// aside sets a record aside. One that can be named still counts as there: it is only its content that is not known.
func (p *page) aside(kind v1.ObjectKind, i int, bad *unfit) {
	p.skipped++
	if len(p.unfit) < maxWarnings {
		p.unfit = append(p.unfit, v1.Warning{Code: "record_unfit", Message: fmt.Sprintf("%s[%d] %s; it was left out", kind, i, bad.why), ExternalID: bad.id})
	}
	switch {
	case bad.deleted && bad.id != "":
	case bad.id != "" && kind != v1.Grants:
		p.present[kind] = append(p.present[kind], bad.id)
	default:
		p.keyless[kind] = true
	}
}

// living is how many records of a kind the page says are there.
func (p *page) living(kind v1.ObjectKind) (n int) {
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
	return n + len(p.present[kind])
}

func count[T any](records []T, deleted func(*T) bool) (n int) {
	for i := range records {
		if !deleted(&records[i]) {
			n++
		}
	}
	return n
}

// digestOf tells answers with different records apart. It is 0 where there are none.
func digestOf(e *envelope) uint64 {
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
