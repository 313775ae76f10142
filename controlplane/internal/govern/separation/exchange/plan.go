package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/source"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// SeparationImport is the plan of an import, or what it has done.
type SeparationImport struct {
	// Whether the import was a dry run, which changes nothing.
	DryRun bool `json:"dry_run"`
	// Format of the files.
	Format string `json:"format"`
	// Files that were read. Those of archives have the name of the archive before theirs.
	Files []SeparationImportText `json:"files" nullable:"false"`
	// Counts of the duties.
	Duties SeparationImportCounts `json:"duties"`
	// Counts of the policies.
	Policies SeparationImportCounts `json:"policies"`
	// Duties and policies of the files, in their order, duties first.
	Items []SeparationImportItem `json:"items" nullable:"false"`
	// What is wrong with the files, at most 1,000. If there is anything, nothing can be applied.
	Problems []ruleset.ImportProblem `json:"problems" nullable:"false"`
	// Number of problems.
	ProblemCount int `json:"problem_count"`
	// What does not prevent the import, at most 1,000. Examples are members that no sync run has read yet.
	Notes []ruleset.ImportProblem `json:"notes" nullable:"false"`
	// Number of notes.
	NoteCount int `json:"note_count"`
	// Hash of the plan, for confirm. Empty if there are problems.
	PlanHash string `json:"plan_hash"`
}

// SeparationImportText is a file that was read.
type SeparationImportText struct {
	// Name of the file.
	Name string `json:"name"`
	// Character encoding of the file.
	Encoding string `json:"encoding" enum:"utf-8,utf-16,windows-1252"`
	// Number of lines.
	Lines int `json:"lines"`
}

// SeparationImportCounts are how many objects of a kind the files have, by what becomes of them.
type SeparationImportCounts struct {
	// Number of new objects.
	Created int `json:"created"`
	// Number of existing objects that change.
	Updated int `json:"updated"`
	// Number of existing objects that are as in the files.
	Unchanged int `json:"unchanged"`
	// Number of objects that cannot be imported.
	Refused int `json:"refused"`
}

// SeparationImportItem is what becomes of one duty or policy of the files.
type SeparationImportItem struct {
	// Kind of the object.
	Kind string `json:"kind" enum:"duty,policy"`
	// Display name of the object.
	Name string `json:"name"`
	// File that has the object.
	File string `json:"file"`
	// Line of the file at which the object begins.
	Line int `json:"line"`
	// Effect of the import on the object.
	Action string `json:"action" enum:"created,updated,unchanged,refused"`
	// ID of the object. Null if it does not exist.
	ID *string `json:"id"`
	// Fields that change. Empty for new objects.
	Changes []string `json:"changes" nullable:"false"`
	// Number of members of a duty that no sync run has read yet.
	Unresolved int `json:"unresolved_count"`
}

// count counts an item.
func (c *SeparationImportCounts) count(action string) {
	switch action {
	case "created":
		c.Created++
	case "updated":
		c.Updated++
	case "unchanged":
		c.Unchanged++
	default:
		c.Refused++
	}
}

// shown is the plan with the texts and the report.
func (p *plan) shown(texts []source.Text, format string, dry bool) SeparationImport {
	out := SeparationImport{
		DryRun: dry, Format: format, Files: []SeparationImportText{}, Items: p.items,
		Problems: p.report.Problems, ProblemCount: p.report.ProblemCount,
		Notes: p.report.Notes, NoteCount: p.report.NoteCount,
	}
	if out.Items == nil {
		out.Items = []SeparationImportItem{}
	}
	if out.Problems == nil {
		out.Problems = []ruleset.ImportProblem{}
	}
	if out.Notes == nil {
		out.Notes = []ruleset.ImportProblem{}
	}
	for _, t := range texts {
		out.Files = append(out.Files, SeparationImportText{t.Name, t.Encoding, t.Lines})
	}
	for i := range out.Items {
		each := &out.Items[i]
		counts := &out.Duties
		if each.Kind == "policy" {
			counts = &out.Policies
		}
		if p.report.Refused(p.of[i]) {
			each.Action = "refused"
		}
		counts.count(each.Action)
	}
	if p.report.OK() {
		out.PlanHash = p.hash()
	}
	return out
}

// hash is the same for the same changes of the same objects in the same versions.
func (p *plan) hash() string {
	sum := sha256.New()
	to := json.NewEncoder(sum)
	for _, w := range p.duties {
		version := 0
		if w.Before != nil {
			version = w.Before.Version
		}
		_ = to.Encode([]any{"duty", w.ID, version, w.Fields}) // a hash takes all writes
	}
	for _, w := range p.policies {
		version := 0
		if w.Before != nil {
			version = w.Before.Version
		}
		_ = to.Encode([]any{"policy", w.ID, version, w.Fields})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// mostFields is how many problems a refusal lists.
const mostFields = 100

// refusal is the fault of an import with problems.
func refusal(r *ruleset.Report) error {
	if r.OK() {
		return nil
	}
	first := r.Problems[0]
	fields := make([]fault.Field, 0, min(mostFields, len(r.Problems)))
	for _, p := range r.Problems[:min(mostFields, len(r.Problems))] {
		fields = append(fields, fault.Field{Pointer: "#/files", Code: p.Code, Detail: where(p) + p.Detail})
	}
	return fault.Coded(fault.Invalid, "invalid_rule_set", "The files cannot be imported. %d problems were found. The "+
		"first one: %s%s", r.ProblemCount, where(first), first.Detail).With(fields...)
}

// where says in which line a problem is.
func where(p ruleset.ImportProblem) string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return p.File + ": "
	case p.Field == "":
		return fmt.Sprintf("%s, line %d: ", p.File, p.Line)
	}
	return fmt.Sprintf("%s, line %d, %s: ", p.File, p.Line, p.Field)
}
