-- +goose Up

-- Whoever hands a task on finds colleagues by their names. Words are rows of their own, found by an ordinary index: row security lets
-- planners use no operator of text search with one. Kept are the words of those alone who have a user, since nobody else can be handed
-- anything; so a sync of a hundred thousand people, of whom none signs in yet, writes none.
create table decision_colleague_word (
    tenant_id   uuid not null,
    word        text not null collate "C",
    identity_id uuid not null,
    constraint decision_colleague_word_pk primary key (tenant_id, identity_id, word)
);
comment on table decision_colleague_word is
    'The words of the names of people who have a user, by which they are found when a task is handed on. Triggers keep it. Without foreign keys: a check a word costs more than the word.';
call secure_tenant_table('decision_colleague_word', 'select, insert, delete');
create index decision_colleague_word_by_word on decision_colleague_word (tenant_id, word, identity_id);

-- +goose StatementBegin
create function decision_name_words(said text) returns text[] language sql immutable parallel safe
as $$ select catalogue_words(normalize(said, nfc)) $$;
-- +goose StatementEnd
comment on function decision_name_words(text) is 'The words of a name as they are compared, however its accents are written.';

-- +goose StatementBegin
create function decision_take_colleague(one uuid) returns void language plpgsql
as $$
begin
    -- Whoever links a user waits for whoever changes the name meanwhile, and the other way round: the later of the two sees both.
    perform from identity i where i.id = one for share;
    delete from decision_colleague_word w where w.identity_id = one;
    insert into decision_colleague_word (tenant_id, identity_id, word)
    select i.tenant_id, i.id, t.word
      from identity i
     cross join lateral unnest(decision_name_words(i.display_name)) t (word)
     where i.id = one
       and exists (select from app_user u where u.identity_id = one);
end $$;
-- +goose StatementEnd
comment on function decision_take_colleague(uuid) is 'Writes anew by which words somebody is found.';

-- +goose StatementBegin
create function decision_colleague_follows() returns trigger language plpgsql
as $$
begin
    if tg_table_name = 'identity' then
        if exists (select from app_user u where u.identity_id = new.id) then
            perform decision_take_colleague(new.id);
        end if;
        return null;
    end if;
    if tg_op <> 'INSERT' and old.identity_id is not null then
        perform decision_take_colleague(old.identity_id);
    end if;
    if tg_op <> 'DELETE' and new.identity_id is not null then
        perform decision_take_colleague(new.identity_id);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function decision_colleague_follows() is 'Keeps the words of colleagues as names and users are.';
create trigger decision_colleague_renamed after update of display_name on identity for each row
    when (new.display_name is distinct from old.display_name) execute function decision_colleague_follows();
create trigger decision_colleague_joins after insert or delete on app_user for each row execute function decision_colleague_follows();
create trigger decision_colleague_linked after update of identity_id on app_user for each row
    when (new.identity_id is distinct from old.identity_id) execute function decision_colleague_follows();

-- Those who sign in already.
-- +goose StatementBegin
do $$
declare
    each uuid;
begin
    alter table tenant no force row level security;
    for each in select id from tenant loop
        perform set_config('app.tenant_id', each::text, true);
        insert into decision_colleague_word (tenant_id, identity_id, word)
        select i.tenant_id, i.id, t.word
          from app_user u
          join identity i on i.id = u.identity_id
         cross join lateral unnest(decision_name_words(i.display_name)) t (word);
    end loop;
    perform set_config('app.tenant_id', '', true);
    alter table tenant force row level security;
end $$;
-- +goose StatementEnd
