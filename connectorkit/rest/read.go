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
	batchSize      = 500       // records handed on at a time
	readBytes      = 64 << 10  // of an answer at a time; not less than what Response.JSON buffers by itself
	maxRecordBytes = 16 << 20  // of JSON, of one record
	maxRowBytes    = 512 << 10 // of JSON, of a record that becomes one row; what fits, but is too long to keep, its keeper judges

	// Bounds of objects, lists and their elements, each of which takes more memory than its few bytes of JSON.
	maxRowValues    = 10_000  // in a record that becomes one row
	maxRecordValues = 400_000 // in a record of which lists become rows of their own
	maxWholeValues  = 500_000 // in an answer that is held whole
	maxBatchValues  = 100_000 // in the records of one batch, after which the next one begins
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
	repeats  repeats
}

// of is what a pager has seen so far.
func (out *listed) of(pg *pager, o outcome) {
	if pg.Pages == 1 {
		out.missing = !o.found
	}
	out.repeats.add(o.repeats)
	out.expected, out.short = pg.Expected, pg.short()
}

// page reads the pager's next page and hands its records on in batches, the last of them with last set.
func (l *lister) page(ctx context.Context, pg *pager, at *ancestor, take func(records []any, last bool) error) (outcome, error) {
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
		handed, values := false, 0
		var err error
		o, err = decodePage(ctx, pg.st, resp, pg.tooMany(resp, func(record any) error {
			n := valuesIn(record)
			if values += n; len(batch) == batchSize || len(batch) > 0 && values > maxBatchValues {
				full := batch
				batch, handed, values = make([]any, 0, batchSize), true, n
				if err := take(full, false); err != nil {
					return err
				}
			}
			batch = append(batch, record)
			return nil
		}))
		var receiver receiverError
		switch {
		case errors.As(err, &receiver):
			return target.Stop(receiver.error)
		case handed:
			return target.Stop(err)
		}
		return err
	})
	switch {
	case ignored(err):
		return outcome{found: true}, take(nil, true)
	case err != nil:
		return o, pg.expired(err)
	}
	return o, take(batch, true)
}

// limits bound what an answer costs in memory.
func (st *stream) limits() jsonpath.Limits {
	limits := jsonpath.Limits{
		Record: maxRecordBytes, Document: target.DefaultMaxBody, Aside: maxRowBytes, Values: maxRowValues, Whole: maxWholeValues,
	}
	if len(st.explode) > 0 {
		limits.Aside, limits.Values = 0, maxRecordValues // what is long becomes rows of its own
	}
	return limits
}

// tooCostly is the error of an exhausted budget; resp may be nil.
func tooCostly(b *jsonpath.Budget, st *stream, resp *target.Response) error {
	var costly *jsonpath.BudgetError
	if errors.As(b.Err(), &costly) {
		return costlyError(costly, st, resp)
	}
	return b.Err()
}

func costlyError(costly *jsonpath.BudgetError, st *stream, resp *target.Response) *v1.ErrorDetail {
	d := &v1.ErrorDetail{Class: v1.ClassConfig, Phase: st.Name}
	if resp != nil {
		d = resp.Fault(v1.ClassConfig, "", "", "")
	}
	d.Code, d.Message = "query_too_costly", fmt.Sprintf("A JSONPath query of the stream %q is too costly: %v.", st.Name, costly)
	d.Hint = "Name the members on the way to the value instead of using .., wildcards, unions or filters inside filters."
	return d
}

// tooMany stops at a page of more than twice the records that were asked for: an endless one (CON-4).
func (p *pager) tooMany(resp *target.Response, yield func(any) error) func(any) error {
	if p.st.Pagination.SizeParam == "" || p.st.Pagination.Style == styleNone {
		return yield
	}
	n := 0
	return func(record any) error {
		if n++; n > 2*p.size {
			return resp.Fault(v1.ClassTargetFault, "page_too_large",
				fmt.Sprintf("a page of %s has more than twice the %d records that were asked for", p.st.Name, p.size),
				"The target probably ignores pagination.size_param. Set pagination.size to the number of records that it gives at a time.")
		}
		return yield(record)
	}
}

// expired tells a cursor or link that the target has forgotten from other refusals.
func (p *pager) expired(err error) error {
	var d *v1.ErrorDetail
	if p.lenient || !p.byToken() || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return err
	}
	switch d.Target.HTTP.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return &relist{code: "cursor_expired", why: "the target does not know its own cursor any more", err: err}
	}
	return err
}

// valuesIn counts the objects, lists and their elements in a record.
func valuesIn(record any) int {
	n := 1
	switch v := record.(type) {
	case *jsonpath.Flaw:
		return valuesIn(v.Record)
	case []any:
		for _, e := range v {
			n += valuesIn(e)
		}
	case map[string]any:
		for _, e := range v {
			n += valuesIn(e)
		}
	}
	return n
}

// receiverError keeps the receiver's own error apart from trouble with the answer.
type receiverError struct{ error }

// Unwrap gives the receiver's error.
func (e receiverError) Unwrap() error { return e.error }

// decodePage reads the records of one answer.
func decodePage(ctx context.Context, st *stream, resp *target.Response, yield func(record any) error) (outcome, error) {
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
	digest, budget := newFingerprint(), jsonpath.NewBudget(ctx, 0)
	result, err := plan.Run(budget, in, st.limits(), func(record any) error {
		o.records++
		flaw, flawed := record.(*jsonpath.Flaw)
		if flawed {
			digest.add(budget, st, flaw.Record)
			if o.lastKey, _ = st.keyOf(budget, flaw.Record); budget.Err() != nil {
				return budget.Err()
			}
			return passOn(yield, record)
		}
		digest.add(budget, st, record)
		o.lastKey, _ = st.keyOf(budget, record)
		if budget.Err() == nil && st.filter != nil && !st.filter.Match(budget, record) || budget.Err() != nil {
			return budget.Err()
		}
		return passOn(yield, record)
	})
	o.repeats = digest.repeats
	o.digest, o.found, o.picks = digest.h.Sum64(), result.Found, result.Picks
	if err != nil {
		return o, explain(st, resp, err)
	}
	return o, errorInBody(st, resp, o)
}

// passOn marks the receiver's errors, but for those about the answer itself.
func passOn(yield func(any) error, record any) error {
	err := yield(record)
	var d *v1.ErrorDetail
	if err == nil || errors.As(err, &d) && d.Code == "page_too_large" {
		return err
	}
	return receiverError{err}
}

func explain(st *stream, resp *target.Response, err error) error {
	var (
		receiver receiverError
		tooLarge *jsonpath.TooLargeError
		costly   *jsonpath.BudgetError
	)
	switch {
	case errors.As(err, &receiver):
		return receiver
	case errors.As(err, &tooLarge):
		return resp.Fault(v1.ClassTargetFault, tooLarge.What+"_too_large", fmt.Sprintf("the answer of %s cannot be read: %v", resp.URL, tooLarge),
			"Ask for smaller pages, or choose a record_selector that reads the list element by element.")
	case errors.As(err, &costly):
		return costlyError(costly, st, resp)
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
	return st.judge(resp.Fault(v1.ClassTargetFault, "error_in_body",
		fmt.Sprintf("the target answered %d but reports an error: %s", resp.Status, cutText(text, 300)),
		"The stream's error settings recognised this answer as a failure."))
}

func cutText(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
