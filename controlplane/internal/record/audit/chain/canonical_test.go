package chain_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

func TestTheExamplesOfRFC8785(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"section 3.2.2", `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],` +
			`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
				`"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		{"section 3.2.3, by UTF-16", `{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet ` +
			`With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small ` +
			`Letter O With Diaeresis"}`,
			`{"\r":"Carriage Return","1":"One","` + "\u0080" +
				`":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","` +
				"\ufb33" + `":"Hebrew Letter Dalet With Dagesh"}`},
		{"spaces", " [ 1 , { } , [ ] , \"\" ] ", `[1,{},[],""]`},
		{"nothing is normalized", `"A\u030a"`, "\"A\u030a\""},
	} {
		got, err := chain.Canonical([]byte(tt.in))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}

// The sample numbers of RFC 8785 appendix B.
func TestNumbersAreWrittenAsECMAScriptDoes(t *testing.T) {
	for bits, want := range map[string]string{
		"0000000000000000": "0", "8000000000000000": "0", "0000000000000001": "5e-324", "8000000000000001": "-5e-324",
		"7fefffffffffffff": "1.7976931348623157e+308", "ffefffffffffffff": "-1.7976931348623157e+308",
		"4340000000000000": "9007199254740992",
		"c340000000000000": "-9007199254740992", "4430000000000000": "295147905179352830000",
		"44b52d02c7e14af5": "9.999999999999997e+22",
		"44b52d02c7e14af6": "1e+23", "44b52d02c7e14af7": "1.0000000000000001e+23",
		"444b1ae4d6e2ef4e": "999999999999999700000",
		"444b1ae4d6e2ef4f": "999999999999999900000", "444b1ae4d6e2ef50": "1e+21",
		"3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
		"3eb0c6f7a0b5ed8d": "0.000001", "41b3de4355555553": "333333333.3333332",
		"41b3de4355555554": "333333333.33333325",
		"41b3de4355555555": "333333333.3333333", "41b3de4355555556": "333333333.3333334",
		"41b3de4355555557": "333333333.33333343",
		"becbf647612f3696": "-0.0000033333333333333333", "43143ff3c1cb0959": "1424953923781206.2",
	} {
		n, err := strconv.ParseUint(bits, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		in := strconv.FormatFloat(math.Float64frombits(n), 'e', 20, 64)
		if got, err := chain.Canonical([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%s (%s) = %s, %v; want %s", bits, in, got, err, want)
		}
	}
}

func TestWhatHasNoSingleMeaningIsRefused(t *testing.T) {
	for _, in := range []string{
		``, `{`, `{"a":1,"a":1}`, `{"a":{"b":1,"\u0062":2}}`, `1 2`, `{"a":1}}`, `"\ud800"`, `"\ude00\ud83d"`,
		`"\ud83d\u0041"`, `1e400`, `nul`,
		"\"\xff\"", "\"a\nb\"", strings.Repeat("[", 500) + strings.Repeat("]", 500),
	} {
		if got, err := chain.Canonical([]byte(in)); err == nil {
			t.Errorf("%.40q became %s", in, got)
		}
	}
}

func value(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.String(), func(s string) any { return strings.ToValidUTF8(s, "?") }),
		// A canonical form knows no minus zero, so that one does not come back as it was.
		rapid.Map(
			rapid.Float64(),
			func(f float64) any { return f + 0 },
		),
		rapid.Map(rapid.Int32(), func(i int32) any { return float64(i) }),
	)
	if depth == 0 {
		return leaf
	}
	name := rapid.Map(rapid.String(), func(s string) string { return strings.ToValidUTF8(s, "?") })
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(value(depth-1), 0, 4), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(name, value(depth-1), 0, 5), func(m map[string]any) any { return m }))
}

func TestOneValueHasOneForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		indented, _ := json.MarshalIndent(v, "\t", "  ")
		a, err := chain.Canonical(plain)
		if err != nil {
			t.Fatalf("%s: %v", plain, err)
		}
		b, err := chain.Canonical(indented)
		again, err2 := chain.Canonical(a)
		if err != nil || err2 != nil || !bytes.Equal(a, b) || !bytes.Equal(a, again) {
			t.Fatalf("%s\n%s\n%s", a, b, again)
		}
		d := json.NewDecoder(bytes.NewReader(plain))
		d.UseNumber()
		var decoded any
		if err := d.Decode(&decoded); err != nil {
			t.Fatal(err)
		}
		if c, err := chain.CanonicalValue(decoded); err != nil || !bytes.Equal(a, c) {
			t.Fatalf("CanonicalValue = %s, %v; want %s", c, err, a)
		}
		var back any
		if err := json.Unmarshal(a, &back); err != nil {
			t.Fatal(err)
		}
		if same, _ := json.Marshal(back); !bytes.Equal(same, mustMarshal(t, plain)) {
			t.Fatalf("the value changed: %s", a)
		}
	})
}

func mustMarshal(t *rapid.T, raw []byte) []byte {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestHashesAreThoseOfTheVectors(t *testing.T) {
	prev := chain.Genesis
	for i, tt := range []struct{ event, want string }{
		{`{"action":"tenant.bootstrapped","actor":"system","occurred_at":"2026-01-02T03:04:05Z","seq":1,` +
			`"tenant_id":"t1"}`,
			"c2ef9d2507e04f3de9c034f10ecd656c55e8e6921c6da195a62eb9bef9d2f034"},
		{`{"action":"identity.created","actor":"system","occurred_at":"2026-01-02T03:04:05Z","seq":2,"tenant_id":"t1"}`,
			"917b3c8d179f6633c89d0796ca052b6b44672fd982dd886aaaa0e32ea13c749f"},
	} {
		event, err := chain.Canonical([]byte(tt.event))
		if err != nil {
			t.Fatal(err)
		}
		prev = chain.Hash(prev, event)
		if got := hex.EncodeToString(prev); got != tt.want {
			t.Errorf("hash of entry %d = %s; want %s", i+1, got, tt.want)
		}
	}
}
