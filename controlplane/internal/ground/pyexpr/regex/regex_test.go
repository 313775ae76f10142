package regex_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/regex"
)

// meter lets an evaluation have so many steps and bytes.
type meter struct{ steps, bytes int }

type spent struct{}

func (m *meter) Steps(n int) {
	if m.steps -= n; m.steps < 0 {
		panic(spent{})
	}
}

func (m *meter) Alloc(n int) {
	if m.bytes -= n; m.bytes < 0 {
		panic(spent{})
	}
}

// match looks for a pattern; ended is true when the meter ran out.
func match(pattern, s string, flags regex.Flags, mode regex.Mode) (spans []int, err error, ended bool) {
	m := &meter{steps: 200_000, bytes: 1 << 20}
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(spent); !ours {
				panic(r)
			}
			ended = true
		}
	}()
	p, err := regex.Compile(m, pattern, flags)
	if err != nil {
		return nil, err, false
	}
	spans = p.Match(m, s, 0, len(s), -1, mode)
	if spans != nil {
		spans = spans[:2*(p.Groups+1)]
	}
	return spans, nil, false
}

func TestSearchesThatGoBackOftenEnd(t *testing.T) {
	for _, tt := range []struct {
		pattern, s string
		ended      bool
	}{
		{`(a+)+$`, strings.Repeat("a", 60) + "b", false},
		{`(a|a)*$`, strings.Repeat("a", 500) + "b", false},
		{`(.*)(.*)(.*)(.*)x`, strings.Repeat("a", 200), false},
		{`(\w+\s?)+$`, strings.Repeat("word ", 40) + "!", false},
		{`(a*)*b`, strings.Repeat("a", 300), false},
		{`(.*)\1x`, strings.Repeat("a", 5000), true},
		{`(?:a?){50}a{50}`, strings.Repeat("a", 50), false},
	} {
		if _, err, ended := match(tt.pattern, tt.s, 0, regex.Search); ended != tt.ended || err != nil {
			t.Errorf(
				"%s over %d characters: ended by the meter %v, error %v; want %v",
				tt.pattern,
				len(tt.s),
				ended,
				err,
				tt.ended,
			)
		}
	}
}

func TestPatternsThatAreTooLargeAreRefused(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("a", 2001), strings.Repeat("(", 200) + strings.Repeat(")", 200), "(a{1000}){1000}", "a{5000}",
		strings.Repeat("()", 101), strings.Repeat("(?:", 150) + strings.Repeat(")", 150),
	} {
		if _, err, ended := match(pattern, "", 0, regex.Search); err == nil || ended {
			t.Errorf("%.30s is taken", pattern)
		}
	}
}

// FuzzMatch runs any pattern over any text. Where Go's own engine means the same by the pattern, it finds the same.
func FuzzMatch(f *testing.F) {
	for _, p := range []string{`a+b`, `(a|b)*c`, `^[^,]+$`, `(?i)ab`, `a{2,3}?`, `(?=a)b`, `(?<=a)b`, `(a)\1`,
		`(?P<n>x)`, `[\w-]+`, `a++`, `(?>a|b)`, `\bfoo\b`, `(?m)^a$`, `(?x) a # b`, `((a*)+)?`} {
		f.Add(p, "aabbcc, foo abab", 0)
	}
	f.Fuzz(func(t *testing.T, pattern, s string, flags int) {
		if len(s) > 2000 {
			return
		}
		spans, err, ended := match(
			pattern,
			s,
			regex.Flags(flags)&(regex.IgnoreCase|regex.Multiline|regex.DotAll|regex.Verbose|regex.ASCII),
			regex.Search,
		)
		if ended {
			return
		}
		var wrong *regex.Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%q = %#v", pattern, err)
		}
		for i := 0; i < len(spans); i += 2 {
			if spans[i] > spans[i+1] || spans[i+1] > len(s) || (spans[i] < 0) != (spans[i+1] < 0) {
				t.Fatalf("%q over %q = %v", pattern, s, spans)
			}
		}
		if flags != 0 || err != nil || strings.Trim(pattern, "abc.+?|()[]") != "" || strings.Contains(pattern, "[") ||
			strings.Trim(s, "abc \n") != "" {
			return
		}
		re, err := regexp.Compile(pattern)
		if err != nil || strings.Contains(pattern, "++") || strings.Contains(pattern, "?+") || nullable(pattern) {
			return
		}
		if want := re.FindStringSubmatchIndex(s); !slices.Equal(want, spans) {
			t.Errorf("%q over %q = %v; Go finds %v", pattern, s, spans, want)
		}
	})
}

// nullable reports whether a group of the pattern is repeated: what a repeated group captures of nothing differs
// between engines.
func nullable(pattern string) bool {
	return strings.Contains(pattern, ")+") || strings.Contains(pattern, ")?")
}
