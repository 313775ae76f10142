package scim

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Versions of what this connector writes into checkpoints and cursors. Others are not understood.
const (
	placeVersion  = 1
	cursorVersion = 1
)

// Bounds of what goes into a checkpoint or a cursor, which may have 64 KiB.
const (
	maxState  = 60 << 10
	maxRights = 24 << 10 // bytes of the names of rights
	maxShapes = 12 << 10 // bytes of the names of attributes
	recentIDs = 256
)

// place is how far a read has come: all that the rest of it needs to know. It is the checkpoint.
type place struct {
	V        int       `json:"v"`
	Settings string    `json:"settings"` // digest of what the read depends on
	Plan     plan      `json:"plan"`
	Leg      int       `json:"leg"`            // of Plan.Legs
	List     *position `json:"list,omitempty"` // in the leg's list; nil: at its beginning
	Counts   [4]int    `json:"counts"`         // by the order of allKinds
	Before   [4]int    `json:"before"`         // the same at the beginning of the leg
	Doubts   [4]bool   `json:"doubts"`
	// why content may be missing that the next read by time would not find
	Missed   string           `json:"missed,omitempty"`
	Latest   *time.Time       `json:"latest,omitempty"` // greatest meta.lastModified
	Began    *time.Time       `json:"began,omitempty"`  // the target's clock when the read began
	Rights   []string         `json:"rights,omitempty"` // roles and entitlements that users carry
	Vague    bool             `json:"vague,omitempty"`  // Rights are not all
	Shapes   map[string]shape `json:"shapes,omitempty"`
	ByUser   bool             `json:"by_user,omitempty"`  // users carried groups
	Strategy string           `json:"strategy,omitempty"` // of members, once found out
	Members  membership       `json:"members"`
	Samples  []sample         `json:"samples,omitempty"`
	Stats    v1.Stats         `json:"stats"`
	Estimate *v1.Estimate     `json:"estimate,omitempty"`
}

// membership is what was seen of members so far, to judge by.
type membership struct {
	Groups  int      `json:"groups,omitempty"`  // groups read
	Listed  bool     `json:"listed,omitempty"`  // the list carries members for at least one group
	Any     bool     `json:"any,omitempty"`     // some group has members
	Most    int      `json:"most,omitempty"`    // members of the largest group
	OfMost  int      `json:"of_most,omitempty"` // groups that have exactly as many
	MostID  string   `json:"most_id,omitempty"` // one of them
	Short   string   `json:"short,omitempty"`   // a group that says to have more members than came
	Samples []string `json:"samples,omitempty"` // a few groups without members
}

// position is a place in a list.
type position struct {
	Mode     string    `json:"mode"`
	Unsorted bool      `json:"unsorted,omitempty"` // the target refused to sort
	Start    int       `json:"start"`              // index of the next resource, from 1
	Cursor   string    `json:"cursor,omitempty"`   // of the next page
	At       time.Time `json:"at"`                 // by our clock, only to tell the cursor's age
	Total    int       `json:"total"`              // as the target tells it; -1: not told
	Pages    int       `json:"pages"`
	Received int       `json:"received"`
	Distinct int       `json:"distinct"`
	Shrunk   int       `json:"shrunk,omitempty"` // resources that went away in mid-read
	Back     int       `json:"back,omitempty"`   // resources to step back after this page
	Backs    int       `json:"backs,omitempty"`  // steps back so far
	Tail     int       `json:"tail,omitempty"`   // from where the list is read twice; 0: it need not be
	Second   bool      `json:"second,omitempty"` // the tail is being read again
	Shaky    bool      `json:"shaky,omitempty"`  // nothing proves completeness any more
	Recent   string    `json:"recent,omitempty"` // the resources read last, so that a resumed read knows them
	Print    uint64    `json:"print,omitempty"`  // of the page read last
}

// encode gives the checkpoint, or nothing where it would be too large: then an earlier one serves.
func (p *place) encode() string {
	out := *p
	if size(out.Rights) > maxRights {
		out.Rights, out.Vague = nil, true
	}
	if size(slices.Collect(maps.Keys(out.Shapes))) > maxShapes {
		out.Shapes = nil
	}
	b, err := json.Marshal(out)
	if err != nil || len(b) > maxState {
		return ""
	}
	return string(b)
}

func size(names []string) (n int) {
	for _, s := range names {
		n += len(s) + 12
	}
	return n
}

// resumed reads a checkpoint. why says what keeps it from being used.
func resumed(text, settings string) (p place, why string) {
	switch err := json.Unmarshal([]byte(text), &p); {
	case err != nil, p.V != placeVersion:
		return place{}, "it is of another version"
	case p.Settings != settings:
		return place{}, "the settings have changed since"
	case p.Leg < 0 || p.Leg > len(p.Plan.Legs) || len(p.Plan.Legs) == 0:
		return place{}, "it does not make sense"
	}
	return p, ""
}

// watermark is what an incremental read starts from. It is the cursor.
type watermark struct {
	V        int        `json:"v"`
	Settings string     `json:"settings"`
	Since    *time.Time `json:"since,omitempty"` // by the target's clock
	Full     string     `json:"full,omitempty"`  // why the next read must be a full one
	Rights   []string   `json:"rights,omitempty"`
	Vague    bool       `json:"vague,omitempty"`
	Strategy string     `json:"strategy,omitempty"`
	Always   bool       `json:"always,omitempty"` // the target does not tell when memberships change
	Cut      int        `json:"cut,omitempty"`    // a group of so many members may have more
	Samples  []sample   `json:"samples,omitempty"`
}

// cursor is the end of this read put as the start of the next. elapsed is how long the read took.
//
// What changed after the read had begun must be found by the next one, so that the watermark is never later than the
// target's clock was then. Where the target does not tell its clock, the time the read took is taken from the latest
// change seen: that is no later than the beginning by whatever clock the target has.
func (p *place) cursor(elapsed time.Duration, resumed bool) string {
	w := watermark{
		V: cursorVersion, Settings: p.Settings, Full: p.Missed, Rights: p.Rights, Vague: p.Vague, Strategy: p.Strategy,
		Always: p.Plan.Always, Cut: p.Plan.Cut, Samples: p.Samples,
	}
	if size(w.Rights) > maxRights {
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

// watermarkOf reads a cursor. why says what keeps it from being used.
func watermarkOf(text, settings string) (w watermark, why string) {
	switch err := json.Unmarshal([]byte(text), &w); {
	case err != nil, w.V != cursorVersion:
		return watermark{}, "the position of the last read is of another version"
	case w.Settings != settings:
		return watermark{}, "the settings have changed since the last read"
	case w.Full != "":
		return watermark{}, w.Full
	case w.Since == nil:
		return watermark{}, "the target does not tell when its records changed"
	}
	return w, ""
}

// hash64 is FNV-1a: the same in every process, so that it can be kept.
func hash64(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

func packed(hashes []uint64) string {
	b := make([]byte, 0, 8*len(hashes))
	for _, h := range hashes {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

func unpacked(s string) (out []uint64) {
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return nil
	}
	for ; len(b) >= 8; b = b[8:] {
		out = append(out, binary.LittleEndian.Uint64(b))
	}
	return out
}
