package object

// entry is a key of a dict with its value, in the order of insertion.
type entry struct {
	hash       any
	key, value Value
	gone       bool
}

// few is up to how many entries are found by looking at each, which is faster than a map to make and to ask.
const few = 8

// Dict is a dict. A frozen one belongs to the caller of the expression and is not to be changed.
type Dict struct {
	entries []entry
	index   map[any]int // nil while there are few
	gone    int
	Frozen  bool
}

// Len counts the entries.
func (d *Dict) Len() int { return len(d.entries) - d.gone }

func (d *Dict) find(h any) int {
	if d.index != nil {
		if i, ok := d.index[h]; ok {
			return i
		}
		return -1
	}
	if s, ok := h.(string); ok {
		for i := range d.entries {
			if k, ok := d.entries[i].hash.(string); ok && k == s && !d.entries[i].gone {
				return i
			}
		}
		return -1
	}
	for i := range d.entries {
		if d.entries[i].hash == h && !d.entries[i].gone {
			return i
		}
	}
	return -1
}

func (d *Dict) get(h any) (Value, bool) {
	if i := d.find(h); i >= 0 {
		return d.entries[i].value, true
	}
	return nil, false
}

func (d *Dict) put(h any, key, value Value) {
	if i := d.find(h); i >= 0 {
		d.entries[i].value = value
		return
	}
	if d.index == nil && len(d.entries) >= few {
		d.index = make(map[any]int, 2*few)
		for i := range d.entries {
			if !d.entries[i].gone {
				d.index[d.entries[i].hash] = i
			}
		}
	}
	if d.index != nil {
		d.index[h] = len(d.entries)
	}
	d.entries = append(d.entries, entry{hash: h, key: key, value: value})
}

func (d *Dict) drop(i int) {
	if d.index != nil {
		delete(d.index, d.entries[i].hash)
	}
	if i == len(d.entries)-1 {
		d.entries = d.entries[:i]
		for len(d.entries) > 0 && d.entries[len(d.entries)-1].gone {
			d.entries = d.entries[:len(d.entries)-1]
			d.gone--
		}
		return
	}
	d.entries[i] = entry{gone: true}
	d.gone++
}

// Text puts a value under a key of text without charging anybody: it is for what comes from outside.
func (d *Dict) Text(key string, value Value) { d.put(key, key, value) }

// Lookup finds a value by a key of text.
func (d *Dict) Lookup(key string) (Value, bool) { return d.get(key) }

// All yields the entries in order.
func (d *Dict) All(yield func(key, value Value) bool) {
	for i := 0; i < len(d.entries); i++ {
		if e := d.entries[i]; !e.gone && !yield(e.key, e.value) {
			return
		}
	}
}

// entrySize is what an entry takes, with its share of the map and of what is left behind as both grow.
const entrySize = 192

// Put is d[key] = value.
func (t *Thread) Put(d *Dict, key, value Value) {
	if d.Frozen {
		t.TypeError("the record is not to be changed here; make a copy of it first, as with dict(record)")
	}
	h := t.Hash(key)
	t.Alloc(entrySize)
	d.put(h, key, value)
}

// Get is d[key].
func (t *Thread) Get(d *Dict, key Value) (Value, bool) { return d.get(t.Hash(key)) }

// Pop takes an entry out.
func (t *Thread) Pop(d *Dict, key Value) (Value, bool) {
	i := d.find(t.Hash(key))
	if i < 0 {
		return nil, false
	}
	v := d.entries[i].value
	d.drop(i)
	return v, true
}

// PopLast takes the last entry out.
func (t *Thread) PopLast(d *Dict) (key, value Value, ok bool) {
	for i := len(d.entries) - 1; i >= 0; i-- {
		t.Steps(1)
		if e := d.entries[i]; !e.gone {
			d.drop(i)
			return e.key, e.value, true
		}
	}
	return nil, nil, false
}

// EqualDicts reports whether a and b have the same keys, and under each of them values that equal accepts. The order
// of the entries does not count.
func (t *Thread) EqualDicts(a, b *Dict, equal func(v, w Value) bool) bool {
	if a.Len() != b.Len() {
		return false
	}
	t.Enter()
	defer t.Leave()
	for i := range a.entries {
		t.Steps(1)
		e := &a.entries[i]
		if e.gone {
			continue
		}
		v, ok := b.get(e.hash)
		if !ok || !equal(e.value, v) {
			return false
		}
	}
	return true
}

// Clear takes everything out.
func (d *Dict) Clear() { d.entries, d.index, d.gone = nil, nil, 0 }

// CopyDict is d.copy().
func (t *Thread) CopyDict(d *Dict) *Dict {
	r := &Dict{}
	t.Update(r, d)
	return r
}

// Update puts the entries of from into d.
func (t *Thread) Update(d, from *Dict) {
	t.Steps(from.Len())
	t.Alloc(entrySize * from.Len())
	entries := from.entries
	for i := range entries {
		if e := &entries[i]; !e.gone {
			d.put(e.hash, e.key, e.value)
		}
	}
}
