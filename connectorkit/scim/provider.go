package scim

import (
	"context"
	"errors"
	"strconv"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const providerPath = "/ServiceProviderConfig"

// provider is what a target declares of itself (RFC 7643 section 5, RFC 9865 section 4). The zero value declares
// nothing.
type provider struct {
	declared                        bool // it was told
	filter, sort, patch, bulk, etag bool
	password                        bool // passwords can be changed
	index, cursor                   bool
	preferred                       string        // index or cursor
	maxPage                         int           // 0: not told
	cursorTimeout                   time.Duration // 0: not told
}

func providerOf(rec record) provider {
	supports := func(name string) bool {
		b := rec.sub(name).flag("supported")
		return b != nil && *b
	}
	p := provider{
		declared: true,
		filter:   supports("filter"),
		sort:     supports("sort"),
		patch:    supports("patch"),
		bulk:     supports("bulk"),
		etag:     supports("etag"),
		password: supports("changePassword"),
	}
	p.maxPage = positive(rec.sub("filter").text("maxResults"))
	paging := rec.sub("pagination")
	yes := func(name string) bool { b := paging.flag(name); return b != nil && *b }
	p.cursor, p.index, p.preferred = yes("cursor"), yes("index") ||
		paging == nil, paging.text(
		"defaultPaginationMethod",
	)
	if n := positive(paging.text("maxPageSize")); n > 0 {
		p.maxPage = n
	}
	p.cursorTimeout = time.Duration(min(positive(paging.text("cursorTimeout")), 1<<30)) * time.Second
	return p
}

func positive(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// declared reads what the target declares. Targets that protect the declaration or have none are read without it.
func (s *session) declared(ctx context.Context) (provider, error) {
	rec, err := s.object(ctx, providerPath, "connect")
	if err == nil {
		return providerOf(rec), nil
	}
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Phase == "connect" && d.Target != nil && d.Target.HTTP != nil &&
		d.Class != v1.ClassTransient && d.Class != v1.ClassRateLimited {
		return provider{}, nil
	}
	return provider{}, err
}

// most is how many resources a page can have; 0: nobody knows.
func (s *session) most(p provider) int {
	if known := s.profile.PageMax; known > 0 && (p.maxPage == 0 || known < p.maxPage) {
		return known
	}
	return p.maxPage
}

// size is how many resources to ask for in a page.
func (s *session) size(p provider) int {
	most, n := s.most(p), s.count
	if n == 0 {
		n = max(defaultCount, min(most, autoCount))
	}
	if most > 0 {
		n = min(n, most)
	}
	return n
}

// sweepSize is the same for pages of ids alone.
func (r *reading) sweepSize(size int) int {
	if r.count > 0 {
		return size
	}
	return max(size, min(r.most(r.provider), sweepCount))
}

// mode is how the first page is asked for.
func (s *session) mode(p provider) string {
	if s.pagination != auto {
		return s.pagination
	}
	if p.cursor && (!p.index || p.preferred == pageCursor || p.preferred == "") {
		return pageCursor
	}
	return pageIndex
}

// facts are what a test tells of the target.
func (p provider) facts() *v1.TargetFacts {
	f := &v1.TargetFacts{MaxPageSize: p.maxPage, Incremental: "none"}
	if p.filter {
		f.Incremental = "last_modified"
	}
	for _, s := range []struct {
		name string
		on   bool
	}{{"filter", p.filter}, {"sort", p.sort}, {"patch", p.patch}, {"bulk", p.bulk}, {"etag", p.etag}} {
		if s.on {
			f.SupportedControls = append(f.SupportedControls, s.name)
		}
	}
	if p.index {
		f.Pagination = append(f.Pagination, pageIndex)
	}
	if p.cursor {
		f.Pagination = append(f.Pagination, pageCursor)
	}
	return f
}
