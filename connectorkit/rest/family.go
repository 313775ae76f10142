package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// family reads the streams that hang on the records of st, one stream after the other, and then theirs.
func (s *session) family(ctx context.Context, st *stream, records []*ancestor) error {
	for i, child := range st.children {
		if !s.needs(child) {
			continue
		}
		keys, err := s.brood(ctx, child, i, records)
		if err != nil {
			return err
		}
		if err := s.family(ctx, child, keys); err != nil {
			return err
		}
	}
	return nil
}

// feed is the list of one parent, read ahead by at most two batches.
type feed struct {
	at      *ancestor
	batches chan []any
	out     listed
	err     error
}

// brood reads the i-th child stream of every record. Several lists are read at once, but their rows are passed up in the
// order of the parents, so that the same target always gives the same rows in the same order.
func (s *session) brood(ctx context.Context, child *stream, i int, records []*ancestor) ([]*ancestor, error) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	rows, absent, present := s.rowsOf(child), 0, 0
	var (
		keys   []*ancestor
		window []*feed
		gone   error
	)
	for next := 0; next < len(records) || len(window) > 0; {
		for next < len(records) && len(window) < child.Parent.Concurrency {
			at := records[next].as(child, i)
			if next++; at == nil {
				s.incomplete(child.kinds())
				s.warn("parent_without_key", fmt.Sprintf("a record of %s has no key by which %s could be read", child.parent.Name, child.Name), "")
				continue
			}
			window = append(window, s.start(ctx, &running, child, at))
		}
		if len(window) == 0 {
			break
		}
		f := window[0]
		window = window[1:]
		for batch := range f.batches {
			var err error
			if keys, err = s.hand(ctx, rows, batch, f.at, keys); err != nil {
				return nil, err
			}
		}
		switch {
		case isNotFound(f.err):
			absent++
			gone = f.err
			s.warn("parent_not_found", fmt.Sprintf("the target knows no %s of %s", child.Name, f.at.key), f.at.key)
			continue
		case f.err != nil:
			return nil, f.err
		}
		present++
		if f.out.short {
			s.incomplete(child.kinds())
			s.warn("fewer_than_announced", fmt.Sprintf("%s of %s ended before the number of records that the target announced", child.Name, f.at.key), f.at.key)
		}
	}
	if absent > 0 && present == 0 {
		// Nobody has any: it is the path that is wrong, not the parents that have left meanwhile.
		return nil, gone
	}
	return keys, nil
}

func (s *session) start(ctx context.Context, running *sync.WaitGroup, child *stream, at *ancestor) *feed {
	f := &feed{at: at, batches: make(chan []any, 1)}
	running.Go(func() {
		defer close(f.batches)
		f.out, f.err = s.list(ctx, child, at, func(batch []any) error {
			select {
			case f.batches <- batch:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		s.count(f.out)
	})
	return f
}

// isNotFound tells whether the target answered 404 or 410.
func isNotFound(err error) bool {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	return d.Target.HTTP.Status == http.StatusNotFound || d.Target.HTTP.Status == http.StatusGone
}
