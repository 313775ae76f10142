package ldap

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// syncrepl asks the directory what has changed by content synchronisation (RFC 4533), refreshOnly. What OpenLDAP's overlay refint
// corrects by itself when an entry is renamed or removed does not count as a change there, and need not: the entry itself does.
type syncrepl struct{}

// begin takes a cookie for each search. OpenLDAP shows what goes into one as contextCSN; of others it is had only by a refresh,
// which is made without any attributes.
func (s syncrepl) begin(r *run) (*position, string, error) {
	key := "nsUniqueId"
	if r.flavor.name == flavorOpenLDAP {
		key = "entryUUID"
	}
	if !strings.EqualFold(r.idAttribute, key) {
		return nil, "the key attribute is not the one by which the directory names what has gone", nil
	}
	p := &position{}
	for _, o := range r.all() {
		cookie, err := s.cookie(r, o)
		if r.conn.Broken() {
			return nil, "", err
		}
		if err != nil || len(cookie) == 0 {
			return nil, fmt.Sprintf("the directory does not synchronise the search for %s: %v", o.what, err), nil
		}
		*p.cookieOf(r, o) = cookie
	}
	return p, "", nil
}

func (p *position) cookieOf(r *run, o objects) *[]byte {
	if o.phase == r.people.phase {
		return &p.People
	}
	return &p.Groups
}

func (syncrepl) cookie(r *run, o objects) ([]byte, error) {
	nothing := wire.SyncVisitor{
		Entry: func(*wire.Entry, wire.SyncState, []byte) error { return nil },
		IDs:   func([][]byte, bool) error { return nil },
	}
	if r.flavor.name == flavorOpenLDAP {
		cookie, err := r.contextCookie(o.base)
		if err != nil || len(cookie) == 0 {
			return nil, err
		}
		// Whether the directory takes it is asked about one entry only.
		req := wire.Request{Base: o.base, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"1.1"}, TimeLimit: r.timeLimit}
		_, err = r.conn.Sync(req, cookie, nothing)
		return cookie, err
	}
	end, err := r.conn.Sync(r.search(o, o.whole(), []string{"1.1"}), nil, nothing)
	return end.Cookie, err
}

// contextCookie makes a cookie of the contextCSN of the naming context that base lies in, as OpenLDAP's own consumers do.
func (r *run) contextCookie(base string) ([]byte, error) {
	var csns []string
	req := wire.Request{Base: r.context(base), Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"contextCSN"}}
	_, err := r.conn.Search(req, func(e *wire.Entry) error {
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

func (syncrepl) changes(r *run, from *position) (*position, error) {
	next := r.at.Begin
	for _, o := range r.all() {
		if slices.Contains(r.at.Phases, o.phase) {
			continue
		}
		f := follow{run: r, objects: o, present: presence{run: r, objects: o}, again: rereader{run: r}}
		cookie := *from.cookieOf(r, o)
		if len(cookie) == 0 || r.flavor.name == flavorOpenLDAP && !strings.Contains(string(cookie), "csn=") {
			// OpenLDAP takes a cookie without a number for none, and then does not tell what has gone.
			return nil, &fallback{reason: "the position of the last read has no cookie of the directory"}
		}
		end, err := r.conn.Sync(r.search(o, o.whole(), r.dict.request()), cookie, wire.SyncVisitor{Entry: f.entry, IDs: f.ids})
		if err != nil {
			return nil, err
		}
		r.stats.Pages++
		if err := f.again.flush(); err != nil {
			return nil, err
		}
		if err := r.settle(); err != nil {
			return nil, err
		}
		if f.foreign {
			return nil, &fallback{reason: "the directory names what has changed by another key than the entries have", avoid: strategySyncrepl}
		}
		if len(end.Cookie) == 0 {
			end.Cookie = cookie
		}
		*next.cookieOf(r, o) = end.Cookie
		if err := f.conclude(end, string(end.Cookie) != string(cookie)); err != nil {
			return nil, err
		}
		if err := r.endPhase(o); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// follow takes what a synchronisation brings of o.
type follow struct {
	*run
	objects
	present presence
	again   rereader
	changed int // entries that were shown, or named as gone
	shown   int
	foreign bool // the directory's UUID is not the key that records have
}

func (f *follow) entry(e *wire.Entry, state wire.SyncState, uuid []byte) error {
	switch state {
	case wire.SyncPresent:
		return f.present.name(f.keyOfUUID(uuid))
	case wire.SyncDelete:
		f.changed++
		return f.run.gone(f.objects, f.keyOfUUID(uuid))
	}
	f.changed++
	if f.flavor.name != flavorOpenLDAP {
		// 389 Directory Server heeds the attributes asked for when it shows everything, but of what has changed it shows only what users
		// may write: neither the key nor what closes an account.
		id := f.keyOfUUID(uuid)
		f.again.add(changedKey{id: id, filter: goldap.EscapeFilter(id)})
		return nil
	}
	if err := f.each(e); err != nil {
		return err
	}
	if f.rec.id == "" {
		return nil
	}
	f.foreign = f.foreign || f.rec.id != f.keyOfUUID(uuid)
	f.shown++
	return nil
}

func (f *follow) ids(uuids [][]byte, gone bool) error {
	for _, uuid := range uuids {
		id := f.keyOfUUID(uuid)
		if !gone {
			if err := f.present.name(id); err != nil {
				return err
			}
			continue
		}
		f.changed++
		if err := f.run.gone(f.objects, id); err != nil {
			return err
		}
	}
	return nil
}

// conclude draws the conclusion from what was not named. Only OpenLDAP is known to mean it: others end a list of changes as if it had
// been a list of all there is, and do not tell what has left the filter, so of them the keys are read instead.
func (f *follow) conclude(end wire.SyncEnd, moved bool) error {
	if f.flavor.name != flavorOpenLDAP {
		f.sweepWanted = f.sweepWanted || moved || f.changed > 0
		return nil
	}
	if !end.Present {
		return nil
	}
	if err := f.present.flush(); err != nil {
		return err
	}
	// What was shown is named as well.
	count := max(f.present.named, f.shown)
	if count == 0 {
		if err := f.proveEmpty(f.objects); err != nil {
			return err
		}
	}
	for _, k := range f.kinds {
		f.counts[k] = count
	}
	f.proven = append(f.proven, f.starScopes(f.kinds...)...)
	return nil
}

// keyOfUUID writes an entry's UUID as its key attribute does.
func (r *run) keyOfUUID(uuid []byte) string {
	if strings.EqualFold(r.idAttribute, "nsUniqueId") {
		h := hex.EncodeToString(uuid)
		return h[:8] + "-" + h[8:16] + "-" + h[16:24] + "-" + h[24:]
	}
	return bigEndianGUID(uuid)
}
