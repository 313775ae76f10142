package diagnostic

import (
	"fmt"
	"strings"
)

// Printable is a path or value as it may be shown: valid UTF-8, without control characters, and cut after 100
// characters.
func Printable(name string) string {
	name = strings.ToValidUTF8(name, "?")
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
	if r := []rune(name); len(r) > 100 {
		name = string(r[:100]) + "…"
	}
	return name
}

// Problem is something that is wrong with a pack, and how it is mended.
type Problem struct {
	// Severity: an error prevents the installation, a warning does not.
	Severity string `json:"severity" enum:"error,warning"`
	// Stable code of the problem.
	Code string `json:"code"`
	// File of the pack that has the problem. Absent if it concerns the whole pack.
	File string `json:"file,omitempty"`
	// Line in the file, from 1. Absent if it is not known.
	Line int `json:"line,omitempty"`
	// JSON pointer into the whole pack, as its schema describes it.
	Pointer string `json:"pointer,omitempty"`
	// Explanation of the problem, with the value.
	Message string `json:"message"`
	// What to do about it.
	Mend string `json:"mend,omitempty"`
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

// InFile is an error of a file itself. An empty file is the archive; line 0 is the whole file.
func InFile(file string, line int, code, mend, message string, args ...any) Problem {
	return Problem{
		Severity: Error,
		Code:     code,
		File:     file,
		Line:     line,
		Message:  fmt.Sprintf(message, args...),
		Mend:     mend,
	}
}
