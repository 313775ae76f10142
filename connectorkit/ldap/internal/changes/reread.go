package changes

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// rereadKeys is how many entries one search reads by key.
const rereadKeys = 100

// changedKey is the key of an entry that has changed or gone.
type changedKey struct {
	id     string // as records carry it
	filter string // as a filter writes it
	gone   bool   // the directory says that it is no more
}

// rereader reads again what has changed, by key. What no longer is where it should be, or no longer matches
// the filters, is gone.
type rereader struct {
	*Reader
	waiting  []changedKey
	listed   map[string]bool
	keysOnly bool // another reader reads the entries
}

// add queues an entry to be read again. An entry is read once however often it changed; that it is
// gone is queued even after a change of it, since the last word counts.
func (d *rereader) add(k changedKey) {
	if d.listed == nil {
		d.listed = map[string]bool{}
	}
	if !d.listed[k.id] || k.gone {
		d.listed[k.id] = true
		d.waiting = append(d.waiting, k)
	}
}

// flush reads what waits. No search may be running.
func (d *rereader) flush() error {
	for len(d.waiting) > 0 {
		n := min(rereadKeys, len(d.waiting))
		if err := d.batch(d.waiting[:n]); err != nil {
			return err
		}
		d.waiting = d.waiting[n:]
	}
	d.waiting, d.listed = nil, nil
	return nil
}

// flushGone emits only that what waits, and is not found any more where it should be, is gone.
func (d *rereader) flushGone() error {
	d.keysOnly = true
	return d.flush()
}

// batch reads some entries by key in one search for people and one for groups. A key that neither
// finds is gone, or no longer matches the filters, and is emitted as deleted.
func (d *rereader) batch(keys []changedKey) error {
	var any strings.Builder
	for _, k := range keys {
		if !k.gone {
			any.WriteString("(" + d.IdAttribute + "=" + k.filter + ")")
		}
	}
	found := map[string]bool{}
	for _, o := range d.Objects() {
		if any.Len() == 0 {
			break
		}
		p := o.Whole()
		p.Filter = "(&" + o.Filter + "(|" + any.String() + "))"
		attributes := d.Dictionary.Request()
		if d.keysOnly {
			attributes = []string{d.IdAttribute}
		}
		each := func(e *wire.Entry) error {
			found[d.KeyOf(e)] = true
			if d.keysOnly {
				return nil
			}
			return o.Handle(e)
		}
		out, err := d.SearchAll(d.Ctx, o.Phase, d.SearchRequest(o, p, attributes), each, d.PageEnd(o))
		if err != nil {
			return err
		}
		d.NoteOutcome(o, out)
	}
	for _, k := range keys {
		if found[k.id] {
			continue
		}
		for _, o := range d.Objects() {
			if err := d.EmitDeleted(o, k.id); err != nil {
				return err
			}
		}
	}
	return nil
}
