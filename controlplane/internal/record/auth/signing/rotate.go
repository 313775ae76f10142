package signing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// knownBefore is how long a key is published before it signs, so that whoever keeps a copy of our key set has it by
// then.
const knownBefore = 24 * time.Hour

// longest are the lives of the longest-lived tokens of an audience: so long a key that signs no more still verifies. An
// agent that was switched off renews by a token as old as it likes, for which keys that were retired are good enough.
var longest = map[Audience]time.Duration{
	ForAPI:     366 * 24 * time.Hour,
	ForRefresh: RefreshLife + time.Hour,
	ForAgent:   2 * time.Hour,
	ForEnroll:  25 * time.Hour,
}

// SigningKey is a key as an operator sees it.
type SigningKey struct {
	// ID is the kid of tokens.
	ID          string
	Audience    string // api, refresh, agent or enroll
	State       State
	CreatedAt   time.Time
	ActivatedAt *time.Time
	EndedAt     *time.Time // when it stopped signing
}

// Rotation asks for new signing keys.
type Rotation struct {
	Audiences []string // which; empty: all
	Now       bool     // sign with the new key at once, though nobody outside knows it yet
}

// Moved is what a rotation did to a key.
type Moved struct {
	Key   SigningKey
	Until time.Time // of a key that is next: when it may sign
}

// Rotator are the signing keys of a deployment, for an operator's command. The process that serves need not stop: it
// hears of every change at once, and within four seconds in any case.
type Rotator struct{ keys *Keys }

// OpenRotator opens them, making those that are missing.
func OpenRotator(ctx context.Context, db *pg.DB, ring *seal.Keyring) (*Rotator, error) {
	k, err := OpenKeys(ctx, db, ring)
	return &Rotator{k}, err
}

// List shows all keys that there ever were, by audience and age.
func (k *Rotator) List(ctx context.Context) (all []SigningKey, err error) {
	err = k.keys.db.Deployment(ctx, func(tx *pg.Tx) error { all, err = listKeys(ctx, tx); return err })
	return all, err
}

// listKeys reads all keys, by audience and age.
func listKeys(ctx context.Context, tx *pg.Tx) ([]SigningKey, error) {
	const sql = `
		select kid, audience, state, created_at, activated_at, ended_at
		  from signing_key
		 where audience = any ($1)
		 order by audience, created_at, kid`
	rows, err := tx.Query(ctx, sql, audiences)
	if err != nil {
		return nil, fmt.Errorf("list signing keys: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s SigningKey, err error) {
		return s, row.Scan(&s.ID, &s.Audience, &s.State, &s.CreatedAt, &s.ActivatedAt, &s.EndedAt)
	})
}

// Rotate takes each audience one step on. A key that has been known for a day begins to sign, the one before it only
// verifies, and a further one is made known; keys whose last token has ended are retired. Where the next key is younger
// than a day, nothing moves unless it must be now. It returns the keys that were made or moved.
func (k *Rotator) Rotate(ctx context.Context, r Rotation) (moved []Moved, err error) {
	chosen, err := chosenAudiences(r.Audiences)
	if err != nil {
		return nil, err
	}
	err = k.keys.db.Deployment(ctx, func(tx *pg.Tx) error {
		moved = nil
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		all, err := listKeys(ctx, tx)
		if err != nil {
			return err
		}
		for _, a := range chosen {
			steps, err := k.step(ctx, tx, a, of(all, a), r.Now)
			if err != nil {
				return err
			}
			moved = append(moved, steps...)
		}
		return nil
	})
	return moved, err
}

// chosenAudiences are the named audiences; without names all of them.
func chosenAudiences(names []string) ([]Audience, error) {
	if len(names) == 0 {
		return audiences, nil
	}
	var chosen []Audience
	for _, n := range names {
		if !slices.Contains(audiences, Audience(n)) {
			return nil, fault.New(fault.Invalid, "there is no audience %q; there are api, refresh, agent and enroll", n)
		}
		chosen = append(chosen, Audience(n))
	}
	return chosen, nil
}

// of are the keys of an audience.
func of(all []SigningKey, a Audience) []SigningKey {
	return slices.DeleteFunc(slices.Clone(all), func(s SigningKey) bool { return s.Audience != string(a) })
}

// firstIn is the first key in a state; nil: none.
func firstIn(keys []SigningKey, state State) *SigningKey {
	for i := range keys {
		if keys[i].State == state {
			return &keys[i]
		}
	}
	return nil
}

// step moves one audience.
func (k *Rotator) step(ctx context.Context, tx *pg.Tx, a Audience, keys []SigningKey, atOnce bool) ([]Moved, error) {
	moved, err := retireEnded(ctx, tx, a, keys)
	if err != nil {
		return nil, err
	}
	next := firstIn(keys, Next)
	if next == nil {
		made, err := k.makeNext(ctx, tx, a)
		if err != nil {
			return nil, err
		}
		if next = &made.Key; !atOnce {
			return append(moved, made), nil
		}
	}
	if ready := next.CreatedAt.Add(knownBefore); !atOnce && time.Now().Before(ready) {
		return append(moved, Moved{*next, ready}), nil
	}
	promoted, err := promote(ctx, tx, firstIn(keys, Active), next)
	if err != nil {
		return nil, err
	}
	made, err := k.makeNext(ctx, tx, a)
	return append(append(moved, promoted...), made), err
}

// makeNext makes the next key of an audience. It signs only after all processes have had time to
// load it.
func (k *Rotator) makeNext(ctx context.Context, tx *pg.Tx, a Audience) (Moved, error) {
	kid, err := k.keys.create(ctx, tx, a, Next)
	now := time.Now()
	return Moved{SigningKey{ID: kid, Audience: string(a), State: Next, CreatedAt: now}, now.Add(knownBefore)}, err
}

// promote lets next sign instead of active.
func promote(ctx context.Context, tx *pg.Tx, active, next *SigningKey) (moved []Moved, err error) {
	if active != nil {
		if err := move(ctx, tx, active, VerifyOnly); err != nil {
			return nil, err
		}
		moved = append(moved, Moved{Key: *active})
	}
	if err := move(ctx, tx, next, Active); err != nil {
		return nil, err
	}
	return append(moved, Moved{Key: *next}), nil
}

// retireEnded retires keys that stopped signing so long ago that no token of theirs can be valid.
func retireEnded(ctx context.Context, tx *pg.Tx, a Audience, keys []SigningKey) (moved []Moved, err error) {
	for i := range keys {
		s := &keys[i]
		if s.State != VerifyOnly || s.EndedAt == nil || time.Since(*s.EndedAt) < longest[a] {
			continue
		}
		if err := move(ctx, tx, s, Retired); err != nil {
			return nil, err
		}
		moved = append(moved, Moved{Key: *s})
	}
	return moved, nil
}

// move brings a key into a state. The table's trigger tells all processes.
func move(ctx context.Context, tx *pg.Tx, s *SigningKey, to State) error {
	const sql = `
		update signing_key
		   set state = $2,
		       activated_at = case when $2 = 'active' then now() else activated_at end,
		       ended_at = case when $2 in ('verify_only', 'retired') then coalesce(ended_at, now()) end
		 where kid = $1`
	if err := pg.Exec(ctx, tx, fmt.Sprintf("move signing key %s to %s", s.ID, to), sql, s.ID, string(to)); err != nil {
		return err
	}
	s.State = to
	return nil
}

// Retire ends a key that somebody else may have: every token that it signed is refused by all processes within five
// seconds. Where it was the one that signs, the next one takes its place at once, or a new one. It returns the keys
// that moved.
func (k *Rotator) Retire(ctx context.Context, kid string) (moved []Moved, err error) {
	err = k.keys.db.Deployment(ctx, func(tx *pg.Tx) error {
		moved = nil
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		all, err := listKeys(ctx, tx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(s SigningKey) bool { return s.ID == kid })
		if at < 0 {
			return fault.New(
				fault.NotFound,
				"there is no signing key %q; `grantwright keys list` shows those there are",
				kid,
			)
		}
		moved, err = k.retire(ctx, tx, all, &all[at])
		return err
	})
	return moved, err
}

// retire retires a key at once. If it was the active one the next takes its place, made now if
// there is none.
func (k *Rotator) retire(ctx context.Context, tx *pg.Tx, all []SigningKey, s *SigningKey) ([]Moved, error) {
	was := s.State
	if err := move(ctx, tx, s, Retired); err != nil {
		return nil, err
	}
	moved := []Moved{{Key: *s}}
	if was != Active {
		return moved, nil
	}
	a := Audience(s.Audience)
	next := firstIn(of(all, a), Next)
	if next == nil {
		made, err := k.makeNext(ctx, tx, a)
		if err != nil {
			return nil, err
		}
		next = &made.Key
	}
	promoted, err := promote(ctx, tx, nil, next)
	return append(moved, promoted...), err
}
