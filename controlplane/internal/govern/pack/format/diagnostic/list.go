package diagnostic

import (
	"fmt"
	"strings"
)

// MaxProblems is how many problems are reported of one pack.
const MaxProblems = 200

// List collects problems. It knows where in the files things are.
type List struct {
	Problems []Problem
	Places   map[string]Place // by pointer
}

// Place is a line of a file of the pack. Lines count from 1; 0 is the whole file.
type Place struct {
	File string
	Line int
}

// add adds a problem at the place of its pointer, up to MaxProblems.
func (l *List) add(severity, code, pointer, message, mend string) {
	if len(l.Problems) >= MaxProblems {
		return
	}
	at := l.at(pointer)
	l.Problems = append(
		l.Problems,
		Problem{
			Severity: severity,
			Code:     code,
			File:     at.File,
			Line:     at.Line,
			Pointer:  "#" + pointer,
			Message:  message,
			Mend:     mend,
		},
	)
}

// Fail adds an error. pointer is a JSON pointer into the whole pack, without the leading #; mend says how to correct
// it.
func (l *List) Fail(code, pointer, mend, message string, args ...any) {
	l.add(Error, code, pointer, fmt.Sprintf(message, args...), mend)
}

// Warn adds a warning. Its parameters are those of Fail.
func (l *List) Warn(code, pointer, mend, message string, args ...any) {
	l.add(Warning, code, pointer, fmt.Sprintf(message, args...), mend)
}

// at is where a pointer stands, or else what is around it.
func (l *List) at(pointer string) Place {
	for {
		if p, ok := l.Places[pointer]; ok || pointer == "" {
			return p
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
}
