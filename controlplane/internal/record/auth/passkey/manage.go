package passkey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
)

// Passkey is a passkey of a user.
type Passkey struct {
	// ID of the passkey.
	ID string `json:"id" db:"id"`
	// Name that the user gave it.
	Name string `json:"name" db:"name" example:"Work laptop"`
	// Host name that the passkey belongs to.
	Domain string `json:"domain" db:"relying_party" example:"iga.example.com"`
	// True if a password manager copies the passkey to other devices.
	Synced bool `json:"synced" db:"backed_up"`
	// Time the passkey was registered.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time of the last use. Null before the first one.
	LastUsedAt *time.Time `json:"last_used_at" db:"last_used_at" nullable:"true"`
}

// PasskeyPatch is the body of PATCH /auth/passkeys/{id}, a JSON merge patch (RFC 7396).
type PasskeyPatch struct {
	// Name by which you recognize the passkey.
	Name *string `json:"name,omitempty" minLength:"1" maxLength:"100" example:"Work laptop"`
}

const columns = `id::text as id, name, relying_party, backed_up, created_at, last_used_at`

// list is GET /auth/passkeys: those of the viewer, the oldest first.
func (s *Service) list(
	ctx context.Context, v viewer.Viewer, in *httpapi.Paging,
) (*httpapi.ListOut[Passkey], error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	walk, err := s.Sessions.Cursors.Walk(v, "passkeys", *in, nil)
	if err != nil {
		return nil, err
	}
	const sql = `
		select ` + columns + `
		  from passkey
		 where user_id = @user
		   and (@after::uuid is null or id > @after)
		 order by id
		 limit @limit + 1
		offset @offset`
	args := pgx.NamedArgs{"user": v.ID, "limit": walk.Page.Limit, "offset": walk.Page.Offset, "after": nil}
	if len(walk.Page.After) > 0 {
		args["after"] = walk.Page.After[0]
	}
	var (
		items []Passkey
		total int64
	)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		const count = `select count(*) from passkey where user_id = $1`
		if total, err = pg.One[int64](ctx, tx, "count passkeys", count, v.ID); err != nil {
			return err
		}
		items, err = pg.All[Passkey](ctx, tx, "list passkeys", sql, args)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(walk, items, total, func(p Passkey) []string { return []string{p.ID} }), nil
}

// find reads a passkey of the user. It returns a fault of kind NotFound if there is none.
func find(ctx context.Context, tx *pg.Tx, user, id string) (Passkey, error) {
	const sql = `select ` + columns + ` from passkey where user_id = $1 and id = $2 for update`
	p, err := pg.One[Passkey](ctx, tx, "find passkey", sql, user, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fault.New(fault.NotFound, "Passkey %s of yours was not found.", id)
	}
	return p, err
}

// renameIn is the input of rename.
type renameIn struct {
	ID   string `path:"id" format:"uuid"`
	Body PasskeyPatch
}

// rename is PATCH /auth/passkeys/{id}.
func (s *Service) rename(ctx context.Context, v viewer.Viewer, in *renameIn) (*httpapi.One[Passkey], error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	var out Passkey
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if out, err = find(ctx, tx, v.ID, in.ID); err != nil || in.Body.Name == nil {
			return err
		}
		name, err := nameOf(*in.Body.Name)
		if err != nil || name == out.Name {
			return err
		}
		const sql = `update passkey set name = $2 where id = $1`
		if err := pg.Exec(ctx, tx, "rename a passkey", sql, in.ID, name); err != nil {
			return err
		}
		was := out.Name
		out.Name = name
		return audit.Record(ctx, tx, audit.Entry{
			Action: "auth.passkey_renamed", Subject: audit.Subject{Type: "user", ID: v.ID, Display: v.Display},
			Changes: []audit.Change{{Field: "name", From: was, To: name}},
			Context: map[string]any{"passkey_id": in.ID},
		})
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Passkey]{Body: out}, nil
}

// removeIn is the input of remove.
type removeIn struct {
	ID   string `path:"id" format:"uuid"`
	Body Proof
}

// remove is DELETE /auth/passkeys/{id}, after a confirmation.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *removeIn) (*struct{}, error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	// A passkey that is not there uses up no code.
	look := func(tx *pg.Tx) error { _, err := find(ctx, tx, v.ID, in.ID); return err }
	if err := s.DB.As(ctx, v, look); err != nil {
		return nil, err
	}
	if err := s.Reauthenticate(ctx, v, in.Body); err != nil {
		return nil, err
	}
	return nil, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		p, err := find(ctx, tx, v.ID, in.ID)
		if err != nil {
			return err
		}
		if err := pg.Exec(ctx, tx, "delete a passkey", `delete from passkey where id = $1`, in.ID); err != nil {
			return err
		}
		return record(ctx, tx, "auth.passkey_deleted", v.ID, audit.Success, about(p))
	})
}

// RemoveAll deletes the passkeys of a user, for an administrator, and records each. It returns how many there were.
func RemoveAll(ctx context.Context, tx *pg.Tx, user, reason string) (int, error) {
	const sql = `delete from passkey where user_id = $1 returning ` + columns
	gone, err := pg.All[Passkey](ctx, tx, "delete passkeys", sql, user)
	if err != nil {
		return 0, err
	}
	entries := make([]audit.Entry, len(gone))
	for i, p := range gone {
		entries[i] = entry("auth.passkey_deleted", user, audit.Success, about(p))
		entries[i].Context["reason"] = reason
	}
	return len(gone), audit.RecordAll(ctx, tx, entries)
}

// Count is the number of passkeys of a user.
func Count(ctx context.Context, tx *pg.Tx, user string) (n int, err error) {
	if err := tx.QueryRow(ctx, `select count(*) from passkey where user_id = $1`, user).Scan(&n); err != nil {
		return 0, fmt.Errorf("count passkeys: %w", err)
	}
	return n, nil
}

// about names a passkey in audit events. Its key and its credential ID are not recorded.
func about(p Passkey) map[string]any {
	return map[string]any{"passkey": p.Name, "passkey_id": p.ID, "domain": p.Domain}
}

func entry(action, user string, o audit.Outcome, context map[string]any) audit.Entry {
	return audit.Entry{
		Action: action, Outcome: o, Subject: audit.Subject{Type: "user", ID: user}, Context: context,
	}
}

func record(
	ctx context.Context, tx *pg.Tx, action, user string, o audit.Outcome, context map[string]any,
) error {
	e := entry(action, user, o, context)
	if tx.Viewer.ID == user {
		e.Subject.Display = tx.Viewer.Display
	}
	return audit.Record(ctx, tx, e)
}
