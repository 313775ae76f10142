package read

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// requested digests what a request asks for.
func (s *session) requested(req v1.SyncRequest) string {
	text := s.kindsWanted()
	if req.Incremental && req.Options != nil {
		text += " since " + req.Options.Cursor
	}
	b, _ := json.Marshal([]any{text, s.Cfg.PageSize}) // texts and numbers always encode
	return strconv.FormatUint(answer.Hash(string(b)), 16)
}

// kindsWanted are the wanted kinds as text, in a fixed order.
func (s *session) kindsWanted() string {
	text := ""
	for _, kind := range stream.AllKinds {
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
	var c checkpoint.Checkpoint
	err := json.Unmarshal([]byte(req.Options.Checkpoint), &c)
	why := ""
	switch {
	case err != nil, c.Version != checkpoint.Version, c.Tally == nil:
		why = "it is of another version"
	case c.Settings != s.Cfg.Digest:
		why = "the settings have changed since"
	case c.Request != s.request:
		why = "it belongs to another request"
	}
	if why != "" {
		s.warn("checkpoint_unusable", "the checkpoint cannot be used: "+why+"; a full sync runs instead", "")
		return false
	}
	warnings := s.Warnings
	s.Position = c.Position
	s.markedPages = c.Pages
	s.Warnings += warnings
	if s.Marks == nil {
		s.Marks = map[string]*checkpoint.Watermark{}
	}
	for _, n := range checkpoint.Unpack(c.Made) {
		s.made[n] = true
	}
	if c.Changed != nil {
		s.changed = map[uint64]bool{}
		for _, n := range checkpoint.Unpack(c.Changed) {
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
	if st := s.jobs[s.Job].st; st.PresenceList != nil && s.Plan[st.Name].Changes {
		s.changed = map[uint64]bool{}
	}
}

// restart goes back to the beginning of the list in hand.
func (s *session) restart() {
	s.Page = nil
	s.Below = nil
	s.Relisted = true
	s.Tally = maps.Clone(s.Base)
	j := s.jobs[s.Job]
	for _, kind := range j.kinds() {
		s.add(kind, 0)
	}
	if j.what == readRecords && j.st.Changes != nil {
		delete(s.Marks, j.st.Name)
		s.track()
	}
}

// snapshot is the position now, while lists are read by others.
func (s *session) snapshot() checkpoint.Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Position
}

// checkpointAfter is the checkpoint behind the page in hand. next is where the next page begins, nil at the end of the
// list.
func (s *session) checkpointAfter(next *paging.State) string {
	at := s.snapshot()
	at.Page = next
	at.Below = nil
	if next == nil {
		at.Job = s.Job + 1
		at.Page = nil
		at.Relisted = false
		at.Base = nil
	}
	return s.encode(at, s.made)
}

// checkpointWithin is a checkpoint inside the streams that hang on the page in hand. The page's own rows come again
// with it.
func (s *session) checkpointWithin(b checkpoint.ChildPosition) string {
	at := s.snapshot()
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

// encode writes a checkpoint. It is empty, and the one before stays good, where more would have to be remembered than
// fits.
func (s *session) encode(at checkpoint.Position, made map[uint64]bool) string {
	if len(made) > checkpoint.MaxMade {
		return ""
	}
	at.Calls += s.Client.Calls()
	at.WaitMS += s.Client.Waited().Milliseconds()
	if at.Base == nil {
		at.Base = at.Tally
	}
	c := checkpoint.Checkpoint{
		Version:  checkpoint.Version,
		Settings: s.Cfg.Digest,
		Request:  s.request,
		Position: at,
		Made:     checkpoint.Pack(slices.Sorted(maps.Keys(made))),
	}
	if s.changed != nil && len(s.changed) <= checkpoint.MaxChanged {
		c.Changed = checkpoint.Pack(slices.Sorted(maps.Keys(s.changed)))
	}
	c.Marks = s.keptMarks()
	return s.encodeBounded(&c, c.Marks)
}

// keptMarks are the marks as they are stored.
func (s *session) keptMarks() map[string]*checkpoint.Watermark {
	out := map[string]*checkpoint.Watermark{}
	for _, st := range s.Cfg.Streams {
		if m := s.Marks[st.Name]; m != nil && st.Changes != nil {
			out[st.Name] = m.Stored(st.Changes)
		}
	}
	return out
}

// encodeBounded encodes v, without the records seen where that is too long, or as nothing.
func (s *session) encodeBounded(v any, marks map[string]*checkpoint.Watermark) string {
	for range 2 {
		b, err := json.Marshal(v)
		if err == nil && len(b) <= checkpoint.MaxLength {
			return string(b)
		}
		for _, m := range marks {
			m.Seen = nil
		}
	}
	return ""
}

// mark is where a stream's times are gathered.
func (s *session) mark(st *stream.Stream) *checkpoint.Watermark {
	m := s.Marks[st.Name]
	if m == nil {
		m = &checkpoint.Watermark{}
		if p := s.Plan[st.Name]; p.Changes {
			m.Prior = p.Since
			m.Max = p.Since
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
