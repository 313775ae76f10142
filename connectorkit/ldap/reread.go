package ldap

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

// rereader reads again what has changed, by key. What no longer is where it should be, or no longer matches the filters, is gone.
type rereader struct {
	*run
	waiting  []changedKey
	listed   map[string]bool
	keysOnly bool // what is found is read by somebody else
}

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

// flushGone hands on only that what waits, and is not found any more where it should be, has gone.
func (d *rereader) flushGone() error {
	d.keysOnly = true
	return d.flush()
}

func (d *rereader) batch(keys []changedKey) error {
	var any strings.Builder
	for _, k := range keys {
		if !k.gone {
			any.WriteString("(" + d.idAttribute + "=" + k.filter + ")")
		}
	}
	found := map[string]bool{}
	for _, o := range d.all() {
		if any.Len() == 0 {
			break
		}
		p := o.whole()
		p.filter = "(&" + o.filter + "(|" + any.String() + "))"
		attributes := d.dict.request()
		if d.keysOnly {
			attributes = []string{d.idAttribute}
		}
		each := func(e *wire.Entry) error {
			found[d.keyOf(e)] = true
			if d.keysOnly {
				return nil
			}
			return o.each(e)
		}
		out, err := d.readAll(d.ctx, o.phase, d.search(o, p, attributes), each, d.settled(o))
		if err != nil {
			return err
		}
		d.ended(o, out)
	}
	for _, k := range keys {
		if found[k.id] {
			continue
		}
		for _, o := range d.all() {
			if err := d.gone(o, k.id); err != nil {
				return err
			}
		}
	}
	return nil
}
