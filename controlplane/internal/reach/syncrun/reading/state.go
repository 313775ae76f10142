package reading

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/position"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// State is what is known of a reading. Its user guards it against use by several goroutines at once.
type State struct {
	// What the connector is asked for.
	Kinds      []v1.ObjectKind
	Ask        position.Ask
	MaxRecords *int
	Continues  *string // limited run whose reading this one continues

	// What it has answered so far.
	Ended      bool
	Checkpoint string
	Cursor     string
	Watermark  *time.Time
	Estimate   *v1.Estimate
	Warnings   []v1.Warning
	Complete   map[string]bool // by kind: it was read to its end
	Capped     bool            // MaxRecords may have kept something from being read
	Read       *v1.Read        // as the connector says; nil: it said nothing
	Effective  v1.Read         // as taken for
	Fallback   string          // why not only changes were read, though they were asked for
	anew       bool            // the connector could not go on from its checkpoint
}

// Restart drops what was answered about how the connector reads, because it is asked anew from the beginning.
func (s *State) Restart() {
	s.Checkpoint, s.Continues, s.Read, s.Effective = "", nil, nil, v1.Read{}
}

// Note keeps what a page says about the whole read, and reports whether the run has moved on with it: a worker that
// takes it over need not begin where this attempt began.
func (s *State) Note(p *v1.Page) (moved bool) {
	if p == nil {
		p = &v1.Page{}
	}
	for _, warning := range p.Warnings {
		s.anew = s.anew || warning.Code == "checkpoint_unusable"
		s.Warn(warning)
	}
	if p.Estimate != nil {
		s.Estimate = p.Estimate
	}
	if p.Watermark != nil {
		s.Watermark = p.Watermark
	}
	if p.Read != nil {
		s.Read = p.Read
		s.settle()
	}
	if p.Checkpoint != "" {
		moved = p.Checkpoint != s.Checkpoint && !s.anew
		s.Checkpoint = p.Checkpoint
	}
	if p.HasMore {
		return moved
	}
	s.Ended, s.Cursor = true, p.Cursor
	if s.MaxRecords != nil {
		s.Checkpoint = p.Checkpoint // where the next limited run continues
	}
	s.settle()
	s.Complete = map[string]bool{}
	for _, kind := range s.Kinds {
		s.Complete[string(kind)] = false
	}
	for _, scope := range p.Scopes {
		if scope.Key == "*" {
			s.Complete[string(scope.Kind)] = scope.Complete
		}
	}
	s.Capped = s.WasCapped()
	return true
}

// Warn keeps a warning, each once and a hundred at most.
func (s *State) Warn(warning v1.Warning) {
	if len(s.Warnings) >= 100 {
		return
	}
	for _, known := range s.Warnings {
		if known == warning {
			return
		}
	}
	s.Warnings = append(s.Warnings, warning)
}

// settle settles what the reading counts for: when the connector says so, or at its end. A connector that was asked
// for changes and says nothing has given changes only.
func (s *State) settle() {
	switch {
	case s.Read != nil:
		s.Effective = *s.Read
	case s.Ask.Incremental:
		s.Effective = v1.Read{Incremental: true, Strategy: "changes"}
	default:
		s.Effective = v1.Read{}
	}
	if !s.Effective.Incremental && s.Effective.Strategy == "" {
		s.Effective.Strategy = "full"
	}
	if s.Ask.Incremental && !s.Effective.Incremental {
		if s.Fallback = s.Effective.FallbackReason; s.Fallback == "" {
			s.Fallback = "the connector read everything and gave no reason"
		}
	}
}

// WasCapped reports whether max_records may have kept something from being read.
func (s *State) WasCapped() bool {
	switch {
	case s.MaxRecords == nil:
		return false
	case s.Effective.Incremental:
		return s.Cursor == ""
	case s.Continues != nil:
		return true
	}
	return !All(s.Complete)
}

// All reports whether every kind of a map is complete, and there is one.
func All(m map[string]bool) bool {
	for _, v := range m {
		if !v {
			return false
		}
	}
	return len(m) > 0
}
