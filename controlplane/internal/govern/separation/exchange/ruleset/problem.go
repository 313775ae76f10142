package ruleset

import (
	"fmt"
	"strings"
)

// ImportProblem is one thing that is wrong with a file, or that a reader of the plan should know.
type ImportProblem struct {
	// Name of the file, with the archive that it is in.
	File string `json:"file"`
	// Line of the file. 0 if the whole file is meant.
	Line int `json:"line"`
	// Field or column. Empty if the whole line is meant.
	Field string `json:"field"`
	// Code of the problem.
	Code string `json:"code"`
	// Description of the problem, and what to do about it.
	Detail string `json:"detail"`

	// Of is the duty or policy that has the problem, see DutyID and PolicyID. Empty if it is none.
	Of string `json:"-"`
}

// DutyID and PolicyID name an object of a set in problems.
func DutyID(name string) string { return "duty " + strings.ToLower(name) }

// PolicyID is DutyID of a policy.
func PolicyID(name string) string { return "policy " + strings.ToLower(name) }

// most is how many problems are listed.
const most = 1000

// Report collects problems, which prevent the import, and notes, which do not.
type Report struct {
	Problems, Notes         []ImportProblem
	ProblemCount, NoteCount int
	refused                 map[string]bool
}

// Add adds a problem at a place.
func (r *Report) Add(at Place, field, code, format string, args ...any) {
	r.AddOf("", at, field, code, format, args...)
}

// AddOf adds a problem of a duty or policy.
func (r *Report) AddOf(of string, at Place, field, code, format string, args ...any) {
	if of != "" {
		if r.refused == nil {
			r.refused = map[string]bool{}
		}
		r.refused[of] = true
	}
	r.ProblemCount++
	if len(r.Problems) < most {
		r.Problems = append(r.Problems, problem(of, at, field, code, format, args))
	}
}

// Note adds something that does not prevent the import.
func (r *Report) Note(at Place, field, code, format string, args ...any) {
	r.NoteCount++
	if len(r.Notes) < most {
		r.Notes = append(r.Notes, problem("", at, field, code, format, args))
	}
}

// Refused reports whether a duty or policy has a problem.
func (r *Report) Refused(of string) bool { return r.refused[of] }

// OK reports whether there is no problem.
func (r *Report) OK() bool { return r.ProblemCount == 0 }

// longest is how much of a text of a file a message repeats.
const longest = 400

func problem(of string, at Place, field, code, format string, args []any) ImportProblem {
	detail := []rune(fmt.Sprintf(format, args...))
	if len(detail) > longest {
		detail = append(detail[:longest], '…')
	}
	return ImportProblem{File: at.File, Line: at.Line, Field: field, Code: code, Detail: string(detail), Of: of}
}
