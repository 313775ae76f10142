package drift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// AccountDrift is how an account stands to its template.
type AccountDrift struct {
	// ID of the account.
	AccountID string `json:"account_id"`
	// ID of the connector of the account.
	ConnectorID string `json:"connector_id"`
	// Who writes the account: unmanaged, read_only, discovered, managed or protected. Only managed accounts are
	// compared.
	Managed string `json:"managed"`
	// Attributes whose value in the target system differs from the account template and is not accepted.
	Drift []AttributeDrift `json:"attribute_drift" nullable:"false"`
	// By attribute.
	Accepted map[string]AcceptedDrift `json:"accepted" nullable:"false"`
	// Attributes whose value the account template cannot compute from the owner.
	Problems []template.AttributeProblem `json:"problems" nullable:"false"`
	// Time the account was last compared with its account template; null if it was never compared.
	LookedAt *time.Time `json:"looked_at"`
}

type oneIn struct {
	// ID of the account.
	ID string `path:"id"`
}

// read is GET …/drift of an account.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (out *httpapi.One[AccountDrift], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		a, err := directoryaccount.Find(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		d, err := view(ctx, tx, a)
		out = &httpapi.One[AccountDrift]{Body: d}
		return err
	})
	return out, err
}

// view is the drift of an account as it was last found. An account that was never compared has
// none.
func view(ctx context.Context, tx *pg.Tx, a directoryaccount.Account) (AccountDrift, error) {
	out := AccountDrift{
		AccountID:   a.ID,
		ConnectorID: a.ConnectorID,
		Managed:     a.Managed,
		Drift:       []AttributeDrift{},
		Accepted:    map[string]AcceptedDrift{},
		Problems:    []template.AttributeProblem{},
	}
	const sql = `select drift, accepted, problems, looked_at from account_shape where tenant_id = current_tenant()
		and account_id = $1`
	err := tx.QueryRow(ctx, sql, a.ID).Scan(&out.Drift, &out.Accepted, &out.Problems, &out.LookedAt)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return out, fmt.Errorf("read drift: %w", err)
	}
	return out, nil
}

// DriftedAccount is an account that is other than its template.
type DriftedAccount struct {
	// ID of the account.
	AccountID string `json:"account_id" db:"account_id"`
	// ID of the connector of the account.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// ID of the identity that owns the account; null if it has no owner.
	IdentityID *string `json:"identity_id" db:"identity_id"`
	// Username of the account; null if it is not known.
	Username *string `json:"username" db:"username"`
	// Attributes whose value in the target system differs from the account template and is not accepted.
	Drift []AttributeDrift `json:"attribute_drift" db:"drift" nullable:"false"`
	// Time the account was last compared with its account template.
	LookedAt time.Time `json:"looked_at" db:"looked_at"`
}

// DriftFilters narrow the list.
type DriftFilters struct {
	// Accounts of this connector.
	ConnectorID string `query:"connector_id" format:"uuid"`
	// Accounts of this identity.
	IdentityID string `query:"identity_id" format:"uuid"`
	// Only accounts of which this attribute is other.
	Field string `query:"field"`
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	DriftFilters
}

// DriftResolution settles drift.
type DriftResolution struct {
	// Attributes of attribute_drift; with push also those that were accepted.
	Fields []string `json:"fields" minItems:"1" maxItems:"200"`
	// How the drift is resolved. push: a provisioning task writes the values of the account template. accept: the
	// values in the target system may stay.
	Direction string `json:"direction" enum:"push,accept"`
}

// DriftSettled is what became of it.
type DriftSettled struct {
	AccountDrift
	// The provisioning task that writes them; null with accept.
	TaskID *string `json:"task_id"`
}

type settleIn struct {
	// ID of the account.
	ID   string `path:"id"`
	Body DriftResolution
}

// settle is POST …/drift/resolve: accept the target's values, or write the template's. The queue's
// lock keeps the worker from comparing the account at the same time.
func (s *Service) settle(
	ctx context.Context,
	v viewer.Viewer,
	in *settleIn,
) (out *httpapi.One[DriftSettled], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := queue.Lock(ctx, tx, kind); err != nil {
			return err
		}
		a, err := directoryaccount.Find(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		before, err := view(ctx, tx, a)
		if err != nil {
			return err
		}
		resolve, err := in.Body.among(before)
		if err != nil {
			return err
		}
		by := AcceptedDrift{By: v.Display, ByID: v.ID, At: s.Now().UTC()}
		tasks, err := s.pass(ctx, tx, map[string][]string{a.ID: {whyAsked}}, resolve, by)
		if err != nil {
			return err
		}
		after := DriftSettled{}
		if after.AccountDrift, err = view(ctx, tx, a); err != nil {
			return err
		}
		if len(tasks) > 0 {
			after.TaskID = &tasks[0]
		}
		out = &httpapi.One[DriftSettled]{Body: after}
		return recordSettled(ctx, tx, a, in.Body, after.TaskID)
	})
	return out, err
}

// among finds the attributes that are to be settled, by the template's spelling.
func (r DriftResolution) among(d AccountDrift) (map[string]string, error) {
	out := map[string]string{}
	var wrong []fault.Field
	for i, name := range r.Fields {
		field := ""
		for _, e := range d.Drift {
			if strings.EqualFold(e.Field, name) {
				field = e.Field
			}
		}
		for accepted := range d.Accepted {
			if field == "" && r.Direction == writing.DriftPush && strings.EqualFold(accepted, name) {
				field = accepted
			}
		}
		if field == "" {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: fmt.Sprintf("#/fields/%d", i),
					Code:    "not_drifted",
					Detail:  name + " is as the template has it, or none of its attributes",
				},
			)
			continue
		}
		out[field] = r.Direction
	}
	if len(wrong) > 0 {
		return nil, fault.Coded(fault.Invalid, "not_drifted", "None of the attributes differs from the template.").
			With(wrong...)
	}
	return out, nil
}

// recordSettled records which fields were settled in which direction, and the task that writes
// them.
func recordSettled(ctx context.Context, tx *pg.Tx, a directoryaccount.Account, r DriftResolution, task *string) error {
	fields := slices.Clone(r.Fields)
	slices.Sort(fields)
	display := a.ID
	if a.Username != nil {
		display = *a.Username
	}
	about := map[string]any{"fields": slices.Compact(fields), "direction": r.Direction}
	if task != nil {
		about["task_id"] = *task
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "account.drift_resolved",
			Subject: audit.Subject{Type: "account", ID: a.ID, Display: display},
			Context: about,
		},
	)
}

// DriftCheck is how many accounts will be compared.
type DriftCheck struct {
	// Number of managed accounts that will be compared with their account template.
	Accounts int64 `json:"accounts"`
}

// check is POST …/drift/check of a connector: all of its accounts are compared again by the worker.
func (s *Service) check(ctx context.Context, v viewer.Viewer, in *oneIn) (out *httpapi.One[DriftCheck], err error) {
	missing := fault.New(fault.NotFound, "Connector %s was not found.", in.ID)
	if !listing.IsID(in.ID) {
		return nil, missing
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `select business_id from connector where tenant_id = current_tenant() and id = $1
			and deleted_at is null`
		name := ""
		switch err := tx.QueryRow(ctx, sql, in.ID).Scan(&name); {
		case errors.Is(err, pgx.ErrNoRows):
			return missing
		case err != nil:
			return fmt.Errorf("find connector: %w", err)
		}
		n, err := shape.Retouch(ctx, tx, in.ID, whyAsked)
		if err != nil {
			return err
		}
		out = &httpapi.One[DriftCheck]{Body: DriftCheck{Accounts: n}}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "connector.drift_checked",
				Subject: audit.Subject{Type: "connector", ID: in.ID, Display: name},
				Context: map[string]any{"accounts": n},
			},
		)
	})
	return out, err
}
