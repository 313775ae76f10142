package directory_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

func TestADayEndsWhenItsZoneSaysSo(t *testing.T) {
	for _, tt := range []struct{ day, zone, want string }{
		{"2026-05-31", "UTC", "2026-06-01T00:00:00Z"},
		{"2026-05-31", "Europe/Berlin", "2026-05-31T22:00:00Z"},
		{"2026-03-29", "Europe/Berlin", "2026-03-29T22:00:00Z"},     // 23 hours
		{"2026-10-25", "Europe/Berlin", "2026-10-25T23:00:00Z"},     // 25 hours
		{"2018-11-03", "America/Sao_Paulo", "2018-11-04T03:00:00Z"}, // midnight is left out
		{"2018-02-17", "America/Sao_Paulo", "2018-02-18T03:00:00Z"}, // 23:00 to 24:00 comes twice
		{"2009-10-31", "America/St_Johns", "2009-11-01T03:30:00Z"},
		// at 00:01 clocks go back to 23:01 of the day before
		{"2006-10-28", "America/St_Johns", "2006-10-29T03:30:00Z"},
		{"2024-04-25", "Africa/Cairo", "2024-04-25T22:00:00Z"}, // midnight is left out
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, tt.day)
		if err != nil {
			t.Fatal(err)
		}
		end := asof.DayEnd(day, zone)
		if got := end.Format(time.RFC3339); got != tt.want {
			t.Errorf("%s in %s ends at %s; want %s", tt.day, tt.zone, got, tt.want)
		}
		if last := end.Add(-time.Microsecond).In(zone).Format(time.DateOnly); last != tt.day {
			t.Errorf("%s in %s: its last instant is on %s", tt.day, tt.zone, last)
		}
		if next := end.In(zone).Format(time.DateOnly); next <= tt.day {
			t.Errorf("%s in %s: the instant after it is on %s", tt.day, tt.zone, next)
		}
	}
}

func clock(h *recordtest.House) string {
	return h.Strings(`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`)[0]
}

func names(values []any) string { return fmt.Sprint(values) }

func TestPeopleAreListedAsTheyWere(t *testing.T) {
	h := open(t)
	before := clock(h)
	boss := h.Person("boss", "")
	ann := h.Person("ann", boss)
	first := clock(h)
	h.Must(200, "admin", "PATCH", "/identities/"+ann, `{"department":"Sales","manager_external_id":"boss"}`)
	second := clock(h)
	h.Must(200, "admin", "PATCH", "/identities/"+ann, `{"department":"IT","title":"Lead"}`)
	h.Must(200, "admin", "POST", "/identities/"+ann+"/deactivate", `{"reason":"left"}`)
	h.Exec(`update identity set manager_id = null where id = $1`, ann)
	for _, tt := range []struct{ query, want string }{
		{"?as_of=" + before, "[]"}, {"?as_of=" + first, "[boss ann]"}, {"?department=Sales&as_of=" + first, "[]"},
		{"?department=Sales&as_of=" + second, "[ann]"}, {"?department=IT&as_of=" + second, "[]"},
		{"?department=IT&status=deactivated", "[ann]"},
		{"?status=active&as_of=" + second + "&sort=display_name", "[ann boss]"},
		{"?manager_id=" + boss + "&as_of=" + second, "[ann]"},
		{"?manager_id=" + boss, "[]"}, {"?q=BOS&as_of=" + second, "[boss]"},
		{"?email=ann@example.com&as_of=" + second, "[ann]"},
	} {
		a := h.Must(200, "admin", "GET", "/identities"+tt.query, nil)
		if got := names(a.Values("display_name")); got != tt.want || a.Body["total"] != float64(len(a.Items())) {
			t.Errorf("%s: got %s of %v; want %s", tt.query, got, a.Body["total"], tt.want)
		}
	}
	then := h.Must(200, "admin", "GET", "/identities/"+ann+"?expand=manager,grants&as_of="+second, nil)
	if then.Text("department") != "Sales" || then.Text("status") != "active" ||
		then.Body["manager"].(map[string]any)["id"] != boss ||
		then.Header.Get("ETag") != "" {
		t.Errorf("ann was %v", then.Body)
	}
	h.Refused(404, "not_known_then", "admin", "GET", "/identities/"+ann+"?as_of="+before, nil)
	h.Refused(404, "not_found", "admin", "GET", "/identities/00000000-0000-7000-8000-00000000dead?as_of="+second, nil)
	h.Refused(422, "instant_in_future", "admin", "GET", "/identities?as_of=2300-01-01", nil)
	h.Refused(422, "instant_in_future", "admin", "GET", "/identities/"+ann+"?as_of=2300-01-01T00:00:00Z", nil)
	h.Refused(400, "invalid_parameter", "admin", "GET", "/identities?as_of=yesterday", nil)
	h.Refused(400, "invalid_parameter", "admin", "GET", "/identities?as_of=2026-02-30", nil)
	h.Refused(422, "not_with_as_of", "admin", "GET", "/identities?manager_cycle=true&as_of="+second, nil)
	h.Refused(422, "not_with_as_of", "admin", "GET", "/identities?approver_without_sign_in=true&as_of="+second, nil)
	h.Refused(422, "not_with_as_of", "admin", "GET", "/identities/"+ann+"?expand=accounts&as_of="+second, nil)
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	h.Refused(404, "not_found", "boss", "GET", "/identities/"+ann+"?as_of="+second, nil) // who is no report today
	if got := names(h.Must(200, "boss", "GET", "/identities?as_of="+second, nil).Values("display_name")); got != "[]" {
		t.Errorf("who manages nobody today is shown %s of then", got)
	}
	h.Exec(`update identity set manager_id = $2 where id = $1`, ann, boss)
	if got := names(
		h.Must(200, "boss", "GET", "/identities?department=Sales&as_of="+second, nil).Values("display_name"),
	); got != "[ann]" {
		t.Errorf("the manager is shown %s; want ann as she was", got)
	}
	other := pgtest.Tenant(t, h.DB, "second")
	h.Let("elsewhere", other.Tenant, "", viewer.Admin)
	h.Refused(404, "not_found", "elsewhere", "GET", "/identities/"+ann+"?as_of="+second, nil)
	if n := len(h.Must(200, "elsewhere", "GET", "/identities?as_of="+second, nil).Items()); n != 0 {
		t.Errorf("another tenant is shown %d people", n)
	}
}

func TestWhatIsTakenFromAnArchivedRecordIsTakenFromItsPast(t *testing.T) {
	h := open(t)
	ann := h.Person("ann", "")
	account := h.Account("00000000-0000-7000-8000-00000000c001", "ann.secret", ann)
	h.Must(
		200,
		"admin",
		"PATCH",
		"/identities/"+ann,
		`{"title":"Secret","department":"Sales","attributes":{"hobby":"Secret","national":"1"}}`,
	)
	h.Exec(`update account set username = 'other' where id = $1`, account)
	at := clock(h)
	h.Must(200, "admin", "PATCH", "/identities/"+ann, `{"department":"IT","last_name":"Secret"}`)
	h.Exec(
		`update identity set status = 'archived', email = null, username = null, first_name = null, last_name = null, display_name = 'Archived', title = null,
		attributes = '{"national": "1"}', minimised_at = now() where id = $1`,
		ann,
	)
	if n := h.Count(
		`select count(*) from identity_past p where p::text ilike '%secret%' or p::text like '%@example%'`,
	); n != 0 {
		t.Errorf("%d rows of the past still tell personal data", n)
	}
	if n := h.Count(`select count(*) from account_past p where p.username is not null`); n != 0 {
		t.Errorf("%d rows of the past still name the account", n)
	}
	if got := h.Strings(`select concat_ws(' ', i.department, i.status, i.display_name, i.attributes)
		from identity_at($1::timestamptz) i
		where i.id = $2`, at, ann)[0]; got != `Sales active Archived {"national": "1"}` {
		t.Errorf("what is left of then is %s", got)
	}
}

func TestATransactionThatBeganEarlierAndWritesLaterLosesNothing(t *testing.T) {
	h := open(t)
	ann := h.Person("ann", "")
	ctx := context.Background()
	err := h.DB.As(ctx, h.Tenant, func(late *pg.Tx) error {
		if _, err := late.Exec(ctx, `select now()`); err != nil {
			return err
		}
		h.Exec(`update identity set department = 'Sales' where id = $1`, ann)
		at := clock(h)
		if _, err := late.Exec(ctx, `update identity set department = 'IT' where id = $1`, ann); err != nil {
			return err
		}
		t.Cleanup(func() {
			if got := h.Strings(
				`select i.department from identity_at($1::timestamptz) i where i.id = $2`,
				at,
				ann,
			); len(got) != 1 ||
				got[0] != "Sales" {
				t.Errorf("then the department was %v; want Sales", got)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := h.Count(
		`select count(*) from identity_past a join identity_past b using (id) where a.until <> b.until
			and a.since < b.until and b.since < a.until`,
	); n != 0 {
		t.Errorf("%d spans overlap", n)
	}
}

func TestEveryColumnOfARecordIsKeptOrLeftOutOnPurpose(t *testing.T) {
	h := open(t)
	missing := h.Strings(`
		select c.column_name::text
		  from information_schema.columns c
		 where c.table_name = 'identity' and c.table_schema = 'public'
		   and c.column_name not in ('email_lc', 'last_synced_at', 'updated_at', 'standing', 'pins', 'minimised_at',
		       'as_is_since')
		   and not exists (select from information_schema.columns p where p.table_name = 'identity_past'
		       and p.column_name = c.column_name)`)
	if len(missing) > 0 {
		t.Errorf("identity_past does not keep %v: let the trigger keep it, or name it here", missing)
	}
}

func TestTheApplicationCannotWriteThePast(t *testing.T) {
	h := open(t)
	h.Exec(`update identity set department = 'x' where id = $1`, h.Person("ann", ""))
	for _, table := range []string{"identity_past", "account_past", "account_owner_past", "access_grant_past",
		"entitlement_edge_past", "access_reason_moved", "history_start"} {
		err := h.DB.As(context.Background(), h.Tenant, func(tx *pg.Tx) error {
			_, err := tx.Exec(context.Background(), `delete from `+table)
			return err
		})
		if err == nil {
			t.Errorf("the application deleted from %s", table)
		}
	}
}
