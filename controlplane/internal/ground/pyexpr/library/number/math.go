package number

import (
	"math"
	"math/big"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

var mathModule = &library.Module{Name: "math", Attrs: map[string]value{
	"pi": math.Pi, "e": math.E, "tau": 2 * math.Pi, "inf": math.Inf(1), "nan": math.NaN(),
}}

func mathFunction(name, params string, fn func(t *thread, a values) value) {
	mathModule.Attrs[name] = library.NewFunc(name, params, fn)
}

func init() {
	library.Names["math"] = mathModule
	for name, fn := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": math.Exp, "expm1": math.Expm1, "log1p": math.Log1p, "fabs": math.Abs,
		"cbrt": math.Cbrt, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
		"asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh,
		"tanh":    math.Tanh,
		"degrees": func(x float64) float64 { return x * (180 / math.Pi) },
		"radians": func(x float64) float64 { return x * (math.Pi / 180) },
	} {
		mathFunction(name, "x/", func(t *thread, a values) value {
			return domain(t, fn(real(t, a[0])), real(t, a[0]))
		})
	}
	for name, fn := range map[string]func(x, y float64) float64{"atan2": math.Atan2, "fmod": math.Mod,
		"copysign": math.Copysign} {
		mathFunction(name, "x/ y/", func(t *thread, a values) value {
			return domain(t, fn(real(t, a[0]), real(t, a[1])), real(t, a[0]), real(t, a[1]))
		})
	}
	for name, is := range map[string]func(float64) bool{
		"isnan": math.IsNaN, "isinf": func(x float64) bool { return math.IsInf(x, 0) },
		"isfinite": func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) },
	} {
		mathFunction(name, "x/", func(t *thread, a values) value { return is(real(t, a[0])) })
	}
	for name, fn := range map[string]func(float64) float64{"floor": math.Floor, "ceil": math.Ceil,
		"trunc": math.Trunc} {
		mathFunction(name, "x/", func(t *thread, a values) value {
			if object.IsInt(a[0]) {
				return operator.Pos(t, a[0])
			}
			return t.IntOfFloat(fn(real(t, a[0])))
		})
	}
	mathFunction("pow", "x/ y/", func(t *thread, a values) value {
		x, y := real(t, a[0]), real(t, a[1])
		if x == 0 && y < 0 && !math.IsInf(y, 0) {
			t.ValueError("math domain error")
		}
		return domain(t, operator.Pow(x, y), x, y)
	})
	mathFunction("hypot", "*coordinates", func(t *thread, a values) value {
		h := 0.0
		for _, v := range a[0].(*object.Tuple).Items {
			h = math.Hypot(h, real(t, v))
		}
		return h
	})
	mathFunction("log", "x/ base/?", func(t *thread, a values) value {
		if library.Omitted(a[1]) {
			return logarithm(t, a[0], math.Log)
		}
		base := logarithm(t, a[1], math.Log)
		if base == 0 {
			t.Raise("ZeroDivisionError", "float division by zero")
		}
		return logarithm(t, a[0], math.Log) / base
	})
	mathFunction("log2", "x/", func(t *thread, a values) value { return logarithm(t, a[0], math.Log2) })
	mathFunction("log10", "x/", func(t *thread, a values) value { return logarithm(t, a[0], math.Log10) })
	mathFunction("isclose", "a b rel_tol?| abs_tol?|", isClose)
	mathFunction("fsum", "seq/", fsum)
	whole()
}

// real is an argument that has to be a number.
func real(t *thread, v value) float64 {
	f, ok := t.AsFloat(v)
	if !ok {
		t.TypeError("must be real number, not %s", object.TypeName(v))
	}
	return f
}

// domain raises the errors of the C library: what is no number although all arguments were, and what is too large.
func domain(t *thread, r float64, args ...float64) value {
	finite := true
	for _, x := range args {
		if math.IsNaN(x) {
			return r
		}
		finite = finite && !math.IsInf(x, 0)
	}
	switch {
	case math.IsNaN(r):
		t.ValueError("math domain error")
	case math.IsInf(r, 0) && finite:
		t.Raise("OverflowError", "math range error")
	}
	return r
}

func logarithm(t *thread, v value, log func(float64) float64) float64 {
	if n, ok := v.(*big.Int); ok && n.Sign() > 0 {
		mantissa := new(big.Float)
		exp := new(big.Float).SetInt(n).MantExp(mantissa)
		f, _ := mantissa.Float64()
		return log(f) + float64(exp)*log(2)
	}
	f := real(t, v)
	if f <= 0 {
		t.ValueError("math domain error")
	}
	return log(f)
}

func isClose(t *thread, a values) value {
	x, y, relative, absolute := real(t, a[0]), real(t, a[1]), 1e-9, 0.0
	if !library.Omitted(a[2]) {
		relative = real(t, a[2])
	}
	if !library.Omitted(a[3]) {
		absolute = real(t, a[3])
	}
	switch {
	case relative < 0 || absolute < 0:
		t.ValueError("tolerances must be non-negative")
	case x == y:
		return true
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return false
	}
	d := math.Abs(x - y)
	return d <= math.Abs(relative*y) || d <= math.Abs(relative*x) || d <= absolute
}

// fsum adds exactly and rounds once.
func fsum(t *thread, a values) value {
	const exact = 2400 // bits, from the smallest float to the sum of many of the largest
	total := new(big.Float).SetPrec(exact)
	special := 0.0
	var x big.Float
	for _, v := range t.Collect(a[0]) {
		f := real(t, v)
		t.Steps(8)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			special += f
			continue
		}
		total.Add(total, x.SetFloat64(f))
	}
	if special != 0 {
		return domain(t, special)
	}
	f, _ := total.Float64()
	return domain(t, f)
}
