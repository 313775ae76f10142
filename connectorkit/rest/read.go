package rest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	batchSize      = 500      // records handed on at a time
	readBytes      = 64 << 10 // of an answer at a time; not less than what Response.JSON buffers by itself
	maxRecordBytes = 16 << 20 // of JSON, of one record
)

// lister reads the lists of one call.
type lister struct {
	cfg    *config
	client *target.Client
}

// listed is what the read of one list came to, beside its records.
type listed struct {
	pages    int
	expected int  // what the target says there is; -1: nothing
	short    bool // there is less than the target says there is
	missing  bool // the first answer had no place for records
}

// list reads a stream to its end, for one ancestor where it has a parent, and hands its records on in batches.
func (l *lister) list(ctx context.Context, st *stream, at *ancestor, take func([]any) error) (listed, error) {
	pg := newPager(st, l.cfg)
	out := listed{}
	for {
		o, err := l.page(ctx, pg, at, take)
		if err != nil {
			return out, err
		}
		more, err := pg.advance(o)
		if err != nil {
			return out, err
		}
		if pg.pages == 1 {
			out.missing = !o.found
		}
		out.pages, out.expected = pg.pages, pg.expected
		if !more {
			out.short = pg.short()
			return out, nil
		}
	}
}

// page reads one page. It is read again when it breaks off before any of it was handed on.
func (l *lister) page(ctx context.Context, pg *pager, at *ancestor, take func([]any) error) (outcome, error) {
	r, err := pg.request(at)
	if err != nil {
		return outcome{}, err
	}
	var (
		o     outcome
		batch []any
	)
	err = l.client.Read(ctx, r, func(resp *target.Response) error {
		batch = make([]any, 0, min(pg.size, batchSize))
		handed := false
		var err error
		o, err = decodePage(pg.st, resp, func(record any) error {
			batch = append(batch, record)
			if len(batch) < batchSize {
				return nil
			}
			full := batch
			batch, handed = nil, true
			return take(full)
		})
		var receiver receiverError
		switch {
		case errors.As(err, &receiver):
			return target.Stop(receiver.error)
		case handed:
			return target.Stop(err)
		}
		return err
	})
	if err == nil && len(batch) > 0 {
		err = take(batch)
	}
	return o, err
}

// receiverError keeps the receiver's own error apart from trouble with the answer.
type receiverError struct{ error }

// Unwrap gives the receiver's error.
func (e receiverError) Unwrap() error { return e.error }

// decodePage reads the records of one answer.
func decodePage(st *stream, resp *target.Response, yield func(record any) error) (outcome, error) {
	o := outcome{header: resp.Header, found: resp.Status == http.StatusNoContent}
	if o.found {
		return o, nil
	}
	size := readBytes
	if st.plan == nil {
		size = guessBytes
	}
	in := bufio.NewReaderSize(resp.Body, size)
	resp.Body = in
	// JSON looks whether the answer is JSON at all, through the same buffer.
	if _, err := resp.JSON(); err != nil {
		return o, err
	}
	plan := st.plan
	if plan == nil {
		selector, ok := guess(in)
		if !ok {
			selector = jsonpath.MustCompile("$.records[*]")
		}
		plan = jsonpath.NewPlan(selector, st.picks.paths...)
	}
	digest := newFingerprint()
	limits := jsonpath.Limits{Record: maxRecordBytes, Document: target.DefaultMaxBody}
	result, err := plan.Run(in, limits, func(record any) error {
		o.records++
		digest.add(st, record)
		if st.filter != nil && !st.filter.Match(record) {
			return nil
		}
		if err := yield(record); err != nil {
			return receiverError{err}
		}
		return nil
	})
	o.digest, o.found, o.picks = digest.h.Sum64(), result.Found, result.Picks
	if err != nil {
		return o, explain(resp, err)
	}
	return o, errorInBody(st, resp, o)
}

func explain(resp *target.Response, err error) error {
	var (
		receiver receiverError
		tooLarge *jsonpath.TooLargeError
	)
	switch {
	case errors.As(err, &receiver):
		return receiver
	case errors.As(err, &tooLarge):
		return resp.Fault(v1.ClassTargetFault, tooLarge.What+"_too_large", fmt.Sprintf("the answer of %s cannot be read: %v", resp.URL, tooLarge),
			"Ask for smaller pages, or choose a record_selector that reads the list element by element.")
	}
	return resp.Explain(err)
}

// errorInBody finds the error in an answer whose status says success.
func errorInBody(st *stream, resp *target.Response, o outcome) error {
	message, told := o.pick(st.picks.message)
	text, _ := textOf(message)
	success, said := o.pick(st.picks.success)
	switch {
	case said && truthy(success):
		return nil
	case said:
	case st.picks.success < 0 && told && truthy(message):
	case st.picks.success >= 0 && told && text != "":
	default:
		return nil
	}
	if text == "" {
		text = "no reason was given"
	}
	return resp.Fault(v1.ClassTargetFault, "error_in_body",
		fmt.Sprintf("the target answered %d but reports an error: %s", resp.Status, cutText(text, 300)),
		"The stream's error settings recognised this answer as a failure.")
}

func cutText(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
