package jsonpath

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func collect(t testing.TB, pl *Plan, r io.Reader, limits Limits) ([]any, Result, error) {
	t.Helper()
	records := []any{}
	result, err := pl.Run(free(), r, limits, func(v any) error {
		records = append(records, v)
		return nil
	})
	return records, result, err
}

func TestPlanReadsRecordsAndWhatStandsAroundThem(t *testing.T) {
	const doc = `{"paging":{"next":"c1","total":3},"data":{"skip":[[1,{"a":2}]],"items":[{"id":1,"on":true},{"id":2,"on":false},{"id":3,"on":true}],"more":"yes"},"end":true}`
	for _, tt := range []struct {
		records string
		picks   []string
		streams bool
		want    string
		picked  string
	}{
		{
			"$.data.items", []string{"$.paging.next", "$.paging.total", "$.end", "$.data.more"}, true,
			`[{"id":1,"on":true},{"id":2,"on":false},{"id":3,"on":true}]`, `[["c1"],[3],[true],["yes"]]`,
		},
		{
			"$.data.items[*].id", []string{"$.paging", "$.paging.next", "$.nothing"}, true, `[1,2,3]`,
			`[[{"next":"c1","total":3}],["c1"],null]`,
		},
		{"$.data.items[?@.on == true].id", []string{"$.data.items[-1].id"}, true, `[1,3]`, `[[3]]`},
		{"$.data.items[1:].id", []string{"$.data.skip[0][1].a"}, true, `[2,3]`, `[[2]]`},
		{"$.data.items[-1]", nil, false, `[{"id":3,"on":true}]`, `[]`},
		{"$..items[*].id", []string{"$..next"}, false, `[1,2,3]`, `[["c1"]]`},
		{"$..items", nil, false, `[{"id":1,"on":true},{"id":2,"on":false},{"id":3,"on":true}]`, `[]`},
		{
			"$.data.items[*].id", []string{"$.data"}, false, `[1,2,3]`,
			`[[{"items":[{"id":1,"on":true},{"id":2,"on":false},{"id":3,"on":true}],"more":"yes","skip":[[1,{"a":2}]]}]]`,
		},
		{"$.paging", []string{"$.paging.next"}, true, `[{"next":"c1","total":3}]`, `[["c1"]]`},
		{"$.paging[*]", nil, true, `["c1",3]`, `[]`},
		{"$.absent[*]", []string{"$.end"}, true, `[]`, `[[true]]`},
	} {
		var picks []*Path
		for _, p := range tt.picks {
			picks = append(picks, MustCompile(p))
		}
		pl := NewPlan(MustCompile(tt.records), picks...)
		if pl.Streams() != tt.streams {
			t.Errorf("%s with %v streams = %v, want %v", tt.records, tt.picks, pl.Streams(), tt.streams)
		}
		// One byte a read, so that no decision may rest on what happens to be buffered.
		got, result, err := collect(
			t, pl, iotest.OneByteReader(strings.NewReader(doc)), Limits{Record: 4096, Document: 4096},
		)
		if err != nil {
			t.Errorf("%s: %v", tt.records, err)
			continue
		}
		if g := encode(t, got); g != tt.want {
			t.Errorf("%s = %s, want %s", tt.records, g, tt.want)
		}
		if g := encode(t, result.Picks); g != tt.picked {
			t.Errorf("%s picked %s, want %s", tt.records, g, tt.picked)
		}
	}
}

func TestErrorMembersAreSeenWhereAnArrayWasExpected(t *testing.T) {
	pl := NewPlan(MustCompile("$[*]"), MustCompile("$.error.message"))
	got, result, err := collect(t, pl, strings.NewReader(`{"error":{"message":"no such tenant"}}`), Limits{})
	if err != nil || encode(t, result.Picks) != `[["no such tenant"]]` {
		t.Errorf("picks = %s, %v (records %v)", encode(t, result.Picks), err, got)
	}
	got, result, err = collect(t, pl, strings.NewReader(`[{"error":1},{"error":2}]`), Limits{})
	if err != nil || len(got) != 2 || result.Picks[0] != nil || !pl.Streams() {
		t.Errorf("an array = %v, picks %v, %v; want two records and no pick", got, result.Picks, err)
	}
}

func TestAbsentEmptyAndNullPlacesAreToldApart(t *testing.T) {
	for doc, want := range map[string]bool{
		`{"items":[]}`: true, `{"items":null}`: true, `{}`: false, `{"error":"x"}`: false, `{"items":"none"}`: false,
		`[]`: false, `null`: false,
	} {
		for _, records := range []string{"$.items[*]", "$.items[?@.id]"} {
			_, result, err := collect(t, NewPlan(MustCompile(records)), strings.NewReader(doc), Limits{})
			if err != nil || result.Found != want {
				t.Errorf("%s in %s: found %v, %v; want %v", records, doc, result.Found, err, want)
			}
		}
	}
}

func TestBrokenDocumentsFailWithTheirKindOfError(t *testing.T) {
	pl := NewPlan(MustCompile("$.items[*]"), MustCompile("$.next"))
	for _, tt := range []struct {
		doc  string
		want error
	}{
		{``, io.EOF},
		{`{"items":[{"id":1},{"id":`, io.ErrUnexpectedEOF},
		{`{"items":[{"id":1}`, io.ErrUnexpectedEOF},
		{`{"items":[{"id":1}]`, io.ErrUnexpectedEOF},
		{`{"next":`, io.ErrUnexpectedEOF},
		{`{"items":[]} {"items":[]}`, ErrTrailing},
		{`{"items":[]}}`, ErrTrailing},
	} {
		if _, _, err := collect(t, pl, strings.NewReader(tt.doc), Limits{}); !errors.Is(err, tt.want) {
			t.Errorf("%s = %v, want %v", tt.doc, err, tt.want)
		}
	}
	var syntax *json.SyntaxError
	for _, doc := range []string{`<html>`, `{"items":[1 2]}`, `{"items":[1,]}`, `{"items":}`} {
		if _, _, err := collect(t, pl, strings.NewReader(doc), Limits{}); !errors.As(err, &syntax) {
			t.Errorf("%s = %v, want a syntax error", doc, err)
		}
	}
}

func TestARecordOverTheLimitIsRefusedAndManySmallOnesAreNot(t *testing.T) {
	limits := Limits{Record: 4096, Document: 8192}
	small := `{"items":[` + strings.TrimSuffix(strings.Repeat(`{"id":"abcdefgh"},`, 5000), ",") + `]}`
	large := `{"items":[{"id":"` + strings.Repeat("x", 20000) + `"}]}`
	var tooLarge *TooLargeError
	if got, _, err := collect(t, NewPlan(MustCompile("$.items")), strings.NewReader(small), limits); err != nil ||
		len(got) != 5000 {
		t.Errorf("5000 small records = %d, %v", len(got), err)
	}
	if _, _, err := collect(
		t, NewPlan(MustCompile("$.items")), strings.NewReader(large), limits,
	); !errors.As(err, &tooLarge) || tooLarge.What != "record" {
		t.Errorf("a large record = %v, want a TooLargeError", err)
	}
	if _, _, err := collect(
		t, NewPlan(MustCompile("$..items[*]")), strings.NewReader(small), limits,
	); !errors.As(err, &tooLarge) || tooLarge.What != "document" {
		t.Errorf("a large document held whole = %v, want a TooLargeError", err)
	}
}

func TestYieldStopsTheRead(t *testing.T) {
	enough := errors.New("enough")
	n := 0
	_, err := NewPlan(MustCompile("$[*]")).Run(free(), strings.NewReader(`[1,2,3]`), Limits{}, func(any) error {
		if n++; n == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 2 {
		t.Errorf("stopped after %d with %v", n, err)
	}
}

// many is a document with n records, made as it is read.
func many(n int, record func(i int) string) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, `{"ballast":[`+strings.Repeat(`{"deep":[1,2,3]},`, 1000)+`0],"items":[`)
		for i := range n {
			if i > 0 {
				_, _ = io.WriteString(w, ",")
			}
			if _, err := io.WriteString(w, record(i)); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `],"next":"n"}`)
		_ = w.Close()
	}()
	return r
}

func TestALongDocumentIsReadWithOneRecordInMemory(t *testing.T) {
	const n = 40000
	filler := strings.Repeat("x", 400)
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	seen, peak := 0, uint64(0)
	pl := NewPlan(MustCompile("$.items[*]"), MustCompile("$.next"))
	result, err := pl.Run(free(), many(n, func(i int) string {
		return fmt.Sprintf(`{"id":%d,"f":%q}`, i, filler)
	}), Limits{Record: 1 << 16}, func(any) error {
		if seen++; seen%8000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&during)
			peak = max(peak, during.HeapAlloc)
		}
		return nil
	})
	if err != nil || seen != n || encode(t, result.Picks) != `[["n"]]` {
		t.Fatalf("read %d, picks %s, %v", seen, encode(t, result.Picks), err)
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 2<<20 {
		t.Errorf("the heap grew by %d bytes while %d MB passed", grown, n*420>>20)
	}
}

// TestStreamingSelectsWhatSelectingTheWholeDocumentDoes compares the two ways to read on documents and
// queries made up at random.
func TestStreamingSelectsWhatSelectingTheWholeDocumentDoes(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "items"})
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		plain := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
			rapid.Map(rapid.IntRange(-5, 5), func(i int) any { return json.Number(fmt.Sprint(i)) }),
			rapid.Map(name, func(s string) any { return s }))
		if depth == 0 {
			return plain
		}
		array := rapid.Map(rapid.SliceOfN(value(depth-1), 0, 4), func(s []any) any { return append([]any{}, s...) })
		object := rapid.Map(rapid.MapOfN(name, value(depth-1), 0, 4), func(m map[string]any) any { return m })
		return rapid.OneOf(plain, array, array, object, object, object)
	}
	step := rapid.OneOf(rapid.Map(name, func(s string) string {
		return "." + s
	}), rapid.Map(rapid.IntRange(0, 2), func(i int) string { return fmt.Sprintf("[%d]", i) }))
	many := rapid.SampledFrom([]string{"", "[*]", "[?@.a]", "[?@.b == 1]", "[1:]", "[:3:2]", "[-1]", "..a"})
	query := rapid.Custom(func(t *rapid.T) string {
		return "$" + strings.Join(rapid.SliceOfN(step, 0, 2).Draw(t, "lead"), "") + many.Draw(t, "many") +
			strings.Join(rapid.SliceOfN(step, 0, 1).Draw(t, "rest"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		doc := value(4).Draw(t, "doc")
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		records, pick := MustCompile(query.Draw(t, "records")), MustCompile(query.Draw(t, "pick"))
		streamed, whole := NewPlan(records, pick), NewPlan(records, pick)
		whole.streams = false
		read := func(pl *Plan) ([]any, Result) {
			out := []any{}
			result, err := pl.Run(free(), strings.NewReader(string(text)), Limits{}, func(v any) error {
				out = append(out, v)
				return nil
			})
			if err != nil {
				t.Fatalf("%s in %s: %v", records, text, err)
			}
			return out, result
		}
		got, gotResult := read(streamed)
		want, wantResult := read(whole)
		// A picked null and the name of a missing place are the same to nobody, so the lists must be equal.
		if diff := cmp.Diff(wantResult.Picks, gotResult.Picks, cmp.Transformer("empty", func(l []any) string {
			b, _ := json.Marshal(append([]any{}, l...))
			return string(b)
		})); diff != "" {
			t.Fatalf("%s picking %s in %s (-whole +streamed)\n%s", records, pick, text, diff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s in %s (-whole +streamed)\n%s", records, text, diff)
		}
	})
}

func TestANullInThePlaceOfAListIsAnEmptyList(t *testing.T) {
	const doc = `{"groups":[{"members":null},{"members":[1,2]},{"members":3},{}]}`
	for _, records := range []string{"$.groups[*].members", "$..members", "$.groups[*].members[*]"} {
		want := "[1,2,3]"
		if strings.HasSuffix(records, "]") {
			want = "[1,2]"
		}
		got, _, err := collect(t, NewPlan(MustCompile(records)), strings.NewReader(doc), Limits{})
		if err != nil || encode(t, got) != want {
			t.Errorf("%s = %s, %v; want %s", records, encode(t, got), err, want)
		}
	}
}

func TestTheMembersOfAnObjectHaveNoLastOne(t *testing.T) {
	records, pick := MustCompile("$[*]"), MustCompile("$[-1]")
	_, result, err := collect(t, NewPlan(records, pick), strings.NewReader(`{"a":null,"b":1}`), Limits{})
	if err != nil || len(result.Picks[0]) != 0 {
		t.Errorf("picked %v, %v; want nothing", result.Picks, err)
	}
}
