package number

import (
	"math/big"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

func integer(t *thread, v value) *big.Int {
	if !object.IsInt(v) {
		t.TypeError("'%s' object cannot be interpreted as an integer", object.TypeName(v))
	}
	return object.Bigger(v)
}

// whole adds the functions of integers.
func whole() {
	mathFunction("gcd", "*integers", func(t *thread, a values) value {
		r := new(big.Int)
		for _, v := range a[0].(*object.Tuple).Items {
			n := integer(t, v)
			t.Steps(n.BitLen()/16 + 1)
			r = new(big.Int).GCD(nil, nil, r, new(big.Int).Abs(n))
		}
		return object.Big(r)
	})
	mathFunction("lcm", "*integers", func(t *thread, a values) value {
		var r value = int64(1)
		for _, v := range a[0].(*object.Tuple).Items {
			n := new(big.Int).Abs(integer(t, v))
			if n.Sign() == 0 {
				return int64(0)
			}
			t.Steps(n.BitLen()/16 + 1)
			g := new(big.Int).GCD(nil, nil, object.Bigger(r), n)
			r = operator.Binary(t, "*", r, object.Big(new(big.Int).Quo(n, g)))
		}
		return r
	})
	mathFunction("isqrt", "n/", func(t *thread, a values) value {
		n := integer(t, a[0])
		if n.Sign() < 0 {
			t.ValueError("isqrt() argument must be nonnegative")
		}
		t.Steps(n.BitLen() / 4)
		return object.Big(new(big.Int).Sqrt(n))
	})
	mathFunction("factorial", "n/", func(t *thread, a values) value {
		n := integer(t, a[0])
		if n.Sign() < 0 {
			t.ValueError("factorial() not defined for negative values")
		}
		return product(t, big.NewInt(1), n)
	})
	mathFunction("comb", "n/ k/", func(t *thread, a values) value {
		n, k := natural(t, a[0]), natural(t, a[1])
		if k.Cmp(n) > 0 {
			return int64(0)
		}
		if rest := new(big.Int).Sub(n, k); rest.Cmp(k) < 0 {
			k = rest
		}
		return operator.Binary(t, "//", falling(t, n, k), product(t, big.NewInt(1), k))
	})
	mathFunction("perm", "n/ k/?", func(t *thread, a values) value {
		n := natural(t, a[0])
		k := n
		if library.OrNone(a[1]) != nil {
			k = natural(t, a[1])
		}
		if k.Cmp(n) > 0 {
			return int64(0)
		}
		return falling(t, n, k)
	})
	mathFunction("prod", "iterable/ start?|", func(t *thread, a values) value {
		var r value = int64(1)
		if !library.Omitted(a[1]) {
			r = a[1]
		}
		for _, v := range t.Collect(a[0]) {
			r = operator.Binary(t, "*", r, v)
		}
		return r
	})
}

func natural(t *thread, v value) *big.Int {
	n := integer(t, v)
	if n.Sign() < 0 {
		t.ValueError("n must be a non-negative integer")
	}
	return n
}

// falling is n * (n-1) * … with k factors.
func falling(t *thread, n, k *big.Int) value {
	return product(t, new(big.Int).Add(new(big.Int).Sub(n, k), big.NewInt(1)), n)
}

// product is low * (low+1) * … * high.
func product(t *thread, low, high *big.Int) value {
	var r value = int64(1)
	for i := object.Big(low); operator.Compare(t, "<=", i, object.Big(high)); i = operator.Add(t, i, int64(1)) {
		t.Steps(1)
		r = operator.Binary(t, "*", r, i)
	}
	return r
}
