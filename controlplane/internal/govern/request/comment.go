package request

import (
	"cmp"
	"context"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/timeline"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Comment adds what somebody says who sees the request.
func (s *Service) Comment(
	ctx context.Context,
	v viewer.Viewer,
	id, text, visibility string,
) (said accessrequest.AccessRequestComment, err error) {
	said = accessrequest.AccessRequestComment{
		ID:         accessrequest.NewID(),
		By:         accessrequest.ActorOf(v),
		At:         s.Now().UTC(),
		Text:       strings.TrimSpace(text),
		Visibility: cmp.Or(visibility, accessrequest.Everybody),
	}
	if said.Text == "" {
		return said, fault.New(fault.Invalid, "a comment must not be empty").
			With(fault.Field{Pointer: "#/text", Code: "required", Detail: "enter a comment"})
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := accessrequest.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		if said.Visibility == accessrequest.Approvers && r.IsParty(v) {
			return fault.New(fault.Invalid, "this comment would be hidden from requesters, and so from you").
				With(fault.Field{Pointer: "#/visibility", Code: "invalid", Detail: "choose everybody"})
		}
		const sql = `
			insert into access_request_comment (tenant_id, id, request_id, at, by, text, visibility)
			values (current_tenant(), $1, $2, $3, $4, $5, $6)`
		if err := pg.Exec(
			ctx,
			tx,
			"write comment",
			sql,
			said.ID,
			id,
			said.At,
			said.By,
			said.Text,
			said.Visibility,
		); err != nil {
			return err
		}
		return audit.Record(ctx, tx, r.AuditEntry(accessrequest.AuditCommented, nil, ""))
	})
	return said, err
}

// Timeline is everything that happened to a request, the first thing first.
func (s *Service) Timeline(ctx context.Context, v viewer.Viewer,
	id string) (steps []timeline.AccessRequestStep, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := accessrequest.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		steps, err = timeline.Steps(ctx, tx, &r)
		return err
	})
	return steps, err
}
