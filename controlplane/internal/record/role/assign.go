package role

import (
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Assignment gives somebody a role by a decision. What the role holds, now and later, they have a reason for each of, whose source is the assignment.
type Assignment struct {
	ID         string // made when empty
	RoleID     string
	IdentityID string
	Kind       string         // manual, request or emergency
	Reason     string         // in words
	RequestID  *string        // of a request
	Parameters map[string]any // of a parametric role
	Details    map[string]any // for the reasons: request_id, number, external_reference, approved_by, …
	StartsAt   time.Time      // zero: now
	EndsAt     *time.Time     // nil: never
}

var errNotYet = errors.New("not built yet")

// Assign enters assignments and gives their ids. Everything that the roles hold becomes reasons in the same transaction: of kind role,
// request or emergency by the kind of the assignment.
func Assign(ctx context.Context, tx *pg.Tx, assignments []Assignment) ([]string, error) {
	return nil, errNotYet
}

// ExtendAssignment moves the end of an assignment and of its reasons; nil: it ends no more.
func ExtendAssignment(ctx context.Context, tx *pg.Tx, id string, until *time.Time) error {
	return errNotYet
}

// Unassign ends assignments and their reasons at an instant; zero: now.
func Unassign(ctx context.Context, tx *pg.Tx, ids []string, at time.Time, why string, urgent bool) (int, error) {
	return 0, errNotYet
}
