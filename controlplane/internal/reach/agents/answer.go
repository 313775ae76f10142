package agents

import (
	"encoding/json"
	"errors"
	"fmt"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Encode is a request or an answer as it travels to an agent or through agent_task. The types of package v1 always
// encode.
func Encode(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	return b, nil
}

// Malformed says which part of what an agent sent could not be read. It never quotes it: it may hold personal data.
func Malformed(what string, err error) error {
	d := &v1.ErrorDetail{Class: v1.ClassProtocol, Code: "malformed_frame", Message: what + " could not be read"}
	var field *json.UnmarshalTypeError
	if errors.As(err, &field) {
		d.Message += ": the member " + field.Field + " is of the wrong type"
	}
	return d
}

// OutcomeUnknown is the answer to a change that may or may not have been made, since err kept its answer from us. The
// caller reads the record before it tries again.
func OutcomeUnknown(err error, by v1.ExecutedBy) v1.ProvisionResponse {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		d = &v1.ErrorDetail{
			Class:     v1.ClassTransient,
			Code:      "answer_lost",
			Retryable: true,
			Message:   "the answer to the change did not arrive",
		}
	}
	text := d.Message
	return v1.ProvisionResponse{Outcome: v1.OutcomeUnknown, Error: &text, ErrorDetail: d, ExecutedBy: &by}
}
