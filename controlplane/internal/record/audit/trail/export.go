package trail

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/ocsf"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail/search"
)

type exportIn struct {
	Format string `query:"format" enum:"ndjson,csv,ocsf" default:"ndjson"`
	search.Filters
}

var mediaTypes = map[string]string{
	"ndjson": "application/x-ndjson",
	"csv":    "text/csv; charset=utf-8",
	"ocsf":   "application/x-ndjson",
}

// export is one export: what it holds was decided before its first byte.
type export struct {
	s           *Service
	v           viewer.Viewer
	filters     search.Filters
	first, last int64
}

func (s *Service) handleExport(ctx context.Context, v viewer.Viewer, in *exportIn) (httpapi.File, error) {
	if in.Format == "ndjson" && in.Narrows() {
		return httpapi.File{}, fault.Coded(
			fault.Malformed,
			"conflicting_parameters",
			"An export in ndjson must be complete to be verified, so it accepts only from and to. Use csv or ocsf "+
				"with other filters.",
		)
	}
	e := &export{s: s, v: v, filters: in.Filters}
	if err := e.begin(ctx, in.Format); err != nil {
		return httpapi.File{}, err
	}
	name := "audit-" + s.Now().
		UTC().
		Format("20060102T150405Z") +
		map[string]string{"ndjson": ".ndjson", "csv": ".csv", "ocsf": ".ocsf.ndjson"}[in.Format]
	write := map[string]func(context.Context, io.Writer) error{"ndjson": e.writeNDJSON, "csv": e.writeCSV,
		"ocsf": e.writeOCSF}[in.Format]
	return httpapi.File{Name: name, Media: mediaTypes[in.Format], Write: write}, nil
}

// begin records the export and fixes its extent. What is exported ends before the record of its own export.
func (e *export) begin(ctx context.Context, format string) error {
	err := e.s.DB.As(ctx, e.v, func(tx *pg.Tx) (err error) {
		if e.first, e.last, err = search.Span(ctx, tx, e.filters.Period); err != nil {
			return err
		}
		about := map[string]any{"format": format, "from_seq": e.first, "to_seq": e.last}
		if e.filters.Narrows() {
			about["filters"] = e.filters
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "audit.exported", Subject: theLog(tx), Context: about})
	})
	if err != nil || format != "ndjson" || e.last == 0 {
		return err
	}
	// The last entry is signed, so that no end of the file can be cut off or written anew.
	err = e.s.signThrough(ctx, e.v, e.last)
	var b *chain.Break
	if errors.As(err, &b) {
		e.s.Log.ErrorContext(
			ctx,
			"the audit log does not verify; its export is not signed to the end",
			"tenant",
			e.v.Tenant,
			"seq",
			b.Seq,
			"kind",
			b.Kind,
		)
		return nil
	}
	return err
}

// each gives every entry in turn. A batch is read in a transaction of its own: a slow reader holds none open, and since
// entries never change it sees the same as in one.
func (e *export) each(ctx context.Context, do func(l chain.Link) error) error {
	for after := e.first - 1; after < e.last; {
		var links []chain.Link
		err := e.s.DB.As(ctx, e.v, func(tx *pg.Tx) (err error) {
			if e.filters.Narrows() {
				links, err = filteredAfter(ctx, tx, e.filters, after, e.last, batch)
			} else {
				links, err = search.LinksAfter(ctx, tx, after, e.last, batch)
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, l := range links {
			if err := do(l); err != nil {
				return err
			}
		}
		if len(links) < batch {
			return nil
		}
		after = links[len(links)-1].Seq
	}
	return nil
}

func (e *export) writeNDJSON(ctx context.Context, w io.Writer) error {
	var written int64
	line := make([]byte, 0, 4096)
	out := newBuffered(w)
	err := e.each(ctx, func(l chain.Link) error {
		written++
		line = chain.AppendLink(line[:0], l)
		return out.write(line)
	})
	if err != nil {
		return err
	}
	if err := e.writeTrailer(ctx, out, written); err != nil {
		return err
	}
	return out.flush()
}

// writeTrailer writes checkpoints, public keys and the end.
func (e *export) writeTrailer(ctx context.Context, out *buffered, written int64) error {
	var found []stored
	err := e.s.DB.As(ctx, e.v, func(tx *pg.Tx) (err error) {
		found, err = checkpointsBetween(ctx, tx, e.first-2, e.last)
		return err
	})
	if err != nil {
		return err
	}
	keys, err := e.s.Keys.All(ctx)
	if err != nil {
		return err
	}
	var lines []chain.Line
	for _, c := range found {
		lines = append(lines, chain.Line{Type: chain.TypeCheckpoint, KeyID: c.KID, Note: c.Note})
	}
	for _, k := range keys {
		lines = append(lines, chain.Line{Type: chain.TypeKey, KeyID: k.ID, PublicKey: k.Public})
	}
	lines = append(
		lines,
		chain.Line{Type: chain.TypeEnd, TenantID: e.v.Tenant, Events: written, FirstSeq: e.first, LastSeq: e.last},
	)
	for _, l := range lines {
		if err := out.json(l); err != nil {
			return err
		}
	}
	return nil
}

func (e *export) writeOCSF(ctx context.Context, w io.Writer) error {
	out := newBuffered(w)
	err := e.each(ctx, func(l chain.Link) error {
		event, err := audit.Parse(l)
		if err != nil {
			return fmt.Errorf("read audit event %d: %w", l.Seq, err)
		}
		return out.json(ocsf.From(event))
	})
	if err != nil {
		return err
	}
	return out.flush()
}

// buffered gathers lines until they are worth sending.
type buffered struct {
	w   io.Writer
	buf bytes.Buffer
}

const flushAt = 64 << 10

func newBuffered(w io.Writer) *buffered { return &buffered{w: w} }

func (b *buffered) write(line []byte) error {
	b.buf.Write(line)
	if b.buf.Len() < flushAt {
		return nil
	}
	return b.flush()
}

func (b *buffered) json(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode line: %w", err)
	}
	return b.write(append(line, '\n'))
}

func (b *buffered) flush() error {
	_, err := b.w.Write(b.buf.Bytes())
	b.buf.Reset()
	if err != nil {
		return fmt.Errorf("send export: %w", err)
	}
	return nil
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
