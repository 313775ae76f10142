-- +goose Up

-- Who is beneath whom is kept for those alone who look: managers who sign in. Their rows are brought up to date in the
-- transaction of every change of a manager; a first load, before anybody signs in as a manager, keeps nothing. Neither table
-- has foreign keys: a check a row costs more than the row.
create table management_root (
    tenant_id  uuid not null,
    manager_id uuid not null,
    constraint management_root_pk primary key (tenant_id, manager_id)
);
comment on table management_root is 'Managers whose reports are kept in management. For any other viewer they are found when asked for.';
call secure_tenant_table('management_root', 'select, insert, delete');

create table management (
    tenant_id  uuid not null,
    manager_id uuid not null,
    report_id  uuid not null,
    constraint management_pk primary key (tenant_id, manager_id, report_id)
);
comment on table management is 'The direct and indirect reports of each management_root, who is not among them.';
call secure_tenant_table('management', 'select, insert, delete');
create index management_by_report on management (tenant_id, report_id);

-- Row security compares the tenant of every table once a statement; a second comparison in a query is one more for every row.

-- +goose StatementBegin
create function reports_of(manager uuid) returns table (id uuid) language sql stable parallel safe
as $$
    with recursive report (id) as (
        select i.id
          from identity i
         where i.manager_id = manager
         union
        select i.id
          from report r
          join identity i on i.manager_id = r.id
    )
    select report.id
      from report
     where report.id <> manager
$$;
-- +goose StatementEnd
comment on function reports_of(uuid) is 'Direct and indirect reports, found by walking. union, not union all, so that a cycle of managers ends.';

-- Two locks of a tenant keep the rows true when transactions overlap. Whoever changes managers holds 1501 shared and, when there
-- are roots, 1502 alone; whoever makes or drops a root holds 1501 alone. A statement after a lock sees what its last holder
-- committed.

-- +goose StatementBegin
create function follow_managers(moved uuid[]) returns void language plpgsql
as $$
begin
    perform pg_advisory_xact_lock(1502, hashtext(current_tenant()::text));
    with recursive beneath (id) as (
        select m.id from unnest(moved) m (id)
         union
        select i.id
          from beneath b
          join identity i
            on i.tenant_id = current_tenant()
           and i.manager_id = b.id
    ),
    above (id, manager_id) as (
        select i.id, i.manager_id
          from beneath b
          join identity i
            on i.tenant_id = current_tenant()
           and i.id = b.id
         where i.manager_id is not null
         union
        select a.id, i.manager_id
          from above a
          join identity i
            on i.tenant_id = current_tenant()
           and i.id = a.manager_id
         where i.manager_id is not null
    ),
    wanted as materialized (
        select a.manager_id, a.id as report_id
          from above a
          join management_root r
            on r.tenant_id = current_tenant()
           and r.manager_id = a.manager_id
         where a.id <> a.manager_id
    ),
    gone as (
        delete from management m
         using beneath b
         where m.tenant_id = current_tenant()
           and m.report_id = b.id
           and not exists (select from wanted w where w.manager_id = m.manager_id and w.report_id = m.report_id)
    )
    insert into management (tenant_id, manager_id, report_id)
    select current_tenant(), w.manager_id, w.report_id
      from wanted w
        on conflict do nothing;
end $$;
-- +goose StatementEnd
comment on function follow_managers(uuid[]) is
    'Brings management up to date after these people''s managers changed. The ancestors can differ for them and for whoever is beneath them now, since below the lowest changed link of a way up nothing changed. union, not union all, so that a cycle ends.';

-- +goose StatementBegin
create function managers_changed() returns trigger language plpgsql
as $$
declare
    moved uuid[];
begin
    perform pg_advisory_xact_lock_shared(1501, hashtext(current_tenant()::text));
    if not exists (select from management_root r where r.tenant_id = current_tenant()) then
        return null;
    end if;
    case tg_op
        when 'INSERT' then
            moved := array(select n.id from new_row n where n.manager_id is not null);
        when 'UPDATE' then
            moved := array(select n.id
                             from new_row n
                             join old_row o
                               on o.tenant_id = n.tenant_id
                              and o.id = n.id
                            where o.manager_id is distinct from n.manager_id);
        else
            moved := array(select o.id from old_row o);
    end case;
    if cardinality(moved) > 0 then
        perform follow_managers(moved);
    end if;
    return null;
end $$;
-- +goose StatementEnd

create trigger identity_inserted after insert on identity referencing new table as new_row
    for each statement execute function managers_changed();
create trigger identity_updated after update on identity referencing old table as old_row new table as new_row
    for each statement execute function managers_changed();
create trigger identity_deleted after delete on identity referencing old table as old_row
    for each statement execute function managers_changed();

create index api_token_by_identity on api_token (tenant_id, bound_identity_id) where bound_identity_id is not null;

-- +goose StatementBegin
create function keep_management(manager uuid) returns void language plpgsql
as $$
declare
    wanted boolean := exists (select from app_user u where u.identity_id = manager and 'manager' = any (u.roles))
                   or exists (select from api_token k where k.bound_identity_id = manager and k.role = 'manager' and k.revoked_at is null);
    kept   boolean := exists (select from management_root r where r.manager_id = manager);
begin
    if wanted = kept or current_setting('app.erasing', true) = 'yes' or not pg_try_advisory_xact_lock(1501, hashtext(current_tenant()::text)) then
        return;
    end if;
    delete from management m where m.tenant_id = current_tenant() and m.manager_id = manager;
    if not wanted then
        delete from management_root r where r.tenant_id = current_tenant() and r.manager_id = manager;
        return;
    end if;
    insert into management_root (tenant_id, manager_id) values (current_tenant(), manager) on conflict do nothing;
    insert into management (tenant_id, manager_id, report_id) select current_tenant(), manager, r.id from reports_of(manager) r;
end $$;
-- +goose StatementEnd
comment on function keep_management(uuid) is
    'Makes a root of whoever looks as a manager, and of nobody else. While managers are being changed it leaves that to the next time, such as the next sign-in: without a root, reports are found by walking.';

-- +goose StatementBegin
create function manager_looks() returns trigger language plpgsql
as $$
declare
    before uuid;
    later  uuid;
begin
    if tg_op <> 'INSERT' then
        before := to_jsonb(old) ->> tg_argv[0];
    end if;
    if tg_op <> 'DELETE' then
        later := to_jsonb(new) ->> tg_argv[0];
    end if;
    if before is not null then
        perform keep_management(before);
    end if;
    if later is not null and later is distinct from before then
        perform keep_management(later);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function manager_looks() is 'Its argument is the column that names the identity of whoever looks.';

create trigger manager_looks after insert or update or delete on app_user
    for each row execute function manager_looks('identity_id');
create trigger manager_looks after insert or update or delete on api_token
    for each row execute function manager_looks('bound_identity_id');

-- +goose StatementBegin
create function viewer_serves() returns boolean language plpgsql stable parallel safe
as $$
begin
    return exists (select from identity i
                    where i.tenant_id = current_tenant()
                      and i.id = viewer_identity()
                      and i.status not in ('deactivated', 'archived'));
end $$;
-- +goose StatementEnd
comment on function viewer_serves() is
    'Whether the viewer''s own identity is still with the tenant: who has left loses at once what their roles let them see. It is not written in SQL, which would be planned anew at every call, several times in each request.';

-- +goose StatementBegin
create function walked_identity() returns table (id uuid) language plpgsql stable parallel safe rows 1
as $$
begin
    if viewer_has_role('manager') and not exists (select from management_root k where k.manager_id = viewer_identity()) then
        return query select r.id from reports_of(viewer_identity()) r;
    end if;
end $$;
-- +goose StatementEnd
comment on function walked_identity() is
    'The reports of a manager who is no root. It is opaque to planners, and claims to give one row, so that plans are made for roots.';

-- +goose StatementBegin
create or replace function managed_identity() returns table (id uuid) language sql stable parallel safe
as $$
    select m.report_id
      from management m
     where m.manager_id = (select viewer_identity())
       and viewer_has_role('manager')
       and (select viewer_serves())
     union all
    select w.id
      from walked_identity() w
     where (select viewer_serves())
$$;
-- +goose StatementEnd
comment on function managed_identity() is 'Direct and indirect reports of the viewer, who is not among them.';

-- +goose StatementBegin
create or replace function owned_entitlement() returns table (id uuid) language sql stable parallel safe
as $$
    select e.id
      from entitlement e
     where viewer_has_role('resource_owner')
       and (select viewer_serves())
       and (select viewer_identity()) = any (e.owner_ids)
$$;
-- +goose StatementEnd
comment on function owned_entitlement() is 'What the viewer owns, as a resource owner.';

-- +goose StatementBegin
create function owned_grant() returns setof access_grant language sql stable parallel safe
as $$
    select g.*
      from owned_entitlement() o
      join access_grant g
        on g.entitlement_id = o.id
       and holds_access(g.status)
    offset 0
$$;
-- +goose StatementEnd
comment on function owned_grant() is
    'Who holds what the viewer owns. offset keeps planners from beginning with everybody''s accounts, however much they expect somebody to own.';

-- Who sees what: a manager their reports with all their accounts and grants; a resource owner what they own, those who hold it, the
-- accounts that do, and those grants alone. For viewers who see all, stores ask sees_all() instead.
--
-- The rule stands here twice, since planners cannot tell a manager of three from one of ten thousand. visible_*() go from the
-- viewer to the rows: lists, totals and searches cost what is seen. readable_*(own) go from rows in hand to the viewer: single
-- reads, and what hangs on one record. own adds what is the viewer's own whatever their roles. All give whole rows, none twice, and
-- a store reads from them as from the table. Tests hold both against one oracle.
--
-- What a second role adds is what the first does not show: not in, since not exists is a join, which without hashes, as lists are
-- planned, compares everybody who is managed with everybody who holds something. distinct keeps planners from beginning with the
-- whole tenant.

drop function visible_identity(), visible_grant(), visible_account(), visible_entitlement();

-- +goose StatementBegin
create function visible_identity() returns setof identity language sql stable parallel safe
as $$
    select i.*
      from managed_identity() m
      join identity i on i.id = m.id
     union all
    select i.*
      from (select distinct a.identity_id as id
              from owned_grant() g
              join account a on a.id = g.account_id
             where a.identity_id not in (select m.id from managed_identity() m)) h
      join identity i on i.id = h.id
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create function readable_identity(own boolean) returns setof identity language sql stable parallel safe
as $$
    select i.*
      from identity i
     where exists (select from managed_identity() m where m.id = i.id)
        or own and i.id = (select viewer_identity())
        or exists (select
                     from account a
                     join access_grant g
                       on g.account_id = a.id
                      and holds_access(g.status)
                     join owned_entitlement() o on o.id = g.entitlement_id
                    where a.identity_id = i.id)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create function visible_account() returns setof account language sql stable parallel safe
as $$
    select a.*
      from managed_identity() m
      join account a on a.identity_id = m.id
     union all
    select a.*
      from (select distinct g.account_id as id from owned_grant() g) h
      join account a
        on a.id = h.id
       and a.identity_id is not null
       and a.identity_id not in (select m.id from managed_identity() m)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create function readable_account(own boolean) returns setof account language sql stable parallel safe
as $$
    select a.*
      from account a
     where exists (select from managed_identity() m where m.id = a.identity_id)
        or own and a.identity_id = (select viewer_identity())
        or a.identity_id is not null
       and exists (select
                     from access_grant g
                     join owned_entitlement() o on o.id = g.entitlement_id
                    where g.account_id = a.id
                      and holds_access(g.status))
$$;
-- +goose StatementEnd
comment on function visible_account() is 'An account without an owner is for admins and auditors.';

-- +goose StatementBegin
create function visible_grant() returns setof access_grant language sql stable parallel safe
as $$
    select g.*
      from managed_identity() m
      join account a on a.identity_id = m.id
      join access_grant g on g.account_id = a.id
     union all
    select g.*
      from owned_grant() g
      join account a
        on a.id = g.account_id
       and a.identity_id is not null
       and a.identity_id not in (select m.id from managed_identity() m)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create function readable_grant(own boolean) returns setof access_grant language sql stable parallel safe
as $$
    select g.*
      from access_grant g
      join account a on a.id = g.account_id
     where exists (select from managed_identity() m where m.id = a.identity_id)
        or own and a.identity_id = (select viewer_identity())
        or a.identity_id is not null
       and holds_access(g.status)
       and exists (select from owned_entitlement() o where o.id = g.entitlement_id)
$$;
-- +goose StatementEnd
comment on function visible_grant() is 'Of what is owned, the grants through which visible_identity() shows a person, so that no grant names somebody who is hidden.';

-- +goose StatementBegin
create function visible_entitlement() returns setof entitlement language sql stable parallel safe
as $$
    select e.*
      from entitlement e
     where e.id in (select o.id from owned_entitlement() o)
     union all
    select e.*
      from (select distinct g.entitlement_id as id
              from managed_identity() m
              join account a on a.identity_id = m.id
              join access_grant g
                on g.account_id = a.id
               and g.status not in ('revoked', 'failed')
             where g.entitlement_id not in (select o.id from owned_entitlement() o)) h
      join entitlement e on e.id = h.id
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create function readable_entitlement(own boolean) returns setof entitlement language sql stable parallel safe
as $$
    select e.*
      from entitlement e
     where exists (select from owned_entitlement() o where o.id = e.id)
        or exists (select
                     from managed_identity() m
                     join account a on a.identity_id = m.id
                     join access_grant g
                       on g.account_id = a.id
                      and g.status not in ('revoked', 'failed')
                    where g.entitlement_id = e.id)
        or own
       and exists (select
                     from account a
                     join access_grant g
                       on g.account_id = a.id
                      and g.status not in ('revoked', 'failed')
                    where a.identity_id = (select viewer_identity())
                      and g.entitlement_id = e.id)
$$;
-- +goose StatementEnd
