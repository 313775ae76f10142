-- +goose Up

-- The planner knows how many rows a table has, and which values, from the last analyze. PostgreSQL's own looks around once a minute;
-- until then a table that was just filled counts as nearly empty, and joins of thousands of rows with thousands are done row by row.

-- +goose StatementBegin
create function catch_up_statistics() returns text language plpgsql volatile security definer
    set search_path = pg_catalog, public, pg_temp
as $$
declare
    behind regclass;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('catch_up_statistics', 0)) then
        return null;
    end if;
    select c.oid::regclass into behind
      from pg_class c
     where c.relkind = 'r'
       and c.relnamespace = 'public'::regnamespace
       and pg_has_role(c.relowner, 'usage')
       and pg_stat_get_mod_since_analyze(c.oid) > greatest(500, 3 * c.reltuples)
     order by pg_stat_get_mod_since_analyze(c.oid) desc
     limit 1;
    if behind is not null then
        execute format('analyze %s', behind);
    end if;
    return behind::text;
end $$;
-- +goose StatementEnd
comment on function catch_up_statistics is
    'Analyzes one table of which three times as many rows were written since it was last analyzed as it had then, and says which; null when there is none, or another process is at it.';
revoke all on function catch_up_statistics() from public;
grant execute on function catch_up_statistics() to grantwright_app;
