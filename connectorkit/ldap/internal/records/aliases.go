package records

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// maxAliases bounds how many further user names are kept. Directories have few: an account rarely has a second uid.
// Members by those beyond stay unresolved, and are counted by the run.
const maxAliases = 100_000

// maxWaiting bounds how many members by user name wait until the aliases are known. Those beyond are emitted as they
// are named.
const maxWaiting = 100_000

// Aliases are the values of uid that are no account's user name, with the account's key: the second value of an
// account that has several, or any where username_attribute is another one. Groups that list members by memberUid may
// name them. Where two accounts have the same alias it names neither.
type Aliases struct{ Keys map[string]string }

// note keeps one value of uid. A value that two accounts have is kept without an account, so that
// it names neither. Beyond the bound values are dropped.
func (a *Aliases) note(uid []byte, username, key string) {
	name := strings.ToLower(string(uid))
	if name == "" || strings.EqualFold(name, username) {
		return
	}
	if before, twice := a.Keys[name]; twice && before != key {
		a.Keys[name] = ""
		return
	}
	if len(a.Keys) < maxAliases {
		a.Keys[name] = key
	}
}

// noteAliases keeps the further user names of the person in hand.
func (r *Reader) noteAliases(e *wire.Entry) {
	if r.Aliases == nil {
		return
	}
	username := ""
	if name := r.Username(); name != nil {
		username = *name
	}
	for i := range e.Attributes {
		if !strings.EqualFold(string(e.Attributes[i].Name), "uid") {
			continue
		}
		for _, uid := range e.Attributes[i].Values {
			r.Aliases.note(uid, username, r.Record.Key)
		}
	}
}

// loadAliases reads the user names of all people, where this read has not come by all of them: it went on after an
// interruption, or reads changes. No search may be running.
func (r *Reader) loadAliases() error {
	if r.Aliases != nil {
		return nil
	}
	r.Aliases = &Aliases{Keys: map[string]string{}}
	o := r.Persons
	attributes := []string{r.IdAttribute, "uid"}
	if r.UsernameAttribute != "" {
		attributes = append(attributes, r.UsernameAttribute)
	}
	_, err := r.SearchAll(r.Ctx, "memberships", r.SearchRequest(o, o.Whole(), attributes), func(e *wire.Entry) error {
		r.Record.Parse(r.Dictionary, e, false)
		if r.Record.Key != "" {
			r.noteAliases(e)
		}
		return nil
	}, nil)
	return err
}

// accountOfAlias is the account whose further user name this is; empty where there is none.
func (r *Reader) accountOfAlias(name []byte) string {
	if r.Aliases == nil {
		return ""
	}
	return r.Aliases.Keys[strings.ToLower(string(name))]
}
