package checkpoint

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sample is the members of a group when they were last read: their number and a sum that does not depend on their
// order.
type Sample struct {
	ID    string `json:"id"`
	Count int    `json:"n"`
	Sum   uint64 `json:"sum"`
}

// Versions of what this connector writes into checkpoints and cursors. Others are not understood.
const (
	Version       = 1
	cursorVersion = 1
)

// Bounds of what goes into a checkpoint or a cursor, which may have 64 KiB.
const (
	MaxState  = 60 << 10
	MaxRights = 24 << 10 // bytes of the names of rights
	maxShapes = 12 << 10 // bytes of the names of attributes
	RecentIDs = 256
)

// State is how far a sync has come: all that the rest of it needs. It is the checkpoint.
type State struct {
	V        int       `json:"v"`
	Settings string    `json:"settings"` // digest of what the read depends on
	Plan     Plan      `json:"plan"`
	Leg      int       `json:"leg"`            // of Plan.Legs
	List     *Position `json:"list,omitempty"` // in the leg's list; nil: at its beginning
	// Counts are the records emitted so far, which the scopes of the last page state.
	Counts [4]int `json:"counts"` // by the order of allKinds
	Before [4]int `json:"before"` // the same at the beginning of the leg
	// Doubts are the kinds of which something may be missing. Their scope is not stated as
	// complete, so that nothing of them is treated as deleted.
	Doubts [4]bool `json:"doubts"`
	// why content may be missing that the next read by time would not find
	Missed string     `json:"missed,omitempty"`
	Latest *time.Time `json:"latest,omitempty"` // greatest meta.lastModified
	Began  *time.Time `json:"began,omitempty"`  // the target's clock when the read began
	// Rights are kept by their ids, so that a read that is resumed emits each right once.
	Rights []string `json:"rights,omitempty"` // roles and entitlements that users carry
	Vague  bool     `json:"vague,omitempty"`  // Rights are not all
	// Shapes are the kinds of values that attributes had first in this read: see DropChangedKinds
	// of syncrun.
	Shapes   map[string]resource.Kind `json:"shapes,omitempty"`
	ByUser   bool                     `json:"by_user,omitempty"`  // users carried groups
	Strategy string                   `json:"strategy,omitempty"` // of members, once found out
	Members  Membership               `json:"members"`
	// Samples are compared with those of the last read: they show whether the members of a group
	// changed although its lastModified did not.
	Samples []Sample `json:"samples,omitempty"`
	// Stats include those of the attempts before a resume.
	Stats    v1.Stats     `json:"stats"`
	Estimate *v1.Estimate `json:"estimate,omitempty"`
}

// Membership is what was seen of the members of groups so far. The choice of how to read them rests on it.
type Membership struct {
	Groups  int      `json:"groups,omitempty"`  // groups read
	Listed  bool     `json:"listed,omitempty"`  // the list carries members for at least one group
	Any     bool     `json:"any,omitempty"`     // some group has members
	Most    int      `json:"most,omitempty"`    // members of the largest group
	OfMost  int      `json:"of_most,omitempty"` // groups that have exactly as many
	MostID  string   `json:"most_id,omitempty"` // one of them
	Short   string   `json:"short,omitempty"`   // a group that says to have more members than came
	Samples []string `json:"samples,omitempty"` // a few groups without members
}

// Encode returns the checkpoint; empty if it would be too large. An earlier checkpoint then serves.
func (p *State) Encode() string {
	out := *p
	if NamesSize(out.Rights) > MaxRights {
		out.Rights, out.Vague = nil, true
	}
	if NamesSize(slices.Collect(maps.Keys(out.Shapes))) > maxShapes {
		out.Shapes = nil
	}
	b, err := json.Marshal(out)
	if err != nil || len(b) > MaxState {
		return ""
	}
	return string(b)
}

// NamesSize returns about how many bytes a list of names takes in a checkpoint.
func NamesSize(names []string) (n int) {
	for _, s := range names {
		n += len(s) + 12
	}
	return n
}

// Decode reads a checkpoint. why is the reason why it cannot be used; empty if it can.
func Decode(text, settings string) (p State, why string) {
	switch err := json.Unmarshal([]byte(text), &p); {
	case err != nil, p.V != Version:
		return State{}, "it is of another version"
	case p.Settings != settings:
		return State{}, "the settings have changed since"
	case p.Leg < 0 || p.Leg > len(p.Plan.Legs) || len(p.Plan.Legs) == 0:
		return State{}, "it does not make sense"
	}
	return p, ""
}
