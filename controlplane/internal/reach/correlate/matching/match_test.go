package matching

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/block"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/field"
)

func TestEachMatchComparesItsNormalForm(t *testing.T) {
	for _, tt := range []struct {
		match, a, b string
		want        bool
	}{
		{"exact", "00123", "00123", true},
		{"exact", "a", "A", false},
		{"ci_exact", " Ada@X.test", "ada@x.TEST ", true},
		{"ci_exact", "ÜNAL", "ünal", true},
		{"ci_exact", "U\u0308nal", "ünal", true}, // composed and decomposed
		{"ci_exact", "Unal", "ünal", false},
		{"normalized", "Jean-Luc  Müller", "jean luc muller", true},
		{"normalized", "O'Brien", "obrien", true},
		{"normalized", "Groß", "GROSS", true},
		{"normalized", "Łukasz Ødegård", "lukasz odegard", true},
		{"normalized", "Иванов", "ИВАНОВ", true},
		{"normalized", "李雷", "李雪", false},
		{"digits", "EMP-00123", "123", true},
		{"digits", "0049 (30) 1234", "49301234", true},
		{"digits", "EMP", "emp", false}, // no digits: nothing to compare
		{"prefix_4", "Anders", "andrea", false},
		{"prefix_3", "Anders", "andrea", true},
		{"prefix_3", "An", "An", false}, // too short for three
		{"trigram>=0.5", "Jon Smith", "John Smith", true},
		{"trigram>=0.9", "Jon Smith", "John Smith", false},
		{"trigram>=0.6", "Smith John", "John Smith", true}, // the order of words does not matter
		{"levenshtein<=1", "Meier", "Meyer", true},
		{"levenshtein<=1", "Meier", "Mayer", false},
		{"levenshtein<=2", "Meier", "Mayer", true},
		{"levenshtein<=2", "ab", "cd", false}, // two edits make any two letters of any other two
		{"levenshtein ≤ 2", "ab", "AB", true},
	} {
		m, err := match.Parse(tt.match)
		if err != nil {
			t.Fatal(err)
		}
		got := condition{match: m}.compare(field.Values{tt.a}, field.Values{tt.b})
		if got.holds != tt.want {
			t.Errorf(
				"%s of %q and %q = %v (compared %q, %q); want %v",
				tt.match,
				tt.a,
				tt.b,
				got.holds,
				got.account,
				got.person,
				tt.want,
			)
		}
	}
}

func TestAMatchThatDoesNotExistIsRefused(t *testing.T) {
	for _, text := range []string{"", "fuzzy", "prefix_", "prefix_1", "prefix_41", "trigram>=0.1", "trigram>=1.1",
		"trigram>=NaN", "levenshtein<=0", "levenshtein<=4", "EXACT"} {
		if m, err := match.Parse(text); err == nil || !strings.Contains(err.Error(), match.Help) {
			t.Errorf("parseMatch(%q) = %v, %v; want a refusal that says what there is", text, m, err)
		}
	}
}

func TestSimilarityIsThatOfTrigrams(t *testing.T) {
	// The first value is the example of PostgreSQL's own documentation of pg_trgm.
	for _, tt := range []struct {
		a, b string
		want float64
	}{{"word", "two words", 0.363636}, {"cat", "cat", 1}, {"cat", "dog", 0}, {"abc", "abcd", 0.5}} {
		if got := match.Similarity(match.Trigrams(tt.a), match.Trigrams(tt.b)); math.Abs(got-tt.want) > 1e-5 {
			t.Errorf("similarity(%q, %q) = %v; want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// edits is the textbook's distance, without any shortcut.
func edits(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	case a[0] == b[0]:
		return edits(a[1:], b[1:])
	}
	return 1 + min(edits(a[1:], b), edits(a, b[1:]), edits(a[1:], b[1:]))
}

var fewLetters = rapid.StringOfN(rapid.RuneFrom([]rune("abcü")), 1, 7, -1)

func TestWithinIsTheEditDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, n := fewLetters.Draw(t, "a"), fewLetters.Draw(t, "b"), rapid.IntRange(1, 3).Draw(t, "n")
		want := a == b || min(len([]rune(a)), len([]rune(b))) > n && edits([]rune(a), []rune(b)) <= n
		if got := match.Within([]rune(a), []rune(b), n); got != want {
			t.Fatalf("within(%q, %q, %d) = %v; want %v", a, b, n, got, want)
		}
	})
}

func TestTheIndexesFindWhateverAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"exact", "normalized", "prefix_2", "trigram>=0.3", "trigram>=0.55",
			"trigram>=1", "levenshtein<=1", "levenshtein<=2", "levenshtein<=3"}).
			Draw(t, "match")
		m, err := match.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("abcde fü")), 1, 9, -1), 1, 12)
		accounts, people := words.Draw(t, "accounts"), words.Draw(t, "people")
		p := &Plan{rules: []rule{{&CorrelationRule{Weight: 1}, []condition{{match: m}}}}}
		l := p.lookups()[0]
		for i, a := range accounts {
			for _, v := range l.ofAccount([]field.Values{{a}}) {
				l.index.Add(v, int32(i))
			}
		}
		l.index.Seal()
		for _, who := range people {
			var got, want []int32
			for _, v := range l.ofPerson([]field.Values{{who}}) {
				l.index.Find(v, func(e *block.Entry) { got = append(got, e.Subjects...) })
			}
			for i, a := range accounts {
				if (condition{match: m}).compare(field.Values{a}, field.Values{who}).holds {
					want = append(want, int32(i))
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %q finds accounts %v of %q; want %v", text, who, got, accounts, want)
			}
		}
	})
}

func TestPathsLeadThroughNamesWithDots(t *testing.T) {
	for text, want := range map[string][]string{
		"a": {"a"}, "a.b": {"a", "b"}, `"a.b".c`: {"a.b", "c"}, `urn."x:y.z".d`: {"urn", "x:y.z", "d"},
		"": nil, ".": nil, "a.": nil, ".a": nil, "a..b": nil, `"a`: nil, `"a"b`: nil, `""`: nil, "a\x00": nil,
		strings.Repeat("a.", 8) + "a": nil,
	} {
		got, err := field.ParsePath(text)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("parsePath(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestAttributesAreTextsNumbersOrListsOfThem(t *testing.T) {
	for text, want := range map[string]field.Values{
		`"x"`: {"x"}, `12345678901234567890`: {"12345678901234567890"}, `true`: {"true"},
		`["a","b",1]`: {"a", "b", "1"},
		`{"a":"b"}`:   nil, `null`: nil, `[["a"]]`: nil,
		`["a","b","c","d","e","f","g","h","i"]`: {"a", "b", "c", "d", "e", "f", "g", "h"},
	} {
		if got := field.FromJSON([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("fromJSON(%s) = %q; want %q", text, got, want)
		}
	}
}
