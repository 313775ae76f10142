package chain

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/store"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Start begins the chains of items whose plan has the outcome chain. Where all stages are satisfied already, it rings
// at once, in the same transaction.
func (s *Service) Start(ctx context.Context, tx *pg.Tx, items []Item) error {
	if len(items) == 0 {
		return nil
	}
	w := s.work(tx)
	for _, m := range items {
		if len(m.Plan.Stages) == 0 {
			return fault.Coded(
				fault.Conflict,
				"rule_without_stages",
				"the approval rule %q has no stages; add a stage",
				m.Plan.Rule.Name,
			)
		}
		f := &state.Flow{
			ItemID:    m.ItemID,
			RequestID: m.RequestID,
			Number:    m.Number,
			Subject:   m.Subject,
			Plan:      m.Plan,
			State:     state.Running,
			ExpiresAt: m.ExpiresAt,
			IsNew:     true,
			Shown: state.Shown{
				What:        m.What,
				Who:         m.Who,
				RequestedBy: m.RequestedBy,
				Context:     m.Context,
				RiskLevel:   m.RiskLevel,
			},
		}
		if f.Subject.Kind == "" {
			f.Subject.Kind = "grant"
		}
		if f.ExpiresAt.IsZero() {
			f.ExpiresAt = w.Now.Add(usualTime)
		}
		for i := range m.Plan.Stages {
			f.Stages = append(f.Stages, &state.Stage{ItemID: m.ItemID, Stage: i, State: state.StageWaiting})
		}
		for _, l := range m.Plan.Log {
			w.Log(f, 0, l.Step, l.Detail)
		}
		if err := w.advance(ctx, f, true); err != nil {
			return err
		}
	}
	return w.finish(ctx)
}

// Hold locks chains until the transaction ends. Whoever is to change requests together with their chains calls it
// before they lock anything of the requests: answers come from the chains to the requests, and two who come from either
// end would wait for each other.
func Hold(ctx context.Context, tx *pg.Tx, itemIDs []string) error {
	const sql = `
		select c.item_id
		  from chain c
		 where c.tenant_id = current_tenant()
		   and c.item_id = any($1::text[]::uuid[])
		 order by c.item_id
		   for update`
	return pg.Exec(ctx, tx, "lock chains", sql, itemIDs)
}

// Cancel ends chains that need no answer any more, without ringing.
func Cancel(ctx context.Context, tx *pg.Tx, itemIDs []string, why string) error {
	flows, err := store.Lock(ctx, tx, itemIDs)
	if err != nil {
		return err
	}
	w := (&Service{Now: time.Now}).work(tx)
	for _, f := range flows {
		if !f.Live() {
			continue
		}
		if f.State == Blocked {
			w.unask(f)
		}
		if st := f.Current(); st != nil {
			w.shut(f, st, state.StageCancelled, decision.Superseded, why)
			w.Log(f, st.Stage, "cancelled", why)
		}
		f.State, f.ClosedAt = state.Cancelled, &w.Now
	}
	return w.finish(ctx)
}
