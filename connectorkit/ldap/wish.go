package ldap

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// wish is what an attribute is to hold; no values: nothing.
type wish struct {
	name   string
	values [][]byte
}

// named are the attributes behind the named members of an account, but for the user name.
func (w *writer) named(a *v1.ProvisionAccount) []struct {
	attribute string
	value     *string
} {
	return []struct {
		attribute string
		value     *string
	}{{"mail", a.Email}, {"displayName", a.DisplayName}, {"givenName", a.FirstName}, {"sn", a.LastName}, {w.numberAttribute(), a.EmployeeNumber}}
}

// numberAttribute holds the employee number.
func (w *writer) numberAttribute() string {
	if w.flavor.name == flavorAD {
		return "employeeID"
	}
	return "employeeNumber"
}

// wishes reads what is to be written, by attribute and in order. An attribute that is given by its own name wins over a member that
// stands for it.
func (w *writer) wishes(a *v1.ProvisionAccount) ([]wish, error) {
	if a == nil {
		return nil, nil
	}
	byName := map[string]wish{}
	for _, m := range w.named(a) {
		if m.value != nil {
			values, err := w.encode(m.attribute, *m.value)
			if err != nil {
				return nil, err
			}
			byName[strings.ToLower(m.attribute)] = wish{m.attribute, values}
		}
	}
	for name, v := range a.Attributes {
		if err := w.writable(name); err != nil {
			return nil, err
		}
		values, err := w.encode(name, v)
		if err != nil {
			return nil, err
		}
		byName[strings.ToLower(name)] = wish{name, values}
	}
	out := make([]wish, 0, len(byName))
	for _, key := range sortedKeys(byName) {
		out = append(out, byName[key])
	}
	return out, nil
}

// writable keeps off attributes that are no part of an update.
func (w *writer) writable(name string) error {
	lower := strings.ToLower(name)
	switch {
	case !isName(name):
		return complaint(v1.ClassData, "invalid_attribute", fmt.Sprintf("%q cannot be the name of an attribute", name), "Names have only letters, digits and -._;")
	case isSecret(lower):
		return complaint(v1.ClassPolicy, "secret_attribute", name+" holds a secret and is not written as an attribute", "Set passwords by account.reset_password, or by the credential of a new account.")
	case strings.EqualFold(name, w.idAttribute), isBackLink(lower, w.flavor.activeDir), lower == "dn", lower == "distinguishedname":
		return complaint(v1.ClassData, "read_only_attribute", name+" is kept by the directory itself", "Take it out of what is written; memberships change by grants.")
	}
	return nil
}

func isName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._;", r)
	})
}

// encode makes raw values of what a request carries, which is in the form in which a sync hands values on.
func (w *writer) encode(name string, v any) ([][]byte, error) {
	list, many := v.([]any)
	if s, ok := v.([]string); ok {
		for _, e := range s {
			list = append(list, e)
		}
		many = true
	}
	if !many {
		list = []any{v}
	}
	var out [][]byte
	for _, e := range list {
		raw, err := w.encodeOne(name, e)
		if err != nil {
			return nil, err
		}
		// There are no empty values in a directory, and a set holds each once.
		if len(raw) > 0 && !slices.ContainsFunc(out, func(o []byte) bool { return bytes.Equal(o, raw) }) {
			out = append(out, raw)
		}
	}
	return out, nil
}

func (w *writer) encodeOne(name string, v any) ([]byte, error) {
	format := w.dict.lookup([]byte(name)).format
	switch v := v.(type) {
	case nil:
		if format == asFiletime {
			return []byte("0"), nil // never
		}
		return nil, nil
	case string:
		return w.encodeText(name, format, v)
	case bool:
		return []byte(strings.ToUpper(strconv.FormatBool(v))), nil
	case float64:
		return []byte(strconv.FormatFloat(v, 'f', -1, 64)), nil
	case int:
		return []byte(strconv.Itoa(v)), nil
	case int64:
		return []byte(strconv.FormatInt(v, 10)), nil
	case json.Number:
		return []byte(v.String()), nil
	case map[string]any:
		if b, ok := v["$bin"].(string); ok {
			if raw, err := base64.StdEncoding.DecodeString(b); err == nil {
				return raw, nil
			}
		}
		kind, _ := v["kind"].(string)
		if value, ok := v["value"].(string); ok && kind != "" {
			return w.resolve(name, v1.Ref{Kind: v1.RefKind(kind), Value: value})
		}
	case v1.Ref:
		return w.resolve(name, v)
	}
	return nil, complaint(v1.ClassData, "invalid_value", fmt.Sprintf("%s cannot hold a value of this form (%T)", name, v), `Values are texts, numbers, truth values, lists of them, {"$bin": base64} or a reference {"kind", "value"}.`)
}

// dnAttributes hold DNs of people, so that a bare text there can stand for somebody.
var dnAttributes = map[string]bool{"manager": true, "secretary": true, "assistant": true, "owner": true, "managedby": true, "seealso": true}

func (w *writer) encodeText(name string, f format, s string) ([]byte, error) {
	switch {
	case s == "":
		return nil, nil
	case !utf8.ValidString(s), strings.ContainsRune(s, 0):
		return nil, complaint(v1.ClassData, "invalid_value", name+" is to hold a text that is none: it is no UTF-8, or has a NUL in it", `Give binary values as {"$bin": base64}.`)
	case dnAttributes[strings.ToLower(name)]:
		kind := v1.RefExternalID
		if strings.Contains(s, "=") {
			kind = v1.RefNative
		}
		return w.resolve(name, v1.Ref{Kind: kind, Value: s})
	}
	if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
		switch {
		case f == asFiletime:
			return []byte(strconv.FormatInt(filetime(at), 10)), nil
		case f == asTime && w.flavor.activeDir:
			return []byte(at.UTC().Format("20060102150405.0Z")), nil
		case f == asTime:
			return []byte(at.UTC().Format(generalizedTime)), nil
		}
	}
	if b, ok := parseGUID(s); ok && f == asGUID {
		return swapped(b), nil
	}
	return []byte(s), nil
}

// filetime is the reverse of ParseFiletime.
func filetime(at time.Time) int64 {
	return at.Unix()*filetimeTicksInSecond + int64(at.Nanosecond())/100 + filetimeUnixEpoch
}

// resolve finds the DN of somebody who is named by reference, in the directory's own spelling.
func (w *writer) resolve(name string, ref v1.Ref) ([]byte, error) {
	var f *found
	var err error
	switch ref.Kind {
	case v1.RefNative:
		var list []*found
		list, err = w.look(ref.Value, goldap.ScopeBaseObject, "(objectClass=*)")
		f = one(list)
	case v1.RefExternalID:
		f, err = w.find(v1.ProvisionTarget{RemoteID: ref.Value})
	case v1.RefUsername:
		f, err = w.byUsername(ref.Value)
	default:
		return nil, complaint(v1.ClassData, "invalid_value", fmt.Sprintf("%s cannot be given by %s", name, ref.Kind), "Give a DN, a key (external_id) or a user name.")
	}
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, complaint(v1.ClassData, "reference_not_found", fmt.Sprintf("%s is to name %s, which is not in the directory", name, ref.Value), "Create that account first, or take "+name+" out of what is written.")
	}
	return []byte(f.dn), nil
}

// same tells whether two values are equal as far as the directory cares.
func (w *writer) same(name string, a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	of := w.dict.lookup([]byte(name))
	switch of.format {
	case asFiletime:
		x, okX := ParseFiletime(string(a))
		y, okY := ParseFiletime(string(b))
		return okX && okY && x.Equal(y) || isNever(a) && isNever(b)
	case asTime:
		x, okX := ParseGeneralizedTime(string(a))
		y, okY := ParseGeneralizedTime(string(b))
		return okX && okY && x.Equal(y)
	case asBinary:
		return false
	}
	lower := strings.ToLower(of.base)
	switch {
	case dnAttributes[lower]:
		return NormalizeDN(string(a)) == NormalizeDN(string(b))
	case lower == "objectclass", isTrue(a) || isFalse(a):
		return bytes.EqualFold(a, b)
	}
	return false
}

func isFalse(b []byte) bool { return bytes.EqualFold(b, []byte("false")) }

func (w *writer) contains(name string, list [][]byte, v []byte) bool {
	return slices.ContainsFunc(list, func(have []byte) bool { return w.same(name, have, v) })
}

// lacking gives the values of want that are not in have.
func (w *writer) lacking(name string, have, want [][]byte) [][]byte {
	var out [][]byte
	for _, v := range want {
		if !w.contains(name, have, v) {
			out = append(out, v)
		}
	}
	return out
}

// changesTo are the modifications that make have into what is wished. Of several values those are added and deleted that differ, so
// that somebody else's change of the others meanwhile stays; what a directory cannot compare is replaced.
func (w *writer) changesTo(x wish, have [][]byte) []wire.Change {
	missing, extra := w.lacking(x.name, have, x.values), w.lacking(x.name, x.values, have)
	if strings.EqualFold(x.name, "objectClass") {
		extra = nil // the classes that a directory adds by itself are not ours to remove
	}
	switch {
	case len(missing)+len(extra) == 0:
		return nil
	case len(x.values) == 0, len(x.values) == 1 && len(have) <= 1, len(have) == 0, w.dict.lookup([]byte(x.name)).format == asBinary:
		if strings.EqualFold(x.name, "objectClass") {
			break
		}
		return []wire.Change{{Kind: wire.ChangeReplace, Name: x.name, Values: x.values}}
	}
	var out []wire.Change
	if len(extra) > 0 {
		out = append(out, wire.Change{Kind: wire.ChangeDelete, Name: x.name, Values: extra})
	}
	if len(missing) > 0 {
		out = append(out, wire.Change{Kind: wire.ChangeAdd, Name: x.name, Values: missing})
	}
	return out
}

// shown is what a record would carry of raw values.
func (w *writer) shown(name string, values [][]byte) any {
	a := w.dict.lookup([]byte(name))
	switch {
	case len(values) == 0, isSecret(strings.ToLower(a.base)):
		return nil
	case len(values) == 1:
		return a.value(values[0])
	}
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = a.value(v)
	}
	return list
}

func (w *writer) changed(name string, before, after [][]byte) {
	w.out.Changes = append(w.out.Changes, v1.ChangedField{Field: name, Old: w.shown(name, before), New: w.shown(name, after)})
}

// fulfilled tells whether an account is as wished, and otherwise in which attributes it is not.
func (w *writer) fulfilled(e *found, wishes []wish) (differing []string) {
	for _, x := range wishes {
		have := e.values[strings.ToLower(x.name)]
		extra := len(w.lacking(x.name, x.values, have)) > 0 && !strings.EqualFold(x.name, "objectClass")
		if extra || len(w.lacking(x.name, have, x.values)) > 0 {
			differing = append(differing, x.name)
		}
	}
	return differing
}
