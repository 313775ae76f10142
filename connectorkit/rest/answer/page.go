package answer

import (
	"bufio"
	"context"
	"errors"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/target"
)

// Page is what came of one page.
type Page struct {
	// Before the filter.
	Records int
	// Digest is the fingerprint of the page; two pages in a row with the same one are the same
	// page.
	Digest uint64
	// Of the last record.
	LastKey string
	// Found says that the answer has a place for records, be it empty.
	Found   bool
	Header  http.Header
	Repeats DuplicateKeys
	// picks are the values around the records, in the order of the stream's picks.
	picks [][]any
}

// Pick gives the value of the i-th path of the stream's Picks, and false if the path was not wanted or selected
// nothing.
func (o Page) Pick(i int) (any, bool) {
	if i < 0 || i >= len(o.picks) || len(o.picks[i]) == 0 {
		return nil, false
	}
	return o.picks[i][0], true
}

// ErrEnough stops reading an answer of which enough is known.
var ErrEnough = errors.New("enough records")

// Decode reads the records of one answer.
func Decode(ctx context.Context, st *stream.Stream, resp *target.Response, yield func(record any) error) (Page, error) {
	o := Page{Header: resp.Header, Found: resp.Status == http.StatusNoContent}
	if o.Found {
		return o, nil
	}
	size := readBytes
	if st.Plan == nil {
		size = detectBytes
	}
	in := bufio.NewReaderSize(resp.Body, size)
	resp.Body = in
	// JSON looks whether the answer is JSON at all, through the same buffer.
	if _, err := resp.JSON(); err != nil {
		return o, err
	}
	plan := st.Plan
	if plan == nil {
		selector, ok := detectList(in)
		if !ok {
			selector = jsonpath.MustCompile("$.records[*]")
		}
		plan = jsonpath.NewPlan(selector, st.Picks.Paths...)
	}
	digest := newFingerprint()
	budget := jsonpath.NewBudget(ctx, 0)
	result, err := plan.Run(budget, in, limits(st), func(record any) error {
		o.Records++
		flaw, flawed := record.(*jsonpath.Flaw)
		if flawed {
			digest.add(budget, st, flaw.Record)
			if o.LastKey, _ = st.KeyOf(budget, flaw.Record); budget.Err() != nil {
				return budget.Err()
			}
			return yieldRecord(yield, record)
		}
		digest.add(budget, st, record)
		o.LastKey, _ = st.KeyOf(budget, record)
		if budget.Err() == nil && st.Filter != nil && !st.Filter.Match(budget, record) || budget.Err() != nil {
			return budget.Err()
		}
		return yieldRecord(yield, record)
	})
	o.Repeats = digest.repeats
	o.Digest = digest.h.Sum64()
	o.Found = result.Found
	o.picks = result.Picks
	if err != nil {
		return o, explainError(st, resp, err)
	}
	return o, reportedError(st, resp, o)
}
