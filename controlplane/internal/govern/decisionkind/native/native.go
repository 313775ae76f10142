package native

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service asks about grants that were given in the target itself, and revokes or keeps them.
type Service struct {
	Now func() time.Time
}

// Kind is one kind of decision task: when one is needed, how it is asked, and what its answers do.
func (s *Service) Kind() kind.Kind {
	return kind.Kind{
		Name:  kind.NativeGrant,
		About: "native grants",
		Needed: `select g.id
		           from access_grant g
		           join account a on a.tenant_id = g.tenant_id and a.id = g.account_id
		           left join connector_provisioning p on p.tenant_id = g.tenant_id and p.connector_id = g.connector_id
		          where g.reappeared
		            and p.native_grant_policy is distinct from 'tolerate'
		            and g.status in ('active', 'ending')
		            and a.identity_id is not null
		            and not exists (select from decision_kept k
		                             where k.tenant_id = g.tenant_id
		                               and k.kind = '` + kind.NativeGrant + `'
		                               and k.source_id = g.id
		                               and k.about = a.identity_id::text
		                               and (k.until is null or k.until > now()))
		         union all` + unmanagedNeeded,
		Over: `select g.id::text,
		              case when g.status = 'disconnected' then 'its system is not connected any more'
		                   when g.status in ('revoked', 'revoking', 'missing') then 'the access is gone, or about to go'
		                   when not g.reappeared then 'there is a reason for the access now'
		                   when p.native_grant_policy = 'tolerate' then
		                       'the system tolerates access that is given in it'
		                   else 'somebody keeps the access' end
		         from access_grant g
		         left join connector_provisioning p on p.tenant_id = g.tenant_id and p.connector_id = g.connector_id
		        where g.id = any(@ids::text[]::uuid[])
		        union all
		       select c.id::text, 'nothing in the system is left that somebody has to decide about'
		         from connector c
		        where c.id = any(@ids::text[]::uuid[])`,
		Within: 7 * kind.Day, Ask: s.askNative, Answer: s.answerNative,
	}
}

// askNative asks about grants that came back and about connectors with unmanaged access, of which ids are a mixture.
func (s *Service) askNative(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	connectors, err := connectorsAmong(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	grants := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(connectors, id) })
	if grants, err = s.revokeReturned(ctx, tx, grants); err != nil {
		return nil, err
	}
	back, err := askReturned(ctx, tx, grants)
	if err != nil {
		return nil, err
	}
	unmanaged, err := s.askUnmanaged(ctx, tx, connectors)
	return append(back, unmanaged...), err
}

// connectorsAmong are those of the IDs that are connectors; the others are grants.
func connectorsAmong(ctx context.Context, tx *pg.Tx, ids []string) ([]string, error) {
	return pg.All[string](
		ctx,
		tx,
		"find connectors",
		`select c.id::text from connector c where c.id = any($1::text[]::uuid[])`,
		ids,
	)
}

// answerNative carries a decision out, about all native grants of a connector or about a returned
// one.
func (s *Service) answerNative(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	if a.Task.Subject.Type == "connector" {
		return s.answerUnmanaged(ctx, tx, a)
	}
	return s.answerReturned(ctx, tx, a)
}
