package ldap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Pages are handed on when they hold so many records.
const (
	pageRecords = 500
	pageGrants  = 1000
)

// Sync reads the whole directory, whatever req.Incremental says: there is no cursor to go on from.
func (c *connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	s, err := c.read(req.AuthConfig)
	if err != nil {
		return err
	}
	se, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer se.conn.Close()
	if err := se.settleKeys(ctx); err != nil {
		return err
	}
	r := &run{session: se, ctx: ctx, emit: emit, now: c.env.Now(), want: wanted(req.Options), dict: newDictionary(se, req.Options)}
	r.warnings = warningList{list: se.warnings}
	return r.all()
}

// wanted says which kinds of record are asked for; none named means all.
func wanted(o *v1.SyncOptions) map[v1.ObjectKind]bool {
	kinds := []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}
	want := map[v1.ObjectKind]bool{}
	for _, k := range kinds {
		want[k] = o == nil || len(o.Objects) == 0 || slices.Contains(o.Objects, k)
	}
	return want
}

// settleKeys decides which attributes hold the key and the user name. A kind of directory that is not known is asked for
// an entry, to see which of the usual keys it has.
func (se *session) settleKeys(ctx context.Context) error {
	if se.usernameAttribute == "" && se.flavor.activeDir {
		se.usernameAttribute = "sAMAccountName"
	}
	if se.idAttribute == "" {
		se.idAttribute = se.flavor.id
	}
	if se.idAttribute != "" {
		return nil
	}
	users, groups := filters(se.settings, se.flavor)
	empty := true
	for _, req := range []wire.Request{se.users(users, keyAttributes), se.groups(groups, keyAttributes)} {
		present, seen, err := se.keysOf(req)
		if err != nil {
			return se.searchError(ctx, "keys", err)
		}
		empty = empty && seen == 0
		for _, name := range keyAttributes {
			if present[strings.ToLower(name)] {
				se.idAttribute = name
				return nil
			}
		}
	}
	if empty {
		se.idAttribute = keyAttributes[0] // nothing is there to be told apart
		return nil
	}
	return &v1.ErrorDetail{
		Class: v1.ClassConfig, Code: "no_key_attribute", Phase: "users",
		Message: "the entries have none of the usual immutable keys (objectGUID, entryUUID, nsUniqueId, ipaUniqueID, GUID)",
		Hint:    "Set id_attribute to an attribute that every entry has and that never changes, and check that the login may read it.",
	}
}

// keysOf tells which of the usual keys the first entry of a search has, in lower case.
func (se *session) keysOf(req wire.Request) (present map[string]bool, seen int, err error) {
	present = map[string]bool{}
	seen, _, err = se.first(req, 1, func(e *wire.Entry) {
		for _, a := range e.Attributes {
			if len(a.Values) > 0 {
				present[strings.ToLower(string(a.Name))] = true
			}
		}
	})
	return present, seen, err
}

func (se *session) users(filter string, attributes []string) wire.Request {
	return wire.Request{Base: se.userBase, Scope: se.scope, Filter: filter, Attributes: attributes, TimeLimit: se.timeLimit}
}

func (se *session) groups(filter string, attributes []string) wire.Request {
	return wire.Request{Base: se.groupBase, Scope: se.scope, Filter: filter, Attributes: attributes, TimeLimit: se.timeLimit}
}

// run is one read of a directory.
type run struct {
	*session
	ctx  context.Context
	emit connectorkit.Emit
	now  time.Time
	want map[v1.ObjectKind]bool
	dict *dictionary

	rec       record
	page      v1.SyncResponse
	stats     v1.Stats
	counts    map[v1.ObjectKind]int
	unsure    map[v1.ObjectKind]bool // kinds that were not provably read to the end
	scopes    []v1.Scope
	watermark time.Time
	warnings  warningList
	primary   map[string]string // SID of a group to its key; Active Directory only
	pending   []pendingRange
}

func (r *run) all() error {
	r.counts, r.unsure, r.primary = map[v1.ObjectKind]int{}, map[v1.ObjectKind]bool{}, map[string]string{}
	userFilter, groupFilter := filters(r.settings, r.flavor)
	// Active Directory's primary groups are only named by the people in them, so groups must be known first.
	primary := r.flavor.activeDir && r.want[v1.Grants]
	needUsers := r.want[v1.Identities] || r.want[v1.Accounts] || primary
	needGroups := r.want[v1.Entitlements] || r.want[v1.Grants]
	phases := []func() error{
		func() error { return r.readUsers(needUsers, userFilter) },
		func() error { return r.readGroups(needGroups, groupFilter) },
	}
	if primary {
		slices.Reverse(phases)
	}
	for _, phase := range phases {
		if err := phase(); err != nil {
			return err
		}
	}
	return r.finish()
}

// finish hands on the last page with what was proven about each kind.
func (r *run) finish() error {
	for _, kind := range []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants} {
		if r.want[kind] {
			r.scopes = append(r.scopes, v1.Scope{Kind: kind, Key: "*", Complete: !r.unsure[kind], Count: r.counts[kind]})
		}
	}
	return r.flush(true)
}

// full hands the page on when it is large enough.
func (r *run) full() error {
	if len(r.page.Grants) >= pageGrants || r.page.Len()-len(r.page.Grants) >= pageRecords {
		return r.flush(false)
	}
	return nil
}

func (r *run) flush(last bool) error {
	out := r.page
	r.page = v1.SyncResponse{}
	r.stats.APICalls, r.stats.Warnings = r.conn.Calls(), r.warnings.total
	stats := r.stats
	out.Success = true
	out.Page = &v1.Page{HasMore: !last, Stats: &stats}
	if last {
		out.Page.Scopes, out.Page.Warnings = r.scopes, r.warnings.all()
		if !r.watermark.IsZero() {
			out.Page.Watermark = &r.watermark
		}
	}
	out.Normalize()
	return r.emit(r.ctx, out)
}

// ended notes how the search behind some kinds of record went.
func (r *run) ended(what string, out outcome, kinds ...v1.ObjectKind) {
	r.stats.Pages += out.pages
	if out.unpaged {
		r.doubt(kinds...)
		r.warnings.add("paging_unsupported", "", fmt.Sprintf("the directory did not answer the search for %s in pages, so it cannot be proven that all were read and nothing is taken for removed", what))
	}
	if out.references > 0 {
		r.warnings.add("referral_ignored", "", fmt.Sprintf("%d search continuations to other servers were not followed while %s were read", out.references, what))
	}
}

func (r *run) doubt(kinds ...v1.ObjectKind) {
	for _, k := range kinds {
		r.unsure[k] = true
	}
}

// skip leaves out an entry that has no key. What it stands for may exist under its key already, so its absence proves nothing.
func (r *run) skip(e *wire.Entry, kinds ...v1.ObjectKind) {
	r.stats.Skipped++
	r.doubt(kinds...)
	r.warnings.add("no_key", "", fmt.Sprintf("%s has no %s, or the login may not read it; the entry was left out", e.DN, r.idAttribute))
}

func (r *run) noteTruncated(id string) {
	for _, name := range r.rec.truncated {
		r.warnings.add("value_truncated", id, fmt.Sprintf("the values of %s are too large and were left out", name))
	}
}

func (r *run) seen(at *time.Time) {
	if at != nil && at.After(r.watermark) {
		r.watermark = *at
	}
}

// first reads at most n entries of a search and gives the number seen. paged is false where the target does not do pages.
func (se *session) first(req wire.Request, n int, each func(*wire.Entry)) (seen int, paged bool, err error) {
	req.PageSize = n
	limited := func(e *wire.Entry) error {
		if seen < n {
			each(e)
		}
		seen++
		return nil
	}
	page, err := se.conn.Search(req, limited)
	if isCode(err, goldap.LDAPResultUnavailableCriticalExtension) {
		req.PageSize, req.SizeLimit = 0, n
		if _, err = se.conn.Search(req, limited); isCode(err, goldap.LDAPResultSizeLimitExceeded) && seen > 0 {
			err = nil // there are more than the n asked for
		}
		return seen, false, err
	}
	return seen, page.Paged, err
}

// warningList bounds what is told: so many of a kind and no more.
type warningList struct {
	list    []v1.Warning
	perCode map[string]int
	total   int
}

const maxWarningsPerCode = 20

func (w *warningList) add(code, id, message string) {
	if w.perCode == nil {
		w.perCode = map[string]int{}
	}
	w.total++
	if w.perCode[code]++; w.perCode[code] <= maxWarningsPerCode {
		w.list = append(w.list, v1.Warning{Code: code, Message: message, ExternalID: id})
	}
}

// all lists the warnings, with a count of those left out.
func (w *warningList) all() []v1.Warning {
	out := w.list
	for _, warning := range w.list {
		if n := w.perCode[warning.Code]; n > maxWarningsPerCode {
			out = append(out, v1.Warning{Code: warning.Code, Message: fmt.Sprintf("%d more of the same kind", n-maxWarningsPerCode)})
			w.perCode[warning.Code] = 0
		}
	}
	return out
}
