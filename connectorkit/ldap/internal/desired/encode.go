package desired

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

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Encode makes raw values of what a request carries, which is in the form in which a sync hands values on.
func (w *Encoder) Encode(name string, v any) ([][]byte, error) {
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

// encodeOne makes one raw value. Nil is an empty value, except for times of Active Directory, where
// never is a value of its own. Texts, numbers and truth values, {"$bin": base64} and references are
// understood; anything else is an error of the template and nothing is sent.
func (w *Encoder) encodeOne(name string, v any) ([]byte, error) {
	format := w.Finder.Dictionary.Lookup([]byte(name)).Format
	switch v := v.(type) {
	case nil:
		if format == entry.AsFiletime {
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
	return nil, ldaperr.NotSent(
		v1.ClassData, "invalid_value", fmt.Sprintf("%s cannot hold a value of this form (%T)", name, v),
		`Values are texts, numbers, truth values, lists of them, {"$bin": base64} or a reference {"kind", "value"}.`,
	)
}

// dnAttributes hold DNs of people, so that a bare text there can name a person.
var dnAttributes = map[string]bool{
	"manager": true, "secretary": true, "assistant": true, "owner": true, "managedby": true, "seealso": true,
}

// encodeText makes a raw value of a text. In attributes that hold DNs of people the text is a
// reference: a DN where it contains an equals sign, otherwise a key. Times in RFC 3339 become the
// form of the attribute, and so do GUIDs. An empty text removes the attribute.
func (w *Encoder) encodeText(name string, f entry.Format, s string) ([]byte, error) {
	switch {
	case s == "":
		return nil, nil
	case !utf8.ValidString(s), strings.ContainsRune(s, 0):
		return nil, ldaperr.NotSent(
			v1.ClassData, "invalid_value", name+" is to hold a text that is none: it is no UTF-8, or has a NUL in it",
			`Give binary values as {"$bin": base64}.`,
		)
	case dnAttributes[strings.ToLower(name)]:
		kind := v1.RefExternalID
		if strings.Contains(s, "=") {
			kind = v1.RefNative
		}
		return w.resolve(name, v1.Ref{Kind: kind, Value: s})
	}
	if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
		switch {
		case f == entry.AsFiletime:
			return []byte(strconv.FormatInt(syntax.FormatFiletime(at), 10)), nil
		case f == entry.AsTime && w.Finder.Flavor.ActiveDirectory:
			return []byte(at.UTC().Format("20060102150405.0Z")), nil
		case f == entry.AsTime:
			return []byte(at.UTC().Format(syntax.GeneralizedTimeLayout)), nil
		}
	}
	if b, ok := syntax.ParseGUID(s); ok && f == entry.AsGUID {
		return syntax.SwapGUID(b), nil
	}
	return []byte(s), nil
}

// resolve finds the DN of a person who is named by reference, in the directory's own spelling.
func (w *Encoder) resolve(name string, ref v1.Ref) ([]byte, error) {
	var f *lookup.Account
	var err error
	switch ref.Kind {
	case v1.RefNative:
		var list []*lookup.Account
		list, err = w.Finder.Search(ref.Value, goldap.ScopeBaseObject, "(objectClass=*)")
		f = lookup.First(list)
	case v1.RefExternalID:
		f, err = w.Finder.Find(v1.ProvisionTarget{RemoteID: ref.Value})
	case v1.RefUsername:
		f, err = w.Finder.ByUsername(ref.Value)
	default:
		return nil, ldaperr.NotSent(
			v1.ClassData, "invalid_value", fmt.Sprintf("%s cannot be given by %s", name, ref.Kind),
			"Give a DN, a key (external_id) or a user name.",
		)
	}
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, ldaperr.NotSent(
			v1.ClassData, "reference_not_found",
			fmt.Sprintf("%s is to name %s, which is not in the directory", name, ref.Value),
			"Create that account first, or take "+name+" out of what is written.",
		)
	}
	return []byte(f.DN), nil
}
