package auth

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// An e-mail address may have users in several tenants. Who signs in without naming a tenant is the one user whose password fits, so
// that a user in one tenant neither keeps anybody out of another nor shows that there is another. Where one password fits several, the
// tenant must be named.

// maxCandidates bounds the passwords that one sign-in is compared with.
const maxCandidates = 4

// candidate is a user who may be the one that signs in.
type candidate struct {
	person  person
	try     attempt
	renewed string // a new hash, where the stored one was made at another cost
}

// find looks for the users of an address, over all tenants or in the named one. Users without a password do not count beside one who
// has one: an invitation in one tenant does not keep anybody out of another.
func (s *Service) find(ctx context.Context, email, slug string) ([]person, error) {
	const sql = `
		select u.tenant_id::text, u.id::text, u.email, u.display_name, u.identity_id::text, u.roles, u.status, u.password_epoch, u.password_hash, t.status
		  from app_user u
		  join tenant t
		    on t.id = u.tenant_id
		 where u.email_lc = $1
		   and ($2 = '' or t.slug = $2)
		 order by u.status = 'active' and u.password_hash is not null desc, u.id
		 limit $3`
	var found []person
	err := s.DB.Across(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, email, slug, maxCandidates)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p person, err error) {
			return p, row.Scan(&p.tenant, &p.id, &p.email, &p.name, &p.identity, &p.roles, &p.status, &p.epoch, &p.hash, &p.tenantStatus)
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find user: %w", err)
	}
	n := 0
	for n < len(found) && found[n].hasPassword() {
		n++
	}
	if n == 0 && len(found) == 1 {
		n = 1 // that user's tenant is told of the attempt
	}
	return found[:n], nil
}

func (p person) hasPassword() bool { return p.status == "active" && p.hash != nil }

// candidatesOf are the users as whom somebody may sign in. Where there is none, attempts are counted under what was typed.
func candidatesOf(who []person, typed, ip string) []candidate {
	if len(who) == 0 {
		return []candidate{{try: attemptOf("address|"+typed, ip)}}
	}
	all := make([]candidate, len(who))
	for i, p := range who {
		all[i] = candidate{person: p, try: attemptOf("user|"+p.tenant+"|"+p.id, ip)}
	}
	return all
}

// admitted leaves out those for whom there were too many attempts. It is a fault when that leaves none.
func (s *Service) admitted(ctx context.Context, all []candidate) (open []candidate, err error) {
	var refused error
	for _, c := range all {
		switch err := s.admit(ctx, c.try); {
		case fault.IsCode(err, "login_throttled"):
			refused = err
		case err != nil:
			return nil, err
		default:
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return nil, refused
	}
	return open, nil
}

// checkPassword finds the one candidate whose password it is, within the limits of attempts.
func (s *Service) checkPassword(ctx context.Context, all []candidate, plain string) (fits candidate, err error) {
	if all, err = s.admitted(ctx, all); err != nil {
		return fits, err
	}
	err = s.desk.Do(ctx, func() error {
		// Others may have failed while this one waited for its turn: without a second look a flood of parallel attempts
		// would be as many guesses.
		open, err := s.admitted(ctx, all)
		if err != nil {
			return err
		}
		fitting, err := fittingOf(open, plain)
		if err != nil {
			return err
		}
		if len(fitting) == 1 {
			fits = fitting[0]
			return nil
		}
		if len(fitting) > 1 { // right, but not enough to know which
			return wrongCredentials()
		}
		for i, c := range open {
			if i > 0 {
				c.try.network = nil // one attempt, though of several accounts
			}
			if err := s.failed(ctx, c.try); err != nil {
				return err
			}
		}
		return wrongCredentials()
	})
	return fits, err
}

// fittingOf compares a password with those of all candidates. What it compares with where there is none takes as long.
func fittingOf(all []candidate, plain string) (fitting []candidate, err error) {
	for _, c := range all {
		stored := password.Nobody()
		if c.person.hasPassword() {
			stored = *c.person.hash
		}
		ok, outdated, err := password.Verify(stored, plain)
		if err != nil {
			return nil, err
		}
		if !ok || !c.person.hasPassword() {
			continue
		}
		if outdated {
			c.renewed = password.Hash(plain)
		}
		fitting = append(fitting, c)
	}
	return fitting, nil
}
