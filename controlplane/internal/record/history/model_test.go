package history_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
)

// world is what is so in the tables, and what was so after each change.
type world struct {
	house
	t                           *rapid.T
	system                      string
	people, accounts, groups    []string
	wasHeld, wasKnown, instants []string
}

// now and then, as texts: what is held by whom, and what is known of people.
const (
	heldNow = `select coalesce(string_agg(concat_ws(' ', g.id, g.account_id, g.entitlement_id, g.directness,
		    a.identity_id), ',' order by g.id), '')
		from access_grant g join account a on a.id = g.account_id
		where g.connector_id = $1 and g.status in ('active', 'ending', 'revoking', 'missing')`
	heldThen = `select coalesce(string_agg(concat_ws(' ', g.id, g.account_id, g.entitlement_id, g.directness,
		    o.identity_id), ',' order by g.id), '')
		from grant_at($2::timestamptz) g left join owner_at($2::timestamptz) o on o.account_id = g.account_id
		    where g.connector_id = $1`
	knownNow = `select coalesce(string_agg(concat_ws(' ', i.id, i.department, i.status, i.manager_id, i.attributes),
		    ',' order by i.id), '') from identity i
		where i.organization = $1`
	knownThen = `select coalesce(string_agg(concat_ws(' ', i.id, i.department, i.status, i.manager_id, i.attributes),
		    ',' order by i.id), '') from identity_at($2::timestamptz) i
		where i.organization = $1`
)

func (w *world) one(from []string) string {
	return from[rapid.IntRange(0, len(from)-1).Draw(w.t, "one")]
}

// step changes something in one transaction, by the statements of those who write.
func (w *world) step(ctx context.Context, tx *pg.Tx) (err error) {
	exec := func(sql string, args ...any) {
		if err == nil {
			_, err = tx.Exec(ctx, sql, args...)
		}
	}
	switch rapid.IntRange(0, 7).Draw(w.t, "step") {
	case 0, 1:
		status := w.one([]string{"active", "missing", "ending", "revoked", "pending", "failed", "revoking"})
		exec(
			`insert into access_grant as g (tenant_id, id, connector_id, account_id, entitlement_id, status)
			    values (current_tenant(), $1, $2, $3, $4, $5)
			on conflict (tenant_id, account_id, entitlement_id) do update set status = excluded.status,
			    directness = 'direct', version = g.version + 1`,
			uuid.NewString(),
			w.system,
			w.one(w.accounts),
			w.one(w.groups),
			status,
		)
	case 2:
		exec(
			`insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id) values (current_tenant(), $1,
				$2, $3) on conflict do nothing`,
			w.one(w.groups),
			w.one(w.groups),
			w.system,
		)
		if err == nil {
			_, err = nesting.Expand(ctx, tx, w.system)
		}
	case 3:
		exec(`delete from entitlement_edge where member_id = $1`, w.one(w.groups))
		if err == nil {
			_, err = nesting.Expand(ctx, tx, w.system)
		}
	case 4:
		exec(
			`update account set identity_id = nullif($2, '')::uuid, version = version + 1 where id = $1`,
			w.one(w.accounts),
			w.one(append([]string{""}, w.people...)),
		)
	case 5:
		exec(
			`update identity set department = $2, updated_at = now(), version = version + 1 where id = $1`,
			w.one(w.people),
			w.one([]string{"Sales", "IT"}),
		)
	case 6:
		exec(
			`update identity set manager_id = nullif($2, '')::uuid,
				attributes = jsonb_build_object('desk', $3::text) where id = $1`,
			w.one(w.people),
			w.one(append([]string{""}, w.people...)),
			w.one([]string{"a", "b"}),
		)
	default: // that something was read again is no change
		exec(
			`update identity set last_synced_at = now(), updated_at = now(), version = version + 1 where id = $1`,
			w.one(w.people),
		)
		exec(
			`update access_grant set last_used_at = now(), row_hash = '\x01',
				version = version + 1 where account_id = $1`,
			w.one(w.accounts),
		)
		exec(`update account set last_login_at = now() where id = $1`, w.one(w.accounts))
	}
	return err
}

// remember keeps what is so, and when.
func (w *world) remember() {
	w.wasHeld = append(w.wasHeld, w.Strings(heldNow, w.system)[0])
	w.wasKnown = append(w.wasKnown, w.Strings(knownNow, w.system)[0])
	w.instants = append(w.instants, w.now())
}

func TestWhatWasSoAtAnyInstantIsToldAsItWas(t *testing.T) {
	h := open(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := world{house: h, t: rt, system: uuid.NewString()}
		for i := range 3 {
			name := fmt.Sprintf("%s-%d", w.system[:8], i)
			w.people = append(w.people, h.Person(name, ""))
			h.Exec(`update identity set organization = $2 where id = $1`, w.people[i], w.system)
			w.accounts = append(w.accounts, h.Account(w.system, name, w.people[i]))
			w.groups = append(w.groups, h.Entitlement(w.system, name))
		}
		w.remember()
		for range rapid.IntRange(3, 10).Draw(rt, "transactions") {
			steps := rapid.IntRange(1, 3).Draw(rt, "steps")
			err := h.DB.As(context.Background(), h.Tenant, func(tx *pg.Tx) error {
				for range steps {
					if err := w.step(context.Background(), tx); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
			w.remember()
		}
		for i, at := range w.instants {
			if got := h.Strings(heldThen, w.system, at)[0]; got != w.wasHeld[i] {
				rt.Fatalf("after %d transactions held\n%s\nand later it is told as\n%s", i, w.wasHeld[i], got)
			}
			if got := h.Strings(knownThen, w.system, at)[0]; got != w.wasKnown[i] {
				rt.Fatalf("after %d transactions known\n%s\nand later it is told as\n%s", i, w.wasKnown[i], got)
			}
		}
		w.asked()
	})
}

// asked holds what the API tells of one instant against what was.
func (w *world) asked() {
	i := rapid.IntRange(0, len(w.instants)-1).Draw(w.t, "instant")
	who := w.one(w.people)
	var all, theirs []string
	for _, line := range strings.Split(w.wasHeld[i], ",") {
		parts := strings.Fields(line)
		if len(parts) == 0 {
			continue
		}
		if all = append(all, parts[0]); len(parts) == 5 && parts[4] == who {
			theirs = append(theirs, parts[0])
		}
	}
	for path, want := range map[string][]string{"/entitlements/grants?connector_id=" + w.system: all, "/identities/" +
		who + "/grants?expand=paths": theirs} {
		var got []string
		for _, id := range w.Must(200, "admin", "GET", path+"&limit=500&as_of="+w.instants[i], nil).Values("id") {
			got = append(got, id.(string))
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			w.t.Fatalf("%s as of %s: got %v; want %v", path, w.instants[i], got, want)
		}
	}
}
