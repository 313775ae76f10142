package object

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// currentDuties are duties as fields, by ID.
func currentDuties(ctx context.Context, tx *pg.Tx, ids []string) (map[string]merge.Fields, error) {
	out := map[string]merge.Fields{}
	for _, id := range ids {
		d, err := duty.Locked(ctx, tx, id, "")
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f, err := merge.Fields{"name": d.Name, "description": d.Description, "all_of": d.AllOf}.Normal()
		if err != nil {
			return nil, err
		}
		out[id] = f
	}
	return out, nil
}

// intoDuty writes the fields over those of a duty.
func intoDuty(f merge.Fields, to *duty.Fields) error {
	if _, ok := f["all_of"]; ok {
		to.AllOf = nil
	}
	return f.Into(to)
}

func createDuty(ctx context.Context, tx *pg.Tx, f merge.Fields, origin map[string]any) (string, error) {
	of := duty.Fields{}
	if err := intoDuty(f, &of); err != nil {
		return "", err
	}
	made, err := duty.Create(ctx, tx, duty.New{Fields: of, Origin: origin})
	return made.ID, err
}

// updateDuty changes the desired fields; the others keep the tenant's values.
func updateDuty(ctx context.Context, tx *pg.Tx, id string, f merge.Fields) error {
	now, err := duty.Locked(ctx, tx, id, " for update of d")
	if err != nil {
		return err
	}
	after := now.Fields
	if err := intoDuty(f, &after); err != nil {
		return err
	}
	_, err = duty.Rewrite(ctx, tx, now, after)
	return err
}

// retireDuty deletes a duty. If a policy names it, it stays and becomes the tenant's own.
func retireDuty(ctx context.Context, tx *pg.Tx, id string) error {
	now, err := duty.Locked(ctx, tx, id, " for update of d")
	if err != nil {
		return err
	}
	err = duty.Retire(ctx, tx, now)
	if fault.IsCode(err, "duty_in_use") {
		return SetOrigin(ctx, tx, format.KindDutyTag, id, map[string]any{"kind": "manual"})
	}
	return err
}

// dutyInUse reports whether a policy names the duty.
func dutyInUse(ctx context.Context, tx *pg.Tx, id string) (bool, error) {
	using, err := separationpolicy.Using(ctx, tx, id)
	return len(using) > 0, err
}

// intoSodPolicy writes the fields over those of a policy, which has some of them deeper within.
func intoSodPolicy(f merge.Fields, to *separationpolicy.Fields) error {
	if _, ok := f["sides"]; ok {
		to.Sides = nil
	}
	for _, part := range []any{to, &to.Context, &to.Effects} {
		if err := f.Into(part); err != nil {
			return err
		}
	}
	return nil
}

// createSodPolicy makes an enabled policy of the desired fields and gives its ID.
func createSodPolicy(ctx context.Context, tx *pg.Tx, f merge.Fields, origin map[string]any) (string, error) {
	of := separationpolicy.Fields{Enabled: true}
	if err := intoSodPolicy(f, &of); err != nil {
		return "", err
	}
	made, err := separationpolicy.Create(ctx, tx, separationpolicy.New{Fields: of, Origin: origin})
	return made.ID, err
}

// updateSodPolicy changes the desired fields; the others keep the tenant's values.
func updateSodPolicy(ctx context.Context, tx *pg.Tx, id string, f merge.Fields) error {
	now, err := separationpolicy.Locked(ctx, tx, id, " for update of p")
	if err != nil {
		return err
	}
	after := now.Fields
	if err := intoSodPolicy(f, &after); err != nil {
		return err
	}
	_, err = separationpolicy.Rewrite(ctx, tx, now, after, "separation_policy.updated")
	return err
}

func retireSodPolicy(ctx context.Context, tx *pg.Tx, id string) error {
	now, err := separationpolicy.Locked(ctx, tx, id, " for update of p")
	if err != nil {
		return err
	}
	return separationpolicy.Retire(ctx, tx, now)
}
