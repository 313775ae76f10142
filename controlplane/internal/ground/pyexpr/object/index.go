package object

import (
	"unicode/utf8"
)

// Slice is lo:hi:step of a subscript; None stands for what is left out.
type Slice struct{ Lo, Hi, Step Value }

// Subscript is v[key].
func (t *Thread) Subscript(v, key Value) Value {
	if s, ok := key.(*Slice); ok {
		return t.slice(v, s)
	}
	switch x := v.(type) {
	case *Dict:
		r, ok := x.get(t.Hash(key))
		if !ok {
			t.Raise("KeyError", "%s", t.Repr(key))
		}
		return r
	case *List:
		return x.Items[t.place(key, len(x.Items), "list")]
	case *Tuple:
		return x.Items[t.place(key, len(x.Items), "tuple")]
	case string:
		return t.charAt(x, key)
	case *Range:
		return x.At(t.place(key, x.Len(), "range object"))
	case Bytes:
		return int64(x[t.place(key, len(x), "index")])
	case Indexed:
		return x.Index(t, key)
	}
	t.TypeError("'%s' object is not subscriptable", TypeName(v))
	return nil
}

// place is an index counted from the start.
func (t *Thread) place(key Value, n int, what string) int {
	if !IsInt(key) {
		if what == "index" {
			t.TypeError("byte indices must be integers or slices, not %s", TypeName(key))
		}
		t.TypeError("%s indices must be integers or slices, not %s", what, TypeName(key))
	}
	i := t.Index(key)
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		if what == "range object" || what == "string" || what == "index" {
			t.Raise("IndexError", "%s index out of range", what)
		}
		t.Raise("IndexError", "%s index out of range", what)
	}
	return i
}

// IsASCII reports whether s has only characters of one byte.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (t *Thread) charAt(s string, key Value) Value {
	if _, ok := key.(int64); !ok && !IsInt(key) {
		t.TypeError("string indices must be integers, not '%s'", TypeName(key))
	}
	t.Read(len(s))
	if IsASCII(s) {
		return ascii[s[t.place(key, len(s), "string")]]
	}
	i := t.place(key, utf8.RuneCountInString(s), "string")
	r, _ := utf8.DecodeRuneInString(s[Offset(s, i):])
	return Char(r)
}

// Offset is where in s its i-th character begins; its end when there are fewer.
func Offset(s string, i int) int {
	at := 0
	for ; i > 0 && at < len(s); i-- {
		if s[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	return at
}

// Bounds are start, stop and step of a slice of n items, as slice.indices gives them, and how many items it has.
func (t *Thread) bounds(s *Slice, n int) (start, step, count int) {
	step = 1
	if s.Step != nil {
		if step = t.bound(s.Step); step == 0 {
			t.ValueError("slice step cannot be zero")
		}
	}
	step = max(min(step, 1<<40), -(1 << 40))
	low, high := 0, n
	if step < 0 {
		low, high = -1, n-1
	}
	clamp := func(v Value, otherwise int) int {
		if v == nil {
			return otherwise
		}
		i := t.bound(v)
		if i < 0 {
			i = max(i, -n-1) + n
		}
		return max(low, min(i, high))
	}
	if step > 0 {
		start, stop := clamp(s.Lo, 0), clamp(s.Hi, n)
		return start, step, max(0, (stop-start+step-1)/step)
	}
	start, stop := clamp(s.Lo, n-1), clamp(s.Hi, -1)
	return start, step, max(0, (start-stop-step-1)/-step)
}

func (t *Thread) bound(v Value) int {
	if !IsInt(v) {
		t.TypeError("slice indices must be integers or None or have an __index__ method")
	}
	return t.Index(v)
}

func (t *Thread) slice(v Value, s *Slice) Value {
	switch x := v.(type) {
	case string:
		return t.sliceText(x, s)
	case Bytes:
		start, step, n := t.bounds(s, len(x))
		t.Alloc(n + 16)
		out := make([]byte, n)
		for i := range out {
			out[i] = x[start+i*step]
		}
		return Bytes(out)
	case *List:
		return &List{Items: t.sliced(x.Items, s)}
	case *Tuple:
		return &Tuple{Items: t.sliced(x.Items, s)}
	case *Range:
		start, step, n := t.bounds(s, x.Len())
		return &Range{x.At(start), x.At(start + n*step), x.Step * int64(step)}
	case *Dict:
		t.TypeError("unhashable type: 'slice'")
	}
	t.TypeError("'%s' object is not subscriptable", TypeName(v))
	return nil
}

func (t *Thread) sliced(items []Value, s *Slice) []Value {
	start, step, n := t.bounds(s, len(items))
	t.Items(n + 1)
	out := make([]Value, n)
	for i := range out {
		out[i] = items[start+i*step]
	}
	return out
}

func (t *Thread) sliceText(x string, s *Slice) Value {
	t.Read(len(x))
	if IsASCII(x) {
		start, step, n := t.bounds(s, len(x))
		if step == 1 {
			t.Alloc(16)
			return x[min(start, len(x)):min(start+n, len(x))]
		}
		t.Alloc(n + 16)
		out := make([]byte, n)
		for i := range out {
			out[i] = x[start+i*step]
		}
		return string(out)
	}
	start, step, n := t.bounds(s, utf8.RuneCountInString(x))
	if step == 1 {
		t.Alloc(16)
		from := Offset(x, start)
		return x[from : from+Offset(x[from:], n)]
	}
	t.Alloc(8*len(x) + 16)
	runes := []rune(x)
	out := make([]rune, n)
	for i := range out {
		out[i] = runes[start+i*step]
	}
	return string(out)
}
