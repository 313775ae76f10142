package pyexpr_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr"
)

// FuzzEval evaluates any text over any text: it ends, says why, and says the same again.
func FuzzEval(f *testing.F) {
	for _, q := range handwritten(f) {
		if s, ok := q.Value.(string); ok {
			f.Add(q.Expr, s)
		}
	}
	for _, b := range bombs {
		f.Add(b.expr, "a value")
	}
	f.Fuzz(func(t *testing.T, expr, value string) {
		started := time.Now()
		p, err := pyexpr.Compile(expr)
		if err != nil {
			sound(t, expr, err)
			return
		}
		rec := map[string]any{"value": value, "list": []any{value, 1, nil}, "mail": "a@b.test", "count": 514}
		first, err := p.Eval(context.Background(), value, pyexpr.NewRecord(rec))
		sound(t, expr, err)
		second, again := p.Eval(context.Background(), value, pyexpr.NewRecord(rec))
		if !reflect.DeepEqual(first, second) || (err == nil) != (again == nil) {
			t.Errorf("%s gives %#v %v, then %#v %v", expr, first, err, second, again)
		}
		if _, err := json.Marshal(first); err != nil {
			t.Errorf("%s gives what JSON does not know: %v", expr, err)
		}
		if d := time.Since(started); d > time.Second {
			t.Errorf("%s takes %s", expr, d)
		}
	})
}

// sound makes sure that an error is one of those that are made known.
func sound(t *testing.T, expr string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *pyexpr.Error
	if !errors.As(err, &e) || e.Code == pyexpr.Internal || e.Line < 1 || e.Column < 1 || e.Message == "" {
		t.Errorf("%q ends with %#v: %v", expr, err, errors.Unwrap(err))
	}
}
