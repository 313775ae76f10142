package answer

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
)

func TestTheListOfRecordsIsGuessed(t *testing.T) {
	for doc, want := range map[string]string{
		`[{"a":1}]`:                          "$[*]",
		`{"users":[{"id":1}],"items":[{}]}`:  `$["items"][*]`,
		`{"items":[],"people":[{"id":1}]}`:   `$["people"][*]`,
		`{"items":["a"],"people":[]}`:        `$["people"][*]`,
		`{"Response":{"DATA":[{"id":1}]}}`:   `$["Response"]["DATA"][*]`,
		`{"a":{"b":{"items":[{"id":1}]}}}`:   "",
		`{"things":[{"id":1}]}`:              "",
		`{"a\"b\u0001":{"items":[{"id":1}]}`: `$["a\"b\u0001"]["items"][*]`,
		`{"items":[{"id":1},{"id":`:          `$["items"][*]`,
		`"items"`:                            "",
		`{`:                                  "",
	} {
		p, ok := detectList(bufio.NewReaderSize(strings.NewReader(doc), detectBytes))
		if ok != (want != "") || ok && p.String() != want {
			t.Errorf("%s = %v, %v; want %q", doc, p, ok, want)
		}
	}
}

func FuzzGuessNeverPanicsAndFindsWhatCanBeRead(f *testing.F) {
	for _, seed := range []string{`{"items":[{"id":1}]}`, `{"x":{"data":[[]]}}`, `[`,
		`{"items":[1,{"a":[]}],"users":[{}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		in := bufio.NewReaderSize(strings.NewReader(string(doc)), detectBytes)
		p, ok := detectList(in)
		rest, err := io.ReadAll(in)
		if err != nil || string(rest) != string(doc) {
			t.Fatalf("guessing took %d of %d bytes, %v", len(doc)-len(rest), len(doc), err)
		}
		var v any
		if !ok || json.Unmarshal(doc, &v) != nil {
			return
		}
		if found := p.Select(jsonpath.NewBudget(t.Context(), 0), v); len(found) > 0 {
			if _, list := found[0].(string); list && p.String() != "$[*]" {
				t.Fatalf("%s of %s selects %v", p, doc, found[0])
			}
		}
	})
}
