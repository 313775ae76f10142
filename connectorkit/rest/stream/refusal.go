package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// SuccessCheck finds the failure in an answer whose status says success, as GraphQL and RPC-like interfaces give it.
//
//	{"success_path": "$.data.createUser.user.id", "message_path": "$.errors[0].message"}
type SuccessCheck struct {
	// success is the path that must select something; message is where the reason of a failure
	// stands.
	success, message *jsonpath.Path
}

// SuccessCheck compiles the two paths of a success check; at is the setting that they belong to. Either may be empty.
func (c *Compiler) SuccessCheck(at, success, message string) SuccessCheck {
	return SuccessCheck{success: c.Path(at+".success_path", success), message: c.Path(at+".message_path", message)}
}

// Judgement is an answer that is being judged, with one budget for all paths that are looked at in it. A path that
// exhausts it finds nothing, and err says so: such an answer proves neither success nor failure.
type Judgement struct {
	// answer is the decoded answer.
	answer any
	Budget *jsonpath.Budget
}

// Judge begins to judge a decoded answer, with a budget of its own.
func Judge(answer any) Judgement {
	return Judgement{answer: answer, Budget: jsonpath.NewBudget(context.Background(), 0)}
}

// First is the value at a path; nil where there is none.
func (j Judgement) First(path *jsonpath.Path) any {
	if path == nil {
		return nil
	}
	v, _ := path.First(j.Budget, j.answer)
	return v
}

// Message is the target's own message in an answer.
func (v SuccessCheck) Message(j Judgement) string {
	text, _ := jsonvalue.Text(j.First(v.message))
	return text
}

// Failed reports whether an answer with a status of success reports a failure, and in which words. success_path decides
// where it is declared; else a message does. Without both, errors in the shape of GraphQL count as long as nothing
// shows a result.
func (v SuccessCheck) Failed(j Judgement, shown bool) (words string, failed bool) {
	words = v.Message(j)
	switch {
	case v.success != nil:
		return words, !jsonvalue.Truthy(j.First(v.success))
	case v.message != nil:
		return words, words != ""
	}
	return graphQLErrors(j.answer, shown)
}

// graphQLErrors reads the errors of a GraphQL response (its specification, section 7): a list with at least one
// message. They count where the answer holds no data either; shown says that the caller found what it looked for.
func graphQLErrors(answer any, shown bool) (words string, failed bool) {
	object, _ := answer.(map[string]any)
	list, _ := object["errors"].([]any)
	if len(list) == 0 || shown {
		return "", false
	}
	first, _ := list[0].(map[string]any)
	words, _ = jsonvalue.Text(first["message"])
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

// MessageReader finds the words of a refusal at message_path, in a decoded answer. It is nil without message_path.
func (v SuccessCheck) MessageReader() func(answer any) string {
	if v.message == nil {
		return nil
	}
	return func(answer any) string { return v.Message(Judge(answer)) }
}

// What a rule does with an answer.
const (
	actionFail        = "fail"
	actionRetry       = "retry"
	actionIgnore      = "ignore"
	actionRateLimited = "rate_limited"
)

// CodeIgnored is the code of an answer that stands for an empty list.
const CodeIgnored = "ignored_by_rule"

// rules checks the error rules.
func (c *Compiler) rules(st *Stream) {
	for i, r := range st.Error.Rules {
		member := fmt.Sprintf("error.rules[%d]", i)
		if r.Status == 0 && r.Contains == "" {
			c.Wrong("%s needs status or contains", member)
		}
		if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
			c.Wrong("%s.status must be between 200 and 599", member)
		}
		if r.Action == "" {
			c.Wrong("%s.action is missing", member)
		} else {
			c.OneOf(member+".action", r.Action, actionFail, actionFail, actionRetry, actionIgnore, actionRateLimited)
		}
	}
}

// Classify gives an error the meaning that the first fitting rule has for it.
func (st *Stream) Classify(d *v1.ErrorDetail) *v1.ErrorDetail {
	if d.Target == nil || d.Target.HTTP == nil {
		return d
	}
	words := strings.ToLower(d.Message + "\n" + d.Target.HTTP.BodyExcerpt)
	for _, r := range st.Error.Rules {
		if r.Status != 0 && r.Status != d.Target.HTTP.Status ||
			r.Contains != "" && !strings.Contains(words, strings.ToLower(r.Contains)) {
			continue
		}
		judged := *d
		switch r.Action {
		case actionFail:
			judged.Class = v1.ClassTargetFault
			judged.Retryable = false
			if judged.Code == "http_500" {
				judged.Code = "failed_by_rule"
			}
		case actionRetry:
			judged.Class = v1.ClassTransient
			judged.Retryable = true
		case actionRateLimited:
			judged.Class = v1.ClassRateLimited
			judged.Retryable = true
		case actionIgnore:
			judged.Class = v1.ClassTargetFault
			judged.Code = CodeIgnored
			judged.Retryable = false
		}
		return &judged
	}
	return d
}

// Ignored reports whether a rule makes the end of a list of an error.
func Ignored(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Code == CodeIgnored
}
