package evidence

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Service serves evidence. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
}

const base = "/policies/mitigations/{id}/evidence"

const (
	aboutProvide = "Provides evidence that is due. The owner of the mitigation and administrators provide it. It " +
		"counts at once, and another person reviews it. 409 invalid_transition if no evidence is due."
	aboutAccept = "Accepts pending evidence. Neither the owner of the mitigation, nor who provided the evidence, nor " +
		"the person concerned reviews it."
	aboutReject = "Rejects pending evidence. Other evidence is due within a day."
)

// Routes are the paths of evidence.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", base, "List the evidence of a mitigation", s.list),
		httpapi.Handle("POST", base, "Create evidence", s.provide).
			Status(http.StatusCreated).
			Errors(409).
			Bulk().
			Describe(aboutProvide),
		httpapi.Handle("GET", base+"/{evidence_id}", "Retrieve evidence", s.read),
		httpapi.Download("GET", base+"/{evidence_id}/file", "Retrieve the file of evidence",
			"application/octet-stream", s.file),
		httpapi.Handle("POST", base+"/{evidence_id}/accept", "Accept evidence", s.accept).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutAccept),
		httpapi.Handle("POST", base+"/{evidence_id}/reject", "Reject evidence", s.reject).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutReject),
	}
}

type listIn struct {
	// ID of the mitigation.
	ID string `path:"id"`
	httpapi.Paging
}

// list is GET of the evidence of a mitigation.
func (s *Service) list(
	ctx context.Context,
	v viewer.Viewer,
	in *listIn,
) (*httpapi.ListOut[MitigationEvidence], error) {
	walk, err := s.Cursors.Walk(v, "mitigation-evidence", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	var items []MitigationEvidence
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		m, err := mitigation.Find(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if items, total, err = listing.Fetch[MitigationEvidence](ctx, tx, query(in.ID), walk.Page); err != nil {
			return err
		}
		return hide(ctx, tx, m.Identity.ID, items)
	})
	return httpapi.Out(walk, items, total, func(e MitigationEvidence) []string { return []string{e.ID, e.ID} }), err
}

type provideIn struct {
	// ID of the mitigation.
	ID   string `path:"id"`
	Body NewMitigationEvidence
}

// provide is POST of evidence.
func (s *Service) provide(
	ctx context.Context,
	v viewer.Viewer,
	in *provideIn,
) (*httpapi.Created[MitigationEvidence], error) {
	var made MitigationEvidence
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		made, err = Provide(ctx, tx, in.ID, in.Body, s.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[MitigationEvidence]{
		Location: httpapi.Prefix + "/policies/mitigations/" + in.ID + "/evidence/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type evidenceIDIn struct {
	// ID of the mitigation.
	ID string `path:"id"`
	// ID of the evidence.
	EvidenceID string `path:"evidence_id"`
}

// read is GET of one piece of evidence.
func (s *Service) read(
	ctx context.Context,
	v viewer.Viewer,
	in *evidenceIDIn,
) (*httpapi.One[MitigationEvidence], error) {
	var found MitigationEvidence
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, err = visible(ctx, tx, in)
		return err
	})
	return shown(found, err)
}

// visible finds evidence of a mitigation that the viewer may read.
func visible(ctx context.Context, tx *pg.Tx, in *evidenceIDIn) (MitigationEvidence, error) {
	m, err := mitigation.Find(ctx, tx, in.ID)
	if err != nil {
		return MitigationEvidence{}, err
	}
	e, err := find(ctx, tx, m.ID, in.EvidenceID, "")
	if err != nil {
		return e, err
	}
	list := []MitigationEvidence{e}
	err = hide(ctx, tx, m.Identity.ID, list)
	return list[0], err
}

// shown is the response with evidence and its version as ETag.
func shown(e MitigationEvidence, err error) (*httpapi.One[MitigationEvidence], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[MitigationEvidence]{ETag: httpapi.ETag(e.Version), Body: e}, nil
}

// file is GET …/file. The media type that was sent is not the one of the response, so that no browser runs the file.
func (s *Service) file(ctx context.Context, v viewer.Viewer, in *evidenceIDIn) (httpapi.File, error) {
	var out httpapi.File
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		e, err := visible(ctx, tx, in)
		if err != nil {
			return err
		}
		if e.FileName == nil {
			return fault.New(fault.NotFound, "Evidence %s has no file.", e.ID)
		}
		bytes, err := content(ctx, tx, e.ID)
		out = httpapi.File{Name: *e.FileName, Write: func(_ context.Context, w io.Writer) error {
			_, err := w.Write(bytes)
			return err
		}}
		return err
	})
	return out, err
}

type acceptIn struct {
	// ID of the mitigation.
	ID string `path:"id"`
	// ID of the evidence.
	EvidenceID string `path:"evidence_id"`
	httpapi.IfMatch
	Body struct {
		// Comment on the evidence.
		Comment string `json:"comment,omitempty" maxLength:"2000"`
	}
}

// accept is POST …/accept.
func (s *Service) accept(ctx context.Context, v viewer.Viewer, in *acceptIn) (*httpapi.One[MitigationEvidence], error) {
	return s.review(ctx, v, evidenceIDIn{in.ID, in.EvidenceID}, in.IfMatch, Accepted, in.Body.Comment)
}

type rejectIn struct {
	// ID of the mitigation.
	ID string `path:"id"`
	// ID of the evidence.
	EvidenceID string `path:"evidence_id"`
	httpapi.IfMatch
	Body struct {
		// Why the evidence is not enough.
		Comment string `json:"comment" minLength:"1" maxLength:"2000"`
	}
}

// reject is POST …/reject.
func (s *Service) reject(ctx context.Context, v viewer.Viewer, in *rejectIn) (*httpapi.One[MitigationEvidence], error) {
	return s.review(ctx, v, evidenceIDIn{in.ID, in.EvidenceID}, in.IfMatch, Rejected, in.Body.Comment)
}

func (s *Service) review(
	ctx context.Context,
	v viewer.Viewer,
	in evidenceIDIn,
	match httpapi.IfMatch,
	verdict, comment string,
) (*httpapi.One[MitigationEvidence], error) {
	var after MitigationEvidence
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := visible(ctx, tx, &in)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		after, err = Review(ctx, tx, in.ID, in.EvidenceID, verdict, comment, s.Now())
		return err
	})
	return shown(after, err)
}
