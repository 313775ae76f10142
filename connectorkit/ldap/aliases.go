package ldap

import (
	"bytes"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// maxAliases bounds how many further user names are kept. Directories have few: an account rarely has a second uid.
// Members by those beyond stay unresolved, and are counted by the run.
const maxAliases = 100_000

// maxWaiting bounds how many members by user name wait until the aliases are known. Those beyond are handed on as they
// are named.
const maxWaiting = 100_000

// copied is m with values of its own, for those in hand are overwritten by the next entry.
func (m members) copied() members {
	attribute := *m.attribute
	out := members{attribute: &attribute, values: make([][]byte, len(m.values))}
	for i, v := range m.values {
		out.values[i] = bytes.Clone(v)
	}
	return out
}

// aliases are the values of uid that are no account's user name, with the account's key: the second value of an
// account that has several, or any where username_attribute is another one. Groups that list members by memberUid may
// name them. Where two accounts have the same alias it names neither.
type aliases struct{ keys map[string]string }

func (a *aliases) note(uid []byte, username, key string) {
	name := strings.ToLower(string(uid))
	if name == "" || strings.EqualFold(name, username) {
		return
	}
	if before, twice := a.keys[name]; twice && before != key {
		a.keys[name] = ""
		return
	}
	if len(a.keys) < maxAliases {
		a.keys[name] = key
	}
}

// noteAliases keeps the further user names of the person in hand.
func (r *run) noteAliases(e *wire.Entry) {
	if r.aliases == nil {
		return
	}
	username := ""
	if name := r.username(); name != nil {
		username = *name
	}
	for i := range e.Attributes {
		if !strings.EqualFold(string(e.Attributes[i].Name), "uid") {
			continue
		}
		for _, uid := range e.Attributes[i].Values {
			r.aliases.note(uid, username, r.rec.id)
		}
	}
}

// learnAliases reads the user names of all people, where this read has not come by all of them: it went on after an
// interruption, or reads changes. No search may be running.
func (r *run) learnAliases() error {
	if r.aliases != nil {
		return nil
	}
	r.aliases = &aliases{keys: map[string]string{}}
	o := r.people
	attributes := []string{r.idAttribute, "uid"}
	if r.usernameAttribute != "" {
		attributes = append(attributes, r.usernameAttribute)
	}
	_, err := r.readAll(r.ctx, "memberships", r.search(o, o.whole(), attributes), func(e *wire.Entry) error {
		r.rec.take(r.dict, e, false)
		if r.rec.id != "" {
			r.noteAliases(e)
		}
		return nil
	}, nil)
	return err
}

// aliased is the account whose further user name this is; empty where there is none.
func (r *run) aliased(name []byte) string {
	if r.aliases == nil {
		return ""
	}
	return r.aliases.keys[strings.ToLower(string(name))]
}
