package state

import (
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// Describe says in words what a decision was, for those who need not answer any more.
func (f *Flow) Describe(d decision.Decision) string {
	who := d.By.Display
	if who == "" {
		who = "somebody else"
	}
	if d.Action == Reject {
		return who + " has rejected it"
	}
	return who + " has approved it"
}

// Title says in one line who requests what for whom.
func (f *Flow) Title(requester string) string {
	what, who := f.Shown.What.Display, f.Shown.Who.Display
	verb, passive := "asks for "+what, what+" is asked for"
	switch f.Subject.Kind {
	case "extend":
		verb, passive = "asks to keep "+what+" longer", "A longer time of "+what+" is asked for"
	case "revoke", "return":
		verb, passive = "asks to take "+what+" away", "That "+what+" be taken away is asked for"
	}
	switch {
	case f.Subject.RequesterID == f.Subject.BeneficiaryID:
		return who + " " + verb
	case requester == "":
		return passive + " by another system, for " + who
	}
	return requester + " " + verb + " for " + who
}

// Summary says for how long, why, and in which stage.
func (f *Flow) Summary(st *Stage) string {
	var parts []string
	switch s := f.Subject; {
	case s.EndsAt != nil:
		parts = append(parts, "Until "+s.EndsAt.UTC().Format("2 January 2006, 15:04")+" UTC.")
	case s.Duration != "":
		parts = append(parts, "For "+s.Duration+", counted from when the access is there.")
	case s.Kind == "grant" || s.Kind == "":
		parts = append(parts, "Without an end.")
	}
	if f.Subject.Justification != "" {
		parts = append(parts, "Reason: "+Quoted(clip(f.Subject.Justification, 300))+".")
	}
	if n := len(f.Plan.Stages); n > 1 {
		parts = append(parts, fmt.Sprintf("Stage %d of %d: %s.", st.Stage+1, n, f.Definition(st.Stage).Name))
	}
	return strings.Join(parts, " ")
}

// Quoted is a text in quotation marks, for people.
func Quoted(s string) string { return "“" + s + "”" }

// clip shortens a text to so many characters.
func clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

// Stamp is an instant as JSON has it, or nil.
func Stamp(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// DecidedBefore are the answers that a chain has had.
func (f *Flow) DecidedBefore() []map[string]any {
	before := []map[string]any{}
	for _, st := range f.Stages {
		for _, s := range st.Slots {
			if s.DecidedBy != nil && (s.State == SlotApproved || s.State == SlotRejected) {
				before = append(
					before,
					map[string]any{
						"stage":    f.Definition(st.Stage).Name,
						"by":       s.DecidedBy.Display,
						"decision": s.State,
						"comment":  s.Comment,
						"at":       Stamp(s.DecidedAt),
					},
				)
			}
		}
	}
	return before
}
