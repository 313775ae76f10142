package accessrequest

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Visibilities of comments.
const (
	Everybody = "everybody"
	Approvers = "approvers" // neither whoever asks nor the person it is for
)

// IsParty reports whether the viewer is the requester or the recipient. They do not read comments among approvers.
func (r *AccessRequest) IsParty(v viewer.Viewer) bool {
	own := v.Identity != "" &&
		(v.Identity == r.RequestedForIdentityID || r.RequesterID != nil && v.Identity == *r.RequesterID)
	return own || r.ActorID != nil && v.ID == *r.ActorID
}

// comments are those that the viewer may read.
func comments(ctx context.Context, tx *pg.Tx, r *AccessRequest) ([]AccessRequestComment, error) {
	const sql = `
		select c.id::text, c.by, c.at, c.text, c.visibility
		  from access_request_comment c
		 where c.request_id = @id
		   and c.visibility = any(@visible)
		 order by c.id`
	visible := []string{Everybody, Approvers}
	if r.IsParty(tx.Viewer) {
		visible = visible[:1]
	}
	return pg.All[AccessRequestComment](ctx, tx, "read comments", sql, pgx.NamedArgs{"id": r.ID, "visible": visible})
}
