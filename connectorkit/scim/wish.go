package scim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// wish is one attribute as it should be; a nil value wants it away.
type wish struct {
	path   path
	value  any
	secret bool
	loose  bool // compared whatever the case of letters
}

// multi are attributes of a User with several values (RFC 7643 section 4.1.2).
var multi = []string{
	"emails",
	"phonenumbers",
	"ims",
	"photos",
	"addresses",
	"entitlements",
	"roles",
	"x509certificates",
}

func (p path) multi() bool {
	return p.urn == "" && slices.Contains(multi, strings.ToLower(p.attribute))
}

// unwritable are attributes that only the target writes, or that are written in another way.
var unwritable = map[string]string{
	"id":       "only the target gives ids",
	"meta":     "only the target writes it",
	"schemas":  "it follows from the attributes",
	"groups":   "memberships are granted and revoked",
	"members":  "memberships are granted and revoked",
	"password": "a password is a credential, not an attribute",
}

// wishes reads what is asked for of an account.
func wishes(a *v1.ProvisionAccount) ([]wish, error) {
	if a == nil {
		return nil, nil
	}
	var out []wish
	add := func(w wish) {
		// The members of the account come before attributes of the same name.
		if !slices.ContainsFunc(out, func(o wish) bool { return o.path.key() == w.path.key() }) {
			out = append(out, w)
		}
	}
	text := func(name string, v *string, loose bool) {
		if v == nil {
			return
		}
		p, _ := parsePath(name) // names of ours
		w := wish{path: p, value: *v, loose: loose}
		if *v == "" {
			w.value = nil
		}
		add(w)
	}
	text("userName", a.Username, true)
	text("displayName", a.DisplayName, false)
	text("name.givenName", a.FirstName, false)
	text("name.familyName", a.LastName, false)
	text("emails.value", a.Email, true)
	text(enterpriseUser+":employeeNumber", a.EmployeeNumber, false)
	if a.Enabled != nil {
		add(wish{path: path{attribute: "active"}, value: *a.Enabled})
	}
	if a.Container != nil && *a.Container != "" {
		return nil, badAsk(
			"container_unsupported",
			"users of a SCIM service lie in no containers",
			"Take the container out of the account's template.",
		)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Attributes)) {
		more, err := wished(name, a.Attributes[name])
		if err != nil {
			return nil, err
		}
		for _, w := range more {
			add(w)
		}
	}
	return out, nil
}

// wished reads one attribute. An object is taken apart, so that what it does not name stays.
func wished(name string, v any) ([]wish, error) {
	if object, ok := v.(map[string]any); ok {
		sep := "."
		if strings.EqualFold(name, enterpriseUser) ||
			schemaName.MatchString(name) && strings.HasSuffix(strings.ToLower(name), ":user") {
			sep = ":"
		}
		var out []wish
		for _, part := range slices.Sorted(maps.Keys(object)) {
			more, err := wished(name+sep+part, object[part])
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		return out, nil
	}
	p, err := parsePath(name)
	if err != nil {
		return nil, badAsk(
			"invalid_attribute",
			err.Error()+" of a user",
			"Name attributes as discovery does, such as title, name.givenName or "+enterpriseUser+":department.",
		)
	}
	if why := unwritable[strings.ToLower(p.attribute)]; why != "" && p.urn == "" {
		return nil, badAsk("unwritable_attribute", "the attribute "+p.attribute+" cannot be written: "+why, "")
	}
	if p.multi() && p.sub == "" {
		if _, list := v.([]any); !list && v != nil {
			p.sub = "value"
		}
	}
	if text, ok := v.(string); ok && text == "" {
		v = nil
	}
	w := wish{
		path:  p,
		value: plainJSON(v),
		loose: strings.EqualFold(p.attribute, "userName") || strings.EqualFold(p.attribute, "emails"),
	}
	return []wish{w}, nil
}

// plainJSON gives a value the types that a decoded record has.
func plainJSON(v any) any {
	switch v.(type) {
	case nil, string, bool, json.Number:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.UseNumber()
	var out any
	if dec.Decode(&out) != nil {
		return fmt.Sprint(v)
	}
	return out
}

func badAsk(code, message, hint string) *v1.ErrorDetail {
	return &v1.ErrorDetail{Class: v1.ClassConfig, Code: code, Message: message, Hint: hint, Phase: phaseUsers}
}

// met says whether a record is as wished.
func (w wish) met(rec record) bool {
	if w.secret {
		return false // nobody can look at it
	}
	if w.path.multi() && w.path.sub == "value" {
		return w.metByOne(rec)
	}
	return same(w.value, w.path.of(rec), w.loose)
}

// metByOne compares one text with the value that counts most, and a list with all values.
func (w wish) metByOne(rec record) bool {
	items := rec.items(w.path.attribute)
	if list, ok := w.value.([]any); ok {
		var have []any
		for _, item := range items {
			have = append(have, item.get("value"))
		}
		return same(any(list), any(have), w.loose)
	}
	best := foremost(items)
	if best < 0 {
		return w.value == nil
	}
	return same(w.value, items[best].get("value"), w.loose)
}

// foremost is the index of the value that counts most, as mailOf picks it; -1: there is none.
func foremost(items []record) int {
	best, rank := -1, 0
	for i, item := range items {
		if r := standing(item); item.text("value") != "" && r > rank {
			best, rank = i, r
		}
	}
	return best
}

// same compares values as they mean the same: empty ones are absent ones, lists have no order, and of objects the
// wished parts count.
func same(want, have any, loose bool) bool {
	if blank(want) || blank(have) {
		return blank(want) && blank(have)
	}
	switch want := want.(type) {
	case []any:
		list, ok := have.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		left := slices.Clone(list)
		for _, w := range want {
			i := slices.IndexFunc(left, func(h any) bool { return same(w, h, loose) })
			if i < 0 {
				return false
			}
			left = slices.Delete(left, i, i+1)
		}
		return true
	case map[string]any:
		object, ok := have.(map[string]any)
		if !ok {
			return false
		}
		for name, w := range want {
			if !same(w, record(object).get(name), loose) {
				return false
			}
		}
		return true
	case bool:
		b := record{"v": have}.flag("v")
		return b != nil && *b == want
	}
	a, b := textOf(want), textOf(have)
	return a == b || loose && strings.EqualFold(a, b)
}

func blank(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// items makes the list that a wish for the values of an attribute leads to, from the one that is there.
func (w wish) items(rec record) any {
	have, _ := copyOf(w.path.values(rec)).([]any)
	kept := make([]any, 0, len(have)+1)
	list, many := w.value.([]any)
	if many {
		for i, v := range list {
			kept = append(kept, itemFor(w.path.attribute, have, v, i == 0, w.loose))
		}
		return kept
	}
	items := record{"v": have}.items("v")
	best := foremost(items)
	for i, item := range items {
		switch {
		case i != best:
			kept = append(kept, map[string]any(item))
		case w.value != nil:
			item["value"] = w.value
			kept = append(kept, map[string]any(item))
		}
	}
	if best < 0 && w.value != nil {
		kept = append(kept, itemFor(w.path.attribute, nil, w.value, true, w.loose))
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// values is the whole attribute as a list.
func (p path) values(rec record) any {
	switch v := rec.get(p.attribute).(type) {
	case []any:
		return v
	case map[string]any:
		return []any{v}
	}
	return nil
}

// itemFor is the item that is there for a value, or a new one. Only addresses have one that is for work and comes
// first.
func itemFor(attribute string, have []any, v any, first, loose bool) any {
	for _, h := range have {
		if m, ok := h.(map[string]any); ok && same(v, record(m).get("value"), loose) {
			return m
		}
	}
	item := map[string]any{"value": v}
	if strings.EqualFold(attribute, "emails") && first {
		item["type"], item["primary"] = "work", true
	} else if strings.EqualFold(attribute, "phoneNumbers") && first {
		item["type"] = "work"
	}
	return item
}
