package rest

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// positionVersion changes when older checkpoints and cursors can no longer be read.
const positionVersion = 1

// Bounds of a checkpoint and of a cursor, in bytes, and of what they remember.
const (
	maxPosition = 60 << 10
	maxMade     = 2000
	maxChanged  = 1000
)

// position is how far a read has come: all that another process needs to go on with it.
type position struct {
	Job      int        `json:"job"`
	Page     *pageState `json:"page,omitempty"`  // where the page in hand begins
	Below    *below     `json:"below,omitempty"` // how far the streams are read that hang on its records
	Relisted bool       `json:"relisted,omitempty"`

	Plan  map[string]plan  `json:"plan,omitempty"` // by stream
	How   *v1.Read         `json:"how,omitempty"`
	Marks map[string]*mark `json:"marks,omitempty"` // by stream

	Tally    tallies      `json:"tally"`
	Base     tallies      `json:"base"` // at the beginning of the list in hand
	Estimate *v1.Estimate `json:"estimate,omitempty"`
	Pages    int          `json:"pages"`
	Calls    int          `json:"calls"`
	WaitMS   int64        `json:"wait_ms"`
	Skipped  int          `json:"skipped"`
	Warnings int          `json:"warnings"`
}

// below is a place in a stream that hangs on the records of a page.
type below struct {
	Child string     `json:"child"`
	Index int        `json:"index"` // of the record on the page
	Key   string     `json:"key"`   // its key
	Page  *pageState `json:"page,omitempty"`
}

// checkpoint is a position with what belongs to it alone.
type checkpoint struct {
	Version  int    `json:"v"`
	Settings string `json:"settings"`
	Request  string `json:"request"` // digest of what was asked for
	position
	Made    []byte `json:"made,omitempty"`
	Changed []byte `json:"changed,omitempty"`
}

// requested digests what a request asks for.
func (s *session) requested(req v1.SyncRequest) string {
	text := s.kindsWanted()
	if req.Incremental && req.Options != nil {
		text += " since " + req.Options.Cursor
	}
	b, _ := json.Marshal([]any{text, s.cfg.pageSize}) // texts and numbers always encode
	return strconv.FormatUint(hashOf(string(b)), 16)
}

func (s *session) kindsWanted() string {
	text := ""
	for _, kind := range allKinds {
		if s.wanted[kind] {
			text += string(kind) + " "
		}
	}
	return text
}

// resume takes over the position of a read that did not come to its end.
func (s *session) resume(req v1.SyncRequest) bool {
	s.request = s.requested(req)
	if req.Options == nil || req.Options.Checkpoint == "" {
		return false
	}
	var c checkpoint
	err := json.Unmarshal([]byte(req.Options.Checkpoint), &c)
	why := ""
	switch {
	case err != nil, c.Version != positionVersion, c.Tally == nil:
		why = "it is of another version"
	case c.Settings != s.cfg.digest:
		why = "the settings have changed since"
	case c.Request != s.request:
		why = "it belongs to another request"
	}
	if why != "" {
		s.warn("checkpoint_unusable", "the checkpoint cannot be used: "+why+"; a full sync runs instead", "")
		return false
	}
	warnings := s.Warnings
	s.position = c.position
	s.Warnings += warnings
	if s.Marks == nil {
		s.Marks = map[string]*mark{}
	}
	for _, n := range unpacked(c.Made) {
		s.made[n] = true
	}
	if c.Changed != nil {
		s.changed = map[uint64]bool{}
		for _, n := range unpacked(c.Changed) {
			s.changed[n] = true
		}
	}
	return true
}

// next goes on to the list behind the one in hand.
func (s *session) next() {
	s.Job++
	s.Page, s.Below, s.Relisted, s.Base = nil, nil, false, maps.Clone(s.Tally)
	s.track()
}

// track begins to note which records of a stream came as changed, where a list of all follows.
func (s *session) track() {
	if s.Job >= len(s.jobs) || s.jobs[s.Job].what != readRecords {
		return
	}
	s.changed = nil
	if st := s.jobs[s.Job].st; st.presence != nil && s.Plan[st.Name].Changes {
		s.changed = map[uint64]bool{}
	}
}

// restart goes back to the beginning of the list in hand.
func (s *session) restart() {
	s.Page, s.Below, s.Relisted = nil, nil, true
	s.Tally = maps.Clone(s.Base)
	j := s.jobs[s.Job]
	for _, kind := range j.kinds() {
		s.add(kind, 0)
	}
	if j.what == readRecords && j.st.incremental != nil {
		delete(s.Marks, j.st.Name)
		s.track()
	}
}

// here is the position now, while lists are read by others.
func (s *session) here() position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position
}

// behind is the checkpoint behind the page in hand. next is where the next page begins, nil at the end of the list.
func (s *session) behind(next *pageState) string {
	at := s.here()
	at.Page, at.Below = next, nil
	if next == nil {
		at.Job, at.Page, at.Relisted, at.Base = s.Job+1, nil, false, nil
	}
	return s.encode(at, s.made)
}

// within is a checkpoint inside the streams that hang on the page in hand. The page's own rows come again with it.
func (s *session) within(b below) string {
	at := s.here()
	at.Below = &b
	at.Tally = maps.Clone(s.Tally)
	for kind, own := range s.work.own {
		t := at.Tally[kind]
		t.Count -= own.Count
		at.Tally[kind] = t
	}
	made := s.made
	if len(s.work.made) > 0 {
		made = maps.Clone(s.made)
		for _, n := range s.work.made {
			delete(made, n)
		}
	}
	return s.encode(at, made)
}

// encode writes a checkpoint. It is empty, and the one before stays good, where more would have to be remembered than fits.
func (s *session) encode(at position, made map[uint64]bool) string {
	if len(made) > maxMade {
		return ""
	}
	at.Calls += s.client.Calls()
	at.WaitMS += s.client.Waited().Milliseconds()
	if at.Base == nil {
		at.Base = at.Tally
	}
	c := checkpoint{Version: positionVersion, Settings: s.cfg.digest, Request: s.request, position: at, Made: packed(slices.Sorted(maps.Keys(made)))}
	if s.changed != nil && len(s.changed) <= maxChanged {
		c.Changed = packed(slices.Sorted(maps.Keys(s.changed)))
	}
	c.Marks = s.keptMarks()
	return s.fitting(&c, c.Marks)
}

// keptMarks are the marks as they are stored.
func (s *session) keptMarks() map[string]*mark {
	out := map[string]*mark{}
	for _, st := range s.cfg.streams {
		if m := s.Marks[st.Name]; m != nil && st.incremental != nil {
			out[st.Name] = m.kept(st.incremental)
		}
	}
	return out
}

// fitting encodes v, without the records seen where that is too long, or as nothing.
func (s *session) fitting(v any, marks map[string]*mark) string {
	for range 2 {
		b, err := json.Marshal(v)
		if err == nil && len(b) <= maxPosition {
			return string(b)
		}
		for _, m := range marks {
			m.Seen = nil
		}
	}
	return ""
}

// packed writes digests as bytes.
func packed(ns []uint64) []byte {
	out := make([]byte, 0, 8*len(ns))
	for _, n := range ns {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	return out
}

func unpacked(b []byte) []uint64 {
	out := make([]uint64, 0, len(b)/8)
	for ; len(b) >= 8; b = b[8:] {
		out = append(out, binary.LittleEndian.Uint64(b))
	}
	return out
}

// mark is where a stream's times are gathered.
func (s *session) mark(st *stream) *mark {
	m := s.Marks[st.Name]
	if m == nil {
		m = &mark{}
		if p := s.Plan[st.Name]; p.Changes {
			m.Prior, m.Max = p.Since, p.Since
		}
		s.Marks[st.Name] = m
	}
	return m
}

// watermark is the greatest time that the target named.
func (s *session) watermark() *time.Time {
	var out time.Time
	for _, m := range s.Marks {
		if m.Max.After(out) {
			out = m.Max
		}
	}
	if out.IsZero() {
		return nil
	}
	return &out
}
