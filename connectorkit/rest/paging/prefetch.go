package paging

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit/rest/stream"
)

// Prefetch is the list of one parent, read ahead by at most two batches.
type Prefetch struct {
	// Index is the parent's place on its page; From is where its list is gone on with.
	Index   int
	Parent  *stream.ParentRecord
	From    *State
	Batches chan Batch
	// Out and Err are valid when Batches is closed.
	Out Summary
	Err error
}

// Batch is a part of a page.
type Batch struct {
	Records []any
	// Where the page begins.
	From *State
	// The page.
	Ends bool
	// Of the first answer of the list, at the end of its page.
	Header http.Header
	// So far.
	Out Summary
	// Where the next page begins; nil at the end of the list.
	Next *State
	// The list begins anew; there are no records.
	Again *RestartError
}

// ReadAhead reads all pages of a list and sends their records to f.Batches. counted is called after each page. It
// returns a *RestartError where the list has to begin anew; it does not close f.Batches.
func (l *Lister) ReadAhead(ctx context.Context, pg *Pager, f *Prefetch, counted func()) error {
	for {
		var tail []any
		from := pg.state()
		o, err := l.page(ctx, pg, f.Parent, func(records []any, last bool) error {
			if last {
				tail = records
				return nil
			}
			return f.Send(ctx, Batch{Records: records, From: from})
		})
		if err != nil {
			return err
		}
		counted()
		f.Out.Pages++
		more, err := pg.advance(o)
		if err != nil {
			return err
		}
		f.Out.observe(pg, o)
		b := Batch{Records: tail, From: from, Ends: true, Out: f.Out}
		if pg.Pages == 1 {
			b.Header = o.Header
		}
		if more {
			b.Next = pg.state()
		}
		if err := f.Send(ctx, b); err != nil || !more {
			return err
		}
	}
}

// Send passes a batch to the consumer, or gives the error of ctx if the consumer has gone.
func (f *Prefetch) Send(ctx context.Context, b Batch) error {
	select {
	case f.Batches <- b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
