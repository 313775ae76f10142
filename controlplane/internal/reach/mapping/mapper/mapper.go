package mapper

import (
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// Problem is a value that could not be used. It names the source field, never the value, but for Detail.
type Problem struct {
	Field   string // source field
	Code    string
	Message string
	Whole   bool   // nothing of the record may be used
	Detail  string // the same for viewers who may see the record's values; empty: nothing more is known
}

// Mapper maps the records of one connector: by what a person has decided, or else by the heuristics. It remembers how
// each source field's name was judged, so a run of many records judges each name once. It may be used by several
// goroutines.
type Mapper struct {
	known sync.Map         // source name -> claim
	plans map[string]*plan // by kind of object
}

// claim is what the heuristics say about a source field: which field it fills and by which rule; ok
// is false for none.
type claim struct {
	field mapping.Field
	rule  mapping.Rule
	ok    bool
}

// New makes a mapper with the default mappings.
func New() *Mapper { return &Mapper{plans: map[string]*plan{}} }

// claim is the cached answer of mapping.Match. Names of fields repeat in every record, and matching
// folds and looks up several tables. It is safe for use by several goroutines.
func (m *Mapper) claim(source string) claim {
	if c, ok := m.known.Load(source); ok {
		return c.(claim)
	}
	f, rule, ok := mapping.Match(mapping.ObjectIdentity, source)
	c := claim{f, rule, ok}
	m.known.Store(source, c)
	return c
}
