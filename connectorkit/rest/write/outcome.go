package write

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/rest/template"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// answered judges the answer to a change. already is an error that the template takes for "there is nothing to do".
func (w *Operation) answered(t *template.OperationTemplate, resp *target.Response, decoded any) (already, err error) {
	if resp.Status == http.StatusNoContent {
		return nil, nil
	}
	j := stream.Judge(decoded)
	shown := t.Id != nil && j.First(t.Id) != nil
	words, failed := t.Verdict.Failed(j, shown)
	var costly *jsonpath.BudgetError
	if errors.As(j.Budget.Err(), &costly) {
		return nil, unknownError{
			answer.QueryTooCostly(costly, w.Stream, resp),
		} // the status says that the change was made
	}
	if t.Verdict == (stream.SuccessCheck{}) && t.Id == nil && !dataDeclared(decoded) {
		return nil, nil // nothing says that a list named errors means a failure here
	}
	if !failed {
		return nil, nil
	}
	d := judgeReported(reported(resp, words))
	if t.Already != nil && slices.Contains(t.Already.Status, resp.Status) &&
		strings.Contains(strings.ToLower(words), strings.ToLower(t.Already.Contains)) {
		return d, d
	}
	return nil, d
}

// dataDeclared says whether an answer has the member data, as GraphQL's have (specification section
// 7).
func dataDeclared(answer any) bool {
	object, _ := answer.(map[string]any)
	_, declared := object["data"]
	return declared
}

// reported is the error of an answer that reports a failure with a status of success.
func reported(resp *target.Response, words string) *v1.ErrorDetail {
	if words == "" {
		words = "no reason was given"
	}
	return resp.Fault(v1.ClassTargetFault, "error_in_body",
		fmt.Sprintf("the target answered %d but reports an error: %s", resp.Status, jsonvalue.Shorten(words, 300)),
		"The settings success_path and message_path recognized this answer as a failure.")
}

// judgeReported gives the class of a refused change.
func judgeReported(d *v1.ErrorDetail) *v1.ErrorDetail {
	d.Class = v1.ClassData
	d.Retryable = false
	d.Hint = "The target does not accept the change. See its own message; check the template and the account's own."
	return d
}

// checkedRead judges the answer to one of the reads of writes.
func (w *Operation) checkedRead(t *template.ReadTemplate, resp *target.Response, decoded any) error {
	if t.Verdict == (stream.SuccessCheck{}) && !dataDeclared(decoded) {
		return nil
	}
	j := stream.Judge(decoded)
	words, failed := t.Verdict.Failed(j, false)
	if err := answer.BudgetExceeded(j.Budget, w.Stream, resp); err != nil || !failed {
		return err
	}
	d := reported(resp, words)
	if t.Absent != "" && strings.Contains(strings.ToLower(words), strings.ToLower(t.Absent)) {
		d.Code = codeAbsent
	}
	return d
}

// codeAbsent is the code of an answer whose words say that there is no such record.
const codeAbsent = "absent_in_body"

// absentInBody reports whether err is such an answer.
func absentInBody(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Code == codeAbsent
}
