package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	policies = "/policies/separation-of-duties"
	duties   = "/policies/duties"
)

const (
	aboutPolicy = "Returns the violations that the policy would cause and end if it were evaluated. The access of " +
		"all people counts, current and pending. Nothing is stored."
	aboutStored = aboutPolicy + " A body is a merge patch of the policy, as for PATCH: the policy is simulated " +
		"with it. Without a body, the policy is simulated as it is saved."
	aboutDuty = "Takes the body of PATCH. Returns the violations that the change would cause and end in all policies " +
		"that name the duty, also in drafts and disabled ones. The access of all people counts, current and pending. " +
		"Nothing is stored."
)

// Routes are the operations that simulate.
func (s *Service) Routes() []httpapi.Route {
	return append(s.runRoutes(),
		httpapi.Handle("POST", policies+"/simulate", "Simulate an unsaved separation-of-duties policy", s.draft).
			For(viewer.Admin).
			LongRunning().
			Status(200).
			Errors(409).
			Describe(aboutPolicy),
		httpapi.Handle("POST", policies+"/{id}/simulate", "Simulate a separation-of-duties policy", s.stored).
			For(viewer.Admin).
			LongRunning().
			Status(200).
			Errors(409).
			Describe(aboutStored),
		httpapi.Handle("POST", duties+"/{id}/simulate", "Simulate a change of a duty", s.duty).
			For(viewer.Admin).
			LongRunning().
			Status(200).
			Errors(409).
			Describe(aboutDuty),
	)
}

type draftIn struct {
	Body    separationpolicy.Fields
	RawBody []byte
}

// subject is the policy, with its figures from nothing.
func (in *draftIn) subject(ctx context.Context, tx *pg.Tx) (subject, error) {
	f := separationpolicy.Sent(in.Body, in.RawBody)
	if err := separationpolicy.Check(ctx, tx, &f, ""); err != nil {
		return subject{}, err
	}
	of := subject{unsaved: uuid.Must(uuid.NewV7()).String(), name: f.Name}
	of.after = []separationpolicy.Policy{{ID: of.unsaved, Fields: f}}
	return of, nil
}

// draft is POST …/simulate of a policy that is not stored.
func (s *Service) draft(ctx context.Context, v viewer.Viewer, in *draftIn) (*httpapi.One[SeparationImpact], error) {
	return s.simulated(ctx, v, func(tx *pg.Tx) (subject, error) { return in.subject(ctx, tx) })
}

// simulated compares what a function prepares.
func (s *Service) simulated(
	ctx context.Context,
	v viewer.Viewer,
	prepare func(tx *pg.Tx) (subject, error),
) (*httpapi.One[SeparationImpact], error) {
	var of subject
	var before, after *rulebook.Book
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if of, err = prepare(tx); err != nil {
			return err
		}
		if before, err = rulebook.Compile(ctx, tx, of.before); err != nil {
			return err
		}
		after, err = rulebook.Compile(ctx, tx, of.after)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.compared(ctx, v, before, after, of.unsaved)
}

// compared evaluates everybody by both books, in a transaction of its own.
func (s *Service) compared(
	ctx context.Context,
	v viewer.Viewer,
	before, after *rulebook.Book,
	unsaved string,
) (*httpapi.One[SeparationImpact], error) {
	var out SeparationImpact
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = compare(ctx, tx, before, after, nil, unsaved, s.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[SeparationImpact]{Body: out}, nil
}

type storedIn struct {
	// ID of the policy.
	ID   string `path:"id"`
	Body *SeparationPolicyPatch
}

// SeparationPolicyPatch are the fields of a policy that differ from those that are saved. A null removes a field.
type SeparationPolicyPatch struct {
	separationpolicy.Fields

	sent []byte // distinguishes an absent member from a null
}

// UnmarshalJSON keeps the text, which the fields alone would lose.
func (p *SeparationPolicyPatch) UnmarshalJSON(text []byte) error {
	p.sent = slices.Clone(text)
	return json.Unmarshal(text, &p.Fields)
}

// subject is the policy as it is evaluated now, and with the fields of the body.
func (in *storedIn) subject(ctx context.Context, tx *pg.Tx) (subject, error) {
	p, err := separationpolicy.Locked(ctx, tx, in.ID, "")
	if err != nil {
		return subject{}, err
	}
	of := subject{policyID: p.ID}
	if p.Enabled && p.Mode != separationpolicy.Draft {
		of.before = []separationpolicy.Policy{p}
	}
	if in.Body != nil {
		if err := changed(ctx, tx, &p, in.Body.sent); err != nil {
			return subject{}, err
		}
	}
	of.name, of.after = p.Name, []separationpolicy.Policy{p}
	return of, nil
}

// stored is POST …/{id}/simulate of a policy.
func (s *Service) stored(ctx context.Context, v viewer.Viewer, in *storedIn) (*httpapi.One[SeparationImpact], error) {
	return s.simulated(ctx, v, func(tx *pg.Tx) (subject, error) { return in.subject(ctx, tx) })
}

// changed applies a merge patch to the fields of a policy that is not written.
func changed(ctx context.Context, tx *pg.Tx, p *separationpolicy.Policy, body []byte) error {
	if err := separationpolicy.CheckPatch(body); err != nil {
		return err
	}
	f, err := separationpolicy.Merge(p.Fields, body)
	if err != nil {
		return err
	}
	p.Fields = f
	return separationpolicy.Check(ctx, tx, &p.Fields, p.ID)
}

type dutyIn struct {
	// ID of the duty.
	ID      string `path:"id"`
	Body    duty.Fields
	RawBody []byte
}

// errRolledBack ends the transaction in which a changed duty was stored.
var errRolledBack = errors.New("the simulation is complete")

// subject is the duty with the fields of the body, and the policies that name it. The change is checked.
func (in *dutyIn) subject(ctx context.Context, tx *pg.Tx) (subject, error) {
	if err := mergepatch.Keep(in.RawBody, "name", "all_of"); err != nil {
		return subject{}, err
	}
	d, err := duty.Locked(ctx, tx, in.ID, " for update of d")
	if err != nil {
		return subject{}, err
	}
	using, err := separationpolicy.Using(ctx, tx, in.ID)
	if err != nil {
		return subject{}, err
	}
	f, err := mergepatch.Apply(d.Fields, in.RawBody)
	if err != nil {
		return subject{}, err
	}
	if err := f.Check(ctx, tx, d); err != nil {
		return subject{}, err
	}
	return subject{dutyID: d.ID, name: d.Name, before: using, after: using, duty: &f}, nil
}

// duty is POST of a change of a duty. The change is stored only in a transaction that is rolled back.
func (s *Service) duty(ctx context.Context, v viewer.Viewer, in *dutyIn) (*httpapi.One[SeparationImpact], error) {
	var before, after *rulebook.Book
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		of, err := in.subject(ctx, tx)
		if err != nil {
			return err
		}
		if before, err = rulebook.Compile(ctx, tx, of.before); err != nil {
			return err
		}
		d, err := duty.Locked(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		if _, err := duty.Rewrite(ctx, tx, d, *of.duty); err != nil {
			return err
		}
		if after, err = rulebook.Compile(ctx, tx, of.after); err != nil {
			return err
		}
		return errRolledBack
	})
	if !errors.Is(err, errRolledBack) {
		return nil, err
	}
	return s.compared(ctx, v, before, after, "")
}
