package request

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/draft"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// AccessRequestBulk are the results of many requests in one call.
type AccessRequestBulk struct {
	// Whether the requests were only checked. If true, none was created.
	DryRun bool `json:"dry_run"`
	// With dry_run: that would be.
	Created int `json:"created"`
	// Number of requests that were refused. With dry_run, that would be.
	Refused int `json:"refused"`
	// In the order of the requests.
	Results []AccessRequestBulkItem `json:"results" nullable:"false"`
}

// AccessRequestBulkItem is what became of one of them.
type AccessRequestBulkItem struct {
	// Position of the request in the body, from 0.
	Index int `json:"index"`
	// Whether the request was created. Always false with dry_run.
	Created bool `json:"created"`
	// ID of the new access request. Absent if none was created.
	ID string `json:"id,omitempty"`
	// Number of the new access request, such as REQ-000123. Absent if none was created.
	Number string `json:"number,omitempty"`
	// Status of the new access request. Absent if none was created.
	Status string `json:"status,omitempty"`
	// With dry_run: what would become of it.
	Foreseen *accessrequest.AccessRequestForesight `json:"foreseen,omitempty"`
	// With dry_run: what separation-of-duties policies say about the access, together with what the person has, what is
	// pending for them, and the requests before it. Violations that are only recorded are shown to administrators and
	// auditors.
	Separation *check.SeparationVerdict `json:"separation_of_duties,omitempty"`
	// Why it was refused.
	Problems []draft.AccessRequestProblem `json:"problems" nullable:"false"`
}

// SubmitMany asks for many things in one call. What is refused does not keep the others from being made.
func (s *Service) SubmitMany(
	ctx context.Context,
	v viewer.Viewer,
	all []accessrequest.NewAccessRequest,
	dryRun bool,
) (out AccessRequestBulk, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		out = AccessRequestBulk{DryRun: dryRun, Results: make([]AccessRequestBulkItem, len(all))}
		drafts, good := make([]*draft.Draft, len(all)), []*draft.Draft{}
		for i, in := range all {
			drafts[i] = draft.New(tx, in, fmt.Sprintf("#/requests/%d", i))
		}
		if err := draft.Examine(ctx, tx, drafts, !dryRun, s.Now()); err != nil {
			return err
		}
		for i, d := range drafts {
			out.Results[i] = AccessRequestBulkItem{Index: i, Problems: d.Problems()}
			if dryRun {
				verdict := d.Separation.ShownTo(v)
				out.Results[i].Separation = &verdict
			}
			if len(d.Faults) > 0 {
				out.Refused++
				continue
			}
			out.Created++
			good = append(good, d)
			if out.Results[i].Created = !dryRun; dryRun {
				foresight := d.Foresee()
				out.Results[i].Foreseen = &foresight
			}
		}
		if dryRun || len(good) == 0 {
			return nil
		}
		if err := s.enter(ctx, tx, good); err != nil {
			return err
		}
		return out.fillResults(ctx, tx, drafts)
	})
	return out, err
}

// fillResults fills in what became of the requests that were made.
func (b *AccessRequestBulk) fillResults(ctx context.Context, tx *pg.Tx, drafts []*draft.Draft) error {
	ids := make([]string, len(drafts))
	place := map[string]int{}
	for i, d := range drafts {
		ids[i], place[d.ID] = d.ID, i
	}
	var id, status string
	var serial int64
	return pg.Each(ctx, tx, "read new requests", []any{&id, &serial, &status}, func() error {
		r := &b.Results[place[id]]
		r.ID, r.Number, r.Status = id, accessrequest.Number(serial), status
		return nil
	}, `select r.id::text, r.number, r.status from access_request r where r.id = any($1::text[]::uuid[])`, ids)
}
