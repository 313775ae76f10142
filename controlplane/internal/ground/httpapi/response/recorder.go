package response

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Answer is a whole answer to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send writes a whole answer.
func Send(ctx huma.Context, a Answer) {
	for name, values := range a.Header {
		ctx.SetHeader(name, values[0])
		for _, v := range values[1:] {
			ctx.AppendHeader(name, v)
		}
	}
	WriteUntil(ctx, time.Now().Add(writeTime))
	ctx.SetStatus(a.Status)
	if len(a.Body) > 0 {
		_, _ = ctx.BodyWriter().Write(a.Body) // a client that has gone asks again
	}
}

// asked is huma's context under a name that leaves Context to be a method.
type asked = huma.Context

// Recorder stands in for the context of a request and holds its answer back. A stream of events is not held back: it
// goes through, and leaves no answer.
type Recorder struct {
	asked
	inner   context.Context
	header  http.Header
	status  int
	body    bytes.Buffer
	through bool
}

// NewRecorder holds back the answer to the request of this context.
func NewRecorder(ctx huma.Context) *Recorder {
	return &Recorder{asked: ctx, inner: ctx.Context(), header: http.Header{}}
}

// Within has the request worked on within another context than its own.
func (r *Recorder) Within(ctx context.Context) { r.inner = ctx }

// Context is that of the work.
func (r *Recorder) Context() context.Context { return r.inner }

// SetHeader sets a header of the answer.
func (r *Recorder) SetHeader(name, value string) {
	if r.through {
		r.asked.SetHeader(name, value)
		return
	}
	r.header.Set(name, value)
}

// AppendHeader adds to a header of the answer.
func (r *Recorder) AppendHeader(name, value string) {
	if r.through {
		r.asked.AppendHeader(name, value)
		return
	}
	r.header.Add(name, value)
}

// SetStatus sets the status of the answer. With it, its headers are complete.
func (r *Recorder) SetStatus(status int) {
	r.status = status
	if !r.through && strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") {
		r.through = true
		Send(r.asked, Answer{Status: status, Header: r.header})
		return
	}
	if r.through {
		r.asked.SetStatus(status)
	}
}

// Status is what was set.
func (r *Recorder) Status() int { return r.status }

// BodyWriter takes the body of the answer.
func (r *Recorder) BodyWriter() io.Writer {
	if r.through {
		return r.asked.BodyWriter()
	}
	return &r.body
}

// Answer is what was held back; held is false if the answer went through.
func (r *Recorder) Answer() (a Answer, held bool) {
	if r.through {
		return Answer{}, false
	}
	a = Answer{Status: r.status, Header: r.header, Body: r.body.Bytes()}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	return a, true
}
