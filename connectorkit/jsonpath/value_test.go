package jsonpath

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/grantwright/grantwright/connectorkit/jsonscan"
)

func TestFlawedRecordsAreYieldedAsSuchAndTheOthersExactly(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 6000) + `"]}\""` + strings.Repeat(`]}`, 6000)
	for name, tt := range map[string]struct{ record, why string }{
		"two members of one name":  {`{"id":1,"x":{"a":1,"a":2}}`, `the member "a" is there twice`},
		"two that are one":         {`{"id":1,"ab":1,"\u0061b":2}`, `the member "ab" is there twice`},
		"number beyond all ranges": {`{"id":1,"n":-1e400}`, `the number -1e400 is out of range`},
		"no UTF-8":                 {"{\"id\":1,\"n\":\"a\xff\xfe\"}", `not valid UTF-8`},
		"no UTF-8 beside escapes":  {"{\"id\":1,\"n\":\"\\t\xc3(\"}", `not valid UTF-8`},
		"half a surrogate pair":    {`{"id":1,"n":"\ud83dx"}`, `half of a surrogate pair`},
		"two first halves":         {`{"id":1,"n":"\ud83d\ud83d\ude00"}`, `half of a surrogate pair`},
		"NUL":                      {`{"id":1,"n":"a\u0000b"}`, `NUL character`},
		"too deep":                 {`{"id":1,"n":` + deep + `}`, `nested more than 512 deep`},
		"an array too deep": {
			`{"id":1,"n":` + strings.Repeat("[", 12000) + strings.Repeat("]", 12000) + `}`,
			`nested more than 512 deep`,
		},
	} {
		doc := `{"items":[{"id":0,"é\n":"😀 \ud83d\ude00 \u00e9"},` + tt.record +
			`,{"id":2,"big":123456789012345678901234567890,"f":1.5e-3}],"next":"c"}`
		for _, chunks := range []bool{false, true} {
			in := iotest.OneByteReader(strings.NewReader(doc))
			if chunks {
				in = strings.NewReader(doc)
			}
			records, result, err := collect(t, NewPlan(MustCompile("$.items[*]"), MustCompile("$.next")), in, Limits{})
			if err != nil || len(records) != 3 || encode(t, result.Picks) != `[["c"]]` {
				t.Errorf("%s: %d records, picks %v, %v", name, len(records), result.Picks, err)
				continue
			}
			flaw, ok := records[1].(*Flaw)
			if !ok || !strings.Contains(flaw.Why, tt.why) || flaw.Record.(map[string]any)["id"] != json.Number("1") {
				t.Errorf("%s: %v, want a flaw %q with the record's id", name, records[1], tt.why)
			}
			if got := encode(
				t, []any{records[0], records[2]},
			); got != `[{"id":0,"é\n":"😀 😀 é"},{"big":123456789012345678901234567890,"f":1.5e-3,"id":2}]` {
				t.Errorf("%s: the others = %s", name, got)
			}
		}
	}
}

func TestWhatIsTooDeepOutsideOfRecordsDoesNoHarm(t *testing.T) {
	doc := `{"debug":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `,"items":[{"id":1}]}`
	records, _, err := collect(t, NewPlan(MustCompile("$.items[*]")), strings.NewReader(doc), Limits{})
	if err != nil || encode(t, records) != `[{"id":1}]` {
		t.Errorf("records = %s, %v", encode(t, records), err)
	}
}

// FuzzValuesAreReadAsTheStandardLibraryReadsThem compares our decoder of checked values with encoding/json.
func FuzzValuesAreReadAsTheStandardLibraryReadsThem(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e3,true,false,null,"x\u00e9\n\"\\\/"],"b":{}}`, `[[],{"":""}]`, `"\ud83d\ude00\ud83d"`, `-0`,
		` [ 1 , { "a" : 2 } ] `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			return
		}
		got, flaw := jsonscan.Decode(raw, 0)
		if flaw == "" && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q = %#v, want %#v", raw, got, want)
		}
		if flaw == "" && strings.ContainsRune(fmt.Sprint(got), 0) {
			t.Fatalf("%q passes with a NUL", raw)
		}
	})
}
