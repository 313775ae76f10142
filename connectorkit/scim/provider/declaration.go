package provider

import (
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ConfigPath is the address of the declaration, below the base URL.
const ConfigPath = "/ServiceProviderConfig"

// Declaration is the ServiceProviderConfig of a target (RFC 7643 section 5, RFC 9865 section 4). The zero value
// declares nothing.
type Declaration struct {
	Declared                        bool // the target declares it
	Filter, Sort, Patch, bulk, Etag bool
	Password                        bool // passwords can be changed
	index, cursor                   bool
	preferred                       string        // index or cursor
	maxPage                         int           // 0: unknown
	CursorTimeout                   time.Duration // 0: unknown
}

// ParseDeclaration reads a ServiceProviderConfig.
func ParseDeclaration(rec resource.Record) Declaration {
	supports := func(name string) bool {
		b := rec.Object(name).Bool("supported")
		return b != nil && *b
	}
	p := Declaration{
		Declared: true,
		Filter:   supports("filter"),
		Sort:     supports("sort"),
		Patch:    supports("patch"),
		bulk:     supports("bulk"),
		Etag:     supports("etag"),
		Password: supports("changePassword"),
	}
	p.maxPage = resource.ParseCount(rec.Object("filter").Text("maxResults"))
	paging := rec.Object("pagination")
	yes := func(name string) bool { b := paging.Bool(name); return b != nil && *b }
	p.cursor, p.index, p.preferred = yes("cursor"), yes("index") ||
		paging == nil, paging.Text(
		"defaultPaginationMethod",
	)
	if n := resource.ParseCount(paging.Text("maxPageSize")); n > 0 {
		p.maxPage = n
	}
	p.CursorTimeout = time.Duration(min(resource.ParseCount(paging.Text("cursorTimeout")), 1<<30)) * time.Second
	return p
}

// ReadDeclaration reads the ServiceProviderConfig. Of a target that protects it or has none, it returns the zero
// value.
func (s *Session) ReadDeclaration(ctx context.Context) (Declaration, error) {
	rec, err := s.object(ctx, ConfigPath, "connect")
	if err == nil {
		return ParseDeclaration(rec), nil
	}
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Phase == "connect" && d.Target != nil && d.Target.HTTP != nil &&
		d.Class != v1.ClassTransient && d.Class != v1.ClassRateLimited {
		return Declaration{}, nil
	}
	return Declaration{}, err
}

// MaxPageSize returns the largest page that the target allows; 0 if that is unknown.
func (s *Session) MaxPageSize(p Declaration) int {
	if known := s.Profile.PageMax; known > 0 && (p.maxPage == 0 || known < p.maxPage) {
		return known
	}
	return p.maxPage
}

// PageSize returns the number of resources to request in a page.
func (s *Session) PageSize(p Declaration) int {
	most, n := s.MaxPageSize(p), s.Count
	if n == 0 {
		n = max(settings.DefaultCount, min(most, settings.AutoCount))
	}
	if most > 0 {
		n = min(n, most)
	}
	return n
}

// PagingMode returns how the first page is requested: by index, by cursor, or without paging.
func (s *Session) PagingMode(p Declaration) string {
	if s.Pagination != settings.Auto {
		return s.Pagination
	}
	if p.cursor && (!p.index || p.preferred == settings.PageCursor || p.preferred == "") {
		return settings.PageCursor
	}
	return settings.PageIndex
}

// Facts returns the declaration in the form of a connection test.
func (p Declaration) Facts() *v1.TargetFacts {
	f := &v1.TargetFacts{MaxPageSize: p.maxPage, Incremental: "none"}
	if p.Filter {
		f.Incremental = "last_modified"
	}
	for _, s := range []struct {
		name string
		on   bool
	}{{"filter", p.Filter}, {"sort", p.Sort}, {"patch", p.Patch}, {"bulk", p.bulk}, {"etag", p.Etag}} {
		if s.on {
			f.SupportedControls = append(f.SupportedControls, s.name)
		}
	}
	if p.index {
		f.Pagination = append(f.Pagination, settings.PageIndex)
	}
	if p.cursor {
		f.Pagination = append(f.Pagination, settings.PageCursor)
	}
	return f
}
