package changes

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/full"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// syncrepl asks the directory what has changed by content synchronisation (RFC 4533), refreshOnly. What
// OpenLDAP's overlay refint corrects by itself when an entry is renamed or removed does not count as a change
// there, and need not: the entry itself does.
type syncrepl struct{}

// begin takes a cookie for each search. OpenLDAP shows what goes into one as contextCSN; of others it is had
// only by a refresh, which is made without any attributes.
func (s syncrepl) begin(r *Reader) (*read.Position, string, error) {
	key := "nsUniqueId"
	if r.Flavor.Name == settings.FlavorOpenLDAP {
		key = "entryUUID"
	}
	if !strings.EqualFold(r.IdAttribute, key) {
		return nil, "the key attribute is not the one by which the directory names what has gone", nil
	}
	p := &read.Position{}
	for _, o := range r.Objects() {
		cookie, err := s.cookie(r, o)
		if r.Conn.Broken() {
			return nil, "", err
		}
		if err != nil || len(cookie) == 0 {
			return nil, fmt.Sprintf("the directory does not synchronise the search for %s: %v", o.Noun, err), nil
		}
		*cookieOf(p, r, o) = cookie
	}
	return p, "", nil
}

// cookieOf is where a position keeps the cookie of a search: there is one for people and one for
// groups.
func cookieOf(p *read.Position, r *Reader, o read.Objects) *[]byte {
	if o.Phase == r.Persons.Phase {
		return &p.People
	}
	return &p.Groups
}

// cookie takes the cookie of a search as it is now, without reading its entries. For OpenLDAP it is
// made of contextCSN and tried on one entry; of other directories it comes from a refresh without
// attributes. Empty: the directory gives none.
func (syncrepl) cookie(r *Reader, o read.Objects) ([]byte, error) {
	nothing := wire.SyncVisitor{
		Entry: func(*wire.Entry, wire.SyncState, []byte) error { return nil },
		IDs:   func([][]byte, bool) error { return nil },
	}
	if r.Flavor.Name == settings.FlavorOpenLDAP {
		cookie, err := r.contextCookie(o.Base)
		if err != nil || len(cookie) == 0 {
			return nil, err
		}
		// Whether the directory takes it is asked about one entry only.
		req := wire.Request{
			Base: o.Base, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"1.1"},
			TimeLimit: r.TimeLimit,
		}
		_, err = r.Conn.Sync(req, cookie, nothing)
		return cookie, err
	}
	end, err := r.Conn.Sync(r.SearchRequest(o, o.Whole(), []string{"1.1"}), nil, nothing)
	return end.Cookie, err
}

// contextCookie makes a cookie of the contextCSN of the naming context that base lies in, as OpenLDAP's own
// consumers do.
func (r *Reader) contextCookie(base string) ([]byte, error) {
	var csns []string
	req := wire.Request{
		Base: r.namingContext(base), Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)",
		Attributes: []string{"contextCSN"},
	}
	_, err := r.Conn.Search(req, func(e *wire.Entry) error {
		for _, a := range e.Attributes {
			for _, v := range a.Values {
				csns = append(csns, string(v))
			}
		}
		return nil
	})
	if err != nil || len(csns) == 0 {
		return nil, err
	}
	return []byte("rid=000,csn=" + strings.Join(csns, ";")), nil
}

// changes synchronizes people and then groups. A search that an interrupted read has finished is
// left out. Entries that OpenLDAP shows are used as they come; other directories show a part of
// their attributes, and the entries are read again. A directory whose UUIDs are not the keys of
// records cannot be followed in this way.
func (syncrepl) changes(r *Reader, from *read.Position) (*read.Position, error) {
	next := r.Checkpoint.Begin
	for _, o := range r.Objects() {
		if slices.Contains(r.Checkpoint.Phases, o.Phase) {
			continue
		}
		f := syncEntries{
			Reader: r, Objects: o, present: full.PresentKeys{Reader: r.Reader, Objects: o}, again: rereader{Reader: r},
		}
		cookie := *cookieOf(from, r, o)
		if len(cookie) == 0 || r.Flavor.Name == settings.FlavorOpenLDAP && !strings.Contains(string(cookie), "csn=") {
			// OpenLDAP takes a cookie without a number for none, and then does not tell what is gone.
			return nil, &fallback{reason: "the position of the last read has no cookie of the directory"}
		}
		end, err := r.Conn.Sync(
			r.SearchRequest(o, o.Whole(), r.Dictionary.Request()), cookie,
			wire.SyncVisitor{Entry: f.entry, IDs: f.ids},
		)
		if err != nil {
			return nil, err
		}
		r.Stats.Pages++
		if err := f.again.flush(); err != nil {
			return nil, err
		}
		if err := r.FinishPage(); err != nil {
			return nil, err
		}
		if f.foreign {
			return nil, &fallback{
				reason: "the directory names what has changed by another key than the entries have",
				avoid:  settings.StrategySyncrepl,
			}
		}
		if len(end.Cookie) == 0 {
			end.Cookie = cookie
		}
		*cookieOf(next, r, o) = end.Cookie
		if err := f.noteUnnamed(end, string(end.Cookie) != string(cookie)); err != nil {
			return nil, err
		}
		if err := r.endPhase(o); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// syncEntries takes what a synchronisation brings of o.
type syncEntries struct {
	*Reader
	read.Objects
	present full.PresentKeys
	again   rereader
	changed int // entries that were shown, or named as gone
	shown   int
	foreign bool // the directory's UUID is not the key that records have
}

// entry takes one entry of the synchronization. Unchanged ones are only named; of deleted ones
// nothing but the UUID is known.
func (f *syncEntries) entry(e *wire.Entry, state wire.SyncState, uuid []byte) error {
	switch state {
	case wire.SyncPresent:
		return f.present.Add(f.keyOfUUID(uuid))
	case wire.SyncDelete:
		f.changed++
		return f.Reader.EmitDeleted(f.Objects, f.keyOfUUID(uuid))
	}
	f.changed++
	if f.Flavor.Name != settings.FlavorOpenLDAP {
		// 389 Directory Server heeds the attributes asked for when it shows everything, but of what has
		// changed it shows only what users may write: neither the key nor what closes an account.
		id := f.keyOfUUID(uuid)
		f.again.add(changedKey{id: id, filter: goldap.EscapeFilter(id)})
		return nil
	}
	if err := f.Handle(e); err != nil {
		return err
	}
	if f.Record.Key == "" {
		return nil
	}
	f.foreign = f.foreign || f.Record.Key != f.keyOfUUID(uuid)
	f.shown++
	return nil
}

// ids takes a set of UUIDs without entries: those that are unchanged, or those that are gone (RFC
// 4533 section 2.5, syncIdSet).
func (f *syncEntries) ids(uuids [][]byte, gone bool) error {
	for _, uuid := range uuids {
		id := f.keyOfUUID(uuid)
		if !gone {
			if err := f.present.Add(id); err != nil {
				return err
			}
			continue
		}
		f.changed++
		if err := f.Reader.EmitDeleted(f.Objects, id); err != nil {
			return err
		}
	}
	return nil
}

// noteUnnamed draws the conclusion from what was not named. Only OpenLDAP is known to mean it: others end a
// list of changes as if it had been a list of all there is, and do not tell what has left the filter, so of
// them the keys are read instead.
func (f *syncEntries) noteUnnamed(end wire.SyncEnd, moved bool) error {
	if f.Flavor.Name != settings.FlavorOpenLDAP {
		f.ListKeysWanted = f.ListKeysWanted || moved || f.changed > 0
		return nil
	}
	if !end.Present {
		return nil
	}
	if err := f.present.Flush(); err != nil {
		return err
	}
	// What was shown is named as well.
	count := max(f.present.Count, f.shown)
	if count == 0 {
		if err := f.CheckEmpty(f.Objects); err != nil {
			return err
		}
	}
	for _, k := range f.Kinds {
		f.Counts[k] = count
	}
	f.ProvenScopes = append(f.ProvenScopes, f.Scopes(f.Kinds...)...)
	return nil
}

// keyOfUUID writes an entry's UUID as its key attribute does.
func (r *Reader) keyOfUUID(uuid []byte) string {
	if strings.EqualFold(r.IdAttribute, "nsUniqueId") {
		h := hex.EncodeToString(uuid)
		return h[:8] + "-" + h[8:16] + "-" + h[16:24] + "-" + h[24:]
	}
	return syntax.FormatUUID(uuid)
}
