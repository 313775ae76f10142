package checkpoint

import (
	"encoding/binary"
	"time"

	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Plan says how a stream is read.
type Plan struct {
	// Changes says that only changes are asked for, with Params.
	Changes bool `json:"changes,omitempty"`
	// Before the overlap was taken off.
	Since  time.Time         `json:"since,omitzero"`
	Params map[string]string `json:"params,omitempty"`
}

// Parameters are the query parameters of the plan, by name; nil if the stream is read in full.
func (p Plan) Parameters() map[string]any {
	if len(p.Params) == 0 {
		return nil
	}
	out := map[string]any{}
	for name, value := range p.Params {
		out[name] = value
	}
	return out
}

// Cursor is where the next incremental sync starts, as the control plane stores it.
type Cursor struct {
	Version  int                   `json:"v"`
	Settings string                `json:"settings"`
	Kinds    string                `json:"kinds"`
	Streams  map[string]*Watermark `json:"streams"`
}

// Version changes when older checkpoints and cursors can no longer be read.
const Version = 1

// Bounds of a checkpoint and of a cursor, in bytes, and of what they remember.
const (
	MaxLength  = 60 << 10
	MaxMade    = 2000
	MaxChanged = 1000
)

// Position is how far a read has come: all that another process needs to go on with it.
type Position struct {
	// Job is the number of the list in the plan of the read.
	Job int `json:"job"`
	// Where the page in hand begins.
	Page *paging.State `json:"page,omitempty"`
	// How far the streams are read that hang on its records.
	Below *ChildPosition `json:"below,omitempty"`
	// Relisted says that the list was begun again once.
	Relisted bool `json:"relisted,omitempty"`

	// By stream.
	Plan map[string]Plan `json:"plan,omitempty"`
	// How is what the run reports about its mode.
	How *v1.Read `json:"how,omitempty"`
	// By stream.
	Marks map[string]*Watermark `json:"marks,omitempty"`

	Tally KindCounts `json:"tally"`
	// At the beginning of the list in hand.
	Base     KindCounts   `json:"base"`
	Estimate *v1.Estimate `json:"estimate,omitempty"`
	Pages    int          `json:"pages"`
	Calls    int          `json:"calls"`
	// WaitMS is how long the target's rate limit made the read wait.
	WaitMS   int64 `json:"wait_ms"`
	Skipped  int   `json:"skipped"`
	Warnings int   `json:"warnings"`
}

// ChildPosition is a place in a stream that hangs on the records of a page.
type ChildPosition struct {
	Child string `json:"child"`
	// Of the record on the page.
	Index int `json:"index"`
	// Its key.
	Key  string        `json:"key"`
	Page *paging.State `json:"page,omitempty"`
}

// Checkpoint is a position with what belongs to it alone.
type Checkpoint struct {
	Version int `json:"v"`
	// Settings is the digest of the settings; with others the checkpoint cannot be used.
	Settings string `json:"settings"`
	// Digest of what was asked for.
	Request string `json:"request"`
	Position
	// Made and Changed are sets of digests, packed: the entitlements made from elements, and the
	// changed records.
	Made    []byte `json:"made,omitempty"`
	Changed []byte `json:"changed,omitempty"`
}

// Pack writes digests as bytes.
func Pack(ns []uint64) []byte {
	out := make([]byte, 0, 8*len(ns))
	for _, n := range ns {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	return out
}

// Unpack reads what Pack wrote. A rest of fewer than eight bytes is ignored.
func Unpack(b []byte) []uint64 {
	out := make([]uint64, 0, len(b)/8)
	for ; len(b) >= 8; b = b[8:] {
		out = append(out, binary.LittleEndian.Uint64(b))
	}
	return out
}

// kindCount says how much of a kind was read.
type kindCount struct {
	Count int `json:"n,omitempty"`
	// Absence proves nothing.
	Incomplete bool `json:"i,omitempty"`
}

// KindCounts says for each kind how many records were read, and whether absence proves anything.
type KindCounts map[v1.ObjectKind]kindCount
