-- +goose Up

alter table tenant
    add column region        text        not null default '',
    add column limits        jsonb       not null default '{}',
    add column status_reason text,
    add column closed_at     timestamptz,
    add column purge_after   timestamptz,
    add column closed_by     jsonb,
    add column purged        jsonb       not null default '{}';
comment on column tenant.limits is 'rps and burst: what the tenant''s tokens may ask that have no rate of their own. An absent one is the usual one.';
comment on column tenant.status_reason is 'Why an operator has suspended or closed it, in their words.';
comment on column tenant.purge_after is 'When a closing tenant''s grace ends: from then on everything that belongs to it is deleted, and it cannot be opened again.';
comment on column tenant.closed_by is 'Who closed it: tenant, id, display, and status, which it had before.';
comment on column tenant.purged is 'How many rows of which table have been deleted so far.';
create index tenant_by_creation on tenant (created_at, id);
create index tenant_closing on tenant (purge_after) where status = 'closing';

create trigger announce_limits after update on tenant
    for each row when (old.limits is distinct from new.limits) execute function announce_auth_change();

-- +goose StatementBegin
create function purge_tenant(target uuid, budget int) returns jsonb
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
    caller  text := coalesce(current_setting('app.tenant_id', true), '');
    due     tenant%rowtype;
    counts  jsonb;
    rel     record;
    n       bigint;
    deleted bigint := 0;
    spent   bigint := 0;
    parting text;
    joined  text;
begin
    if budget is null or budget < 1 or budget > 100000 then
        raise exception 'a step deletes 1 to 100000 rows, not %', budget using errcode = '22023';
    end if;
    -- The policies bind the owner too: from here to the end of the call nothing but the target's rows can be seen.
    perform set_config('app.tenant_id', target::text, true);
    perform set_config('app.erasing', 'yes', true);
    select * into due from tenant where id = target;
    if not found then
        perform set_config('app.tenant_id', caller, true);
        return jsonb_build_object('state', 'absent');
    end if;
    if due.status <> 'closing' or due.purge_after is null or due.purge_after > now() then
        raise exception 'tenant % is not closing, or its grace has not ended', target using errcode = '55000';
    end if;
    select * into due from tenant
     where id = target and status = 'closing' and purge_after <= now()
       for update skip locked;
    if not found or exists (select from sync_run where tenant_id = target and lease_until > now()) then
        perform set_config('app.tenant_id', caller, true);
        return jsonb_build_object('state', 'busy');
    end if;
    counts := due.purged;

    -- The data keys go first, and by themselves: once this has committed, no copy of a sealed value opens any more.
    delete from tenant_key where tenant_id = target;
    get diagnostics n = row_count;
    if n > 0 then
        update tenant set purged = counts || jsonb_build_object('tenant_key', coalesce((counts ->> 'tenant_key')::bigint, 0) + n) where id = target;
        perform set_config('app.tenant_id', caller, true);
        return jsonb_build_object('state', 'working', 'deleted', n);
    end if;

    -- Every table there is with a tenant_id, those first that no other refers to.
    for rel in
        with recursive owned as (
            select c.oid
              from pg_class c
              join pg_namespace s on s.oid = c.relnamespace and s.nspname not like 'pg\_%' and s.nspname <> 'information_schema'
              join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
             where c.relkind = 'r' and c.relpersistence <> 't'),
        refers as (
            select distinct k.conrelid as child, k.confrelid as parent
              from pg_constraint k
             where k.contype = 'f' and k.conrelid <> k.confrelid
               and k.conrelid in (select oid from owned) and k.confrelid in (select oid from owned)),
        floors (oid, level) as (
            select oid, 0 from owned
             union
            select r.parent, f.level + 1 from floors f join refers r on r.child = f.oid where f.level < 40)
        select f.oid::regclass::text as name, max(f.level) as level from floors f group by f.oid order by max(f.level), f.oid
    loop
        begin
            execute format('delete from %s where tenant_id = $1 and ctid = any (array(select ctid from %s where tenant_id = $1 limit $2))', rel.name, rel.name)
              using target, budget - spent;
            get diagnostics n = row_count;
            deleted := deleted + n;
            if n > 0 then
                counts := counts || jsonb_build_object(rel.name, coalesce((counts ->> rel.name)::bigint, 0) + n);
            end if;
        exception when foreign_key_violation then
            -- Rows of one table that refer to each other are parted before, so many at a time: then they go in any order.
            select string_agg(format('%I = null', a.attname), ', '), string_agg(format('%I is not null', a.attname), ' or ')
              into parting, joined
              from pg_attribute a
             where a.attrelid = rel.name::regclass
               and not a.attnotnull
               and exists (select from pg_constraint k
                            where k.contype = 'f' and k.conrelid = a.attrelid and k.confrelid = a.attrelid and a.attnum = any (k.conkey));
            if parting is null then
                raise;
            end if;
            execute format('update %s set %s where tenant_id = $1 and ctid = any (array(select ctid from %s where tenant_id = $1 and (%s) limit $2))',
                           rel.name, parting, rel.name, joined)
              using target, budget - spent;
            get diagnostics n = row_count;
            if n = 0 then
                raise;
            end if;
            spent := budget;
        end;
        spent := spent + n;
        exit when spent >= budget;
    end loop;

    if spent > 0 then
        update tenant set purged = counts where id = target;
    else
        delete from tenant where id = target;
    end if;
    perform set_config('app.tenant_id', caller, true);
    return jsonb_build_object('state', case when spent > 0 then 'working' else 'done' end, 'deleted', deleted, 'slug', due.slug,
                              'reason', due.status_reason, 'closed_by', due.closed_by, 'counts', counts);
end $$;
-- +goose StatementEnd
comment on function purge_tenant is
    'A step of erasing a closing tenant whose grace has ended, and no other: its data keys, then at most budget rows of whatever table has a tenant_id, and at last the tenant. Rows that refer to others of their table are parted from them first, in steps of their own. The application has no right of its own to delete what the audit log holds.';
revoke all on function purge_tenant from public;
grant execute on function purge_tenant to grantwright_app;
