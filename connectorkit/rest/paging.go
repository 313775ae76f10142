package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
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
		for name, value := range p.params() {
			object[name] = value
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

// advance takes in what came and tells whether there is another page to ask for.
func (p *pager) advance(o outcome) (bool, error) {
	p.Pages++
	p.Fetched += o.records
	if o.records > 0 {
		p.Empty = 0
		if p.again(o.digest) {
			return false, p.loop("the same records came on two pages", "repeated_page")
		}
		p.Last = o.digest
	} else {
		p.Empty++
	}
	if err := p.announced(o); err != nil {
		return false, err
	}
	more, err := p.step(o)
	switch {
	case err != nil || !more:
		return false, err
	case p.Empty > maxEmptyPages:
		return false, p.loop(fmt.Sprintf("%d pages in a row were empty and led to yet another", p.Empty), "too_many_empty_pages")
	case p.Pages >= p.cfg.maxPages:
		return false, p.loop(fmt.Sprintf("there are more than max_pages = %d pages", p.cfg.maxPages), "too_many_pages")
	}
	return true, nil
}

// again tells whether something was met before, and remembers it.
func (p *pager) again(digest uint64) bool {
	if p.seen[digest] {
		return true
	}
	p.seen[digest] = true
	return false
}

// announced notes the number of records that an answer announces. Where it changes by more than a tenth the list is another
// one than that which was begun (CON-4).
func (p *pager) announced(o outcome) error {
	total, ok := o.pick(p.st.picks.total)
	n, is := intOf(total)
	if !ok || !is || n < 0 {
		return nil
	}
	if p.Expected = n; p.Announced < 0 {
		p.Announced = n
	}
	if apart := max(n-p.Announced, p.Announced-n); apart*10 <= p.Announced || apart < smallChange {
		return nil
	}
	if !p.lenient {
		return &relist{code: "totals_changed", why: fmt.Sprintf("the announced number of records changed from %d to %d", p.Announced, n)}
	}
	p.Drifted = true
	return nil
}

// smallChange in the number of records is normal, whatever part of a short list it is.
const smallChange = 5

// relist says that a list has to be read from its beginning once more.
type relist struct {
	code, why string
	err       error // the target's own, where there is one
}

// Error says why.
func (r *relist) Error() string { return r.why }

// Unwrap is the target's own error.
func (r *relist) Unwrap() error { return r.err }

// short tells whether the target said that there is more than what came, or something else each time.
func (p *pager) short() bool {
	return p.Stuck || p.Drifted || p.Expected >= 0 && p.Fetched < p.Expected
}

func (p *pager) step(o outcome) (bool, error) {
	d := p.st.Pagination
	hasMore, said := o.pick(p.st.picks.more)
	if said && !truthy(hasMore) {
		return false, nil
	}
	switch d.Style {
	case stylePage, styleOffset:
		p.Page++
		p.Offset += o.records
		// A page shorter than asked for is not the last one: targets cap sizes and filter afterwards. An empty one is, unless
		// the target says otherwise; an offset cannot get past it.
		if o.records == 0 {
			p.Stuck = said && d.Style == styleOffset
			return said && d.Style == stylePage, nil
		}
		return p.Expected < 0 || p.Fetched < p.Expected, nil
	case styleCursor:
		return p.stepCursor(o)
	case styleKeyset:
		return p.stepKey(o, said)
	case styleLink:
		return p.follow(linkNext(o.header))
	case styleNext:
		return p.follow(p.pickedLink(o))
	case styleAuto:
		if link := linkNext(o.header); link != "" {
			return p.follow(link)
		}
		return p.follow(p.pickedLink(o))
	}
	return false, nil
}

func (p *pager) stepCursor(o outcome) (bool, error) {
	token := ""
	if name := p.st.Pagination.CursorHeader; name != "" {
		token = o.header.Get(name)
	}
	if v, ok := o.pick(p.st.picks.cursor); ok && token == "" {
		token, _ = textOf(v)
	}
	switch {
	case token == "":
		return false, nil
	case token == p.Token && o.records == 0:
		return false, nil // the end, as some targets tell it
	case token == p.Token || p.again(hashOf("token "+token)):
		return false, p.loop("the target gave a cursor that it had given before", "repeated_cursor")
	}
	p.Token = token
	return true, nil
}

// stepKey goes on behind the last record. An empty page is the end, whatever the target says.
func (p *pager) stepKey(o outcome, said bool) (bool, error) {
	switch {
	case o.records == 0:
		p.Stuck = said
		return false, nil
	case o.lastKey == "":
		return false, p.loop("the last record has no key to go on behind", "record_without_key")
	case o.lastKey == p.Token || p.again(hashOf("token "+o.lastKey)):
		return false, p.loop("a page ends with the same record as one before", "repeated_cursor")
	}
	p.Token = o.lastKey
	return p.Expected < 0 || p.Fetched < p.Expected, nil
}

// pickedLink is the next link in the body. Where we look by ourselves, only what can be an address counts.
func (p *pager) pickedLink(o outcome) string {
	for _, i := range p.st.picks.next {
		v, _ := o.pick(i)
		link, ok := v.(string)
		if !ok || link == "" {
			continue
		}
		if !p.st.auto || strings.Contains(link, "://") || strings.HasPrefix(link, "/") || strings.HasPrefix(link, "?") {
			return link
		}
	}
	return ""
}

// follow makes link the next request. Other hosts are refused by the client, which knows where credentials may go.
func (p *pager) follow(link string) (bool, error) {
	if link == "" {
		return false, nil
	}
	u, err := p.asked.Parse(link)
	if err != nil {
		return false, &v1.ErrorDetail{
			Class: v1.ClassTargetFault, Code: "bad_next_link", Phase: p.st.Name, Message: "the target's link to the next page is no URL",
		}
	}
	u.Fragment, u.RawFragment = "", ""
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if p.cfg.keyParam != "" {
		// The key is put on by the client again.
		q := u.Query()
		q.Del(p.cfg.keyParam)
		u.RawQuery = q.Encode()
	}
	if link := u.String(); p.next != nil && link == p.next.String() || p.again(hashOf("link "+link)) {
		return false, p.loop("the link to the next page leads back to one that was read", "repeated_link")
	}
	p.next = u
	return true, nil
}

func (p *pager) loop(what, code string) error {
	return &v1.ErrorDetail{
		Class: v1.ClassTargetFault, Code: code, Phase: p.st.Name,
		Message: fmt.Sprintf("reading %s was stopped after page %d: %s", p.st.Name, p.Pages, what),
		Hint:    "The target probably ignores a paging parameter. Check the stream's pagination against the target's documentation.",
	}
}
