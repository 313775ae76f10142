package stream

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
)

// Stream is a compiled document.
type Stream struct {
	Definition
	// Nil: found by itself.
	selector *jsonpath.Path
	// Filter leaves records out. Nil: none.
	Filter *jsonpath.Filter
	// Nil: guessed from the usual names.
	Key        *jsonpath.Path
	NativeRef  *jsonpath.Path
	FieldRules []field
	Expansions []Expansion
	Picks      picks
	// Where the words of a refusal stand.
	Verdict SuccessCheck
	// Nil without selector.
	Plan *jsonpath.Plan

	// Changes says how changes are asked for. Nil: the list is always read in full.
	Changes *Incremental
	// The list of what is still there.
	PresenceList *Stream
	// The list of what was deleted.
	DeletedList *Stream
	// Is the list of what was deleted of another stream, and not read for itself.
	ListsDeleted bool

	// In the parent's record; nil: its key.
	ParentKey    *jsonpath.Path
	ParentStream *Stream
	Children     []*Stream
}

// compile checks a document and makes it fit for use. The problems are those of this stream alone; see relate.
func (d Definition) compile(pageSize int) (*Stream, []string) {
	c := &Compiler{}
	st := &Stream{Definition: d}
	if d.Object == "" {
		c.Wrong("object is missing")
	}
	st.Object = c.OneOf("object", d.Object, ObjectUser, objects...)
	if st.Name == "" {
		st.Name = st.Object
	}
	st.Request.Method = c.OneOf("request.method", strings.ToUpper(d.Request.Method), "GET", "GET", "POST")
	if strings.Contains(d.Request.Path, "://") {
		c.Wrong("request.path must be a path below base_url")
	}
	if connectorkit.LeavesBase(PathOf(d.Request.Path)) {
		c.Wrong(
			"request.path leads out of the path of base_url by its \"..\"; " +
				"write the path below base_url, or shorten base_url",
		)
	}
	if d.Request.Body != nil && st.Request.Method == "GET" {
		c.Wrong("request.body needs request.method POST")
	}
	st.selector = c.Path("record_selector", d.RecordSelector)
	st.Key = c.Path("key_path", d.KeyPath)
	st.NativeRef = c.Path("native_ref_path", d.NativeRefPath)
	if d.RecordFilter != "" {
		filter, err := jsonpath.CompileFilter(d.RecordFilter)
		if err != nil {
			c.Wrong("record_filter: %v", err)
		}
		st.Filter = filter
	}
	c.pagination(st, pageSize)
	c.fields(st)
	c.expansions(st)
	if d.Parent != nil {
		c.parent(st)
	}
	c.rules(st)
	c.incremental(st, pageSize)
	c.picks(st)
	return st, c.Problems
}
