package cron

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Expression is a schedule that has been read.
type Expression struct {
	minutes, hours, days, months, weekdays uint64 // a bit for each value
	either                                 bool   // of day of month and day of week one is enough
}

// Problem is what is wrong with an expression, and where.
type Problem struct {
	Code  string // invalid, too_long, never_occurs
	Field string // minute, hour, day of month, month, day of week; empty: the whole of it
	At    int    // the character, counted from 1; 0: no single one
	Text  string
}

// Error says where it is and what is wrong there.
func (p *Problem) Error() string {
	switch {
	case p.Field == "":
		return p.Text
	case p.At == 0:
		return p.Field + ": " + p.Text
	}
	return fmt.Sprintf("%s (character %d): %s", p.Field, p.At, p.Text)
}

// maxLength of an expression. The longest that says something new has some 400 characters.
const maxLength = 500

// field is one of the five.
type field struct {
	name     string
	min, max int
	names    []string // of the values, from the lowest; nil: numbers alone
}

var fields = []field{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"day of week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}}, // 7 is Sunday too
}

var words = map[string]string{
	"@hourly":   "0 * * * *",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@weekly":   "0 0 * * 0",
	"@monthly":  "0 0 1 * *",
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
}

// Parse reads an expression such as */15 6-20 * * mon-fri, or one of @hourly @daily @weekly @monthly @yearly. Its error
// is a
// *Problem.
func Parse(text string) (Expression, error) {
	if len(text) > maxLength {
		return Expression{}, &Problem{Code: "too_long", Text: fmt.Sprintf("it is longer than %d characters", maxLength)}
	}
	if meant, known := words[strings.ToLower(strings.TrimSpace(text))]; known {
		text = meant
	}
	parts := split(text)
	if len(parts) != len(fields) {
		return Expression{}, &Problem{Code: "invalid", Text: count(len(parts), text)}
	}
	var sets [5]uint64
	for i, p := range parts {
		set, err := p.read(fields[i])
		if err != nil {
			return Expression{}, err
		}
		sets[i] = set
	}
	const sunday, alsoSunday = 1 << 0, 1 << 7
	if sets[4]&alsoSunday != 0 {
		sets[4] = sets[4]&^alsoSunday | sunday
	}
	e := Expression{minutes: sets[0], hours: sets[1], days: sets[2], months: sets[3], weekdays: sets[4]}
	e.either = !strings.HasPrefix(parts[2].text, "*") && !strings.HasPrefix(parts[4].text, "*")
	if !e.occurs() {
		return Expression{}, &Problem{Code: "never_occurs", Text: "no day matches: none of the months has that day"}
	}
	return e, nil
}

func count(n int, text string) string {
	const form = "five fields are needed, with blanks between them: minute, hour, day of month, month, day of week; "
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), "@"):
		return "there are the words @hourly, @daily, @weekly, @monthly and @yearly"
	case n == 6 || n == 7:
		return fmt.Sprintf(form+"here are %d (seconds and years are not among them)", n)
	}
	return fmt.Sprintf(form+"here are %d", n)
}

// part is a piece of an expression with where it begins, counted from 0.
type part struct {
	text string
	at   int
}

func split(text string) (parts []part) {
	start := -1
	for i := 0; i <= len(text); i++ {
		blank := i == len(text) || text[i] == ' ' || text[i] == '\t'
		switch {
		case blank && start >= 0:
			parts = append(parts, part{text[start:i], start})
			start = -1
		case !blank && start < 0:
			start = i
		}
	}
	return parts
}

func (p part) read(f field) (set uint64, err error) {
	at := p.at
	for _, item := range strings.Split(p.text, ",") {
		bits, err := part{item, at}.item(f)
		if err != nil {
			return 0, err
		}
		set |= bits
		at += len(item) + 1
	}
	return set, nil
}

// item reads *, a value, or a range, the first and the last of which may have a step.
func (p part) item(f field) (set uint64, err error) {
	span, stepText, stepped := strings.Cut(p.text, "/")
	from, to, ranged := strings.Cut(span, "-")
	first, last, step := f.min, f.max, 1
	switch {
	case span == "":
		return 0, p.wrong(f, 0, "a value is missing")
	case span == "*":
		if f.max == 7 {
			last = 6
		}
	default:
		if first, err = p.value(f, from, 0); err != nil {
			return 0, err
		}
		last = first
		if ranged {
			if last, err = p.value(f, to, len(from)+1); err != nil {
				return 0, err
			}
		}
	}
	if last < first {
		return 0, p.wrong(
			f,
			0,
			fmt.Sprintf("%s runs backwards; write it as two, %s-%d,%d-%s", span, from, f.max, f.min, to),
		)
	}
	if stepped {
		if span != "*" && !ranged {
			return 0, p.wrong(
				f,
				len(span),
				fmt.Sprintf("a step goes with * or a range: write %s-%d/%s", span, f.max, stepText),
			)
		}
		if step, err = p.number(f, stepText, len(span)+1); err != nil {
			return 0, err
		}
		if step < 1 || step > f.max-f.min+1 {
			return 0, p.wrong(f, len(span)+1, fmt.Sprintf("a step of %d is not between 1 and %d", step, f.max-f.min+1))
		}
	}
	for v := first; v <= last; v += step {
		set |= 1 << v
	}
	return set, nil
}

func (p part) value(f field, text string, offset int) (int, error) {
	for i, name := range f.names {
		if strings.EqualFold(name, text) {
			return f.min + i, nil
		}
	}
	v, err := p.number(f, text, offset)
	if err != nil {
		return 0, err
	}
	if v < f.min || v > f.max {
		return 0, p.wrong(f, offset, fmt.Sprintf("%d is not between %d and %d", v, f.min, f.max))
	}
	return v, nil
}

func (p part) number(f field, text string, offset int) (int, error) {
	digits := text != "" && len(text) <= 4
	for _, c := range text {
		digits = digits && c >= '0' && c <= '9'
	}
	if !digits {
		what := "a number"
		if f.names != nil {
			what += " or a name such as " + f.names[1]
		}
		return 0, p.wrong(f, offset, fmt.Sprintf("%s is needed here, not %s", what, quoted(text)))
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0, p.wrong(f, offset, quoted(text)+" is no number")
	}
	return v, nil
}

// quoted shows what stands there, in bounds.
func quoted(text string) string {
	if text == "" {
		return "nothing"
	}
	return strconv.QuoteToASCII(text[:min(len(text), 20)])
}

func (p part) wrong(f field, offset int, text string) error {
	return &Problem{Code: "invalid", Field: f.name, At: p.at + offset + 1, Text: text}
}

// longest is how many days a month can have.
var longest = [13]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// occurs reports whether there is any day like this.
func (e Expression) occurs() bool {
	if e.either {
		return true // each day of the week comes in every month
	}
	first := bits.TrailingZeros64(e.days)
	for m := 1; m <= 12; m++ {
		if e.months&(1<<m) != 0 && first <= longest[m] {
			return true
		}
	}
	return false
}
