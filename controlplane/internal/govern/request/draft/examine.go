package draft

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Examine checks drafts completely and notes the faults of each. With lock, no other request for the same people is
// examined meanwhile.
func Examine(ctx context.Context, tx *pg.Tx, drafts []*Draft, lock bool, now time.Time) error {
	for _, d := range drafts {
		d.checkShape(now)
	}
	if err := findPeople(ctx, tx, drafts, lock); err != nil {
		return err
	}
	if err := findApprovers(ctx, tx, drafts); err != nil {
		return err
	}
	if err := findResources(ctx, tx, drafts, now); err != nil {
		return err
	}
	if err := findAccounts(ctx, tx, drafts); err != nil {
		return err
	}
	if err := findHeld(ctx, tx, drafts, now); err != nil {
		return err
	}
	refuseHeld(drafts)
	if err := checkSeparation(ctx, tx, drafts, now); err != nil {
		return err
	}
	if err := findTargets(ctx, tx, drafts); err != nil {
		return err
	}
	if err := refuseExtensions(ctx, tx, drafts); err != nil {
		return err
	}
	if err := resolve(ctx, tx, drafts, now); err != nil {
		return err
	}
	if err := addExceptions(ctx, tx, drafts, now); err != nil {
		return err
	}
	for _, d := range drafts {
		if !d.lost() {
			d.requireApprovers()
			d.checkTerms(now)
		}
	}
	return nil
}
