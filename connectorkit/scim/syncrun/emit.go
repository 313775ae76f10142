package syncrun

import (
	"context"
	"slices"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// EmitBatch emits the records of the run as soon as they are a batch.
func (r *Run) EmitBatch(ctx context.Context) error {
	if r.Out.Len() < BatchSize && len(r.warnings) < 100 {
		return nil
	}
	return r.Emit(ctx, nil)
}

// EmitCheckpoint emits the records of the run with a checkpoint: nothing of them need be read again.
func (r *Run) EmitCheckpoint(ctx context.Context) error {
	if err := r.emitPresent(ctx); err != nil {
		return err
	}
	page := &v1.Page{HasMore: true}
	r.prepare(page)
	if r.LegEnded {
		r.State.Before, r.LegEnded = r.State.Counts, false
	}
	page.Checkpoint = r.State.Encode()
	return r.send(ctx, page)
}

// Emit emits the records of the run, with last as the page if it is the last one.
func (r *Run) Emit(ctx context.Context, last *v1.Page) error {
	if err := r.emitPresent(ctx); err != nil {
		return err
	}
	page := last
	if page == nil {
		if r.Out.Len() == 0 && len(r.warnings) == 0 && len(r.Scopes) == 0 {
			return nil
		}
		page = &v1.Page{HasMore: true}
	}
	r.prepare(page)
	return r.send(ctx, page)
}

// emitPresent emits the ids that are held, a page of them at a time. What was read before them goes first.
func (r *Run) emitPresent(ctx context.Context) error {
	for len(r.present) > 0 {
		p := &r.present[0]
		n := min(len(p.ExternalIDs), v1.MaxPresent)
		page := &v1.Page{HasMore: true, Present: []v1.Present{{Kind: p.Kind, ExternalIDs: p.ExternalIDs[:n]}}}
		r.State.Counts[r.KindIndex(p.Kind)] += n
		if p.ExternalIDs = p.ExternalIDs[n:]; len(p.ExternalIDs) == 0 {
			r.present = r.present[1:]
		}
		out := v1.SyncResponse{Success: true, Page: page}
		page.Read = r.readInfo()
		out.Normalize()
		if err := r.emit(ctx, out); err != nil {
			return err
		}
	}
	return nil
}

// readInfo says how this read is done, and why it is a full one if an incremental one was asked
// for. Each page carries it: the receiver may see only the last pages of a read that was resumed.
func (r *Run) readInfo() *v1.Read {
	p := r.State.Plan
	return &v1.Read{Incremental: p.Incremental(), Strategy: p.Strategy, FallbackReason: p.Reason}
}

// prepare counts what is held and dresses the page that will bring it.
func (r *Run) prepare(page *v1.Page) {
	for i, n := range []int{len(r.Out.Identities), len(r.Out.Accounts), len(r.Out.Entitlements), len(r.Out.Grants)} {
		r.State.Counts[i] += n
	}
	r.State.Stats.APICalls = r.Earlier.APICalls + r.Client.Calls()
	r.State.Stats.RateWaitMS = r.Earlier.RateWaitMS + r.Client.Waited().Milliseconds()
	stats := r.State.Stats
	page.Stats, page.Warnings, page.Estimate, page.Read = &stats, r.warnings, r.State.Estimate, r.readInfo()
	page.Scopes = append(r.Scopes, page.Scopes...)
}

// send emits what is held as one page and begins the next one empty. What is held is let go of
// before it is emitted: after an error the run ends, and nothing is emitted twice.
func (r *Run) send(ctx context.Context, page *v1.Page) error {
	out := r.Out
	out.Success, out.Page = true, page
	out.Normalize()
	r.Out, r.warnings, r.Scopes = v1.SyncResponse{}, nil, nil
	return r.emit(ctx, out)
}

// Finish attests what was read to its end and sends the cursor of the next sync.
func (r *Run) Finish(ctx context.Context) error {
	if r.State.Plan.Known > 0 {
		r.MarkPresent(v1.Entitlements, r.State.Rights[:min(r.State.Plan.Known, len(r.State.Rights))]...)
	}
	if err := r.Emit(ctx, nil); err != nil {
		return err
	}
	if err := r.attestGroups(ctx); err != nil {
		return err
	}
	page := &v1.Page{Watermark: r.State.Latest, Cursor: r.State.Cursor(time.Since(r.began), r.Resumed)}
	for i, kind := range ObjectKinds {
		if r.Want[kind] && (kind != v1.Grants || !r.State.Plan.Incremental()) {
			page.Scopes = append(
				page.Scopes,
				v1.Scope{Kind: kind, Key: "*", Complete: !r.State.Doubts[i], Count: r.State.Counts[i]},
			)
		}
	}
	return r.Emit(ctx, page)
}

// attestGroups names the groups whose members were all read, if nothing can be said of all grants. After a resume
// those of the earlier attempt are not among them: nothing is treated as deleted there until the next read.
func (r *Run) attestGroups(ctx context.Context) error {
	if !r.State.Doubts[r.KindIndex(v1.Grants)] && !r.State.Plan.Incremental() {
		return nil
	}
	for part := range slices.Chunk(r.CompleteGroups, BatchSize) {
		r.Scopes = append(r.Scopes, part...)
		if err := r.Emit(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}
