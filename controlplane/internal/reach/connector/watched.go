package connector

import ()

// watched are the columns that say when a connector is read next, and since when its health is what it is.
const watched = `c.status_since, connector_health(c.id) as parts,
	(select jsonb_build_object('incremental_cron', s.incremental_cron, 'full_cron', s.full_cron, 'timezone', s.timezone,
	    'jitter', s.jitter)
	   from connector_schedule s
	  where s.tenant_id = c.tenant_id and s.connector_id = c.id) as schedule,
	(select s.due_at
	   from connector_schedule s
	  where s.tenant_id = c.tenant_id and s.connector_id = c.id and c.status in ('ready', 'active',
	      'degraded')) as next_run_at`
