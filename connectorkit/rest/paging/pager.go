package paging

import (
	"net/url"

	"github.com/grantwright/grantwright/connectorkit/rest/stream"
)

// maxEmptyPages in a row may lead on to further pages; targets that filter after paging do that.
const maxEmptyPages = 50

// Pager walks through the pages of one list. It is used for one read and by one goroutine.
type Pager struct {
	State
	st  *stream.Stream
	cfg *stream.Config
	// Size is how many records are asked for in a page.
	Size int
	// Parameters that ask for changes only.
	Since map[string]any
	// Instead of everything else, once a link was followed.
	next *url.URL
	// Of the last request.
	asked *url.URL
	// The list was begun again once: what does not fit is borne, but proves nothing.
	Tolerant bool
	// Tokens, links and pages.
	seen map[uint64]bool
}

// State is where a pager stands, for a read that is taken over. It is what the next request is made of, and what the
// requests before have shown.
type State struct {
	// Page, Offset, Token and Next are the positions of the different styles; only one of them is
	// used.
	Page   int    `json:"page,omitempty"`
	Offset int    `json:"offset,omitempty"`
	Token  string `json:"token,omitempty"`
	Next   string `json:"next,omitempty"`
	Pages  int    `json:"pages,omitempty"`
	// Fetched is the number of records so far.
	Fetched int `json:"fetched,omitempty"`
	// Pages in a row without records.
	Empty int `json:"empty,omitempty"`
	// By the first answer that announced a number of records; -1: none.
	Announced int `json:"announced"`
	// By the last one.
	Expected int `json:"expected"`
	// The target said that there is more, but not how to get at it.
	Stuck bool `json:"stuck,omitempty"`
	// The announced number changed too much.
	Drifted bool `json:"drifted,omitempty"`
	// Digest of the last page with records.
	Last uint64 `json:"last,omitempty"`
}

// New makes a pager before the first page of a list. Set Since and Tolerant before its first request.
func New(st *stream.Stream, cfg *stream.Config) *Pager {
	p := &Pager{st: st, cfg: cfg, Size: st.Pagination.Size, seen: map[uint64]bool{}}
	p.Announced = -1
	p.Expected = -1
	p.Page = 1
	if st.Pagination.Start != nil {
		p.Page = *st.Pagination.Start
		p.Offset = *st.Pagination.Start
	}
	return p
}

// Resume makes a pager go on where another one stood.
func (p *Pager) Resume(at *State) error {
	if at == nil {
		return nil
	}
	p.State = *at
	if p.Last != 0 {
		p.seen[p.Last] = true
	}
	if at.Next == "" {
		return nil
	}
	u, err := url.Parse(at.Next)
	p.next = u
	p.asked = u
	return err
}

// state is where the pager stands.
func (p *Pager) state() *State {
	at := p.State
	if p.next != nil {
		at.Next = p.next.String()
	}
	return &at
}

// byToken reports whether pages are asked for with something that the target gave, and may forget.
func (p *Pager) byToken() bool {
	switch p.st.Pagination.Style {
	case stream.StyleCursor, stream.StyleLink, stream.StyleNext, stream.StyleAuto:
		return p.Pages > 0
	}
	return false
}
