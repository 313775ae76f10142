package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

var fullFrame = Frame{
	V: 1, Type: TypeChunk, ID: "01ABC", Re: "01DEF", Task: "tsk_1", Run: "run_1", Attempt: 2, Seq: 17,
	TS: time.Date(2026, 11, 20, 10, 0, 0, 123e6, time.UTC), Trace: "00-1-2-01", Opt: true,
}

func TestAFrameComesBackAsItWasSent(t *testing.T) {
	body := map[string]any{
		"name":   "Zoë <\"quoted\"> \u2028",
		"nested": []any{map[string]any{"n": 1.5e10, "deep": []any{"]", "}"}}},
	}
	msg, err := Encode(fullFrame, body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(msg, 0)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := DecodeBody[map[string]any](got)
	if err != nil || !reflect.DeepEqual(decoded, body) {
		t.Errorf("body = %v, %v; want %v", decoded, err, body)
	}
	got.Body = nil
	if !reflect.DeepEqual(got, fullFrame) {
		t.Errorf("envelope = %+v, want %+v", got, fullFrame)
	}
}

func TestTheEnvelopeIsReadAsTheStandardLibraryReadsIt(t *testing.T) {
	msg := []byte(` { "body" : {"a":[1,{"b":"\"}"}]} , "v":1,
		"t\u0079pe":"sync.ack","id":"x\u00e9\n","unknown":[[]],"seq":3,"opt":false,"ts":"2026-11-20T10:00:00.5Z"} `)
	var want Frame
	if err := json.Unmarshal(msg, &want); err != nil {
		t.Fatal(err)
	}
	got, err := Decode(msg, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDecodeRefuses(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1)
	for name, tt := range map[string]struct {
		msg  string
		want error
	}{
		"nothing":              {``, ErrMalformed},
		"an array":             {`[1]`, ErrMalformed},
		"two values":           {`{"v":1,"type":"a"} {}`, ErrMalformed},
		"an open object":       {`{"v":1,"type":"a"`, ErrMalformed},
		"an open body":         {`{"v":1,"type":"a","body":{"x":[1`, ErrMalformed},
		"an open string":       {`{"v":1,"type":"a`, ErrMalformed},
		"a trailing comma":     {`{"v":1,"type":"a",}`, ErrMalformed},
		"crossed brackets":     {`{"v":1,"type":"a","body":[{]}}`, ErrMalformed},
		"a member twice":       {`{"v":1,"type":"a","run":"1","run":"2"}`, ErrMalformed},
		"no type":              {`{"v":1}`, ErrMalformed},
		"another version":      {`{"v":2,"type":"a"}`, ErrVersion},
		"no version":           {`{"type":"a"}`, ErrVersion},
		"a version of text":    {`{"v":"1","type":"a"}`, ErrMalformed},
		"a huge number":        {`{"v":1,"type":"a","body":{"usn":9007199254740993}}`, ErrMalformed},
		"a huge exponent":      {`{"v":1,"type":"a","body":[1e300]}`, ErrMalformed},
		"a negative huge one":  {`{"v":1,"type":"a","body":[-123456789012345678]}`, ErrMalformed},
		"a bare word":          {`{"v":1,"type":a}`, ErrMalformed},
		"invalid UTF-8":        {"{\"v\":1,\"type\":\"a\xff\"}", ErrMalformed},
		"a line break in text": {"{\"v\":1,\"type\":\"a\n\"}", ErrMalformed},
		"too much": {`{"v":1,"type":"a","body":"` + strings.Repeat("x", DefaultMaxFrame) + `"}`,
			ErrTooLarge},
		"too deep":              {`{"v":1,"type":"a","body":` + deep + `}`, ErrMalformed},
		"a long id":             {`{"v":1,"type":"a","id":"` + strings.Repeat("x", 600) + `"}`, ErrMalformed},
		"a time that is none":   {`{"v":1,"type":"a","ts":"yesterday"}`, ErrMalformed},
		"a body without a body": {`{"v":1,"type":"a","body":}`, ErrMalformed},
	} {
		if f, err := Decode([]byte(tt.msg), 0); !errors.Is(err, tt.want) {
			t.Errorf("%s: Decode = %+v, %v; want %v", name, f, err, tt.want)
		}
	}
	if _, err := Decode(
		[]byte(`{"v":1,"type":"a","body":[9007199254740992,0.1234567890123456789,1e3]}`),
		0,
	); err != nil {
		t.Errorf("2^53 and fractions are allowed, got %v", err)
	}
}

func TestABodyThatIsBrokenInsideIsFoundWhenItIsRead(t *testing.T) {
	f, err := Decode([]byte(`{"v":1,"type":"sync.ack","body":{"ack_seq" 3}}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := DecodeBody[Ack](f); !errors.Is(err, ErrMalformed) {
		t.Errorf("DecodeBody = %+v, %v; want ErrMalformed", a, err)
	}
	if _, err := DecodeBody[Ack](Frame{Type: TypeAck}); !errors.Is(err, ErrMalformed) {
		t.Errorf("an ack without a body gives %v, want ErrMalformed", err)
	}
}

func TestEncodeRefusesAFrameNobodyAccepts(t *testing.T) {
	if _, err := Encode(Frame{Type: TypeChunk}, strings.Repeat("x", HardMaxFrame)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Encode = %v, want ErrTooLarge", err)
	}
	if _, err := Encode(Frame{Type: TypeChunk}, func() {}); err == nil {
		t.Error("Encode accepted a function")
	}
}

func TestFrameIdsAreUniqueULIDsThatSortByTime(t *testing.T) {
	// The example of the ULID specification: 1469918176385 ms is 01ARYZ6S41.
	if id := NewID(time.UnixMilli(1469918176385)); len(id) != 26 || !strings.HasPrefix(id, "01ARYZ6S41") {
		t.Errorf("NewID = %q, want 26 characters from 01ARYZ6S41", id)
	}
	seen := map[string]bool{}
	for range 1000 {
		seen[NewID(time.UnixMilli(1))] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d different ids of 1000", len(seen))
	}
}

// FuzzDecode holds Decode against encoding/json: what is accepted here must be a frame there, with the same envelope.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"v":1,"type":"hello","id":"a","body":{"a":[1,2,{"b":null}]}}`))
	f.Add([]byte(`{"v":1,"type":"x","body":"\u0000\\"}`))
	f.Fuzz(func(t *testing.T, msg []byte) { checkAgainstStandard(t, msg) })
}

func checkAgainstStandard(t *testing.T, msg []byte) {
	got, err := Decode(msg, 0)
	if err != nil || !json.Valid(msg) {
		return // a body's inside is looked at by DecodeBody
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(msg, &members); err != nil {
		t.Fatalf("accepted %q, which is no object: %v", msg, err)
	}
	if body := members["body"]; string(body) != "null" && !bytes.Equal(got.Body, body) {
		t.Fatalf("body of %q = %q, want %q", msg, got.Body, body)
	}
	var typ string
	if err := json.Unmarshal(members["type"], &typ); err != nil || typ != string(got.Type) {
		t.Fatalf("type of %q = %q, want %q (%v)", msg, got.Type, typ, err)
	}
}

func TestDamagedFramesNeverBreakTheReader(t *testing.T) {
	whole, err := Encode(
		fullFrame,
		map[string]any{"identities": []any{map[string]any{"external_id": "a\"b\\"}}, "n": -1.5},
	)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 20_000 {
		msg := bytes.Clone(whole)
		for range 1 + rnd.IntN(3) {
			msg[rnd.IntN(len(msg))] = `{}[]",:\0x1e+-`[rnd.IntN(13)]
		}
		msg = msg[:1+rnd.IntN(len(msg))]
		if _, err := Decode(msg, 0); err != nil {
			refused++
		}
		checkAgainstStandard(t, msg)
	}
	if refused < 10_000 {
		t.Errorf("only %d of 20000 damaged frames were refused", refused)
	}
}

func BenchmarkDecode(b *testing.B) {
	record := map[string]any{
		"external_id": "6f1d2c",
		"username":    "jdoe",
		"attributes":  map[string]any{"mail": []string{"j@example.org"}, "uid": 4711},
	}
	people := make([]any, 3000)
	for i := range people {
		people[i] = record
	}
	msg, err := Encode(fullFrame, map[string]any{"accounts": people})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(msg)))
	for b.Loop() {
		if _, err := Decode(msg, 0); err != nil {
			b.Fatal(err)
		}
	}
}
