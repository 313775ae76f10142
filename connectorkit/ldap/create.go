package ldap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// draft is an account to be made.
type draft struct {
	username  string
	container string
	dn        string
	rdn       string
	rdnValue  string
	asked     []wish            // by the request, without the naming attribute
	values    map[string][]wish // what else the entry gets; by lower-case name, one each
	enabled   bool              // as far as that can be
	password  string            // empty: none
}

// create makes an account, unless there is one that is as asked.
func (w *writer) create() error {
	d, err := w.draft()
	if err != nil {
		return err
	}
	done, err := w.existing(d)
	if done || err != nil {
		return err
	}
	steps := w.creation(d)
	for _, c := range steps[0].changes {
		if !isSecret(strings.ToLower(c.Name)) {
			w.changed(c.Name, nil, atLast(steps, c))
		}
	}
	w.out.Changes = append(w.out.Changes, v1.ChangedField{Field: "dn", New: d.dn})
	stale, err := w.leftovers(called{d.dn, w.listedName(d)})
	if err != nil {
		return err
	}
	w.plan(stale)
	w.plan(steps)
	if w.req.DryRun {
		return errDry
	}
	if err := w.clear(stale); err != nil {
		return err
	}
	if err := w.sendAll(steps); err != nil {
		return w.collided(d, w.restore(stale, err))
	}
	return w.confirm(d.dn, "", func(e *found) bool {
		return len(w.fulfilled(e, d.asked)) == 0 && e.status.disabled != d.enabled && NormalizeDN(d.dn) == e.native
	})
}

// listedName is the user name by which groups are going to list a new account.
func (w *writer) listedName(d *draft) string {
	if uid := d.values["uid"]; len(uid) > 0 {
		return text(uid[0])
	}
	return d.username
}

// atLast are the values that an attribute of the first step has after all of them.
func atLast(steps []step, c wire.Change) [][]byte {
	for _, s := range steps[1:] {
		for _, m := range s.changes {
			if strings.EqualFold(m.Name, c.Name) {
				c = m
			}
		}
	}
	return c.Values
}

// draft works out what the new entry is to be.
func (w *writer) draft() (*draft, error) {
	a := w.req.Account
	if a == nil || a.Username == nil || *a.Username == "" {
		return nil, complaint(v1.ClassData, "username_missing", "a new account needs a user name", "Give account.username.")
	}
	if err := sensible("user name", *a.Username); err != nil {
		return nil, err
	}
	asked, err := w.wishes(a)
	if err != nil {
		return nil, err
	}
	d := &draft{username: *a.Username, asked: asked}
	if d.password, err = w.newPassword(); err != nil {
		return nil, err
	}
	w.enabling(d)
	if d.container, err = w.containerOf(d); err != nil {
		return nil, err
	}
	if err := w.name(d); err != nil {
		return nil, err
	}
	if w.closing().control { // its bit for disabled is not the template's
		d.asked = slices.DeleteFunc(d.asked, func(x wish) bool { return strings.EqualFold(x.name, "userAccountControl") })
	}
	return d, nil
}

// sensible refuses what is no name. Directories take such characters for something else or leave them out, each in its way, and spaces
// around a name do not count in a comparison (RFC 4518).
func sensible(what, name string) error {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.TrimSpace(name) != name {
		return complaint(v1.ClassData, "invalid_name", fmt.Sprintf("%q cannot be a %s", name, what), "Names are text without control characters, and neither begin nor end with a space.")
	}
	return nil
}

// enabling decides whether the new account can be open from the start, and says why not.
func (w *writer) enabling(d *draft) {
	d.enabled = w.req.Account.Enabled == nil || *w.req.Account.Enabled
	if !w.flavor.activeDir {
		return
	}
	smartcard := false
	for _, x := range d.asked {
		if n, err := strconv.ParseInt(text(x), 10, 64); err == nil && strings.EqualFold(x.name, "userAccountControl") {
			smartcard = n&uacSmartcard != 0
		}
	}
	wanted := d.password != "" || d.enabled && !smartcard
	switch {
	case d.password != "" && w.security == securityNone:
		d.password, d.enabled = "", d.enabled && smartcard
		w.warn("password_needs_tls", "Active Directory takes passwords over TLS only: the account gets none and stays disabled. Set security to ldaps or starttls, reset its password, and enable it")
	case d.password == "" && wanted:
		d.enabled = false
		w.warn("left_disabled", "the account has no password and stays disabled, because Active Directory would accept a sign-in without one. Reset its password, then enable it")
	}
}

func text(x wish) string {
	if len(x.values) == 0 {
		return ""
	}
	return string(x.values[0])
}

// containerOf is the place of a new account.
func (w *writer) containerOf(d *draft) (string, error) {
	place := w.openContainer()
	if c := w.req.Account.Container; c != nil && *c != "" {
		place = *c
	}
	if closed := w.closing().container; closed != "" && !d.enabled {
		place = closed
	}
	return place, w.checkPlace(place)
}

// openContainer is where accounts that are not disabled lie, unless somebody says otherwise.
func (w *writer) openContainer() string {
	switch {
	case w.writing.container != "":
		return w.writing.container
	case NormalizeDN(w.userBase) != NormalizeDN(w.base), !w.isWhole():
		return w.userBase
	case w.flavor.name == flavorAD:
		return "CN=Users," + w.base
	}
	return "ou=people," + w.base
}

// isWhole tells whether the base DN is a whole naming context, in which nobody lies at the top, and not a place in one.
func (w *writer) isWhole() bool {
	contexts := w.root["namingcontexts"]
	return len(contexts) == 0 || slices.ContainsFunc(contexts, func(dn string) bool { return NormalizeDN(dn) == NormalizeDN(w.base) })
}

// checkPlace keeps accounts where a sync sees them: one that is moved out of its sight would pass for deleted. Directories answer in
// many ways when the place does not exist, so it is looked for.
func (w *writer) checkPlace(dn string) error {
	if _, err := goldap.ParseDN(dn); err != nil {
		return complaint(v1.ClassData, "invalid_container", fmt.Sprintf("the container %q is not a DN: %v", dn, err), "It looks like ou=people,dc=example,dc=com.")
	}
	if !isWithin(dn, w.userBase) {
		return complaint(v1.ClassConfig, "container_outside", fmt.Sprintf("the container %s does not lie below %s, where people are read", dn, w.userBase), "Choose one below it, or widen user_base_dn: what a sync cannot see would pass for deleted.")
	}
	if w.scope == goldap.ScopeSingleLevel && NormalizeDN(dn) != NormalizeDN(w.userBase) {
		return complaint(v1.ClassConfig, "container_outside", fmt.Sprintf("the container %s is not %s, and people are read directly below that alone", dn, w.userBase), "Set scope to sub, or use that container.")
	}
	there, err := w.isThere(dn)
	if err == nil && !there {
		err = complaint(v1.ClassConfig, "container_not_found", fmt.Sprintf("the container %s does not exist, or the login may not see it", dn), "Create it, or name one that exists: create_container, disabled_container, or the container of the account's template.")
	}
	return err
}

// existing looks whether the account is there: by its user name, and under the name the entry would get. One that is as asked is
// what an earlier try has left; any other is somebody's.
func (w *writer) existing(d *draft) (done bool, err error) {
	for _, x := range d.asked {
		w.extra = append(w.extra, x.name)
	}
	e, err := w.byUsername(d.username)
	if err == nil && e == nil {
		var list []*found
		list, err = w.look(d.dn, goldap.ScopeBaseObject, "(objectClass=*)")
		e = one(list)
	}
	if e == nil || err != nil {
		return false, err
	}
	return true, w.settleExisting(d, e, nil)
}

// settleExisting compares. refusal is the directory's own word, where it has spoken.
func (w *writer) settleExisting(d *draft, e *found, refusal *v1.ErrorDetail) error {
	differing := w.fulfilled(e, d.asked)
	if !strings.EqualFold(e.username(), d.username) {
		differing = append(differing, w.loginAttribute())
	}
	if e.status.disabled == d.enabled {
		differing = append(differing, "enabled")
	}
	if e.native != NormalizeDN(d.dn) {
		differing = append(differing, "dn")
	}
	if len(differing) == 0 {
		w.out.Plan, w.out.Changes = nil, nil
		w.out.Outcome, w.out.Verified, w.out.Account = v1.OutcomeAlready, true, &e.account
		return nil
	}
	if refusal == nil {
		refusal = complaint(v1.ClassConflict, "account_exists", "", "")
	}
	refusal.Message = fmt.Sprintf("there is already an account %s, and it differs in %s", e.dn, strings.Join(differing, ", "))
	refusal.Hint = "Correlate that account with its person, or choose another user name. It was not touched."
	return refusal
}

// collided looks at what is in the way of a new entry: somebody may have been quicker, or the same change may have been made by an
// earlier try.
func (w *writer) collided(d *draft, err error) error {
	var detail *v1.ErrorDetail
	if !isRefused(err, goldap.LDAPResultEntryAlreadyExists) || !asDetail(err, &detail) {
		return err
	}
	list, lookErr := w.look(d.dn, goldap.ScopeBaseObject, "(objectClass=*)")
	if lookErr != nil || len(list) == 0 {
		return err
	}
	return w.settleExisting(d, list[0], detail)
}

// creation lists the requests that make the account. On Active Directory it is disabled until it has its password, for it would be
// open to anybody before.
func (w *writer) creation(d *draft) []step {
	add := step{op: stepAdd, dn: d.dn, note: "make the account"}
	names := sortedKeys(d.values)
	slices.SortFunc(names, func(a, b string) int { return order(a) - order(b) })
	how := w.closing()
	for _, name := range names {
		x := d.values[name][0]
		if how.control && name == "useraccountcontrol" {
			continue
		}
		add.changes = append(add.changes, wire.Change{Kind: wire.ChangeAdd, Name: x.name, Values: x.values})
	}
	put := func(name, value string) {
		add.changes = append(add.changes, wire.Change{Kind: wire.ChangeAdd, Name: name, Values: rawAll([]string{value})})
	}
	late := w.flavor.activeDir && d.enabled // enabled after the password
	control := int64(uacNormal)
	switch {
	case how.control:
		if x := d.values["useraccountcontrol"]; len(x) > 0 {
			if n, err := strconv.ParseInt(text(x[0]), 10, 64); err == nil {
				control = n &^ uacDisabled
			}
		}
		put("userAccountControl", strconv.FormatInt(control|uacDisabled, 10))
	case how.attribute != "" && (late || !d.enabled):
		put(how.attribute, how.closed)
	case how.attribute != "" && how.open != "":
		put(how.attribute, how.open)
	}
	steps := []step{add}
	if w.flavor.activeDir {
		add.note = "make the account, disabled until it has a password"
		steps = []step{add}
	} else if d.password != "" && !w.extendedPassword() {
		steps[0].changes = append(steps[0].changes, wire.Change{Kind: wire.ChangeAdd, Name: "userPassword", Values: rawAll([]string{d.password})})
	}
	if d.password != "" && (w.flavor.activeDir || w.extendedPassword()) {
		s := w.passwordStep(d.dn, d.password)
		s.soft = "password_refused"
		steps = append(steps, s)
	}
	if d.password != "" {
		steps = append(steps, w.forcing(d.dn)...)
	}
	switch {
	case late && how.control:
		steps = append(steps, step{op: stepModify, dn: d.dn, changes: []wire.Change{replace("userAccountControl", strconv.FormatInt(control, 10))}, note: "enable it", soft: "left_disabled"})
	case late && how.attribute != "":
		steps = append(steps, step{op: stepModify, dn: d.dn, changes: []wire.Change{w.opened(how)}, note: "enable it", soft: "left_disabled"})
	}
	return steps
}

// order puts the class first, as everybody writes it.
func order(name string) int {
	if name == "objectclass" {
		return 0
	}
	return 1
}
