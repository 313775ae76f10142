package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
)

// keyParameter describes the header in the API's description.
var keyParameter = &huma.Param{
	Name:   replay.Header,
	In:     "header",
	Schema: &huma.Schema{Type: "string", Format: "uuid"},
	Description: "A UUID of your own making: a request that is sent again with it within 24 hours is carried out " +
		"once, and gets the first answer with Idempotent-Replayed: true.",
}

// keyed says whether an Idempotency-Key means something on the route. Signing in does not keep answers, since they hold
// tokens.
func (r Route) keyed() bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return !r.unkeyed && !r.free && !under(r.Path, Prefix+"/auth")
	}
	return false
}

// once carries a request with an Idempotency-Key out one time, and gives every repetition the first answer.
func (r Route) once(a *API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		p := passageOf(ctx.Context())
		if len(p.keys) == 0 || a.cfg.Replay == nil || p.viewer.Tenant == "" || p.viewer.ID == "" {
			next(ctx)
			return
		}
		key, err := replay.Key(p.keys)
		if err != nil {
			refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
			return
		}
		u := ctx.URL()
		fingerprint := replay.Fingerprint(r.Method, u.EscapedPath(), u.RawQuery, ctx.Header("Content-Type"), p.body)
		try, before, err := a.cfg.Replay.Begin(ctx.Context(), p.viewer, key, fingerprint)
		switch {
		case err != nil:
			refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
		case before != nil:
			ctx.SetHeader("Idempotent-Replayed", "true")
			send(ctx, *before)
		default:
			r.carryOut(a, ctx, next, try)
		}
	}
}

func (r Route) carryOut(a *API, ctx huma.Context, next func(huma.Context), try *replay.Try) {
	defer try.Abandon(ctx.Context()) // after a panic
	rec := &recorder{asked: ctx, inner: ctx.Context(), header: http.Header{}}
	if r.waits {
		try.Wait(ctx.Context())
	} else {
		rec.inner = try.Hold(ctx.Context())
	}
	next(rec)
	if rec.through {
		return
	}
	answer := rec.answer()
	if err := try.Finish(ctx.Context(), answer); err != nil {
		refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
		return
	}
	send(ctx, answer)
}

// send writes a whole answer.
func send(ctx huma.Context, a replay.Answer) {
	for name, values := range a.Header {
		ctx.SetHeader(name, values[0])
		for _, v := range values[1:] {
			ctx.AppendHeader(name, v)
		}
	}
	writeUntil(ctx, time.Now().Add(writeTime))
	ctx.SetStatus(a.Status)
	if len(a.Body) > 0 {
		_, _ = ctx.BodyWriter().Write(a.Body) // whoever has gone asks again
	}
}

// asked is huma's context under a name that leaves Context to be a method.
type asked = huma.Context

// recorder holds an answer back until it is kept. A stream of events is no answer to keep: it goes through.
type recorder struct {
	asked
	inner   context.Context
	header  http.Header
	status  int
	body    bytes.Buffer
	through bool
}

// Context is that of the work.
func (r *recorder) Context() context.Context { return r.inner }

// SetHeader sets a header of the answer.
func (r *recorder) SetHeader(name, value string) {
	if r.through {
		r.asked.SetHeader(name, value)
		return
	}
	r.header.Set(name, value)
}

// AppendHeader adds to a header of the answer.
func (r *recorder) AppendHeader(name, value string) {
	if r.through {
		r.asked.AppendHeader(name, value)
		return
	}
	r.header.Add(name, value)
}

// SetStatus sets the status of the answer. With it, its headers are complete.
func (r *recorder) SetStatus(status int) {
	r.status = status
	if !r.through && strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") {
		r.through = true
		send(r.asked, replay.Answer{Status: status, Header: r.header})
		return
	}
	if r.through {
		r.asked.SetStatus(status)
	}
}

// Status is what was set.
func (r *recorder) Status() int { return r.status }

// BodyWriter takes the body of the answer.
func (r *recorder) BodyWriter() io.Writer {
	if r.through {
		return r.asked.BodyWriter()
	}
	return &r.body
}

func (r *recorder) answer() replay.Answer {
	a := replay.Answer{Status: r.status, Header: r.header, Body: r.body.Bytes()}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	return a
}
