package extract

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// memberNames remembers how targets write member names, so that a name in another case is found without looking at
// every member of every record.
type memberNames struct {
	seen map[string]bool
	// By the name in lower case.
	folded map[string][]string
}

// maxSpellings are remembered. Records whose member names are data of their own are looked through instead.
const maxSpellings = 2000

// learn takes in the names of a record.
func (k *memberNames) learn(object map[string]any) {
	if k.seen == nil {
		k.seen = map[string]bool{}
		k.folded = map[string][]string{}
	}
	for name := range object {
		if k.seen[name] || len(k.seen) > maxSpellings {
			continue
		}
		k.seen[name] = true
		lower := strings.ToLower(name)
		k.folded[lower] = append(k.folded[lower], name)
	}
}

// member is the function of that name, for an object that was learned.
func (k *memberNames) member(object map[string]any, name string) any {
	if v, ok := object[name]; ok {
		return v
	}
	if len(k.seen) > maxSpellings {
		return jsonvalue.Member(object, name)
	}
	found := ""
	for _, other := range k.folded[strings.ToLower(name)] {
		if _, ok := object[other]; ok && (found == "" || other < found) {
			found = other
		}
	}
	if found == "" {
		return nil
	}
	return object[found]
}

// Members that records of most targets have under one of these names, the best first.
var (
	accountNames = []wellKnownMember{
		{"username", []string{"userName", "username", "user_name", "login", "sAMAccountName", "userPrincipalName"}},
		{"email", []string{"email", "mail", "emailAddress", "email_address", "primaryEmail", "workEmail"}},
		{"display_name", []string{"displayName", "display_name", "fullName", "full_name", "name"}},
		{"first_name", []string{"firstName", "first_name", "givenName"}},
		{"last_name", []string{"lastName", "last_name", "familyName", "surname"}},
		{"employee_number", []string{"employeeNumber", "employee_number"}},
	}
	entitlementNames = []wellKnownMember{
		{"name", []string{"name", "displayName", "display_name", "title", "label", "code"}},
		{"display_name", []string{"displayName", "display_name"}},
		{"description", []string{"description", "desc"}},
	}
)

// wellKnownMember is a member of a row with the names that targets have for it, the best first.
type wellKnownMember struct {
	target string
	names  []string
}

// fillWellKnown fills what the usual names tell. Only texts are taken: an object called name is something else.
func (r *Rows) fillWellKnown(row any, kind string, record any, key string, names []wellKnownMember) {
	object, ok := record.(map[string]any)
	if !ok {
		if text, ok := jsonvalue.Text(record); ok && kind == stream.ObjectEntitlement {
			_ = setMember(row, kind, "name", []any{text}, false) // a text always fits a text
		}
		return
	}
	for _, o := range names {
		for _, name := range o.names {
			if text, ok := r.known.member(object, name).(string); ok && text != "" {
				_ = setMember(row, kind, o.target, []any{text}, false) // a text always fits a text
				break
			}
		}
	}
}

// Members that tell whether an account can be used.
var (
	enabledNames  = []string{"active", "isActive", "is_active", "enabled", "isEnabled", "is_enabled", "accountEnabled"}
	disabledNames = []string{"disabled", "isDisabled", "is_disabled", "suspended", "blocked", "deactivated"}
	stateNames    = []string{"status", "state", "accountStatus", "account_status"}
)

// state finds out whether an account is disabled.
func (r *Rows) state(row *v1.RemoteAccount, record any) {
	object, ok := record.(map[string]any)
	if !ok {
		return
	}
	conclude := func(disabled bool) { row.IsDisabled = &disabled }
	for _, name := range enabledNames {
		if able, ok := jsonvalue.Bool(r.known.member(object, name), name); ok {
			conclude(!able)
			return
		}
	}
	for _, name := range disabledNames {
		if disabled, ok := jsonvalue.Bool(r.known.member(object, name), name); ok {
			conclude(disabled)
			return
		}
	}
	for _, name := range stateNames {
		switch v := r.known.member(object, name).(type) {
		case bool:
			conclude(!v)
			return
		case string:
			if able, ok := jsonvalue.AccountStates[strings.ToLower(strings.TrimSpace(v))]; ok {
				conclude(!able)
				return
			}
		}
	}
}

// statusFromFields takes the state of an account from what the stream's fields name as the status, where none of them
// says whether it is disabled: whoever is suspended as a person must not pass for one who can still sign in.
func (r *Rows) statusFromFields(row *v1.RemoteAccount, record any) {
	for _, f := range r.St.FieldRules {
		if row.IsDisabled != nil || f.Target != "status" || f.Path == nil {
			continue
		}
		for _, v := range f.Path.Select(r.Budget, record) {
			text, _ := jsonvalue.Text(v) // no text: no word that is known
			if able, ok := jsonvalue.AccountStates[strings.ToLower(strings.TrimSpace(text))]; ok {
				disabled := !able
				row.IsDisabled = &disabled
			}
		}
	}
}
