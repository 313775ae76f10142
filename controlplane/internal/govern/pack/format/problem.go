package format

import (
	"fmt"
	"strings"
)

// Problem is something that is wrong with a pack, and how it is mended.
type Problem struct {
	Severity string `json:"severity" enum:"error,warning"`
	Code     string `json:"code"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Pointer  string `json:"pointer,omitempty" doc:"JSON pointer into the whole pack, as its schema describes it."`
	Message  string `json:"message"`
	Mend     string `json:"mend,omitempty" doc:"What to do about it."`
}

// Severities.
const (
	Error   = "error"
	Warning = "warning"
)

// String is the problem in one line, as editors and terminals link it.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Severity + ": " + p.Message)
	if p.Mend != "" {
		b.WriteString("; " + p.Mend)
	}
	fmt.Fprintf(&b, " [%s", p.Code)
	if p.Pointer != "" {
		b.WriteString(" " + p.Pointer)
	}
	b.WriteString("]")
	return b.String()
}

// Failed reports whether one of the problems is an error.
func Failed(problems []Problem) bool {
	for _, p := range problems {
		if p.Severity == Error {
			return true
		}
	}
	return false
}

// most is how many problems are told of one pack: whoever has more mends some first.
const most = 200

// list collects problems and knows where in the files things stand.
type list struct {
	problems []Problem
	places   map[string]place // by pointer
}

type place struct {
	file string
	line int
}

func (l *list) add(severity, code, pointer, message, mend string) {
	if len(l.problems) >= most {
		return
	}
	at := l.at(pointer)
	l.problems = append(
		l.problems,
		Problem{
			Severity: severity,
			Code:     code,
			File:     at.file,
			Line:     at.line,
			Pointer:  "#" + pointer,
			Message:  message,
			Mend:     mend,
		},
	)
}

func (l *list) fail(code, pointer, mend, message string, args ...any) {
	l.add(Error, code, pointer, fmt.Sprintf(message, args...), mend)
}

func (l *list) warn(code, pointer, mend, message string, args ...any) {
	l.add(Warning, code, pointer, fmt.Sprintf(message, args...), mend)
}

// at is where a pointer stands, or else what is around it.
func (l *list) at(pointer string) place {
	for {
		if p, ok := l.places[pointer]; ok || pointer == "" {
			return p
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
}

// inFile is a problem of a file itself.
func inFile(file string, line int, code, mend, message string, args ...any) Problem {
	return Problem{
		Severity: Error,
		Code:     code,
		File:     file,
		Line:     line,
		Message:  fmt.Sprintf(message, args...),
		Mend:     mend,
	}
}

// under is the pointer to a member or element.
func under(pointer string, name any) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(name))
}

// nearest is the known word that an unknown one was probably meant to be; empty: none is near.
func nearest(word string, known []string) string {
	best, distance := "", 1+len(word)/3
	for _, k := range known {
		if d := edits(strings.ToLower(word), strings.ToLower(k)); d <= distance {
			best, distance = k, d-1
		}
	}
	return best
}

func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}
