-- +goose Up

-- What has to be looked at. Rows are only ever added and taken, so that nobody who adds one waits.
create table matter_turn (
    tenant_id  uuid        not null references tenant,
    id         bigint      not null generated always as identity,
    kind       text        not null,
    source_id  uuid        not null,
    since      timestamptz not null default now(),
    not_before timestamptz not null default now(),
    constraint matter_turn_pk primary key (tenant_id, id)
);
comment on table matter_turn is 'What may have begun, or ceased, to need a person''s decision. Looking takes the rows, and asks, brings up to date or takes back.';
comment on column matter_turn.not_before is 'Nothing is asked before: what rules are about to settle by themselves is none of people''s matters.';
call secure_tenant_table('matter_turn', 'select, insert, delete');
call readable_across('matter_turn', 'tenant_id, not_before');

create table matter_sweep (
    tenant_id uuid        not null references tenant,
    looked_at timestamptz not null default '-infinity',
    constraint matter_sweep_pk primary key (tenant_id)
);
comment on table matter_sweep is 'When everything was last looked over, for what comes with time alone, such as the end of the days that an account may be without an owner.';
call secure_tenant_table('matter_sweep', 'select, insert, update');
call readable_across('matter_sweep');

create table matter_kept (
    tenant_id  uuid        not null references tenant,
    kind       text        not null,
    source_id  uuid        not null,
    about      text        not null,
    until      timestamptz,
    comment    text        not null default '',
    decided_by jsonb       not null default '{}',
    decided_at timestamptz not null default now(),
    constraint matter_kept_pk primary key (tenant_id, kind, source_id)
);
comment on table matter_kept is 'What somebody has decided to leave as it is: nobody is asked again before until, unless it has become something else.';
comment on column matter_kept.about is 'What was decided about, such as the owner that the account had. The decision is about that alone.';
comment on column matter_kept.until is 'null: for as long as it stays what it is.';
call secure_tenant_table('matter_kept', 'select, insert, update');

-- +goose StatementBegin
create function matter_turns_up(what text, source uuid, pause interval default '0') returns void language plpgsql
as $$
begin
    if current_setting('app.erasing', true) = 'yes' then
        return;
    end if;
    insert into matter_turn (tenant_id, kind, source_id, not_before) values (current_tenant(), what, source, now() + pause);
    perform pg_notify('matter_turn', '');
end $$;
-- +goose StatementEnd
comment on function matter_turns_up(text, uuid, interval) is 'Has one matter looked at, after a pause.';

-- Held runs.
-- +goose StatementBegin
create function run_is_a_matter() returns trigger language plpgsql
as $$
begin
    perform matter_turns_up('sync_hold', new.id);
    return null;
end $$;
-- +goose StatementEnd
create trigger run_is_a_matter after update on sync_run for each row
    when (old.status is distinct from new.status and (old.status = 'held' or new.status = 'held'))
    execute function run_is_a_matter();

-- Changed fields.
-- +goose StatementBegin
create function schema_diff_is_a_matter() returns trigger language plpgsql
as $$
begin
    perform matter_turns_up('schema_diff', new.id);
    return null;
end $$;
-- +goose StatementEnd
create trigger schema_diff_is_a_matter_first after insert on schema_diff for each row execute function schema_diff_is_a_matter();
create trigger schema_diff_is_a_matter_again after update on schema_diff for each row
    when (old.version is distinct from new.version)
    execute function schema_diff_is_a_matter();

-- Conflicts of packs.
-- +goose StatementBegin
create function conflict_is_a_matter() returns trigger language plpgsql
as $$
begin
    perform matter_turns_up('pack_conflict', new.id);
    return null;
end $$;
-- +goose StatementEnd
create trigger conflict_is_a_matter_first after insert on sector_pack_conflict for each row execute function conflict_is_a_matter();
create trigger conflict_is_a_matter_again after update on sector_pack_conflict for each row
    when (old.version is distinct from new.version or old.state is distinct from new.state)
    execute function conflict_is_a_matter();

-- Grants that came back by themselves.
-- +goose StatementBegin
create function grant_is_a_matter() returns trigger language plpgsql
as $$
begin
    perform matter_turns_up('native_grant', new.id);
    return null;
end $$;
-- +goose StatementEnd
create trigger grant_is_a_matter after update on access_grant for each row
    when (old.reappeared is distinct from new.reappeared or new.reappeared and old.status is distinct from new.status)
    execute function grant_is_a_matter();

-- Changes that somebody has to make by hand, or that failed. An account that is being disabled or deleted is no orphan to ask about.
-- +goose StatementBegin
create function tasks_are_matters() returns trigger language plpgsql
as $$
declare
    added int;
begin
    insert into matter_turn (tenant_id, kind, source_id)
    select n.tenant_id, case n.state when 'manual' then 'manual_provisioning' else 'provisioning_failure' end, n.id
      from new_row n
     where n.state in ('manual', 'failed')
     union all
    select n.tenant_id, 'orphan_account', n.account_id
      from new_row n
     where n.operation in ('disable', 'delete_account')
       and n.account_id is not null
       and n.mode <> 'simulate';
    get diagnostics added = row_count;
    if added > 0 then
        perform pg_notify('matter_turn', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
create trigger tasks_are_matters after insert on provisioning_task referencing new table as new_row
    for each statement execute function tasks_are_matters();

-- +goose StatementBegin
create function task_is_a_matter() returns trigger language plpgsql
as $$
begin
    if 'manual' in (old.state, new.state) then
        perform matter_turns_up('manual_provisioning', new.id);
    end if;
    if 'failed' in (old.state, new.state) then
        perform matter_turns_up('provisioning_failure', new.id);
    end if;
    if new.state = 'cancelled' and new.account_id is not null then
        perform matter_turns_up('orphan_account', new.account_id);
    end if;
    return null;
end $$;
-- +goose StatementEnd
create trigger task_is_a_matter after update on provisioning_task for each row
    when (old.state is distinct from new.state
      and (old.state in ('manual', 'failed') or new.state in ('manual', 'failed')
        or new.state = 'cancelled' and new.operation in ('disable', 'delete_account'))
       or new.state in ('manual', 'failed') and old.version is distinct from new.version)
    execute function task_is_a_matter();

-- Accounts with several owners or none. A first load inserts and links them by the hundred thousand, so a statement is looked at as a
-- whole, and adds rows for those alone that are, or were, somebody's matter.
-- +goose StatementBegin
create function accounts_are_matters() returns trigger language plpgsql
as $$
declare
    patience interval := make_interval(days => (select coalesce((t.settings ->> 'orphan_after_days')::int, 30) from tenant t where t.id = current_tenant()));
    added    int;
begin
    if current_setting('app.erasing', true) = 'yes' then
        return null;
    end if;
    if tg_op = 'INSERT' then
        insert into matter_turn (tenant_id, kind, source_id)
        select n.tenant_id, 'account_correlation', n.id
          from new_row n
         where n.correlation_state = 'disputed'
         union all
        select n.tenant_id, 'orphan_account', n.id
          from new_row n
         where n.status in ('active', 'locked', 'missing')
           and n.correlation_state <> 'ignored'
           and case when n.identity_id is null
                    then n.account_type in ('service', 'shared', 'system', 'bot', 'ai_agent', 'break_glass') or n.first_seen_at <= now() - patience
                    else exists (select from identity i where i.tenant_id = n.tenant_id and i.id = n.identity_id and i.status in ('deactivated', 'archived')) end;
    else
        insert into matter_turn (tenant_id, kind, source_id)
        select n.tenant_id, 'account_correlation', n.id
          from new_row n
          join old_row o
            on o.tenant_id = n.tenant_id
           and o.id = n.id
         where o.correlation_state <> n.correlation_state and 'disputed' in (o.correlation_state, n.correlation_state)
            or n.correlation_state = 'disputed' and (o.correlation, o.status = 'deleted') is distinct from (n.correlation, n.status = 'deleted')
         union all
        select n.tenant_id, 'orphan_account', n.id
          from new_row n
          join old_row o
            on o.tenant_id = n.tenant_id
           and o.id = n.id
         where (o.identity_id, o.status, o.is_disabled, o.correlation_state, o.account_type)
               is distinct from (n.identity_id, n.status, n.is_disabled, n.correlation_state, n.account_type)
           and (case when n.status not in ('active', 'locked', 'missing') or n.correlation_state = 'ignored' then false
                     when n.identity_id is null
                     then n.account_type in ('service', 'shared', 'system', 'bot', 'ai_agent', 'break_glass') or n.correlation ? 'previous_owner'
                          or coalesce(n.unowned_since, n.first_seen_at) <= now() - patience
                     else exists (select from identity i where i.tenant_id = n.tenant_id and i.id = n.identity_id and i.status in ('deactivated', 'archived')) end
             or case when o.status not in ('active', 'locked', 'missing') or o.correlation_state = 'ignored' then false
                     when o.identity_id is null
                     then o.account_type in ('service', 'shared', 'system', 'bot', 'ai_agent', 'break_glass') or o.correlation ? 'previous_owner'
                          or coalesce(o.unowned_since, o.first_seen_at) <= now() - patience
                     else exists (select from identity i where i.tenant_id = o.tenant_id and i.id = o.identity_id and i.status in ('deactivated', 'archived')) end);
    end if;
    get diagnostics added = row_count;
    if added > 0 then
        perform pg_notify('matter_turn', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
create trigger accounts_are_matters_first after insert on account referencing new table as new_row
    for each statement execute function accounts_are_matters();
create trigger accounts_are_matters_again after update on account referencing old table as old_row new table as new_row
    for each statement execute function accounts_are_matters();

-- The accounts of whoever leaves are disabled by rule where that can be; half a minute later those that still can be used are asked about.
-- +goose StatementBegin
create function leaver_is_a_matter() returns trigger language plpgsql
as $$
begin
    if current_setting('app.erasing', true) = 'yes' then
        return null;
    end if;
    insert into matter_turn (tenant_id, kind, source_id, not_before)
    select a.tenant_id, 'orphan_account', a.id,
           now() + case when new.status in ('deactivated', 'archived') then interval '30 seconds' else interval '0' end
      from account a
     where a.tenant_id = new.tenant_id
       and a.identity_id = new.id
       and a.status in ('active', 'locked', 'missing');
    if found then
        perform pg_notify('matter_turn', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
create trigger leaver_is_a_matter after update on identity for each row
    when (old.status is distinct from new.status
      and (old.status in ('deactivated', 'archived') or new.status in ('deactivated', 'archived')))
    execute function leaver_is_a_matter();

-- +goose StatementBegin
create function orphan_days_are_others() returns trigger language plpgsql
as $$
begin
    if current_setting('app.erasing', true) is distinct from 'yes' then
        insert into matter_sweep (tenant_id) values (new.id) on conflict (tenant_id) do update set looked_at = '-infinity';
        perform pg_notify('matter_turn', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
create trigger orphan_days_are_others after update on tenant for each row
    when ((old.settings ->> 'orphan_after_days') is distinct from (new.settings ->> 'orphan_after_days'))
    execute function orphan_days_are_others();
