package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonscan"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func isLines(resp *target.Response) bool {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case response.MediaNDJSON,
		"application/ndjson",
		"application/jsonl",
		"application/x-jsonlines",
		"application/jsonlines":
		return true
	}
	return false
}

// document reads an answer in one piece.
func (s *session) document(resp *target.Response) (*response.Response, error) {
	doc, err := whole(resp, maxAnswer)
	if err != nil {
		return nil, err
	}
	return s.answer(resp, doc, "")
}

// answer reads one SyncResponse. place says which of several it is.
func (c *caller) answer(resp *target.Response, doc []byte, place string) (*response.Response, error) {
	e, err := response.Parse(doc)
	if err != nil {
		return nil, violation(resp, c.clean(place+err.Error(), maxMessage))
	}
	if !*e.Success {
		where := &v1.Target{Kind: "http", Host: resp.Host(), HTTP: resp.Head()}
		return nil, c.failure(e.Error, e.ErrorDetail, where, "sync")
	}
	return e, nil
}

// stream reads an answer line by line.
func (s *session) stream(ctx context.Context, resp *target.Response) error {
	in := response.NewLines(resp.Body, response.MaxLine)
	in.Blank = func() { connectorkit.ReportOf(ctx).Send(v1.Progress{Phase: "sync"}) }
	before := s.checkpoint()
	s.circle.line = 0 // the line before the break may come again
	final := func(err error) error {
		// Behind a later checkpoint another request is due, not this one again.
		s.moved(before)
		if s.checkpoint() != before {
			return target.Stop(err)
		}
		return err
	}
	for {
		e, err := s.line(resp, in)
		if err != nil {
			return final(err)
		}
		if err := s.take(ctx, resp, e, true); err != nil {
			return target.Stop(err)
		}
		if !s.ended {
			continue
		}
		if _, _, err := in.Next(); err == nil {
			return target.Stop(
				violation(resp, fmt.Sprintf("line %d follows after the one whose page has has_more false", in.N)),
			)
		}
		return nil
	}
}

// line reads the next line.
func (s *session) line(resp *target.Response, in *response.Lines) (*response.Response, error) {
	text, closed, err := in.Next()
	var d *v1.ErrorDetail
	switch {
	case errors.As(err, &d):
		return nil, d
	case errors.Is(err, response.ErrLineTooLong):
		return nil, resp.Fault(
			v1.ClassTargetFault,
			"line_too_long",
			fmt.Sprintf("line %d of the answer is longer than %d MiB", in.N, response.MaxLine>>20),
			"Send fewer records in a line.",
		)
	case errors.Is(err, response.ErrOnlyBlanks):
		return nil, violation(
			resp,
			fmt.Sprintf("there are more than %d empty lines in a row before line %d", response.MaxBlanks, in.N),
		)
	case err != nil:
		return nil, cut(resp)
	}
	if values, _ := jsonscan.Measure(text); values > response.MaxValues {
		return nil, resp.Fault(
			v1.ClassTargetFault,
			"answer_too_large",
			fmt.Sprintf("line %d of the answer has more than %d values", in.N, response.MaxValues),
			"Send fewer records in a line.",
		)
	}
	e, err := s.answer(resp, text, fmt.Sprintf("line %d: ", in.N))
	if err != nil && !closed && !json.Valid(text) {
		return nil, cut(resp)
	}
	return e, err
}

// cut is the error of a stream that ends too early.
func cut(resp *target.Response) *v1.ErrorDetail {
	return resp.Fault(
		v1.ClassTransient,
		"stream_cut",
		"the stream of "+resp.URL+" ended before a line whose page has has_more false",
		"The connector or something on the way cut it short, or its last line does not say that it is the last: "+
			"\"page\":{\"has_more\":false}.",
	)
}
