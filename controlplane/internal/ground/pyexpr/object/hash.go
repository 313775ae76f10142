package object

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// composite is the hash of a value made of others.
type composite struct{ text string }

// Hash is a comparable Go value that is the same for equal keys.
func (t *Thread) Hash(v Value) any {
	switch v := v.(type) {
	case nil, string:
		return v
	case int64:
		return v
	case bool:
		i, _, _ := AsInt(v)
		return i
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<62 {
			return int64(v)
		}
		if n, acc := new(big.Float).SetFloat64(nonNaN(v)).Int(nil); n != nil && acc == big.Exact {
			return composite{"i" + n.Text(16)}
		}
		return v
	case Bytes:
		return v
	case *big.Int:
		t.Alloc(v.BitLen() / 4)
		return composite{"i" + v.Text(16)}
	case *Tuple, *Set:
		var b strings.Builder
		t.hashInto(&b, v)
		return composite{b.String()}
	case *List, *Dict:
		t.TypeError("unhashable type: '%s'", TypeName(v))
	case Comparable:
		return v.Key()
	}
	return v
}

func nonNaN(f float64) float64 {
	if math.IsNaN(f) {
		return 0.5
	}
	return f
}

func (t *Thread) hashInto(b *strings.Builder, v Value) {
	t.Steps(1)
	t.Enter()
	defer t.Leave()
	switch v := v.(type) {
	case *Tuple:
		t.Alloc(2 * len(v.Items))
		b.WriteByte('(')
		for _, x := range v.Items {
			t.hashInto(b, x)
		}
		b.WriteByte(')')
	case *Set:
		if !v.Immutable {
			t.TypeError("unhashable type: 'set'")
		}
		var parts []string
		for x := range v.All {
			var one strings.Builder
			t.hashInto(&one, x)
			parts = append(parts, one.String())
		}
		slices.Sort(parts)
		b.WriteByte('{')
		for _, p := range parts {
			t.Alloc(len(p))
			b.WriteString(p)
		}
		b.WriteByte('}')
	case string:
		t.Alloc(len(v) + 24)
		b.WriteString("s" + strconv.Itoa(len(v)) + ":" + v)
	case int64:
		t.Alloc(24)
		b.WriteString("i" + strconv.FormatInt(v, 16) + ";")
	default:
		h := t.Hash(v)
		if i, ok := h.(int64); ok {
			t.hashInto(b, i)
			return
		}
		if c, ok := h.(composite); ok {
			h = c.text
		}
		t.Steps(20)
		text := fmt.Sprintf("%T:%v;", h, h)
		t.Alloc(len(text))
		b.WriteString(text)
	}
}
