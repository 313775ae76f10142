package app_test

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// world is what there is in a tenant, as its tables say. Who sees what of it is worked out here by following everybody,
// without any of the functions that the database decides with.
type world struct {
	people   map[string]person
	accounts map[string]account
	groups   map[string]group
	grants   map[string]grant
	edges    []edge
}

type person struct {
	ID, Name, Status, Department string
	Manager                      *string
}

type account struct {
	ID, Name, Connector, Status, State, Kind string
	Owner                                    *string
	Disabled, Taken                          bool // Taken: an owner was archived
	Since                                    time.Time
}

type group struct {
	ID, Name  string
	Owners    []string
	Removed   bool
	Lifecycle string
}

type grant struct{ ID, Account, Group, Status, Directness string }

type edge struct{ Member, Parent string }

// look reads the world.
func (s *site) look() (w world) {
	s.t.Helper()
	ctx := context.Background()
	err := s.db.As(ctx, s.tenant, func(tx *pg.Tx) (err error) {
		if w.people, err = keyed(
			tx,
			`select id::text, display_name, status, coalesce(department, ''), manager_id::text from identity`,
			func(p person) string { return p.ID },
		); err != nil {
			return err
		}
		if w.accounts, err = keyed(tx, `
			select id::text, coalesce(username, ''), connector_id::text, status, correlation_state, account_type,
			       identity_id::text, coalesce(is_disabled, false), correlation ->> 'previous_owner' is not null,
			           coalesce(unowned_since, first_seen_at)
			  from account`, func(a account) string { return a.ID }); err != nil {
			return err
		}
		if w.groups, err = keyed(
			tx,
			`select id::text, name, owner_ids::text[], removed_at is not null, lifecycle from entitlement`,
			func(g group) string { return g.ID },
		); err != nil {
			return err
		}
		if w.grants, err = keyed(
			tx,
			`select id::text, account_id::text, entitlement_id::text, status, directness from access_grant`,
			func(g grant) string { return g.ID },
		); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `select member_id::text, parent_id::text from entitlement_edge`)
		if err != nil {
			return err
		}
		w.edges, err = pgx.CollectRows(rows, pgx.RowToStructByPos[edge])
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

func keyed[T any](tx *pg.Tx, sql string, key func(T) string) (map[string]T, error) {
	rows, err := tx.Query(context.Background(), sql)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	found := map[string]T{}
	for _, item := range list {
		found[key(item)] = item
	}
	return found, err
}

// sight is the world as one viewer may see it: what is listed, and what besides may be read as one's own.
type sight struct {
	world
	self   string
	all    bool // sees the whole tenant
	listed map[string]bool
	read   map[string]bool

	manages func(id *string) bool
	owns    func(g group) bool
}

// seenBy works out who sees what: all for admins and auditors, else what the roles give, as long as the viewer has not
// left.
func (w world) seenBy(self string, roles ...string) sight {
	s := sight{world: w, self: self, listed: map[string]bool{}, read: map[string]bool{}}
	s.all = slices.Contains(roles, "admin") || slices.Contains(roles, "auditor")
	me, known := w.people[self]
	serves := known && me.Status != "deactivated" && me.Status != "archived"
	manages := func(id *string) bool {
		return id != nil && serves && slices.Contains(roles, "manager") && *id != self && w.beneath(*id, self, nil)
	}
	owns := func(g group) bool {
		return serves && slices.Contains(roles, "resource_owner") && slices.Contains(g.Owners, self)
	}
	s.manages, s.owns = manages, owns
	see := func(id string, listed, own bool) {
		s.listed[id] = s.listed[id] || listed || s.all
		s.read[id] = s.read[id] || listed || own || s.all
	}
	for id := range w.people {
		see(id, manages(&id), id == self)
	}
	for id, a := range w.accounts {
		see(id, manages(a.Owner), a.Owner != nil && *a.Owner == self)
	}
	for id, g := range w.groups {
		see(id, owns(g), false)
	}
	for id, g := range w.grants {
		owner := w.accounts[g.Account].Owner
		held := slices.Contains([]string{"active", "pending", "ending", "revoking", "missing"}, g.Status)
		shown := owner != nil && held && owns(w.groups[g.Group]) // to whoever owns what is held
		mine := owner != nil && *owner == self
		see(id, manages(owner) || shown, mine)
		see(g.Account, shown, false)
		if owner != nil {
			see(*owner, shown, false)
		}
		if !g.over() && g.Status != "failed" {
			see(g.Group, manages(owner), mine)
		}
	}
	return s
}

// over is true of a grant that ended, or whose connector was deleted: lists leave it out.
func (g grant) over() bool { return g.Status == "revoked" || g.Status == "disconnected" }

// over is true of an account that was deleted, or whose connector was: lists leave it out.
func (a account) over() bool { return a.Status == "deleted" || a.Status == "disconnected" }

// beneath reports whether following managers upwards from one leads to another, past those alone of whom by says so.
func (w world) beneath(one, other string, by func(id string) bool) bool {
	seen := map[string]bool{}
	for at := one; !seen[at]; {
		seen[at] = true
		up := w.people[at].Manager
		switch {
		case up == nil:
			return false
		case *up == other:
			return true
		case by != nil && !by(*up):
			return false
		}
		at = *up
	}
	return false
}

// orphaned reports whether an account can be used, nobody accepted it as it is, and its owner has left or was never
// found in 30 days.
func (w world) orphaned(a account) bool {
	usable := a.Status == "active" || a.Status == "locked" || a.Status == "missing" && !a.Disabled
	if !usable || a.State == "ignored" {
		return false
	}
	if a.Owner != nil {
		status := w.people[*a.Owner].Status
		return status == "deactivated" || status == "archived"
	}
	nobodys := []string{"service", "shared", "system", "bot", "ai_agent", "break_glass"}
	return slices.Contains(nobodys, a.Kind) || a.Taken || time.Since(a.Since) >= 30*24*time.Hour
}
