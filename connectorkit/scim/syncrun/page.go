package syncrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Page is one answer of a listing.
type Page struct {
	head response.Head
	Ids  []string

	// Done takes what was read to its end. first reports of each resource id whether it is seen for the first time.
	Done func(ctx context.Context, first func(id string) bool) error
}

// fetched is a page, or why there is none.
type fetched struct {
	page  Page
	start int
	err   error
}

// fetchPage asks for the page at a position until it is read to its end.
func (l *Listing) fetchPage(ctx context.Context, at checkpoint.Position) <-chan fetched {
	out := make(chan fetched, 1)
	ask := func() {
		got := fetched{start: at.Start}
		got.err = l.Fetch(ctx, l.request(at), func(resp *target.Response) (err error) {
			got.page, err = l.ReadPage(resp)
			return err
		})
		out <- got
	}
	if l.Prefetch {
		go ask()
	} else {
		ask()
	}
	return out
}

// request asks for the page at a position. Sorting by a stable key keeps pages by index from
// overlapping; a cursor has an order of its own (RFC 9865), and without paging there is one page.
func (l *Listing) request(at checkpoint.Position) target.Request {
	q := maps.Clone(l.Query)
	switch at.Mode {
	case settings.PageCursor:
		q.Set("cursor", at.Cursor)
		q.Set("count", strconv.Itoa(l.Size))
	case settings.PageIndex:
		if l.sorts(at) {
			q.Set("sortBy", sortKeys[l.Phase])
		}
		q.Set("startIndex", strconv.Itoa(at.Start))
		q.Set("count", strconv.Itoa(l.Size))
	}
	return target.Request{URL: l.Path, Query: q, Phase: l.Phase, Stream: l.Phase == resource.PhaseGroups}
}

// cursorError names the errors of RFC 9865 section 2.3.
func cursorError(err error) error {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return err
	}
	named := *d
	switch d.Target.HTTP.SCIMType {
	case "expiredCursor":
		named.Class, named.Code, named.Retryable = v1.ClassTransient, "expired_cursor", true
		named.Hint = "The target forgot the position in its list before all was read. Smaller pages (count) come " +
			"sooner; or set pagination to index."
	case "invalidCursor":
		named.Class, named.Code = v1.ClassTargetFault, "invalid_cursor"
		named.Hint = "The target does not know the position it gave itself. Set pagination to index."
	case "invalidCount":
		named.Class, named.Code = v1.ClassConfig, "invalid_count"
		named.Hint = "The target does not accept the page size. Set count to what it allows."
	default:
		return err
	}
	return &named
}

// ReadElements reads a page with its records, which may be used once the whole page was read.
func ReadElements(resp *target.Response) (p Page, held []response.Element, err error) {
	p, err = ReadIDs(resp, func(in *response.Reader) (string, error) {
		res, err := in.Element()
		held = append(held, res)
		return res.Key(), err
	})
	return p, held, err
}

// ReadIDs reads a page with the ids that each returns for its resources. Too many unusable ids are an error.
func ReadIDs(resp *target.Response, each func(*response.Reader) (string, error)) (p Page, err error) {
	unfit := 0
	p.head, err = response.ReadList(resp, func(in *response.Reader) error {
		id, err := each(in)
		if err != nil {
			return err
		}
		if resource.InvalidID(id) != "" {
			unfit++
		}
		if unfit > response.MaxInvalidIDs {
			return resp.Fault(
				v1.ClassTargetFault,
				"too_many_bad_records",
				fmt.Sprintf(
					"more than %d resources of one answer of %s have no usable id",
					response.MaxInvalidIDs,
					resp.URL,
				),
				"The target does not answer as RFC 7644 requires. See its log.",
			)
		}
		p.Ids = append(p.Ids, id)
		return nil
	})
	return p, err
}
