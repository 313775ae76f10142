package jsonscan_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/jsonscan"
)

func TestMeasureCountsValuesAndLevels(t *testing.T) {
	for doc, want := range map[string][2]int{
		`1`: {0, 0}, `{}`: {1, 1}, `{"a":[1,2]}`: {3, 2}, `[{},{},{}]`: {6, 2}, `["[{,\"[{,"]`: {1, 1},
		`[[[]],[]]`: {5, 3},
	} {
		if values, depth := jsonscan.Measure([]byte(doc)); values != want[0] || depth != want[1] {
			t.Errorf("%s has %d values and %d levels, want %v", doc, values, depth, want)
		}
	}
}

func TestReaderEndsBeforeTheBoundIsPassed(t *testing.T) {
	for doc, want := range map[string]string{
		`[` + strings.Repeat(`{},`, 100) + `{}]`:          "values",
		strings.Repeat(`[`, 20) + strings.Repeat(`]`, 20): "levels",
		`["` + strings.Repeat(`{},[`, 100) + `"]`:         "",
		`{"a":{"b":[1,2,3]}}`:                             "",
		`"` + strings.Repeat(`\"{},`, 100) + `"`:          "",
	} {
		out, err := io.ReadAll(jsonscan.NewReader(strings.NewReader(doc), 50, 10))
		var beyond *jsonscan.Error
		if got := errors.As(err, &beyond); got != (want != "") || got && beyond.What != want {
			t.Errorf("%.40s: %v, want %q", doc, err, want)
		}
		if err == nil && string(out) != doc {
			t.Errorf("%.40s came as %.40s", doc, out)
		}
	}
}
