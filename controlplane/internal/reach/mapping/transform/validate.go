package transform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
)

// maxTime is how long all samples of one trial may take together; one alone may take as long as a record of a run.
const maxTime = 2 * time.Second

// TransformTrial is an expression with samples to evaluate it over.
type TransformTrial struct {
	// One Python expression, up to 4 KiB.
	Expression string `json:"expression" example:"value.strip().lower()"`
	// Values and records that the expression is evaluated on.
	Samples []TransformSample `json:"samples,omitempty" maxItems:"100" nullable:"false"`
}

// TransformSample is a field with the source record that it is of.
type TransformSample struct {
	// The input of the expression, as value. The default is null.
	Value json.RawMessage `json:"value,omitempty" example:"\" Jane.Doe@Acme.test\""`
	// What the expression reads as record: an object.
	Record json.RawMessage `json:"record,omitempty" example:"{\"mail\": \" Jane.Doe@Acme.test\"}"`
}

// TransformVerdict is what became of a trial.
type TransformVerdict struct {
	// The expression can be saved. See results for its output on each sample.
	Valid bool `json:"valid"`
	// Why it cannot be saved, with line, column and what to write instead; null when it can.
	Error *string `json:"error"`
	// Code and position of the error in the expression; null when it can be saved.
	ErrorDetail *TransformError `json:"error_detail"`
	// One for each sample, in their order.
	Results []TransformResult `json:"results" nullable:"false"`
}

// TransformResult is what the expression makes of one sample.
type TransformResult struct {
	// Null as well when there is an error.
	Value any `json:"value"`
	// Why the expression fails on this sample; null when it does not.
	Error *string `json:"error"`
	// Code and position of the error on this sample; null when there is none.
	ErrorDetail *TransformError `json:"error_detail"`
}

// TransformError says what is wrong, and where.
type TransformError struct {
	// Stable code of the error; codes that end in _limit mean that the expression exceeded that limit.
	Code string `json:"code" enum:"syntax_error,not_allowed,source_limit,nesting_limit,step_limit,memory_limit,time_limit,output_limit,evaluation_error,internal_error"`
	// The name of Python's exception; empty for a limit.
	Exception string `json:"exception" example:"KeyError"`
	// Error in words.
	Message string `json:"message" example:"KeyError: 'mail'"`
	// From 1.
	Line int `json:"line"`
	// From 1, in characters.
	Column int `json:"column"`
	// The line, and below it a caret under the column.
	Excerpt string `json:"excerpt"`
	// What to write instead; may be empty.
	Hint string `json:"hint"`
}

// Validate compiles the expression and evaluates it over the samples. Its error is a fault of the samples; what is
// wrong with the expression is part of the verdict.
func Validate(ctx context.Context, trial TransformTrial) (TransformVerdict, error) {
	samples, err := decode(trial.Samples)
	if err != nil {
		return TransformVerdict{}, err
	}
	verdict := TransformVerdict{Results: make([]TransformResult, len(samples))}
	program, err := pyexpr.Compile(trial.Expression)
	if err != nil {
		verdict.Error, verdict.ErrorDetail = detailOf(err)
		for i := range verdict.Results {
			verdict.Results[i] = TransformResult{Error: verdict.Error, ErrorDetail: verdict.ErrorDetail}
		}
		return verdict, nil
	}
	verdict.Valid = true
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	for i, s := range samples {
		verdict.Results[i] = evaluate(ctx, program, s)
	}
	return verdict, nil
}

// evaluate runs the expression on one sample. ctx ends when all samples together have used up their
// time; those after that are answered without being run.
func evaluate(ctx context.Context, program *pyexpr.Program, s sample) TransformResult {
	if ctx.Err() != nil {
		text := fmt.Sprintf("not evaluated: the samples before took %s", maxTime)
		return TransformResult{
			Error:       &text,
			ErrorDetail: &TransformError{Code: "time_limit", Message: text, Line: 1, Column: 1},
		}
	}
	v, err := program.Eval(ctx, s.value, pyexpr.NewRecord(s.record))
	if err != nil {
		r := TransformResult{}
		r.Error, r.ErrorDetail = detailOf(err)
		return r
	}
	return TransformResult{Value: v}
}

// detailOf puts an error of the evaluator in the words of the answer.
func detailOf(err error) (*string, *TransformError) {
	text := err.Error()
	var e *pyexpr.Error
	if !errors.As(err, &e) {
		return &text, &TransformError{Code: pyexpr.Internal, Message: text, Line: 1, Column: 1}
	}
	return &text, &TransformError{
		Code:      e.Code,
		Exception: e.Exception,
		Message:   e.Message,
		Line:      e.Line,
		Column:    e.Column,
		Excerpt:   e.Excerpt,
		Hint:      e.Hint,
	}
}

// sample is a value with the record that it is a field of.
type sample struct {
	value  any
	record map[string]any
}

// decode reads the samples. A record that is no object is reported by its place; all wrong ones at
// once.
func decode(raw []TransformSample) ([]sample, error) {
	samples := make([]sample, len(raw))
	var wrong []fault.Field
	for i, r := range raw {
		if err := into(r.Value, &samples[i].value); err != nil {
			return nil, fmt.Errorf("sample %d: %w", i, err)
		}
		if err := into(r.Record, &samples[i].record); err != nil {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: fmt.Sprintf("#/samples/%d/record", i),
					Code:    "not_an_object",
					Detail:  "a record is an object, or null",
				},
			)
		}
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.Invalid, "A sample is invalid.").With(wrong...)
	}
	return samples, nil
}

// into decodes JSON and keeps numbers as they are written; nothing is null.
func into(raw json.RawMessage, to any) error {
	if strings.TrimSpace(string(raw)) == "" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(to)
}
