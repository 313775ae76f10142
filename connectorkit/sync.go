package connectorkit

import (
	"context"
	"errors"
	"fmt"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Chunk sizes in records.
const (
	DefaultChunkSize = 500
	MaxChunkSize     = 10000
)

// Limits bounds the chunks and records of one Sync.
type Limits struct {
	ChunkSize  int // records in a chunk; 0: DefaultChunkSize
	ChunkBytes int // a chunk is closed near this encoded size; 0: no such bound
	MaxRecords int // identities at most, and accounts at most; 0: no cap
}

// LimitsOf returns the limits that a request sets.
func LimitsOf(req v1.SyncRequest, chunkBytes int) Limits {
	l := Limits{ChunkBytes: chunkBytes}
	if o := req.Options; o != nil {
		l.ChunkSize = min(o.ChunkSize, MaxChunkSize)
		if o.MaxRecords != nil {
			l.MaxRecords = *o.MaxRecords
		}
	}
	if l.ChunkSize <= 0 {
		l.ChunkSize = DefaultChunkSize
	}
	return l
}

// errEnough stops a connector whose caller has all the records it asked for.
var errEnough = errors.New("max_records reached")

// Sync runs c and divides its pages into chunks, in the same way in hosted and agent mode, so that both stage the same
// rows in the same order. Only the last chunk has Page.HasMore false. If MaxRecords is reached, the read stops early
// and no scope is complete. A chunk carries the checkpoint of the last page that is wholly in this chunk or earlier
// ones. If MaxRecords ended the read, the checkpoint of the last chunk is where the next read continues.
func Sync(ctx context.Context, c Connector, req v1.SyncRequest, limits Limits, emit Emit) error {
	if limits.ChunkSize <= 0 {
		limits.ChunkSize = DefaultChunkSize
	}
	ch := &chunker{limits: limits, emit: emit}
	err := c.Sync(ctx, ch.takeUp(req), ch.take)
	switch {
	case errors.Is(err, errEnough):
		ch.capped = true
	case err != nil:
		return err
	case ctx.Err() != nil:
		// A connector that stops quietly when cancelled must not pass for one that has read everything.
		return ctx.Err()
	}
	return ch.flush(ctx, true)
}

type chunker struct {
	limits     Limits
	emit       Emit
	out        v1.SyncResponse
	page       v1.Page
	bytes      int
	identities int // so far, against MaxRecords
	accounts   int
	capped     bool
	partial    []v1.Scope // of single entitlements and accounts, since the last chunk
	sentPages  int        // pages of the target that were read when the last chunk was sent

	run         string // sync run that the request belongs to
	incremental bool
	at          string // the connector's last checkpoint
	passed      [2]int // identities and accounts that were handed on since, in this read and the one that it continues
	skip        [2]int // of these, still to be passed over
}

const (
	// maxPartialScopes closes a chunk that would otherwise collect them without a bound.
	maxPartialScopes = 1000
	// MaxPagesPerChunk closes a chunk at a checkpoint, so that a read of many pages with few records does not begin
	// anew when it is interrupted before the chunk is full.
	MaxPagesPerChunk = 20
)

func (c *chunker) take(ctx context.Context, in v1.SyncResponse) error {
	if !in.Success || in.Error != nil {
		return failure(in)
	}
	c.keep(in.Page)
	c.passOver(&in)
	identities, more := c.within(len(in.Identities), &c.identities)
	accounts, still := c.within(len(in.Accounts), &c.accounts)
	c.passed[0], c.passed[1] = c.passed[0]+identities, c.passed[1]+accounts
	if err := add(ctx, c, &c.out.Identities, in.Identities[:identities]); err != nil {
		return err
	}
	if err := add(ctx, c, &c.out.Accounts, in.Accounts[:accounts]); err != nil {
		return err
	}
	if err := add(ctx, c, &c.out.Entitlements, in.Entitlements); err != nil {
		return err
	}
	if err := add(ctx, c, &c.out.Grants, in.Grants); err != nil {
		return err
	}
	if more || still {
		return errEnough
	}
	if err := c.mark(ctx, in.Page); err != nil {
		return err
	}
	if c.out.Len() >= c.limits.ChunkSize {
		return c.flush(ctx, false)
	}
	return nil
}

// mark notes what holds once all records of a page are handed on: where reading may resume, which grants are complete,
// and what is still there.
func (c *chunker) mark(ctx context.Context, p *v1.Page) error {
	if p == nil {
		return nil
	}
	for _, s := range p.Scopes {
		if s.Key == "*" {
			c.page.Scopes = append(c.page.Scopes, s)
		} else {
			c.partial = append(c.partial, s)
		}
	}
	if len(p.Present) > 0 && c.out.Len() > 0 {
		if err := c.flush(ctx, false); err != nil {
			return err
		}
	}
	c.page.Present = p.Present
	if p.Checkpoint != "" {
		c.page.Checkpoint = c.checkpoint(p.Checkpoint)
	}
	overdue := p.Checkpoint != "" && c.pages()-c.sentPages >= MaxPagesPerChunk
	if len(c.page.Present) > 0 || len(c.partial) >= maxPartialScopes || overdue {
		return c.flush(ctx, false)
	}
	return nil
}

// pages is how many pages of the target have been read, as far as the connector says so.
func (c *chunker) pages() int {
	if c.page.Stats == nil {
		return 0
	}
	return c.page.Stats.Pages
}

// within says how many of n further records of one kind still fit under the cap, and whether some did not.
func (c *chunker) within(n int, taken *int) (fit int, cut bool) {
	fit = n
	if c.limits.MaxRecords > 0 {
		fit = min(n, c.limits.MaxRecords-*taken)
	}
	*taken += fit
	return fit, fit < n
}

// add appends records one by one, sending a chunk whenever it is full and another record comes. A full chunk waits for
// the end of its page, so that it carries the page's checkpoint.
func add[T any](ctx context.Context, c *chunker, to *[]T, records []T) error {
	for i := range records {
		if c.out.Len() >= c.limits.ChunkSize {
			if err := c.flush(ctx, false); err != nil {
				return err
			}
		}
		if c.limits.ChunkBytes > 0 {
			n := size(&records[i])
			if c.bytes > 0 && c.bytes+n > c.limits.ChunkBytes {
				if err := c.flush(ctx, false); err != nil {
					return err
				}
			}
			c.bytes += n
		}
		*to = append(*to, records[i])
	}
	return nil
}

// keep remembers what belongs to the whole read.
func (c *chunker) keep(p *v1.Page) {
	if p == nil {
		return
	}
	if p.Cursor != "" {
		c.page.Cursor = p.Cursor
	}
	if p.Stats != nil {
		c.page.Stats = p.Stats
	}
	if p.Estimate != nil {
		c.page.Estimate = p.Estimate
	}
	if p.Watermark != nil {
		c.page.Watermark = p.Watermark
	}
	if p.Read != nil {
		c.page.Read, c.incremental = p.Read, p.Read.Incremental
	}
	c.page.Warnings = append(c.page.Warnings, p.Warnings...)
}

func (c *chunker) flush(ctx context.Context, last bool) error {
	out := c.out
	out.Success = true
	page := v1.Page{
		HasMore:    !last,
		Checkpoint: c.page.Checkpoint,
		Stats:      c.page.Stats,
		Estimate:   c.page.Estimate,
		Warnings:   first(c.page.Warnings, 100),
		Read:       c.page.Read,
		Present:    c.page.Present,
		Scopes:     c.partial,
	}
	if last {
		page.Cursor, page.Watermark, page.Checkpoint = c.page.Cursor, c.page.Watermark, ""
		page.Scopes = append(page.Scopes, c.page.Scopes...)
		if c.capped {
			page.Cursor, page.Checkpoint = "", c.rest()
			page.Scopes = incomplete(page.Scopes)
		}
	}
	out.Page = &page
	out.Normalize()
	c.out, c.bytes, c.page.Warnings, c.page.Present, c.partial = v1.SyncResponse{}, 0, nil, nil, nil
	c.sentPages = c.pages()
	return c.emit(ctx, out)
}

func incomplete(scopes []v1.Scope) []v1.Scope {
	out := make([]v1.Scope, len(scopes))
	for i, s := range scopes {
		s.Complete = false
		out[i] = s
	}
	return out
}

func first[T any](s []T, n int) []T { return s[:min(len(s), n)] }

// failure turns an unsuccessful page into the error it stands for.
func failure(in v1.SyncResponse) error {
	if in.ErrorDetail != nil {
		return in.ErrorDetail
	}
	msg := "the connector reported a failure without saying which"
	if in.Error != nil {
		msg = *in.Error
	}
	if in.Success {
		return &v1.ErrorDetail{
			Class:   v1.ClassProtocol,
			Code:    "protocol_violation",
			Message: fmt.Sprintf("the connector answered success and an error at once: %s", msg),
		}
	}
	return &v1.ErrorDetail{Class: v1.ClassTargetFault, Code: "connector_failed", Message: msg}
}
