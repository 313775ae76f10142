package rest

import (
	"errors"
	"fmt"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// What a rule does with an answer.
const (
	actionFail        = "fail"
	actionRetry       = "retry"
	actionIgnore      = "ignore"
	actionRateLimited = "rate_limited"
)

// codeIgnored is the code of an answer that stands for an empty list.
const codeIgnored = "ignored_by_rule"

func (c *compiler) rules(st *stream) {
	for i, r := range st.Error.Rules {
		member := fmt.Sprintf("error.rules[%d]", i)
		if r.Status == 0 && r.Contains == "" {
			c.wrong("%s needs status or contains", member)
		}
		if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
			c.wrong("%s.status must be between 200 and 599", member)
		}
		if r.Action == "" {
			c.wrong("%s.action is missing", member)
		} else {
			c.oneOf(member+".action", r.Action, actionFail, actionFail, actionRetry, actionIgnore, actionRateLimited)
		}
	}
}

// judge gives an error the meaning that the first fitting rule has for it.
func (st *stream) judge(d *v1.ErrorDetail) *v1.ErrorDetail {
	if d.Target == nil || d.Target.HTTP == nil {
		return d
	}
	words := strings.ToLower(d.Message + "\n" + d.Target.HTTP.BodyExcerpt)
	for _, r := range st.Error.Rules {
		if r.Status != 0 && r.Status != d.Target.HTTP.Status || r.Contains != "" && !strings.Contains(words, strings.ToLower(r.Contains)) {
			continue
		}
		judged := *d
		switch r.Action {
		case actionFail:
			judged.Class, judged.Retryable = v1.ClassTargetFault, false
			if judged.Code == "http_500" {
				judged.Code = "failed_by_rule"
			}
		case actionRetry:
			judged.Class, judged.Retryable = v1.ClassTransient, true
		case actionRateLimited:
			judged.Class, judged.Retryable = v1.ClassRateLimited, true
		case actionIgnore:
			judged.Class, judged.Code, judged.Retryable = v1.ClassTargetFault, codeIgnored, false
		}
		return &judged
	}
	return d
}

// ignored tells the end of a list that a rule made of an error.
func ignored(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Code == codeIgnored
}
