package request

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// person is whom something is asked for.
type person struct {
	ID         string `db:"id"`
	Display    string `db:"display_name"`
	Status     string `db:"status"`
	Department string `db:"department"`
	Title      string `db:"title"`
	Report     bool   `db:"report"`
	Waiting    int    `db:"waiting"` // open requests for them
}

// Limits of open requests, against floods: of what waits for one person, and of what one manager has waiting for all
// theirs.
const (
	mostWaiting    = 100
	mostWaitingFor = 500
)

// findPeople finds whom the drafts are for, and refuses those whom the viewer does not see or may not ask for. With
// lock, nothing else is asked for the same people meanwhile.
func findPeople(ctx context.Context, tx *pg.Tx, drafts []*draft, lock bool) error {
	var ids []string
	for _, d := range drafts {
		if listing.IsID(d.in.RequestedForIdentityID) {
			ids = append(ids, d.in.RequestedForIdentityID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if lock {
		if _, err := tx.Exec(
			ctx,
			`select from identity where id = any($1::text[]::uuid[]) order by id for no key update`,
			ids,
		); err != nil {
			return fmt.Errorf("lock people: %w", err)
		}
	}
	known, err := readPeople(ctx, tx, ids)
	if err != nil {
		return err
	}
	waiting, err := waitingBy(ctx, tx)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if d.in.RequestedForIdentityID == "" {
			continue // said already
		}
		p, seen := known[d.in.RequestedForIdentityID]
		if !seen {
			d.against(fault.New(fault.NotFound, "identity %s was not found", d.in.RequestedForIdentityID).
				With(fault.Field{Pointer: d.at + "/requested_for_identity_id", Code: "not_found",
					Detail: "give an identity that is visible to you"}),
			)
			continue
		}
		d.person = *p
		d.checkPerson(tx.Viewer)
		if len(d.faults) == 0 && d.in.Kind == Grant {
			d.checkFlood(p, &waiting, tx.Viewer)
		}
	}
	return nil
}

// findApprovers refuses people whom the requester chose and who cannot be asked.
func findApprovers(ctx context.Context, tx *pg.Tx, drafts []*draft) error {
	var chosen []string
	for _, d := range drafts {
		chosen = append(chosen, d.in.Approvers...)
	}
	if len(chosen) == 0 {
		return nil
	}
	const sql = `
		select i.id::text
		  from identity i
		 where i.id = any($1::text[]::uuid[])
		   and unable_to_decide(i.id) not in ('left', 'not_a_person')`
	rows, err := tx.Query(ctx, sql, chosen)
	if err != nil {
		return fmt.Errorf("find chosen approvers: %w", err)
	}
	there, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("find chosen approvers: %w", err)
	}
	for _, d := range drafts {
		for i, id := range d.in.Approvers {
			if !slices.Contains(there, strings.ToLower(id)) {
				d.wrong(
					fault.Field{
						Pointer: fmt.Sprintf("%s/approvers/%d", d.at, i),
						Code:    "unknown_approver",
						Detail:  "no active identity has this id",
					},
				)
			}
		}
	}
	return nil
}

func readPeople(ctx context.Context, tx *pg.Tx, ids []string) (map[string]*person, error) {
	sql := `
		select i.id::text, i.display_name, i.status, coalesce(i.department, '') as department,
		       coalesce(i.title, '') as title, exists (select from managed_identity() m where m.id = i.id) as report,
		       (select count(*) from access_request q
		         where q.requested_for = i.id and q.status in ('submitted', 'pending_approval',
		             'blocked'))::int as waiting
		  from ` + listing.Readable(tx.Viewer, "identity", "i") + `
		 where i.id = any(@ids::text[]::uuid[])`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("find people: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[person])
	if err != nil {
		return nil, fmt.Errorf("find people: %w", err)
	}
	known := map[string]*person{}
	for _, p := range found {
		known[p.ID] = p
	}
	return known, nil
}

// waitingBy counts the open requests of whoever asks.
func waitingBy(ctx context.Context, tx *pg.Tx) (n int, err error) {
	const sql = `
		select count(*)
		  from access_request q
		 where q.requester_actor = nullif($1, '')::uuid
		   and q.status in ('submitted', 'pending_approval', 'blocked')`
	if err := tx.QueryRow(ctx, sql, tx.Viewer.ID).Scan(&n); err != nil {
		return 0, fmt.Errorf("count open requests: %w", err)
	}
	return n, nil
}

// checkPerson looks whether the viewer may ask for the person, and the person can be given anything.
func (d *draft) checkPerson(v viewer.Viewer) {
	p, self := d.person, v.Identity != "" && v.Identity == d.person.ID
	mayAsk := self || p.Report || v.Has(viewer.Admin) || v.Kind == viewer.Service
	switch {
	case d.in.Kind == Revoke && self:
		d.wrong(
			fault.Field{Pointer: d.at + "/kind", Code: "invalid", Detail: "what is yours you give back: kind return"},
		)
	case d.in.Kind == Revoke && !mayAsk &&
		v.Has(viewer.ResourceOwner): // of what they own: that is looked at with the things
	case d.in.Kind == Return && !self && v.Kind != viewer.Service:
		d.against(
			fault.Coded(
				fault.Forbidden,
				"not_allowed_to_ask_for",
				"only %s can return this access; to end the access of another person, use kind revoke",
				p.Display,
			),
		)
	case !mayAsk:
		d.against(
			fault.Coded(fault.Forbidden, "not_allowed_to_ask_for", "only they themselves, their managers and "+
				"administrators ask for %s", p.Display).
				With(fault.Field{Pointer: d.at + "/requested_for_identity_id", Code: "not_allowed_to_ask_for",
					Detail: "they can ask themselves"}),
		)
	}
	if (p.Status == "deactivated" || p.Status == "archived") && (d.in.Kind == Grant || d.in.Kind == Extend) {
		d.against(
			fault.Coded(fault.Conflict, "identity_inactive", "%s is %s and cannot receive access", p.Display, p.Status),
		)
	}
}

// checkFlood counts the request among those that wait, and refuses it when they are too many.
func (d *draft) checkFlood(p *person, waiting *int, v viewer.Viewer) {
	p.Waiting++
	*waiting++
	switch {
	case p.Waiting > mostWaiting:
		d.against(
			fault.Coded(fault.Conflict, "too_many_open_requests", "%d requests for %s wait for an answer, and no "+
				"more than %d may: withdraw some, or wait until they are decided",
				p.Waiting-1, p.Display, mostWaiting).
				Also("limit", mostWaiting),
		)
	case *waiting > mostWaitingFor && v.Kind == viewer.User && !v.Has(viewer.Admin):
		d.against(
			fault.Coded(fault.Conflict, "too_many_open_requests", "%d requests that you have made wait for an "+
				"answer, and no more than %d may", *waiting-1, mostWaitingFor).
				Also("limit", mostWaitingFor),
		)
	}
}
