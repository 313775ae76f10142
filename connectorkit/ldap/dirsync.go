package ldap

import (
	"bytes"
	"slices"
	"strings"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// dirSync asks Active Directory what has changed in a naming context (MS-ADTS section 3.1.1.3.4.1.3). It shows tombstones, and of
// changed entries the changed attributes only, so these are read again by objectGUID.
type dirSync struct{}

// maxRounds guards against a target that always has more to tell.
const maxRounds = 1_000_000

// beginPatience stays below what makes a run that tells nothing pass for stuck.
const beginPatience = 4 * time.Minute

// noEntry matches nothing: a cookie does not depend on the filter.
const noEntry = `(objectGUID=\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00)`

func (d dirSync) begin(r *run) (*position, string, error) {
	context := r.context(r.bases()[0])
	for _, base := range r.bases() {
		if context == "" || r.context(base) != context {
			return nil, "people and groups are not read from one naming context", nil
		}
	}
	// The directory goes through all its objects before it says that none matches.
	usual := r.conn.Patience(max(r.silence, beginPatience))
	defer r.conn.Patience(usual)
	p := &position{}
	_, err := d.follow(r, p, noEntry, func(*wire.Entry) error { return nil }, nil)
	if err != nil && !r.conn.Broken() {
		// Without the right to replicate changes, what the login can see is shown all the same.
		p = &position{Restricted: true}
		_, err = d.follow(r, p, noEntry, func(*wire.Entry) error { return nil }, nil)
	}
	switch {
	case err != nil && r.conn.Broken():
		return nil, "", err
	case err != nil:
		return nil, "the directory refuses DirSync to this login: " + err.Error(), nil
	}
	return p, "", nil
}

// context is the root of the naming context that dn lies in; empty where the directory does not tell.
func (r *run) context(dn string) string {
	found := ""
	for _, nc := range r.root["namingcontexts"] {
		if isWithin(dn, nc) && len(nc) > len(found) {
			found = nc
		}
	}
	return found
}

// follow runs rounds of DirSync until the directory has no more, moving p's cookie on. between runs after each round.
func (dirSync) follow(r *run, p *position, filter string, each func(*wire.Entry) error, between func() error) (entries int, err error) {
	flags := wire.DirSyncIncrementalValues
	if p.Restricted {
		flags |= wire.DirSyncObjectSecurity
	}
	req := wire.Request{Base: r.context(r.bases()[0]), Scope: goldap.ScopeWholeSubtree, Filter: filter, TimeLimit: r.timeLimit}
	for range maxRounds {
		page, err := r.conn.DirSync(req, flags, p.Cookie, each)
		if err != nil {
			return entries, err
		}
		entries += page.Entries
		r.stats.Pages++
		r.sign("changes", entries)
		stuck := page.More && page.Entries == 0 && bytes.Equal(page.Cookie, p.Cookie)
		p.Cookie = page.Cookie
		if between != nil {
			if err := between(); err != nil {
				return entries, err
			}
		}
		switch {
		case !page.More:
			return entries, nil
		case stuck:
			return entries, endless("changes", r.hostport())
		}
	}
	return entries, endless("changes", r.hostport())
}

func (d dirSync) changes(r *run, from *position) (*position, error) {
	next := r.at.Begin // moves on with each round
	again := rereader{run: r}
	_, err := d.follow(r, next, r.anyOfTheClasses(), func(e *wire.Entry) error {
		if k, ok := r.changedKeyOf(e); ok && (k.gone || r.concerns(e)) {
			again.add(k)
		}
		return nil
	}, func() error {
		if err := again.flush(); err != nil {
			return err
		}
		return r.markChanges()
	})
	if err != nil {
		return nil, err
	}
	if next.Restricted {
		visible, err := r.seesDeleted()
		if err != nil {
			return nil, err
		}
		r.sweepWanted = r.sweepWanted || !visible
	}
	return next, nil
}

// concerns tells whether a changed entry is one of those read, or may have been: a change of its name or place shows as one of
// name.
func (r *run) concerns(e *wire.Entry) bool {
	dn := string(e.DN)
	for _, base := range r.bases() {
		if isWithin(dn, base) {
			return true
		}
	}
	return valueOf(e, "name") != nil
}

// anyOfTheClasses matches entries that may be people or groups, tombstones included: those have no objectCategory, and none of
// the attributes that a filter of the user's own may ask for.
func (r *run) anyOfTheClasses() string {
	if r.ownClasses(r.userFilter, r.userClasses) || r.ownClasses(r.groupFilter, r.groupClasses) {
		return "(objectClass=*)"
	}
	var classes []string
	for _, o := range r.all() {
		classes = append(classes, o.classes...)
	}
	if slices.ContainsFunc(classes, func(c string) bool { return strings.EqualFold(c, "computer") }) {
		return anyClass(classes, nil)
	}
	return "(&" + anyClass(classes, nil) + "(!(objectCategory=computer)))" // their class is one of user's
}

// ownClasses tells whether a configured filter itself says which classes it wants.
func (r *run) ownClasses(filter string, classes []string) bool {
	return filter != "" && len(classes) == 0 && both("", filter, false) == filter
}

// changedKeyOf reads what a list of changes tells of an entry.
func (r *run) changedKeyOf(e *wire.Entry) (changedKey, bool) {
	var k changedKey
	for i := range e.Attributes {
		raw := &e.Attributes[i]
		if len(raw.Values) == 0 {
			continue
		}
		a := r.dict.lookup(raw.Name)
		switch {
		case a.id:
			k.id = keyText(r.flavor.name, a.format, raw.Values[0])
			k.filter = escapeBytes(raw.Values[0])
		case a.key == "isDeleted":
			k.gone = isTrue(raw.Values[0])
		}
	}
	return k, k.id != ""
}

// seesDeleted tells whether the login can see Active Directory's tombstones. That it can see their place proves nothing: it has to
// see one.
func (r *run) seesDeleted() (bool, error) {
	seen, _, err := r.first(wire.Request{
		Base: r.deletedObjects(), Scope: goldap.ScopeSingleLevel, Filter: "(&(isDeleted=TRUE)" + r.anyOfTheClasses() + ")", Attributes: []string{"1.1"}, ShowDeleted: true,
	}, 1, func(*wire.Entry) {})
	if err != nil {
		return false, r.lost(err)
	}
	return seen > 0, nil
}

// deletedObjects is where the tombstones of the naming context lie in which the read is made.
func (r *run) deletedObjects() string { return "CN=Deleted Objects," + r.context(r.bases()[0]) }
