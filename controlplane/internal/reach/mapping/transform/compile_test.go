package transform_test

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
)

func TestACompiledTransformTellsItsErrorsWithoutTheRecord(t *testing.T) {
	e, err := transform.Compile("record['salary'] + int(value)")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Eval(
		"2",
		&mapping.Record{Fields: map[string]any{"salary": int64(40)}},
	); err != nil ||
		got != int64(42) {
		t.Errorf("Eval = %v, %v", got, err)
	}
	_, err = e.Eval("CANARY", &mapping.Record{Fields: map[string]any{"salary": int64(40)}})
	if err == nil || !strings.Contains(err.Error(), "CANARY") {
		t.Fatalf("Eval = %v; want the error for whoever wrote the transform", err)
	}
	quiet, ok := err.(interface{ Kind() string })
	if !ok || strings.Contains(quiet.Kind(), "CANARY") || !strings.Contains(quiet.Kind(), "ValueError") {
		t.Errorf("the error for the log: %v", err)
	}
	if _, err := transform.Compile("value +"); err == nil {
		t.Error("half an expression compiles")
	}
}
