package signin

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
)

// An e-mail address may have users in several tenants. Who signs in without naming a tenant is the one user whose
// password fits, so that a user in one tenant neither keeps anybody out of another nor shows that there is another.
// Where one password fits several, the tenant must be named.

// maxCandidates bounds the passwords that one sign-in is compared with.
const maxCandidates = 4

// candidate is a user who may be the one that signs in.
type candidate struct {
	person  session.User
	try     throttle.Attempt // what failures of this user are counted under
	closed  bool             // there were too many: no password is compared with this user's
	renewed string           // a new hash, where the stored one was made at another cost
}

// find looks for the users of an address, over all tenants or in the named one. Users without a password do not count
// beside one who has one: an invitation in one tenant does not keep anybody out of another.
func (s *Service) find(ctx context.Context, email, slug string) ([]session.User, error) {
	const sql = `
		select u.tenant_id::text, u.id::text, u.email, u.display_name, u.identity_id::text, u.roles, u.status,
		    u.password_epoch, u.password_hash, t.status
		  from app_user u
		  join tenant t
		    on t.id = u.tenant_id
		 where u.email_lc = $1
		   and ($2 = '' or t.slug = $2)
		 order by u.status = 'active' and u.password_hash is not null desc, u.id
		 limit $3`
	var found []session.User
	err := s.DB.Across(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, email, slug, maxCandidates)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p session.User, err error) {
			return p, row.Scan(
				&p.Tenant,
				&p.ID,
				&p.Email,
				&p.Name,
				&p.Identity,
				&p.Roles,
				&p.Status,
				&p.Epoch,
				&p.Hash,
				&p.TenantStatus,
			)
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find user: %w", err)
	}
	n := 0
	for n < len(found) && found[n].HasPassword() {
		n++
	}
	if n == 0 && len(found) == 1 {
		n = 1 // that user's tenant is told of the attempt
	}
	return found[:n], nil
}

// candidatesOf are the users as whom somebody may sign in. There is always one, who may be nobody.
func candidatesOf(who []session.User, ip string) []candidate {
	if len(who) == 0 {
		return []candidate{{}}
	}
	all := make([]candidate, len(who))
	for i, p := range who {
		all[i] = candidate{person: p, try: throttle.UserAttempt(p.Tenant, p.ID, ip)}
		all[i].try.Network = nil // it counts for what was typed
	}
	return all
}

// close marks the candidates for whom there were too many attempts.
func (s *Service) close(ctx context.Context, all []candidate) error {
	for i := range all {
		err := s.Limits.Check(ctx, all[i].try)
		if err != nil && !fault.IsCode(err, "login_throttled") {
			return err
		}
		all[i].closed = err != nil
	}
	return nil
}

// checkPassword finds the one candidate whose password it is, within the limits of attempts. What was typed decides
// alone whether the answer is that there were too many: it would tell otherwise where an address is known. A user for
// whom there were too many is left out without a word, whatever was typed to guess their password.
func (s *Service) checkPassword(
	ctx context.Context, typed throttle.Attempt, all []candidate, plain string,
) (fits candidate, err error) {
	if err := s.Limits.Check(ctx, typed); err != nil {
		return fits, err
	}
	err = s.Desk.Do(ctx, func() error {
		// Others may have failed while this one waited for its turn: without a second look a flood of parallel attempts
		// would be as many guesses.
		// What was typed is looked at last: it is closed by then if the user is, since both are counted together.
		if err := s.close(ctx, all); err != nil {
			return err
		}
		if err := s.Limits.Check(ctx, typed); err != nil {
			return err
		}
		fitting, missed, err := compare(all, plain)
		if err != nil {
			return err
		}
		// Also where another user's password fits: who knows one password of an address would otherwise have free
		// guesses at the others.
		failures := missed
		if len(fitting) == 0 {
			failures = append(failures, typed)
		}
		if len(failures) > 0 {
			if err := s.Limits.RecordFailure(ctx, failures...); err != nil {
				return err
			}
		}
		if len(fitting) != 1 { // several: right, but not enough to know which
			return wrongCredentials()
		}
		fits = fitting[0]
		return nil
	})
	return fits, err
}

// compare tells whose password it is, and under what the others count a failure. What it compares with where there is
// none takes as long.
func compare(all []candidate, plain string) (fitting []candidate, missed []throttle.Attempt, err error) {
	for _, c := range all {
		stored, counts := password.Nobody(), c.person.HasPassword() && !c.closed
		if counts {
			stored = *c.person.Hash
		}
		ok, outdated, err := password.Verify(stored, plain)
		switch {
		case err != nil:
			return nil, nil, err
		case c.closed:
		case !counts || !ok:
			missed = append(missed, c.try)
		default:
			if outdated {
				c.renewed = password.Hash(plain)
			}
			fitting = append(fitting, c)
		}
	}
	return fitting, missed, nil
}
