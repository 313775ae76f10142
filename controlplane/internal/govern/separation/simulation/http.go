package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

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

// Service simulates changes of duties and policies.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
}

// Routes are the operations that simulate.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", policies+"/simulate", "Simulate an unsaved separation-of-duties policy", s.draft).
			For(viewer.Admin).
			Waits().
			Status(200).
			Errors(409).
			Describe(aboutPolicy),
		httpapi.Handle("POST", policies+"/{id}/simulate", "Simulate a separation-of-duties policy", s.stored).
			For(viewer.Admin).
			Waits().
			Status(200).
			Errors(409).
			Describe(aboutStored),
		httpapi.Handle("POST", duties+"/{id}/simulate", "Simulate a change of a duty", s.duty).
			For(viewer.Admin).
			Waits().
			Status(200).
			Errors(409).
			Describe(aboutDuty),
	}
}

type draftIn struct {
	Body    separationpolicy.Fields
	RawBody []byte
}

// draft is POST …/simulate of a policy that is not stored.
func (s *Service) draft(ctx context.Context, v viewer.Viewer, in *draftIn) (*httpapi.One[SeparationImpact], error) {
	unsaved := uuid.Must(uuid.NewV7()).String()
	var before, after *rulebook.Book
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		f := separationpolicy.Sent(in.Body, in.RawBody)
		if err = f.Check(ctx, tx, ""); err != nil {
			return err
		}
		if before, err = rulebook.Compile(ctx, tx, nil); err != nil {
			return err
		}
		after, err = rulebook.Compile(ctx, tx, []separationpolicy.Policy{{ID: unsaved, Fields: f}})
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.compared(ctx, v, before, after, unsaved)
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
		out, err = compare(ctx, tx, before, after, unsaved, s.Now())
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

	sent []byte // tells an absent member from a null
}

// UnmarshalJSON keeps the text, which the fields alone would lose.
func (p *SeparationPolicyPatch) UnmarshalJSON(text []byte) error {
	p.sent = slices.Clone(text)
	return json.Unmarshal(text, &p.Fields)
}

// stored is POST …/{id}/simulate of a policy.
func (s *Service) stored(ctx context.Context, v viewer.Viewer, in *storedIn) (*httpapi.One[SeparationImpact], error) {
	var before, after *rulebook.Book
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		p, err := separationpolicy.Locked(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		var evaluated []separationpolicy.Policy
		if p.Enabled && p.Mode != separationpolicy.Draft {
			evaluated = append(evaluated, p)
		}
		if before, err = rulebook.Compile(ctx, tx, evaluated); err != nil {
			return err
		}
		if in.Body != nil {
			if err := changed(ctx, tx, &p, in.Body.sent); err != nil {
				return err
			}
		}
		after, err = rulebook.Compile(ctx, tx, []separationpolicy.Policy{p})
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.compared(ctx, v, before, after, "")
}

// changed applies a merge patch to the fields of a policy that is not written.
func changed(ctx context.Context, tx *pg.Tx, p *separationpolicy.Policy, body []byte) error {
	if err := separationpolicy.CheckPatch(body); err != nil {
		return err
	}
	f, err := mergepatch.Apply(p.Fields, body)
	if err != nil {
		return err
	}
	p.Fields = f
	return p.Check(ctx, tx, p.ID)
}

type dutyIn struct {
	// ID of the duty.
	ID      string `path:"id"`
	Body    duty.Fields
	RawBody []byte
}

// errRolledBack ends the transaction in which a changed duty was stored.
var errRolledBack = errors.New("the simulation is complete")

// duty is POST of a change of a duty. The change is stored only in a transaction that is rolled back.
func (s *Service) duty(ctx context.Context, v viewer.Viewer, in *dutyIn) (*httpapi.One[SeparationImpact], error) {
	if err := mergepatch.Keep(in.RawBody, "name", "all_of"); err != nil {
		return nil, err
	}
	var before, after *rulebook.Book
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		stored, err := duty.Locked(ctx, tx, in.ID, " for update of d")
		if err != nil {
			return err
		}
		using, err := separationpolicy.Using(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if before, err = rulebook.Compile(ctx, tx, using); err != nil {
			return err
		}
		changed, err := mergepatch.Apply(stored.Fields, in.RawBody)
		if err != nil {
			return err
		}
		if _, err := duty.Rewrite(ctx, tx, stored, changed); err != nil {
			return err
		}
		if after, err = rulebook.Compile(ctx, tx, using); err != nil {
			return err
		}
		return errRolledBack
	})
	if !errors.Is(err, errRolledBack) {
		return nil, err
	}
	return s.compared(ctx, v, before, after, "")
}
