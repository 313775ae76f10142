package kind

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Look asks about those of ids that need a decision, and closes the tasks about the others.
func (k Kind) Look(ctx context.Context, tx *pg.Tx, ids []string) error {
	waiting, err := k.waiting(ctx, tx, ids)
	if err != nil {
		return err
	}
	if err := k.askAbout(ctx, tx, waiting); err != nil {
		return err
	}
	rest := slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(waiting, id) })
	return k.takeBack(ctx, tx, rest)
}

// askAbout writes the decision tasks about some objects. The deadline counts from when the object
// was first asked about, so that a task that is written again does not get more time.
func (k Kind) askAbout(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	questions, err := k.Ask(ctx, tx, ids)
	if err != nil {
		return err
	}
	first, err := k.asked(ctx, tx, ids)
	if err != nil {
		return err
	}
	var now time.Time // as the inbox takes it for the time at which a task was made
	if err := tx.QueryRow(ctx, `select now()`).Scan(&now); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	for i := range questions {
		q := &questions[i]
		q.Kind = k.Name
		if k.Within > 0 {
			at, known := first[q.Key]
			if !known {
				at = now
			}
			due := at.Add(k.Within)
			q.DueAt = &due
		}
	}
	_, err = decision.Ask(ctx, tx, questions)
	return err
}

// takeBack closes the tasks of what waits no more, and says why.
func (k Kind) takeBack(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	open, err := k.asked(ctx, tx, ids)
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { _, is := open[id]; return !is })
	why, err := k.ended(ctx, tx, ids)
	if err != nil {
		return err
	}
	byWords := map[string][]string{}
	for _, id := range ids {
		byWords[why[id]] = append(byWords[why[id]], id)
	}
	for words, keys := range byWords {
		if _, err := decision.Close(ctx, tx, k.Name, keys, decision.Superseded, words); err != nil {
			return err
		}
	}
	return nil
}
