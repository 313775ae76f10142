package pyexpr_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
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
		p, err := pyexpr.Compile(expr)
		if err != nil {
			sound(t, expr, err)
			return
		}
		rec := map[string]any{"value": value, "list": []any{value, 1, nil}, "mail": "a@b.test", "count": 514}
		first, err := p.Eval(context.Background(), value, pyexpr.NewRecord(rec))
		sound(t, expr, err)
		second, again := p.Eval(context.Background(), value, pyexpr.NewRecord(rec))
		if late(err) || late(again) {
			return // the machine was busy
		}
		if !reflect.DeepEqual(first, second) || (err == nil) != (again == nil) {
			t.Errorf("%s gives %#v %v, then %#v %v", expr, first, err, second, again)
		}
		if _, err := json.Marshal(first); err != nil {
			t.Errorf("%s gives what JSON does not know: %v", expr, err)
		}
	})
}

// late reports whether an evaluation ended because its time was over, which depends on what else the machine does.
func late(err error) bool {
	var e *pyexpr.Error
	return errors.As(err, &e) && e.Code == "time_limit"
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
