package prose

import (
	"fmt"
	"regexp"
	"strings"
)

// maxWords is the length of the longest sentence, from docs/glossary.md.
const maxWords = 25

// Finding is a text that breaks a rule.
type Finding struct {
	Text Text
	Rule string // its name
	Why  string // what was found, and what to write instead
}

func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.Text.File, f.Text.Line, f.Rule, f.Why)
}

// phrase is wording that is not used, with what is said instead.
type phrase struct {
	pattern *regexp.Regexp
	instead string
}

func not(pattern, instead string) phrase {
	return phrase{regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`), instead}
}

// phrases are the wordings of the column "Not" of the glossary, and the constructions that its rules 1, 5 and 6 forbid.
var phrases = []phrase{
	not(`whoever|whomever|whosoever`, "name the person: the administrator, the approver, the owner"),
	not(`somebody|anybody|nobody`, "someone, anyone, no one; better: name the role"),
	not(`whom (?:it|they) (?:is|are|concerns?)`, "name the people"),
	not(`what (?:stands|lies|becomes of|is held|was read|is asked for)`, "name the thing"),
	not(`stands? (?:on|for|in|beside|there|as|above|below)`, "rests on, represents, is in, is next to"),
	not(`by (?:it|them)sel(?:f|ves)`, "automatically"),
	not(`of then`, "of that time"),
	not(`beneath|therein|thereof|hereby|wherein|whereby`, "below, in it, of it, by this"),
	not(`what (?:it|they|he|she) (?:tells?|says?|answers?)`, "name what it returns"),
	not(`(?:how|what) (?:it|they|a \w+|the \w+) (?:fares?|does)`, "status, health"),
	not(
		`(?:connector|system|target|server|service|agent|source|directory|run|rule|policy) `+
			`(?:tells|knows|wants|hears|thinks|minds)`,
		"systems return, report, require",
	),
	not(`so many`, "a fixed number of, that many"),
	not(`(?:ends|lives|goes|waits) no more`, "has ended"),
	not(`hangs on`, "depends on"),
	not(`reads? (?:it|them) (?:anew|over)|anew`, "again"),
	not(`at its next look|looks? at (?:everybody|all people)|is looked at`, "evaluation, is evaluated"),
	not(`left out`, "omitted"),
	not(`gives? (?:it|them) (?:over|on)`, "reassigns"),
	not(`in force`, "active"),
	not(`is dead|goes dead|was dead`, "was disabled, has expired, does not work"),
	not(`under any hat`, "in any role"),
	not(`nobody'?s`, "orphan, without an owner"),
	not(`a matter|the matter|matters of`, "a decision task"),
	not(`brings? (?:it|them) (?:about|in)`, "name the cause"),
	not(`for what (?:it|they) (?:is|are)`, "name the thing"),
	not(`the like`, "similar"),
	not(`it is (?:him|her|them)`, "name the person"),
	not(`shall`, "must"),
	not(`taken? for (?:gone|removed|deleted)`, "is treated as deleted"),
	not(`several by comma`, "several values, separated by commas"),
	not(`(?:does|do) not tell`, "does not report"),
}

// summaryVerbs begin the summary of an operation: rule 2 of the glossary.
var summaryVerbs = strings.Fields(
	`Accept Add Archive Assign Cancel Change Check Claim Clear Close Comment Compare Complete Confirm Copy Count
	Create Deactivate Decide Delete Deprecate Disable Discard Discover Drain Enable End Enroll Escalate Evaluate
	Exchange Explain Export Extend Get Ignore Import Install Invite List Merge Pause Plan Preview Publish
	Reactivate Reassign Redeliver Rediscover Refresh Release Remove Rename Renew Reopen Replace Replay Reset
	Resolve Restore Resume Retire Retrieve Retry Return Revoke Rotate Run Search Set Sign Simulate Start Stream
	Submit Suggest Summarize Suspend Sync Test Unassign Undo Uninstall Unlock Unpin Update Upgrade Upload Validate
	Verify Withdraw`,
)

var (
	sentenceEnd = regexp.MustCompile(`[.!?:;](?:\s|$)|\n`)
	wordy       = regexp.MustCompile(`[\pL\pN][\pL\pN'’/._-]*`)
)

// Check holds texts against all rules.
func Check(texts []Text) []Finding {
	var found []Finding
	for _, t := range texts {
		found = append(found, check(t)...)
	}
	return found
}

func check(t Text) []Finding {
	var found []Finding
	for _, p := range phrases {
		if hit := p.pattern.FindString(t.Words); hit != "" {
			found = append(
				found,
				Finding{t, "phrase", fmt.Sprintf("%q in %q: write %s", hit, excerpt(t.Words), p.instead)},
			)
		}
	}
	for _, sentence := range sentenceEnd.Split(t.Words, -1) {
		if n := len(wordy.FindAllString(sentence, -1)); n > maxWords {
			why := fmt.Sprintf("%d words, at most %d: %q", n, maxWords, excerpt(sentence))
			found = append(found, Finding{t, "sentence-length", why})
		}
	}
	if t.Kind == Summary {
		found = append(found, checkSummary(t)...)
	}
	return found
}

func checkSummary(t Text) []Finding {
	first, _, _ := strings.Cut(t.Words, " ")
	for _, verb := range summaryVerbs {
		if first == verb {
			return nil
		}
	}
	why := fmt.Sprintf(
		"%q begins with %q: begin with a verb such as List, Retrieve, Create or Update",
		excerpt(t.Words),
		first,
	)
	return []Finding{{t, "summary-verb", why}}
}

// excerpt is the beginning of a text, for a message of one line.
func excerpt(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return s
}
