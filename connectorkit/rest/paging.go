package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/target"
)

// Styles of paging. The last one follows whatever link to a next page an answer has.
const (
	styleNone   = "none"
	stylePage   = "page"
	styleOffset = "offset"
	styleCursor = "cursor"
	styleKeyset = "keyset" // by the key of the last record
	styleLink   = "link_header"
	styleNext   = "next_url"
	styleAuto   = "auto"
)

// maxEmptyPages in a row may lead on to further pages; targets that filter after paging do that.
const maxEmptyPages = 50

func (c *compiler) pagination(st *stream, pageSize int) {
	p := &st.Pagination
	p.Style = c.oneOf("pagination.style", p.Style, styleNone, styleNone, stylePage, styleOffset, styleCursor, styleKeyset, styleLink, styleNext)
	if st.auto {
		p.Style = styleAuto
	}
	if p.Size < 0 {
		c.wrong("pagination.size must be positive")
	}
	if p.Size == 0 {
		p.Size = pageSize
	}
	p.In = c.oneOf("pagination.in", p.In, "query", "query", "body")
	if _, object := st.Request.Body.(map[string]any); p.In == "body" && (st.Request.Method != "POST" || !object && st.Request.Body != nil) {
		c.wrong("pagination.in body needs request.method POST and a body that is an object")
	}
	if (p.Style == stylePage || p.Style == styleOffset) && st.selector != nil && st.selector.Filters() {
		c.wrong("record_selector must not filter when pages are counted; use record_filter")
	}
	def := func(member *string, value string) {
		if *member == "" {
			*member = value
		}
	}
	switch p.Style {
	case stylePage:
		def(&p.PageParam, "page")
		def(&p.SizeParam, p.LimitParam)
	case styleOffset:
		def(&p.OffsetParam, "offset")
		def(&p.LimitParam, "limit")
		def(&p.SizeParam, p.LimitParam)
	case styleCursor:
		def(&p.CursorParam, "cursor")
		def(&p.SizeParam, p.LimitParam)
		if p.CursorPath == "" && p.CursorHeader == "" {
			c.wrong("pagination.cursor_path or pagination.cursor_header is missing")
		}
	case styleKeyset:
		def(&p.CursorParam, "after")
		def(&p.SizeParam, p.LimitParam)
	case styleNext:
		if p.NextURLPath == "" {
			c.wrong("pagination.next_url_path is missing")
		}
	}
}

// pager walks through the pages of one list. It is used for one read and by one goroutine.
type pager struct {
	pageState
	st      *stream
	cfg     *config
	size    int
	since   map[string]any  // parameters that ask for changes only
	next    *url.URL        // instead of everything else, once a link was followed
	asked   *url.URL        // of the last request
	lenient bool            // the list was begun again once: what does not fit is borne, but proves nothing
	seen    map[uint64]bool // tokens, links and pages
}

// pageState is where a pager stands, for a read that is taken over. It is what the next request is made of, and what the
// requests before have shown.
type pageState struct {
	Page      int    `json:"page,omitempty"`
	Offset    int    `json:"offset,omitempty"`
	Token     string `json:"token,omitempty"`
	Next      string `json:"next,omitempty"`
	Pages     int    `json:"pages,omitempty"`
	Fetched   int    `json:"fetched,omitempty"`
	Empty     int    `json:"empty,omitempty"`   // pages in a row without records
	Announced int    `json:"announced"`         // by the first answer that announced a number of records; -1: none
	Expected  int    `json:"expected"`          // by the last one
	Stuck     bool   `json:"stuck,omitempty"`   // the target said that there is more, but not how to get at it
	Drifted   bool   `json:"drifted,omitempty"` // the announced number changed too much
	Last      uint64 `json:"last,omitempty"`    // digest of the last page with records
}

func newPager(st *stream, cfg *config) *pager {
	p := &pager{st: st, cfg: cfg, size: st.Pagination.Size, seen: map[uint64]bool{}}
	p.Announced, p.Expected, p.Page = -1, -1, 1
	if st.Pagination.Start != nil {
		p.Page, p.Offset = *st.Pagination.Start, *st.Pagination.Start
	}
	return p
}

// resume makes a pager go on where another one stood.
func (p *pager) resume(at *pageState) error {
	if at == nil {
		return nil
	}
	p.pageState = *at
	if p.Last != 0 {
		p.seen[p.Last] = true
	}
	if at.Next == "" {
		return nil
	}
	u, err := url.Parse(at.Next)
	p.next, p.asked = u, u
	return err
}

// state is where the pager stands.
func (p *pager) state() *pageState {
	at := p.pageState
	if p.next != nil {
		at.Next = p.next.String()
	}
	return &at
}

// byToken tells whether pages are asked for with something that the target gave, and may forget.
func (p *pager) byToken() bool {
	switch p.st.Pagination.Style {
	case styleCursor, styleLink, styleNext, styleAuto:
		return p.Pages > 0
	}
	return false
}

// outcome is what came of one page.
type outcome struct {
	records int // before the filter
	digest  uint64
	lastKey string // of the last record
	found   bool
	header  http.Header
	repeats repeats
	picks   [][]any
}

func (o outcome) pick(i int) (any, bool) {
	if i < 0 || i >= len(o.picks) || len(o.picks[i]) == 0 {
		return nil, false
	}
	return o.picks[i][0], true
}

// params are what the next page is asked for with.
func (p *pager) params() map[string]any {
	d, out := p.st.Pagination, map[string]any{}
	for name, value := range p.since {
		out[name] = value
	}
	if d.SizeParam != "" && d.Style != styleNone {
		out[d.SizeParam] = p.size
	}
	switch d.Style {
	case stylePage:
		out[d.PageParam] = p.Page
	case styleOffset:
		out[d.OffsetParam] = p.Offset
	case styleCursor, styleKeyset:
		if p.Token != "" {
			out[d.CursorParam] = p.Token
		}
	}
	return out
}

// request is the request for the next page. at fills the placeholders.
func (p *pager) request(at *ancestor) (target.Request, error) {
	st := p.st
	r := target.Request{
		Method: st.Request.Method, Phase: st.Name, Repeatable: true, Header: http.Header{}, Query: url.Values{},
		Stream: st.plan == nil || st.plan.Streams(),
	}
	if len(st.Error.Rules) > 0 {
		r.Judge = st.judge
	}
	st.verdict.messageAt(&r)
	for _, name := range sortedKeys(st.Request.Headers) {
		r.Header.Set(name, at.fill(st.Request.Headers[name], nil))
	}
	body := at.fillAll(st.Request.Body)
	if p.next != nil {
		r.URL = p.next.String()
		p.asked = p.next
		return r, encodeBody(&r, body)
	}
	r.URL = at.fill(st.Request.Path, url.PathEscape)
	for name, values := range p.cfg.query {
		r.Query[name] = values
	}
	for name, value := range st.Request.Query {
		r.Query.Set(name, at.fill(string(value), nil))
	}
	if st.Pagination.In == "body" {
		object, _ := body.(map[string]any)
		if object == nil {
			object = map[string]any{}
		}
		// A dotted name is a member of a member, such as variables.after of GraphQL.
		for name, value := range p.params() {
			put(object, strings.Split(name, "."), value)
		}
		body = object
	} else {
		for name, value := range p.params() {
			r.Query.Set(name, fmt.Sprint(value))
		}
	}
	p.asked = p.cfg.address(r)
	return r, encodeBody(&r, body)
}

func encodeBody(r *target.Request, body any) error {
	if body == nil {
		return nil
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode the body of %s: %w", r.Phase, err)
	}
	r.Body = encoded
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return nil
}

// address is the absolute URL of a request, against which relative links are read.
func (c *config) address(r target.Request) *url.URL {
	rel, err := url.Parse(strings.TrimPrefix(r.URL, "/"))
	if err != nil || rel.Path == "" {
		return c.base
	}
	return c.base.JoinPath(rel.EscapedPath())
}
