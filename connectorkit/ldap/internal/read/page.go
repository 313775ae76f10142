package read

import (
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// FlushIfFull hands the page on when it is large enough.
func (r *Run) FlushIfFull() error {
	if len(r.Page.Grants) >= pageGrants || r.Page.Len()-len(r.Page.Grants) >= pageRecords {
		return r.flush()
	}
	return nil
}

// flush emits what has been gathered.
func (r *Run) flush() error {
	if r.Page.Len() == 0 && len(r.PageScopes) == 0 {
		return nil
	}
	return r.Send(r.NewPage())
}

// NewPage makes a page of what has been gathered.
func (r *Run) NewPage() v1.SyncResponse {
	out := r.Page
	r.Page = v1.SyncResponse{}
	r.RecordsSinceCheckpoint += out.Len()
	r.Stats.APICalls, r.Stats.Warnings = r.callsBefore+r.Conn.Calls(), r.Warnings.Total
	stats, read := r.Stats, r.ReadInfo
	out.Success = true
	out.Page = &v1.Page{
		HasMore: true, Stats: &stats, Read: &read, Warnings: r.Warnings.take(false), Scopes: r.PageScopes,
	}
	r.PageScopes = nil
	return out
}

// Send emits a page. An error of the receiver is kept in EmitErr: it is no fault of the directory.
func (r *Run) Send(out v1.SyncResponse) error {
	out.Normalize()
	r.EmitErr = r.Emit(r.Ctx, out)
	r.LastReport = time.Now()
	return r.EmitErr
}

// Finish emits the last page with what was proven about each kind, and where the next read of changes starts.
func (r *Run) Finish(scopes []v1.Scope, from *Position) error {
	out := r.NewPage()
	out.Page.HasMore = false
	out.Page.Scopes = append(out.Page.Scopes, scopes...)
	if from != nil {
		cursor, err := from.encode()
		if err != nil {
			return err
		}
		out.Page.Cursor = cursor
	}
	out.Page.Warnings = append(out.Page.Warnings, r.Warnings.take(true)...)
	if !r.watermark.IsZero() {
		out.Page.Watermark = &r.watermark
	}
	return r.Send(out)
}
