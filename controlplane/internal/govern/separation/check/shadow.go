package check

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// shadowKept is how long requests that a policy in shadow mode would have refused are stored. It is longer than the 30
// days that the policy's page counts, so that a count can be explained afterwards.
const shadowKept = 90 * 24 * time.Hour

// RecordShadow stores which of the submitted requests policies in shadow mode would have refused. verdicts are by the
// ID of the request. A request counts once for each policy.
func RecordShadow(ctx context.Context, tx *pg.Tx, verdicts map[string]SeparationVerdict) error {
	var policies, requests []string
	for id, v := range verdicts {
		for _, c := range v.Violations {
			if c.wouldBlock {
				policies, requests = append(policies, c.Policy.ID), append(requests, id)
			}
		}
	}
	if len(requests) == 0 {
		return nil
	}
	const forget = `delete from separation_shadow_block
		where tenant_id = current_tenant() and at < now() - make_interval(secs => $1)`
	if err := pg.Exec(ctx, tx, "delete old shadow blocks", forget, shadowKept.Seconds()); err != nil {
		return err
	}
	const keep = `
		insert into separation_shadow_block (tenant_id, policy_id, request_id)
		select current_tenant(), b.policy_id, b.request_id
		  from unnest($1::text[]::uuid[], $2::text[]::uuid[]) b (policy_id, request_id)
		on conflict do nothing`
	return pg.Exec(ctx, tx, "record shadow blocks", keep, policies, requests)
}
