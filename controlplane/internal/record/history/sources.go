package history

// Each source selects at, id, kind, event and data. They speak of:
//
//	person   the person's record: id, bare (personal data was taken from it). No row where the story is not a person's
// 	spell    the times of accounts that are shown: account_id, since, until; whole: all of what was
//	         then, and otherwise what concerns what they own
//	owned    whose the accounts were, and when: account_id, identity_id, since, until
// 	holder   whose reasons and requests are shown: id, whole
//
// @entitlement, when it is not null, is what the story is about alone.

// aboutRecord selects the changes of a person's record.
const aboutRecord = `
	select r.since as at, md5('record' || r.id || r.since)::uuid as id,
	       case when r.before is not null and r.before ->> 'status' is distinct from r.doc ->> 'status' then 'state'
	       else 'record' end as kind, case when r.before is null then 'person.known' else 'person.changed' end as event,
	       jsonb_build_object('identity_id', r.id, 'before', r.before, 'after', r.doc) as data
	  from (select d.id, d.since, d.doc, lag(d.doc) over (order by d.since) as before
	          from (select p.id, p.since, to_jsonb(p) as doc from identity_past p join person on person.id = p.id
	                 union all
	                select i.id, i.as_is_since, to_jsonb(i) from identity i join person on person.id = i.id) d) r`

// aboutOwners selects the changes of owners of accounts.
const aboutOwners = `
	select s.since, md5('owner' || s.account_id || s.identity_id || s.since)::uuid, 'account', 'account.came',
	       jsonb_build_object('account_id', s.account_id, 'identity_id', s.identity_id)
	  from owned s
	 union all
	select s.until, md5('left' || s.account_id || s.identity_id || s.until)::uuid, 'account', 'account.left',
	       jsonb_build_object('account_id', s.account_id, 'identity_id', s.identity_id)
	  from owned s
	 where s.until < 'infinity'`

// aboutAccounts selects the changes of accounts.
const aboutAccounts = `
	select c.since, md5('account' || c.account_id || c.since)::uuid, 'account',
	       case when c.before is null then 'account.known' else 'account.changed' end,
	       jsonb_build_object('account_id', c.account_id, 'before', c.before, 'after', c.doc)
	  from (select d.account_id, d.since, d.doc, lag(d.doc) over (partition by d.account_id order by d.since) as before
	          from (select p.account_id, p.since, to_jsonb(p) as doc
	                  from account_past p
	                 where p.account_id in (select s.account_id from spell s)
	                 union all
	                select a.id, a.as_is_since, to_jsonb(a) from account a where a.id in (select s.account_id
	                    from spell s)) d) c
	 where exists (select from spell s where s.account_id = c.account_id and c.since >= s.since and c.since < s.until)`

// spans are the times at which the accounts held something, as far as the viewer may see.
const spans = `
	select h.*, s.since as lo, s.until as hi
	  from spell s
	 cross join lateral (
	        select p.grant_id, p.account_id, p.entitlement_id, p.directness, p.since, p.until, p.ended, p.run_id,
	            p.assigned_by
	          from access_grant_past p
	         where p.account_id = s.account_id
	         union all
	        select g.id, g.account_id, g.entitlement_id, g.directness, g.as_is_since, 'infinity', null,
	            g.created_run_id, g.assigned_by
	          from access_grant g
	         where g.account_id = s.account_id
	           and g.status in ('active', 'ending', 'revoking', 'missing')) h
	 where h.since < s.until
	   and h.until >= s.since
	   and (@entitlement::uuid is null or h.entitlement_id = @entitlement)
	   and (s.whole or h.entitlement_id in (select x.id from owned_entitlement() x))`

// aboutGrants selects access gained, lost, and with another source. A person gains what an account holds
// when it comes to them, and loses it when it leaves.
const aboutGrants = `
	select h.since, md5('gained' || h.grant_id || h.since)::uuid, 'grant',
	       case when before.directness is null then 'grant.gained' else 'grant.changed' end,
	       jsonb_build_object('grant_id', h.grant_id, 'account_id', h.account_id, 'entitlement_id', h.entitlement_id,
	                          'directness', h.directness, 'assigned_by', h.assigned_by, 'run_id',
	                              case when h.until = 'infinity' and before.directness is null then h.run_id end)
	  from span h
	  left join access_grant_past before on before.grant_id = h.grant_id and before.until = h.since
	      and before.ended is null
	 where h.since >= h.lo
	 union all
	select h.until, md5('lost' || h.grant_id || h.until)::uuid, 'grant', 'grant.lost',
	       jsonb_build_object('grant_id', h.grant_id, 'account_id', h.account_id, 'entitlement_id', h.entitlement_id,
	                          'directness', h.directness, 'ended', h.ended, 'run_id', h.run_id)
	  from span h
	 where h.ended is not null
	   and h.until > h.lo
	   and h.until <= h.hi
	 union all
	select h.lo, md5('gained' || h.grant_id || h.lo)::uuid, 'grant', 'grant.gained',
	       jsonb_build_object('grant_id', h.grant_id, 'account_id', h.account_id, 'entitlement_id', h.entitlement_id,
	                          'directness', h.directness, 'assigned_by', h.assigned_by, 'came', true)
	  from span h
	 where h.since < h.lo
	   and h.until > h.lo
	   and exists (select from person)
	 union all
	select h.hi, md5('lost' || h.grant_id || h.hi)::uuid, 'grant', 'grant.lost',
	       jsonb_build_object('grant_id', h.grant_id, 'account_id', h.account_id, 'entitlement_id', h.entitlement_id,
	                          'directness', h.directness, 'ended', 'account_left')
	  from span h
	 where h.until > h.hi
	   and h.hi < 'infinity'
	   and exists (select from person)`

// aboutReasons selects the reasons for access, and their ends.
const aboutReasons = `
	select r.starts_at, md5('began' || r.id || r.hi)::uuid, 'reason', 'reason.began',
	       jsonb_build_object('reason_id', r.id, 'entitlement_id', r.entitlement_id, 'connector_id', r.connector_id,
	           'by', r.created_by)
	  from reason r
	 where r.state <> 'scheduled'
	   and (r.ended_at is null or r.ended_at > r.starts_at)
	   and r.starts_at <= now()
	   and r.starts_at < r.hi
	 union all
	select r.ended_at, md5('ended' || r.id || r.hi)::uuid, 'reason', 'reason.ended',
	       jsonb_build_object('reason_id', r.id, 'entitlement_id', r.entitlement_id, 'connector_id', r.connector_id,
	           'why', r.end_reason)
	  from reason r
	 where r.state = 'ended'
	   and r.ended_at > r.starts_at
	   and r.ended_at < r.hi`

// reasons are those of the holders, of one that has moved to another record since those of before.
const reasons = `
	select r.*, 'infinity'::timestamptz as hi
	  from holder h
	  join access_reason r on r.identity_id = h.id
	 where (@entitlement::uuid is null or r.entitlement_id = @entitlement and (r.account_id is null
	     or r.account_id = any(array(select s.account_id from spell s))))
	   and (h.whole or r.entitlement_id in (select x.id from owned_entitlement() x))
	 union all
	select r.*, m.until
	  from holder h
	  join access_reason_moved m on m.identity_id = h.id
	  join access_reason r on r.id = m.reason_id
	 where (@entitlement::uuid is null or r.entitlement_id = @entitlement and (r.account_id is null
	     or r.account_id = any(array(select s.account_id from spell s))))
	   and (h.whole or r.entitlement_id in (select x.id from owned_entitlement() x))`

// aboutRoles selects role assignments by a decision.
const aboutRoles = `
	select a.starts_at, md5('role' || a.id)::uuid, 'role', 'role.given',
	       jsonb_build_object('role_id', a.role_id, 'by', a.created_by, 'why', a.reason, 'request_id', a.request_id)
	  from holder h
	  join role_assignment a on a.identity_id = h.id
	 where h.whole
	   and @entitlement::uuid is null
	   and a.state <> 'scheduled'
	   and (a.ended_at is null or a.ended_at > a.starts_at)
	 union all
	select a.ended_at, md5('unrole' || a.id)::uuid, 'role', 'role.ended',
	    jsonb_build_object('role_id', a.role_id, 'why', a.end_reason)
	  from holder h
	  join role_assignment a on a.identity_id = h.id
	 where h.whole
	   and @entitlement::uuid is null
	   and a.ended_at > a.starts_at`

// aboutRequests selects requests and their decisions.
const aboutRequests = `
	select q.submitted_at, md5('asked' || q.id)::uuid, 'request', 'request.submitted',
	       jsonb_build_object('request_id', q.id, 'number', q.number, 'by', q.requested_by, 'why', q.justification,
	           'status', q.kind)
	  from holder h
	  join access_request q on q.requested_for = h.id
	 where h.whole
	   and (@entitlement::uuid is null or exists (select from access_request_item i where i.request_id = q.id
	       and i.entitlement_id = @entitlement))
	 union all
	select i.decided_at, md5('decided' || i.id)::uuid, 'request', 'request.decided',
	       jsonb_build_object('request_id', q.id, 'number', q.number, 'role_id', i.role_id, 'entitlement_id',
	                          i.entitlement_id, 'decision', i.decision, 'status', i.status, 'why', i.decision_reason)
	  from holder h
	  join access_request q on q.requested_for = h.id
	  join access_request_item i on i.request_id = q.id
	 where h.whole
	   and i.decided_at is not null
	   and (@entitlement::uuid is null or i.entitlement_id = @entitlement)
	 union all
	select q.closed_at, md5('closed' || q.id)::uuid, 'request', 'request.closed',
	       jsonb_build_object('request_id', q.id, 'number', q.number, 'status', q.status, 'why', q.reason_code)
	  from holder h
	  join access_request q on q.requested_for = h.id
	 where h.whole
	   and @entitlement::uuid is null
	   and q.closed_at is not null`

// aboutTasks selects the changes in target systems, and failed ones. %s finds them, as t, with whole.
const aboutTasks = `
	select coalesce(t.finished_at, t.updated_at), md5('task' || t.id)::uuid, 'provisioning', 'provisioning.' || t.state,
	       jsonb_build_object('task_id', t.id, 'operation', t.operation, 'account_id', t.account_id, 'entitlement_id',
	                          t.entitlement_id, 'grant_id', t.grant_id, 'connector_id', t.connector_id, 'class',
	                          t.error_class, 'error', t.error, 'advice', t.advice, 'by', t.created_by)
	  from (%s) t
	 where t.state in ('done', 'failed', 'manual', 'cancelled', 'simulated')
	   and (t.whole or t.entitlement_id in (select x.id from owned_entitlement() x))`

const (
	tasksOfPerson  = `select t.*, h.whole from holder h join provisioning_task t on t.identity_id = h.id`
	tasksOfAccount = `
	select t.*, s.whole
	  from spell s
	  join provisioning_task t on t.account_id = s.account_id and t.created_at >= s.since and t.created_at < s.until
	 where @entitlement::uuid is null or t.entitlement_id = @entitlement`
)

// aboutEntries selects the actions of people, from the audit log. Refused ones are for viewers who see everything.
const aboutEntries = `
	select e.at, md5('audit' || e.seq)::uuid, 'audit', e.action, jsonb_build_object('seq', e.seq, 'entry', e.event)
	  from (select p.id::text as subject, '-infinity'::timestamptz as since, 'infinity'::timestamptz as until
	      from person p where p.whole
	         union all
	        select s.account_id::text, s.since, s.until from spell s where s.whole and @entitlement::uuid is null
	         union all
	        select g.grant_id::text, g.lo, g.hi from span g where @entitlement::uuid is not null and @whole) of
	  join audit_event e
	    on e.tenant_id = (select current_tenant())
	   and e.subject_id = of.subject
	   and e.at >= of.since
	   and e.at < of.until
	 where (e.outcome = 'success' or (select sees_all()))
	   and e.category in ('identity', 'account', 'entitlement', 'grant', 'role', 'request', 'policy')
	   and e.subject_type in ('identity', 'account', 'grant')`
