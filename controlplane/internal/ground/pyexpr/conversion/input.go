package conversion

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Limits of a record.
const (
	maxInputDepth = 100
	maxInput      = 8 << 20
)

// ToValue turns a value of the packages encoding/json and time into one of Python: a number without a fraction is an
// int, a time is a text of RFC 3339, and invalid UTF-8 becomes U+FFFD. An expression may change the lists and dicts
// when own is true; otherwise they are frozen. It panics with an *object.Exceeded for what is larger than 8 MiB or
// nested more than 100 levels deep, and with an *object.Raised for a type that JSON does not have.
func ToValue(v any, own bool) object.Value {
	switch v := v.(type) { // the most frequent ones need no converter
	case nil, bool:
		return v
	case string:
		if !strings.Contains(v, "\uFFFD") && len(v) < maxInput {
			return strings.ToValidUTF8(v, "\uFFFD")
		}
	}
	c := &converter{own: own}
	return c.value(v, 0)
}

type converter struct {
	own  bool
	size int
}

func (c *converter) charge(n int) {
	if c.size += n; c.size > maxInput {
		panic(&object.Exceeded{Code: object.MemoryLimit, Msg: "the record is larger than 8 MiB"})
	}
}

func (c *converter) value(v any, depth int) object.Value {
	if depth > maxInputDepth {
		panic(&object.Exceeded{Code: object.DepthLimit, Msg: "the record is nested more than 100 levels deep"})
	}
	c.charge(32)
	switch v := v.(type) {
	case nil, bool:
		return v
	case string:
		c.charge(len(v))
		return strings.ToValidUTF8(v, "\uFFFD")
	case json.Number:
		return number(v)
	case float64:
		return whole(v)
	case int:
		return int64(v)
	case int64:
		return v
	case []any:
		l := &object.List{Items: make([]object.Value, len(v)), Frozen: !c.own}
		for i, x := range v {
			l.Items[i] = c.value(x, depth+1)
		}
		return l
	case []string:
		l := &object.List{Items: make([]object.Value, len(v)), Frozen: !c.own}
		for i, x := range v {
			l.Items[i] = c.value(x, depth+1)
		}
		return l
	case map[string]any:
		return c.dict(v, depth)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	panic(&object.Raised{Name: "TypeError", Msg: fmt.Sprintf("the record holds a %T, which is none of JSON", v)})
}

func (c *converter) dict(m map[string]any, depth int) *object.Dict {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	d := &object.Dict{}
	for _, k := range keys {
		c.charge(64 + len(k))
		d.Text(strings.ToValidUTF8(k, "\uFFFD"), c.value(m[k], depth+1))
	}
	d.Frozen = !c.own
	return d
}

// whole makes an int of a number without a fraction: JSON does not tell 1 from 1.0, and people mean the first.
func whole(f float64) object.Value {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return f
}

func number(n json.Number) object.Value {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return i
	}
	if len(n) > object.MaxDigits {
		panic(&object.Raised{Name: "ValueError", Msg: "the record holds a number of too many digits"})
	}
	if b, ok := new(big.Int).SetString(string(n), 10); ok {
		return object.Big(b)
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil && !math.IsInf(f, 0) {
		panic(&object.Raised{Name: "ValueError", Msg: "the record holds a number that is none"})
	}
	return whole(f)
}
