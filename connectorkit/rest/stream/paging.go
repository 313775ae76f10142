package stream

import (
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
)

// Styles of paging. The last one follows whatever link to a next page an answer has.
const (
	StyleNone   = "none"
	StylePage   = "page"
	StyleOffset = "offset"
	StyleCursor = "cursor"
	StyleKeyset = "keyset" // by the key of the last record
	StyleLink   = "link_header"
	StyleNext   = "next_url"
	StyleAuto   = "auto"
)

// pagination compiles how pages are asked for, and fills in the usual names of parameters.
func (c *Compiler) pagination(st *Stream, pageSize int) {
	p := &st.Pagination
	p.Style = c.OneOf(
		"pagination.style",
		p.Style,
		StyleNone,
		StyleNone,
		StylePage,
		StyleOffset,
		StyleCursor,
		StyleKeyset,
		StyleLink,
		StyleNext,
	)
	if st.Detected {
		p.Style = StyleAuto
	}
	if p.Size < 0 {
		c.Wrong("pagination.size must be positive")
	}
	if p.Size == 0 {
		p.Size = pageSize
	}
	p.In = c.OneOf("pagination.in", p.In, "query", "query", "body")
	if _, object := st.Request.Body.(map[string]any); p.In == "body" &&
		(st.Request.Method != "POST" || !object && st.Request.Body != nil) {
		c.Wrong("pagination.in body needs request.method POST and a body that is an object")
	}
	if (p.Style == StylePage || p.Style == StyleOffset) && st.selector != nil && st.selector.Filters() {
		c.Wrong("record_selector must not filter when pages are counted; use record_filter")
	}
	def := func(member *string, value string) {
		if *member == "" {
			*member = value
		}
	}
	switch p.Style {
	case StylePage:
		def(&p.PageParam, "page")
		def(&p.SizeParam, p.LimitParam)
	case StyleOffset:
		def(&p.OffsetParam, "offset")
		def(&p.LimitParam, "limit")
		def(&p.SizeParam, p.LimitParam)
	case StyleCursor:
		def(&p.CursorParam, "cursor")
		def(&p.SizeParam, p.LimitParam)
		if p.CursorPath == "" && p.CursorHeader == "" {
			c.Wrong("pagination.cursor_path or pagination.cursor_header is missing")
		}
	case StyleKeyset:
		def(&p.CursorParam, "after")
		def(&p.SizeParam, p.LimitParam)
	case StyleNext:
		if p.NextURLPath == "" {
			c.Wrong("pagination.next_url_path is missing")
		}
	}
}

// picks are the values wanted from around the records, and where each stands in the result of a plan; -1: not wanted.
type picks struct {
	Paths                                 []*jsonpath.Path
	Cursor, More, Total, Success, Message int
	Next                                  []int
}

// nextMembers are where targets give the address of the next page if the settings name no member.
var nextMembers = []string{
	"$.next", "$.next_url", "$.nextUrl", "$.next_page_url", "$.nextPageUrl", "$.nextLink",
	"$['@odata.nextLink']", "$['@nextLink']",
	"$.links.next", "$.links.next.href", "$._links.next", "$._links.next.href",
	"$.paging.next", "$.pagination.next", "$.pagination.next_url",
	"$.meta.next", "$.meta.next_url",
}

// picks compiles the values that are wanted from around the records. They are read in the same pass
// as the records, by one plan.
func (c *Compiler) picks(st *Stream) {
	p := &st.Picks
	want := func(path *jsonpath.Path) int {
		if path == nil {
			return -1
		}
		p.Paths = append(p.Paths, path)
		return len(p.Paths) - 1
	}
	d := st.Pagination
	p.Cursor = want(c.Path("pagination.cursor_path", d.CursorPath))
	p.More = want(c.Path("pagination.has_more_path", d.HasMorePath))
	p.Total = want(c.Path("pagination.total_path", d.TotalPath))
	st.Verdict = (&Compiler{}).SuccessCheck("error", "", st.Error.MessagePath) // mistakes are noted below
	p.Success = want(c.Path("error.success_path", st.Error.SuccessPath))
	p.Message = want(c.Path("error.message_path", st.Error.MessagePath))
	if next := want(c.Path("pagination.next_url_path", d.NextURLPath)); next >= 0 {
		p.Next = []int{next}
	}
	if st.Detected {
		for _, text := range nextMembers {
			p.Next = append(p.Next, want(jsonpath.MustCompile(text)))
		}
	}
	if st.selector != nil && len(c.Problems) == 0 {
		st.Plan = jsonpath.NewPlan(st.selector, p.Paths...)
	}
}
