package delegation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// everybody is the sentence of a condition that all people meet, which is no limit.
const everybody = "everybody"

// read brings a condition into its normal form, and says it in words. A condition that cannot be read is a fault.
func (c DelegationCondition) read() (normal DelegationCondition, sentence string, err error) {
	if len(c) == 0 {
		return nil, "", nil
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, "", fault.New(fault.Invalid, "The condition is not valid JSON.")
	}
	parsed, problems := condition.Parse(raw)
	if len(problems) > 0 {
		f := fault.New(fault.Invalid, "The condition cannot be read.")
		for _, p := range problems {
			detail := p.Detail
			if len(p.Suggestions) > 0 {
				detail += "; did you mean " + strings.Join(p.Suggestions, ", ") + "?"
			}
			at := "#/condition" + strings.TrimPrefix(p.Pointer, "#")
			f = f.With(fault.Field{Pointer: at, Code: p.Code, Detail: detail})
		}
		return nil, "", f
	}
	if n := parsed.Needs(); len(n.Roles)+len(n.Entitlements) > 0 {
		return nil, "", fault.New(fault.Invalid, "The condition asks for access that people hold.").
			With(fault.Field{Pointer: "#/condition", Code: "access_in_condition", Detail: "ask for fields of people"})
	}
	if sentence = parsed.Sentence(); sentence == everybody {
		return nil, "", nil
	}
	if raw, err = json.Marshal(parsed); err != nil {
		return nil, "", fmt.Errorf("encode condition: %w", err)
	}
	if err := json.Unmarshal(raw, &normal); err != nil {
		return nil, "", fmt.Errorf("read condition: %w", err)
	}
	return normal, sentence, nil
}

// checkSystems returns a fault if one of the systems does not exist.
func (d DecisionDelegation) checkSystems(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select id::text from connector where tenant_id = current_tenant() and id = any(@ids::text[]::uuid[])`
	if len(d.SystemIDs) == 0 {
		return nil
	}
	ids := slices.DeleteFunc(slices.Clone(d.SystemIDs), func(id string) bool { return !listing.IsID(id) })
	known, err := pg.All[string](ctx, tx, "find systems", sql, pgx.NamedArgs{"ids": decision.NonNil(ids)})
	if err != nil {
		return err
	}
	for i, id := range d.SystemIDs {
		if !slices.Contains(known, strings.ToLower(id)) {
			return fault.New(fault.Invalid, "System %s was not found.", id).
				With(fault.Field{Pointer: fmt.Sprintf("#/system_ids/%d", i), Code: "unknown_connector",
					Detail: "the ID of a connector"})
		}
	}
	return nil
}

// patched are the fields under a merge patch. A condition is replaced as a whole.
func (f DelegationFields) patched(body []byte) (DelegationFields, error) {
	bare := f
	bare.Condition = nil
	after, err := mergepatch.Apply(bare, body)
	if err != nil {
		return after, err
	}
	var asked map[string]json.RawMessage
	if err := json.Unmarshal(body, &asked); err != nil {
		return after, fmt.Errorf("read merge patch: %w", err)
	}
	if _, changed := asked["condition"]; !changed {
		after.Condition = f.Condition
	}
	return after, nil
}

// tidy gives values in order, each once. It is never nil.
func tidy(values []string) []string {
	out := decision.NonNil(values)
	slices.Sort(out)
	return slices.Compact(out)
}
