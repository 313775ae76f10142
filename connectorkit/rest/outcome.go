package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// verdict finds the failure in an answer whose status says success, as GraphQL and RPC-like interfaces give it.
//
//	{"success_path": "$.data.createUser.user.id", "message_path": "$.errors[0].message"}
type verdict struct {
	success, message *jsonpath.Path
}

func (c *compiler) verdict(at, success, message string) verdict {
	return verdict{success: c.path(at+".success_path", success), message: c.path(at+".message_path", message)}
}

// judged is an answer that is being judged, with one budget for all paths that are looked at in it. A path that
// exhausts it finds nothing, and err says so: such an answer proves neither success nor failure.
type judged struct {
	answer any
	budget *jsonpath.Budget
}

func judge(answer any) judged {
	return judged{answer: answer, budget: jsonpath.NewBudget(context.Background(), 0)}
}

// first is the value at a path; nil where there is none.
func (j judged) first(path *jsonpath.Path) any {
	if path == nil {
		return nil
	}
	v, _ := path.First(j.budget, j.answer)
	return v
}

// words is the target's own message in an answer.
func (v verdict) words(j judged) string {
	text, _ := textOf(j.first(v.message))
	return text
}

// failed reports whether an answer with a status of success reports a failure, and in which words. success_path decides where it
// is declared; else a message does. Without both, errors in the shape of GraphQL count as long as nothing shows a result.
func (v verdict) failed(j judged, shown bool) (words string, failed bool) {
	words = v.words(j)
	switch {
	case v.success != nil:
		return words, !truthy(j.first(v.success))
	case v.message != nil:
		return words, words != ""
	}
	return graphQLErrors(j.answer, shown)
}

// graphQLErrors reads the errors of a GraphQL response (its specification, section 7): a list with at least one message. They
// count where the answer holds no data either; shown says that the caller found what it looked for.
func graphQLErrors(answer any, shown bool) (words string, failed bool) {
	object, _ := answer.(map[string]any)
	list, _ := object["errors"].([]any)
	if len(list) == 0 || shown {
		return "", false
	}
	first, _ := list[0].(map[string]any)
	words, _ = textOf(first["message"])
	data, declared := object["data"]
	return words, words != "" && (!declared || empty(data))
}

// empty reports whether a value holds nothing but nulls.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, member := range v {
			if !empty(member) {
				return false
			}
		}
		return true
	}
	return false
}

// messageAt makes the words of a refusal be those at message_path.
func (v verdict) messageAt(r *target.Request) {
	if v.message != nil {
		r.MessageAt = func(answer any) string { return v.words(judge(answer)) }
	}
}

// answered judges the answer to a change. already is an error that the template takes for "there is nothing to do".
func (w *writing) answered(t *opTemplate, resp *target.Response, answer any) (already, err error) {
	if resp.Status == http.StatusNoContent {
		return nil, nil
	}
	j := judge(answer)
	shown := t.id != nil && j.first(t.id) != nil
	words, failed := t.verdict.failed(j, shown)
	var costly *jsonpath.BudgetError
	if errors.As(j.budget.Err(), &costly) {
		return nil, unknownError{costlyError(costly, w.stream, resp)} // the status says that the change was made
	}
	if t.verdict == (verdict{}) && t.id == nil && !dataDeclared(answer) {
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
		fmt.Sprintf("the target answered %d but reports an error: %s", resp.Status, cutText(words, 300)),
		"The settings success_path and message_path recognized this answer as a failure.")
}

// judgeReported gives the class of a refused change.
func judgeReported(d *v1.ErrorDetail) *v1.ErrorDetail {
	d.Class, d.Retryable = v1.ClassData, false
	d.Hint = "The target does not accept the change. Its own words say why; check the template and the account's own."
	return d
}

// checkedRead judges the answer to one of the reads of writes.
func (w *writing) checkedRead(t *readTemplate, resp *target.Response, answer any) error {
	if t.verdict == (verdict{}) && !dataDeclared(answer) {
		return nil
	}
	j := judge(answer)
	words, failed := t.verdict.failed(j, false)
	if err := tooCostly(j.budget, w.stream, resp); err != nil || !failed {
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

// checkRead checks what a read may be asked with.
func (d *readDocument) check(c *compiler, at string) {
	d.Method = c.oneOf(at+".method", strings.ToUpper(d.Method), http.MethodGet, http.MethodGet, http.MethodPost)
	if d.Body != nil && d.Method != http.MethodPost {
		c.wrong("%s.body needs method POST", at)
	}
	if d.Absent != "" && d.MessagePath == "" {
		c.wrong("%s.missing_contains needs message_path", at)
	}
}
