package checkpoint

import (
	"encoding/json"
	"time"
)

// Watermark is what an incremental sync starts from. It is the cursor.
type Watermark struct {
	V int `json:"v"`
	// Settings is the digest of the settings that decide the result; a cursor of others is not
	// used.
	Settings string     `json:"settings"`
	Since    *time.Time `json:"since,omitempty"` // by the target's clock
	Full     string     `json:"full,omitempty"`  // why the next read must be a full one
	// Rights are those that the last read saw: an incremental read states them as present, since it
	// does not see every user that carries one.
	Rights []string `json:"rights,omitempty"`
	// Vague says that Rights are not all: their names had been too long for a cursor.
	Vague bool `json:"vague,omitempty"`
	// Strategy is how members of groups are read. It is found out by a full read and kept.
	Strategy string   `json:"strategy,omitempty"`
	Always   bool     `json:"always,omitempty"` // the target does not report when memberships change
	Cut      int      `json:"cut,omitempty"`    // a group of so many members may have more
	Samples  []Sample `json:"samples,omitempty"`
}

// Cursor is the end of this read put as the start of the next. elapsed is how long the read took.
//
// What changed after the read had begun must be found by the next one, so that the watermark is never later than the
// target's clock was then. Where the target does not report its clock, the time the read took is taken from the latest
// change seen: that is no later than the beginning by whatever clock the target has.
func (p *State) Cursor(elapsed time.Duration, resumed bool) string {
	w := Watermark{
		V: cursorVersion, Settings: p.Settings, Full: p.Missed, Rights: p.Rights, Vague: p.Vague, Strategy: p.Strategy,
		Always: p.Plan.Always, Cut: p.Plan.Cut, Samples: p.Samples,
	}
	if NamesSize(w.Rights) > MaxRights {
		w.Rights, w.Vague = nil, true
	}
	switch since := p.Latest; {
	case p.Began != nil && (since == nil || since.After(*p.Began)):
		w.Since = p.Began
	case p.Began != nil:
		w.Since = since
	case since != nil && !resumed:
		t := since.Add(-elapsed)
		w.Since = &t
	default:
		w.Since = p.Plan.Since
	}
	b, err := json.Marshal(w)
	if err != nil {
		return ""
	}
	return string(b)
}

// DecodeWatermark reads a cursor. why is the reason why it cannot be used; empty if it can.
func DecodeWatermark(text, settings string) (w Watermark, why string) {
	switch err := json.Unmarshal([]byte(text), &w); {
	case err != nil, w.V != cursorVersion:
		return Watermark{}, "the position of the last read is of another version"
	case w.Settings != settings:
		return Watermark{}, "the settings have changed since the last read"
	case w.Full != "":
		return Watermark{}, w.Full
	case w.Since == nil:
		return Watermark{}, "the target does not report when its records changed"
	}
	return w, ""
}
