package paging

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Lister reads the lists of one call.
type Lister struct {
	Cfg    *stream.Config
	Client *target.Client
}

// Summary is what the read of one list came to, beside its records.
type Summary struct {
	// Pages is the number of pages that were read.
	Pages int
	// What the target says there is; -1: nothing.
	Expected int
	// There is less than the target says there is.
	Short bool
	// The first answer had no place for records.
	Missing bool
	Repeats answer.DuplicateKeys
}

// observe is what a pager has seen so far.
func (out *Summary) observe(pg *Pager, o answer.Page) {
	if pg.Pages == 1 {
		out.Missing = !o.Found
	}
	out.Repeats.Add(o.Repeats)
	out.Expected = pg.Expected
	out.Short = pg.Incomplete()
}

// page reads the pager's next page and hands its records on in batches, the last of them with last set.
func (l *Lister) page(
	ctx context.Context,
	pg *Pager,
	at *stream.ParentRecord,
	take func(records []any, last bool) error,
) (answer.Page, error) {
	r, err := pg.Request(at)
	if err != nil {
		return answer.Page{}, err
	}
	var (
		o     answer.Page
		batch []any
	)
	err = l.Client.Read(ctx, r, func(resp *target.Response) error {
		batch = make([]any, 0, min(pg.Size, answer.BatchSize))
		handed := false
		values := 0
		var err error
		o, err = answer.Decode(ctx, pg.st, resp, pg.tooMany(resp, func(record any) error {
			n := answer.CountValues(record)
			if values += n; len(batch) == answer.BatchSize || len(batch) > 0 && values > answer.MaxBatchValues {
				full := batch
				batch = make([]any, 0, answer.BatchSize)
				handed = true
				values = n
				if err := take(full, false); err != nil {
					return err
				}
			}
			batch = append(batch, record)
			return nil
		}))
		var receiver answer.YieldError
		switch {
		case errors.As(err, &receiver):
			return target.Stop(receiver.Err)
		case handed:
			return target.Stop(err)
		}
		return err
	})
	switch {
	case stream.Ignored(err):
		return answer.Page{Found: true}, take(nil, true)
	case err != nil:
		return o, pg.expired(err)
	}
	return o, take(batch, true)
}

// tooMany stops at a page of more than twice the records that were asked for: an endless one (CON-4).
func (p *Pager) tooMany(resp *target.Response, yield func(any) error) func(any) error {
	if p.st.Pagination.SizeParam == "" || p.st.Pagination.Style == stream.StyleNone {
		return yield
	}
	n := 0
	return func(record any) error {
		if n++; n > 2*p.Size {
			return resp.Fault(
				v1.ClassTargetFault,
				"page_too_large",
				fmt.Sprintf("a page of %s has more than twice the %d records that were asked for", p.st.Name, p.Size),
				"The target probably ignores pagination.size_param. "+
					"Set pagination.size to the number of records that it gives at a time.",
			)
		}
		return yield(record)
	}
}

// expired reports whether the target refused because it has forgotten a cursor or link.
func (p *Pager) expired(err error) error {
	var d *v1.ErrorDetail
	if p.Tolerant || !p.byToken() || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return err
	}
	switch d.Target.HTTP.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return &RestartError{Code: "cursor_expired", Why: "the target does not know its own cursor any more", err: err}
	}
	return err
}
