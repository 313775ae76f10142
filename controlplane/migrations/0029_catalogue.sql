-- +goose Up

alter table entitlement
    add column permission_summary text[]  not null default '{}',
    add column backup_owner_ids   uuid[]  not null default '{}',
    add column compliance_tags    text[]  not null default '{}',
    add column duty_tags          text[]  not null default '{}',
    add column data_classes       text[]  not null default '{}',
    add column privileged_source  text,
    add column max_duration       text,
    add column default_duration   text,
    add column extension_max      text,
    add column approval_rule_id   uuid,
    add column visible_to         jsonb,
    add column replacement_id     uuid;
comment on column entitlement.visible_to is 'Whom it is offered to who may ask for access: a condition. Null: everybody.';

-- A million grants may follow from nesting at once, and the look at the tenant for each of them was most of what that took. Row security
-- sees to it that a grant is the tenant's own.
alter table access_grant drop constraint access_grant_tenant_id_fkey;

alter table entitlement
    add constraint entitlement_privileged_source_known check (privileged_source in ('rule', 'human'));
comment on column entitlement.privileged_source is 'Who says that it is privileged, or that it is not: a rule or somebody. Null: nobody has.';

-- What is offered is kept apart, in narrow rows, so that a look through all of it stays quick. Words are rows of their own, found by
-- an ordinary index: row security lets planners use no operator of text search with one.

create table catalogue_item (
    tenant_id     uuid   not null references tenant,
    id            uuid   not null,
    kind          text   not null,
    sort_name     text   not null collate "C",
    connector_ids uuid[] not null default '{}',
    risk_level    text   not null default 'low',
    tags          text[] not null default '{}',
    visible_to    jsonb,
    audience      text   collate "C" generated always as (md5(visible_to::text)) stored,
    constraint catalogue_item_pk primary key (tenant_id, id),
    constraint catalogue_item_kind_known check (kind in ('entitlement', 'role'))
);
comment on table catalogue_item is 'The roles and entitlements that can be asked for. Triggers keep it.';
comment on column catalogue_item.audience is 'The same for all that are offered to the same people.';
call secure_tenant_table('catalogue_item');
create index catalogue_item_by_name on catalogue_item (tenant_id, sort_name, id);
create index catalogue_item_by_audience on catalogue_item (tenant_id, audience) where audience is not null;

create table catalogue_word (
    tenant_id uuid     not null,
    word      text     not null collate "C",
    item_id   uuid     not null,
    weight    smallint not null,
    constraint catalogue_word_pk primary key (tenant_id, item_id, word)
);
comment on table catalogue_word is 'The words by which an item is found. Without a foreign key: a check a word costs more than the word.';
comment on column catalogue_word.weight is '1: in its name; 2: in what people say of it; 3: in what its system says; 4: in what it opens, or in what a role holds.';
call secure_tenant_table('catalogue_word');
create index catalogue_word_by_word on catalogue_word (tenant_id, word) include (item_id, weight);

-- +goose StatementBegin
create function catalogue_fold(said text) returns text language sql immutable parallel safe
as $$
    select lower(case when octet_length(said) = char_length(said) then said else translate(said,
        'ÀÁÂÃÄÅàáâãäåÇçÈÉÊËèéêëÌÍÎÏìíîïÑñÒÓÔÕÖØòóôõöøÙÚÛÜùúûüÝýÿĄąĆćČčĎďĘęĚěĞğİıŁłŃńŇňŐőŘřŚśŞşŠšŤťŮůŰűŹźŻżŽž',
        'AAAAAAaaaaaaCcEEEEeeeeIIIIiiiiNnOOOOOOooooooUUUUuuuuYyyAaCcCcDdEeEeGgIiLlNnNnOoRrSsSsSsTtUuUuZzZzZz') end)
$$;
-- +goose StatementEnd
comment on function catalogue_fold(text) is 'Text as it is compared: without capitals and, in letters of Latin, without accents. Most texts have none, and to look for them takes long.';

-- +goose StatementBegin
create function catalogue_words(said text) returns text[] language plpgsql immutable parallel safe
as $$
begin
    return array(select distinct left(w, 60) from regexp_split_to_table(catalogue_fold(said), '[\s!-/:-@\[-`{-~]+') w where w <> '');
end $$;
-- +goose StatementEnd
comment on function catalogue_words(text) is 'The words of a text. It is not written in SQL, which would be planned anew at every call.';

-- +goose StatementBegin
create function catalogue_take_entitlements(ids uuid[]) returns void language plpgsql
    set enable_seqscan = off
as $$
declare
    one uuid;
begin
  foreach one in array ids loop
    delete from catalogue_word c where c.item_id = one;
    delete from catalogue_item c where c.id = one;
    with offered as (
        insert into catalogue_item (tenant_id, id, kind, sort_name, connector_ids, risk_level, tags, visible_to)
        select e.tenant_id, e.id, 'entitlement', catalogue_fold(coalesce(nullif(e.display_name, ''), e.name)), array[e.connector_id], e.risk_level,
               e.compliance_tags || e.data_classes, e.visible_to
          from entitlement e
         where e.id = one
           and e.requestable
           and e.grantable
           and e.lifecycle = 'active'
           and e.removed_at is null
           and e.missing_since is null
           and e.connector_id is not null
        returning tenant_id, id
    )
    insert into catalogue_word (tenant_id, item_id, word, weight)
    select e.tenant_id, e.id, t.word, min(s.weight)
      from offered o
     cross join entitlement e
     cross join lateral (values
           (concat_ws(' ', e.display_name, e.name), 1),
           (concat_ws(' ', e.business_description, array_to_string(e.permission_summary || e.compliance_tags || e.data_classes, ' ')), 2),
           (concat_ws(' ', e.description, e.native_identity, e.external_id), 3),
           (concat_ws(' ', e.resource ->> 'display_name', e.resource ->> 'name', e.resource ->> 'external_id', e.resource ->> 'type'), 4)) s (said, weight)
     cross join lateral unnest(catalogue_words(s.said || ' ' || regexp_replace(s.said, '([a-z0-9])([A-Z])', '\1 \2', 'g'))) t (word)
     where e.id = one
     group by 1, 2, 3;
  end loop;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function catalogue_take_roles(ids uuid[]) returns void language plpgsql
    set enable_seqscan = off
as $$
declare
    one uuid;
begin
    -- A role is found by what the roles within it hold, too, so that those above are looked at as well.
    ids := array(with recursive up (id) as (
        select unnest(ids)
         union
        select c.role_id from up join role_child c on c.child_id = up.id
    ) select up.id
        from up
       where exists (select from role r where r.id = up.id and r.requestable)
          or exists (select from catalogue_item i where i.id = up.id));
  foreach one in array ids loop
    delete from catalogue_word c where c.item_id = one;
    delete from catalogue_item c where c.id = one;
    with recursive down (top, id) as (
        select r.id, r.id from role r where r.id = one and r.requestable and r.lifecycle = 'active'
         union
        select d.top, c.child_id from down d join role_child c on c.role_id = d.id
    ),
    holds as materialized (
        select distinct d.top as role_id, x.entitlement_id from down d join role_entitlement x on x.role_id = d.id
    ),
    offered as (
        insert into catalogue_item (tenant_id, id, kind, sort_name, connector_ids, risk_level, tags, visible_to)
        select r.tenant_id, r.id, 'role', catalogue_fold(r.name), coalesce(h.connectors, '{}'),
               coalesce(r.risk_level, (array['low', 'medium', 'high', 'critical'])[coalesce(h.risk, 1)]), r.compliance_tags, r.visible_to
          from role r
          left join (select x.role_id, array_agg(distinct e.connector_id) filter (where e.connector_id is not null) as connectors,
                            max(array_position(array['low', 'medium', 'high', 'critical'], e.risk_level)) as risk
                       from holds x
                       join entitlement e on e.id = x.entitlement_id
                      group by x.role_id) h on h.role_id = r.id
         where r.id = one
           and r.requestable
           and r.lifecycle = 'active'
        returning tenant_id, id
    )
    insert into catalogue_word (tenant_id, item_id, word, weight)
    select r.tenant_id, r.id, t.word, min(s.weight)
      from offered o
     cross join role r
     cross join lateral (
           select concat_ws(' ', r.name, r.key), 1
            union all
           select concat_ws(' ', r.description, array_to_string(r.compliance_tags, ' ')), 2
            union all
           select concat_ws(' ', e.display_name, e.name, e.business_description, e.resource ->> 'display_name', e.resource ->> 'name', e.resource ->> 'external_id'), 4
             from holds x
             join entitlement e on e.id = x.entitlement_id
            where x.role_id = r.id) s (said, weight)
     cross join lateral unnest(catalogue_words(s.said || ' ' || regexp_replace(s.said, '([a-z0-9])([A-Z])', '\1 \2', 'g'))) t (word)
     where r.id = one
     group by 1, 2, 3;
  end loop;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function catalogue_follows() returns trigger language plpgsql
as $$
declare
    roles uuid[];
begin
    case tg_table_name
    when 'entitlement' then
        if new.requestable or tg_op = 'UPDATE' and old.requestable then
            perform catalogue_take_entitlements(array[new.id]);
        end if;
        if tg_op = 'UPDATE' then
            roles := array(select x.role_id from role_entitlement x where x.entitlement_id = new.id);
        end if;
    when 'role' then
        roles := array[new.id];
    else
        roles := array(select distinct c.role_id from changed c);
    end case;
    if cardinality(roles) > 0 then
        perform catalogue_take_roles(roles);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function catalogue_take_entitlements(uuid[]) is
    'Writes anew what is offered of these. One after the other: plans are kept from when the tables were empty, and would join in circles.';
comment on function catalogue_follows() is 'Keeps the catalogue as roles and entitlements are.';

create trigger catalogue_follows_new after insert on entitlement
    for each row when (new.requestable) execute function catalogue_follows();
create trigger catalogue_follows_changed after update on entitlement
    for each row when (
        (old.requestable, old.grantable, old.lifecycle, old.removed_at is null, old.missing_since is null, old.visible_to, old.risk_level, old.compliance_tags, old.data_classes,
         old.name, old.display_name, old.description, old.business_description, old.permission_summary, old.native_identity, old.resource)
        is distinct from
        (new.requestable, new.grantable, new.lifecycle, new.removed_at is null, new.missing_since is null, new.visible_to, new.risk_level, new.compliance_tags, new.data_classes,
         new.name, new.display_name, new.description, new.business_description, new.permission_summary, new.native_identity, new.resource))
    execute function catalogue_follows();
create trigger catalogue_follows_role after insert or update on role for each row execute function catalogue_follows();
create trigger catalogue_follows_more after insert on role_entitlement referencing new table as changed
    for each statement execute function catalogue_follows();
create trigger catalogue_follows_less after delete on role_entitlement referencing old table as changed
    for each statement execute function catalogue_follows();
create trigger catalogue_follows_more after insert on role_child referencing new table as changed
    for each statement execute function catalogue_follows();
create trigger catalogue_follows_less after delete on role_child referencing old table as changed
    for each statement execute function catalogue_follows();

-- What can be asked for already.
-- +goose StatementBegin
do $$
declare
    each uuid;
begin
    alter table tenant no force row level security;
    for each in select id from tenant loop
        perform set_config('app.tenant_id', each::text, true);
        perform catalogue_take_entitlements(array(select e.id from entitlement e where e.requestable));
        perform catalogue_take_roles(array(select r.id from role r where r.requestable));
    end loop;
    perform set_config('app.tenant_id', '', true);
    alter table tenant force row level security;
end $$;
-- +goose StatementEnd
