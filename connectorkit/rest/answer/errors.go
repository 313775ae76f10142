package answer

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// NotFound reports whether the target answered 404 or 410.
func NotFound(err error) bool {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	return d.Target.HTTP.Status == http.StatusNotFound || d.Target.HTTP.Status == http.StatusGone
}

// BudgetExceeded is the error of an exhausted budget; resp may be nil.
func BudgetExceeded(b *jsonpath.Budget, st *stream.Stream, resp *target.Response) error {
	var costly *jsonpath.BudgetError
	if errors.As(b.Err(), &costly) {
		return QueryTooCostly(costly, st, resp)
	}
	return b.Err()
}

// QueryTooCostly is the error of a JSONPath query that exceeded its budget, of class config and code query_too_costly.
// resp may be nil; otherwise the error shows the answer.
func QueryTooCostly(costly *jsonpath.BudgetError, st *stream.Stream, resp *target.Response) *v1.ErrorDetail {
	d := &v1.ErrorDetail{Class: v1.ClassConfig, Phase: st.Name}
	if resp != nil {
		d = resp.Fault(v1.ClassConfig, "", "", "")
	}
	d.Code = "query_too_costly"
	d.Message = fmt.Sprintf("A JSONPath query of the stream %q is too costly: %v.", st.Name, costly)
	d.Hint = "Name the members on the way to the value " +
		"instead of using .., wildcards, unions or filters inside filters."
	return d
}

// YieldError keeps the receiver's own error apart from trouble with the answer.
type YieldError struct{ Err error }

// Error is the receiver's.
func (e YieldError) Error() string { return e.Err.Error() }

// Unwrap gives the receiver's error.
func (e YieldError) Unwrap() error { return e.Err }

// yieldRecord marks the receiver's errors, but for those about the answer itself.
func yieldRecord(yield func(any) error, record any) error {
	err := yield(record)
	var d *v1.ErrorDetail
	if err == nil || errors.As(err, &d) && d.Code == "page_too_large" {
		return err
	}
	return YieldError{err}
}

// explainError makes the error of reading a page one that users read. An error of the receiver
// passes as it is: it is no fault of the target.
func explainError(st *stream.Stream, resp *target.Response, err error) error {
	var (
		receiver YieldError
		tooLarge *jsonpath.TooLargeError
		costly   *jsonpath.BudgetError
	)
	switch {
	case errors.As(err, &receiver):
		return receiver
	case errors.As(err, &tooLarge):
		return resp.Fault(
			v1.ClassTargetFault,
			tooLarge.What+"_too_large",
			fmt.Sprintf("the answer of %s cannot be read: %v", resp.URL, tooLarge),
			"Ask for smaller pages, or choose a record_selector that reads the list element by element.",
		)
	case errors.As(err, &costly):
		return QueryTooCostly(costly, st, resp)
	}
	return resp.Explain(err)
}

// reportedError finds the error in an answer whose status says success.
func reportedError(st *stream.Stream, resp *target.Response, o Page) error {
	message, told := o.Pick(st.Picks.Message)
	text, _ := jsonvalue.Text(message)
	success, said := o.Pick(st.Picks.Success)
	switch {
	case said && jsonvalue.Truthy(success):
		return nil
	case said:
	case st.Picks.Success < 0 && told && jsonvalue.Truthy(message):
	case st.Picks.Success >= 0 && told && text != "":
	default:
		return nil
	}
	if text == "" {
		text = "no reason was given"
	}
	return st.Classify(resp.Fault(v1.ClassTargetFault, "error_in_body",
		fmt.Sprintf("the target answered %d but reports an error: %s", resp.Status, jsonvalue.Shorten(text, 300)),
		"The stream's error settings recognised this answer as a failure."))
}
