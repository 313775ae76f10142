package remote

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Bounds of a read. Beyond them a service is taken to go round in circles.
const (
	maxEmpty  = 50  // answers in a row without a record, although more is announced
	maxBreaks = 100 // streams that broke off and went on from a later checkpoint
)

// Sync reads the service page by page, or line by line, as it answers.
func (c *connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	call, err := c.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return err
	}
	defer call.client.Close()
	s := newSession(call, req, emit)
	for _, w := range call.client.Warnings() {
		s.warn(w.Code, w.Message)
	}
	s.changes()
	s.resume()
	return s.run(ctx)
}

// session is one Sync. What of it must survive a change of the reader is its position.
type session struct {
	*caller
	req     v1.SyncRequest
	emit    connectorkit.Emit
	wanted  map[v1.ObjectKind]bool
	allowed func(string) bool
	look    func(v1.ObjectKind, map[string]any) // sees the members of every record; may be nil
	request string                              // digest of what was asked for

	cursor  string     // the service's own
	since   *time.Time // in its place
	pos     position   // behind all that was emitted
	durable position   // where the request in hand, or its latest checkpoint, begins
	resumed bool
	emitted bool // something since the session began
	ended   bool // the last answer was read

	circle   circle
	warnings []v1.Warning
	warned   map[string]int
}

func newSession(call *caller, req v1.SyncRequest, emit connectorkit.Emit) *session {
	s := &session{
		caller:  call,
		req:     req,
		emit:    emit,
		wanted:  map[v1.ObjectKind]bool{},
		allowed: func(string) bool { return true },
		warned:  map[string]int{},
	}
	s.pos = s.pos.clone()
	if o := req.Options; o != nil {
		for _, kind := range o.Objects {
			s.wanted[kind] = true
		}
		if len(o.FieldAllowlist) > 0 {
			s.allowed = func(name string) bool {
				return slices.ContainsFunc(
					o.FieldAllowlist,
					func(a string) bool { return name == a || strings.HasPrefix(name, a+".") },
				)
			}
		}
	}
	if len(s.wanted) == 0 {
		for _, kind := range response.AllKinds {
			s.wanted[kind] = true
		}
	}
	s.request = s.asked()
	return s
}

// run sends requests until the last answer was read.
func (s *session) run(ctx context.Context) error {
	for breaks := 0; !s.ended; {
		s.durable = s.pos.clone()
		from := s.checkpoint()
		err := s.exchange(ctx)
		var d *v1.ErrorDetail
		switch {
		case err == nil:
		case ctx.Err() != nil || !errors.As(err, &d):
			return err
		case s.anew(d):
		case d.Retryable && s.moved(from) && breaks < maxBreaks:
			breaks++ // a stream that broke off goes on from its latest checkpoint
			if err := s.rest(ctx, d); err != nil {
				return err
			}
		default:
			return err
		}
	}
	return nil
}

// moved takes the session back to the latest checkpoint, and reports whether that is further than before.
func (s *session) moved(from string) bool {
	s.pos = s.durable.clone()
	now := s.checkpoint()
	return now != "" && now != from
}

// Bounds of the pause before a stream is asked for again.
const (
	shortPause = 500 * time.Millisecond
	longPause  = 5 * time.Minute
)

// rest waits for as long as the service asks for. A wait that is longer than a read waits is left to the caller.
func (s *session) rest(ctx context.Context, d *v1.ErrorDetail) error {
	wait := shortPause
	if d.RetryAfterMS != nil && *d.RetryAfterMS > 0 {
		wait = time.Duration(min(*d.RetryAfterMS, int64(time.Hour/time.Millisecond))) * time.Millisecond
		if wait > longPause {
			return d
		}
		until := s.now().Add(wait)
		connectorkit.ReportOf(ctx).
			Send(v1.Progress{Phase: "sync", Message: "waiting for the connector", RateWaitUntil: &until})
	}
	if err := s.sleep(ctx, wait); err != nil {
		return d
	}
	return nil
}

// anew begins from the beginning where the service refuses what an earlier read has left.
func (s *session) anew(d *v1.ErrorDetail) bool {
	if s.emitted || d.Retryable {
		return false
	}
	switch d.Class {
	case v1.ClassAuth,
		v1.ClassPermission,
		v1.ClassPolicy,
		v1.ClassCancelled,
		v1.ClassInternal,
		v1.ClassTransient,
		v1.ClassRateLimited:
		return false
	}
	switch {
	case s.resumed:
		s.resumed = false
		s.pos, s.circle = position{How: s.pos.How}.clone(), circle{}
		s.unusable(d.Message)
	case s.cursor != "" && (d.Code == "cursor_expired" || d.Code == "invalid_cursor" || d.Code == "cursor_unusable"):
		s.everything(d.Code + ": " + d.Message)
	default:
		return false
	}
	return true
}

// exchange sends one request and takes in its answer. Where it breaks off before anything was emitted it is sent again.
func (s *session) exchange(ctx context.Context) error {
	runID := ""
	if s.req.Options != nil {
		runID = s.req.Options.SyncRunID
	}
	r, err := s.post(ctx, s.cfg.SyncPath, "sync", runID, s.body())
	if err != nil {
		return err
	}
	r.Stream = true
	r.Header.Set("Accept", response.MediaJSON+", "+response.MediaNDJSON)
	return s.client.Read(ctx, r, func(resp *target.Response) error {
		s.pos = s.durable.clone()
		if isLines(resp) {
			return s.stream(ctx, resp)
		}
		e, err := s.document(resp)
		if err != nil {
			return err
		}
		return target.Stop(s.take(ctx, resp, e, false))
	})
}

// take passes on what one answer, or one line of it, brings.
func (s *session) take(ctx context.Context, resp *target.Response, e *response.Response, line bool) error {
	p, err := e.Records(s.wanted, s.allowed, s.look)
	if err != nil {
		return violation(resp, err.Error())
	}
	first := s.pos.Answers == 0 && !s.resumed
	if first {
		s.noteClock(resp)
	}
	s.count(p)
	if err := s.sane(resp, e, p, line); err != nil {
		return err
	}
	more := e.Page.More()
	if line && e.Page == nil && !first {
		return violation(resp, "a stream of several lines needs a page in each")
	}
	if s.ended = !more; s.ended {
		if err := s.tooMany(resp, 0.05); err != nil {
			return err
		}
	}
	out := p.SyncResponse
	out.Page = s.page(e.Page, p, more, first)
	if more && (!line || e.Page.Checkpoint != "") {
		s.pos.Token, s.pos.own = "", e.Page.Checkpoint
		if !line {
			s.pos.Token = e.Page.NextPageToken
		}
		out.Page.Checkpoint = s.checkpoint()
		s.durable = s.pos.clone()
	}
	s.emitted = true
	return s.emit(ctx, out)
}

// noteClock keeps what the service says the time is.
func (s *session) noteClock(resp *target.Response) {
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		at = at.UTC()
		s.pos.Began = &at
	}
}

func (s *session) count(p *response.Page) {
	s.pos.Answers++
	for _, kind := range response.AllKinds {
		if !s.wanted[kind] {
			continue
		}
		if n := p.Living(kind); n > 0 {
			s.pos.Count[kind] += n
		}
		if p.Keyless[kind] {
			s.pos.Keyless[kind] = true
		}
	}
	s.pos.Read += p.Len() + p.Skipped
	s.pos.Skipped += p.Skipped
	for _, w := range p.Unfit {
		w.Message = s.clean(w.Message, 500)
		s.warned[w.Code]++
		if s.warned[w.Code] <= response.MaxWarnings {
			s.warnings = append(s.warnings, w)
		}
	}
}

func (s *session) warn(code, message string) {
	if s.warned[code]++; s.warned[code] == 1 {
		s.warnings = append(s.warnings, v1.Warning{Code: code, Message: s.clean(message, 500)})
	}
}
