package request

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/draft"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// AccessRequestPreview is what would become of a request, and what stands against it.
type AccessRequestPreview struct {
	accessrequest.AccessRequestForesight
	// Nothing prevents it.
	Submittable bool `json:"submittable"`
	// Everything that a submission would be refused for.
	Problems []draft.AccessRequestProblem `json:"problems" nullable:"false"`
	// What separation-of-duties policies say about the access, together with what the person has and what is pending
	// for them. Violations that are only recorded are shown to administrators and auditors.
	Separation check.SeparationVerdict `json:"separation_of_duties"`
}

// Preview says what would become of a request. It writes nothing, and refuses nothing that it can tell of instead.
func (s *Service) Preview(
	ctx context.Context,
	v viewer.Viewer,
	in accessrequest.NewAccessRequest,
) (out AccessRequestPreview, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		d := draft.New(tx, in, "#")
		if err := draft.Examine(ctx, tx, []*draft.Draft{d}, false, s.Now()); err != nil {
			return err
		}
		for _, f := range d.Faults {
			if f.Kind == fault.NotFound || f.Code == "not_allowed_to_ask_for" {
				return f // about people whom one may not ask for, there is nothing to foresee
			}
		}
		out = AccessRequestPreview{
			AccessRequestForesight: d.Foresee(),
			Submittable:            len(d.Faults) == 0,
			Problems:               d.Problems(),
			Separation:             d.Separation.ShownTo(v),
		}
		for i := range out.Items {
			out.Items[i].ItemID = "" // it has none before it is submitted
		}
		return nil
	})
	return out, err
}
