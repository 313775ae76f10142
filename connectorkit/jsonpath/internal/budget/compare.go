package budget

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Equal compares two values, and charges each part of them before it is compared.
func (b *Budget) Equal(x, y any) bool {
	if !b.Charge(1) {
		return false
	}
	switch x := x.(type) {
	case Nothing:
		_, ok := y.(Nothing)
		return ok
	case nil:
		return y == nil
	case bool:
		other, ok := y.(bool)
		return ok && x == other
	case string:
		other, ok := y.(string)
		return ok && len(x) == len(other) && b.Charge(len(x)/bytesPerStep) && x == other
	case []any:
		return b.equalArrays(x, y)
	case map[string]any:
		return b.equalObjects(x, y)
	}
	c, ok := b.compareNumbers(x, y)
	return ok && c == 0
}

// equalArrays compares element by element, within the budget.
func (b *Budget) equalArrays(x []any, y any) bool {
	other, ok := y.([]any)
	if !ok || len(x) != len(other) {
		return false
	}
	for i := range x {
		if !b.Equal(x[i], other[i]) {
			return false
		}
	}
	return true
}

// equalObjects compares member by member, within the budget.
func (b *Budget) equalObjects(x map[string]any, y any) bool {
	other, ok := y.(map[string]any)
	if !ok || len(x) != len(other) {
		return false
	}
	for name, v := range x {
		w, ok := other[name]
		if !ok || !b.Equal(v, w) {
			return false
		}
	}
	return true
}

// Less orders numbers and strings; nothing else has an order.
func (b *Budget) Less(x, y any) bool {
	if !b.Charge(1) {
		return false
	}
	if s, ok := x.(string); ok {
		other, ok := y.(string)
		return ok && b.Charge(min(len(s), len(other))/bytesPerStep) && s < other
	}
	c, ok := b.compareNumbers(x, y)
	return ok && c < 0
}

// compareNumbers is exact for integers of any size and by float64 otherwise.
func (b *Budget) compareNumbers(v, w any) (int, bool) {
	x, ok := numberText(v)
	if !ok {
		return 0, false
	}
	y, ok := numberText(w)
	if !ok || !b.Charge(numberCost+(len(x)+len(y))/16) {
		return 0, false
	}
	if len(x) < 18 && len(y) < 18 {
		n, errN := strconv.ParseInt(x, 10, 64)
		m, errM := strconv.ParseInt(y, 10, 64)
		if errN == nil && errM == nil {
			return cmp.Compare(n, m), true
		}
	}
	if len(x)+len(y) < 200 && !strings.ContainsAny(x+y, ".eE") {
		i, okx := new(big.Int).SetString(x, 10)
		j, oky := new(big.Int).SetString(y, 10)
		if okx && oky {
			return i.Cmp(j), true
		}
	}
	// Out of range gives an infinity, which still compares rightly with everything finite.
	f, _ := strconv.ParseFloat(x, 64)
	g, _ := strconv.ParseFloat(y, 64)
	switch {
	case f < g:
		return -1, true
	case f > g:
		return 1, true
	}
	return 0, true
}

// numberText is a number of any type as text.
func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return v.String(), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

// Nothing is what a query that selects no value compares as (RFC 9535 section 2.3.5.2.2).
type Nothing struct{}
