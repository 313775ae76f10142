package directory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/manager"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// TestManagedIdentitiesAreWhatAWalkThroughTheGraphFinds holds managed_identity() against brute force while people move,
// with circles and people who manage themselves, for viewers whose reports are kept and for one whose are not.
func TestManagedIdentitiesAreWhatAWalkThroughTheGraphFinds(t *testing.T) {
	h := open(t)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 9).Draw(t, "size")
		ids, manager := make([]string, size), make([]int, size)
		for i := range size {
			ids[i], manager[i] = uuid.Must(uuid.NewV7()).String(), rapid.IntRange(-1, size-1).Draw(t, "manager")
		}
		looking := rapid.IntRange(0, size).Draw(t, "how many look")
		early := rapid.Bool().Draw(t, "they look before there is anybody")
		if early {
			h.Exec(`delete from app_user`)
			h.Exec(`delete from identity`)
			look(h, ids[:looking])
		}
		employ(h, ids, manager)
		if !early {
			look(h, ids[:looking])
		}
		for range 3 {
			for i := range size {
				if got, want := managed(t, h, ids[i]), beneath(ids, manager, i); !cmp.Equal(want, got, equal...) {
					t.Fatalf(
						"managers %v seen by %d of %d who look: -want +got\n%s",
						manager,
						i,
						looking,
						cmp.Diff(want, got, equal...),
					)
				}
			}
			agree(t, h)
			at, below := rapid.IntRange(0, size-1).Draw(t, "moved"), rapid.IntRange(-1, size-1).Draw(t, "below")
			for i := range size {
				if i == at || rapid.IntRange(0, 3).Draw(t, "moves along") == 0 {
					manager[i] = below
				}
			}
			move(h, ids, manager)
		}
	})
}

var equal = []cmp.Option{cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b string) bool { return a < b })}

// look gives these people a user as manager each.
func look(h *recordtest.House, ids []string) {
	h.T.Helper()
	h.Exec(`delete from app_user`)
	h.Exec(`insert into app_user (tenant_id, id, email, identity_id, roles)
		select current_tenant(), id, id::text, id, '{manager}' from unnest($1::text[]::uuid[]) w(id)`, ids)
}

// employ puts these people in the place of all others.
func employ(h *recordtest.House, ids []string, manager []int) {
	h.T.Helper()
	h.Exec(`delete from identity`)
	h.Exec(`insert into identity (tenant_id, id, external_id, manager_id)
		select current_tenant(), id, id::text, boss
		    from unnest($1::text[]::uuid[], $2::text[]::uuid[]) w(id, boss)`, ids, bosses(ids, manager))
}

// move changes everybody's manager in one statement.
func move(h *recordtest.House, ids []string, manager []int) {
	h.T.Helper()
	h.Exec(
		`update identity i set manager_id = w.boss from unnest($1::text[]::uuid[], $2::text[]::uuid[]) w(id, boss)
			where i.id = w.id`,
		ids,
		bosses(ids, manager),
	)
}

func bosses(ids []string, manager []int) []*string {
	of := make([]*string, len(ids))
	for i, m := range manager {
		if m >= 0 {
			of[i] = &ids[m]
		}
	}
	return of
}

func managed(t *rapid.T, h *recordtest.House, id string) (found []string) {
	ctx := context.Background()
	v := viewer.Viewer{Tenant: h.Tenant.Tenant, Kind: viewer.User, Identity: id, Roles: []viewer.Role{viewer.Manager}}
	err := h.DB.As(ctx, v, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, `select id::text from managed_identity()`)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// beneath finds the reports of one by following everybody upwards.
func beneath(ids []string, manager []int, at int) (reports []string) {
	for i := range ids {
		if i != at && reaches(manager, i, at) {
			reports = append(reports, ids[i])
		}
	}
	return reports
}

func reaches(manager []int, from, to int) bool {
	for range manager {
		if from = manager[from]; from < 0 {
			return false
		}
		if from == to {
			return true
		}
	}
	return false
}

// agree ends the test unless what is kept is what a walk finds.
func agree(t interface{ Fatalf(string, ...any) }, h *recordtest.House) {
	ctx := context.Background()
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		wrong, err := manager.CheckReports(ctx, tx)
		if err == nil && wrong > 0 {
			err = fmt.Errorf("%d pairs are wrong", wrong)
		}
		return err
	})
	if err != nil {
		t.Fatalf("what is kept of managers: %v", err)
	}
}

func TestReportsAreKeptForThoseWhoLookAsManagers(t *testing.T) {
	h := open(t)
	boss := h.Person("boss", "")
	h.Person("report", boss)
	kept := func() int { return h.Count(`select count(*) from management where manager_id = $1`, boss) }
	for _, step := range []struct {
		sql  string
		args []any
		want int
	}{
		{`insert into app_user (tenant_id, id, email, identity_id, roles) values (current_tenant(), $1, 'boss', $1,
			'{resource_owner}')`, []any{boss}, 0},
		{`update app_user set roles = '{manager}' where id = $1`, []any{boss}, 1},
		{`update app_user set identity_id = null where id = $1`, []any{boss}, 0},
		{`update app_user set identity_id = $1 where id = $1`, []any{boss}, 1},
		{`insert into api_token (tenant_id, id, jti, name, scopes, role, bound_identity_id, idle_after, expires_at,
			    created_by, awake_since)
			values (current_tenant(), $1, $1, 'of boss', '{}', 'manager', $1, '1 day', now() + interval '1 day', $1,
			    now())`, []any{boss}, 1},
		{`update app_user set roles = '{}' where id = $1`, []any{boss}, 1},
		{`update api_token set revoked_at = now() where id = $1`, []any{boss}, 0},
	} {
		h.Exec(step.sql, step.args...)
		if got := kept(); got != step.want {
			t.Errorf("after %s: %d reports kept; want %d", strings.Fields(step.sql)[:4], got, step.want)
		}
		agree(t, h)
	}
}

// TestMovesAtTheSameTimeLeaveWhatIsKeptTrue lets people move, managers come and go, and newcomers join, each in
// transactions that overlap.
func TestMovesAtTheSameTimeLeaveWhatIsKeptTrue(t *testing.T) {
	h := open(t)
	const size = 40
	ids, manager := make([]string, size), make([]int, size)
	for i := range size {
		ids[i], manager[i] = uuid.Must(uuid.NewV7()).String(), i/2-1
	}
	employ(h, ids, manager)
	look(h, ids[:size/2])
	var busy sync.WaitGroup
	for worker := range 6 {
		busy.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(worker), 1))
			for range 25 {
				if err := h.DB.As(
					t.Context(),
					h.Tenant,
					func(tx *pg.Tx) error { return disturb(t.Context(), tx, dice, ids) },
				); err != nil {
					t.Error(err)
				}
			}
		})
	}
	busy.Wait()
	agree(t, h)
	if h.Count(`select count(*) from management`) == 0 {
		t.Error("nothing is kept at all")
	}
}

func TestWhoBeginsToLookWhileSomebodyMovesMissesNobody(t *testing.T) {
	h := open(t)
	boss, mover := h.Person("boss", ""), h.Person("mover", "")
	h.Person("beneath", mover)
	err := h.DB.As(t.Context(), h.Tenant, func(tx *pg.Tx) error {
		_, err := tx.Exec(t.Context(), `update identity set manager_id = $1 where id = $2`, boss, mover)
		look(h, []string{boss}) // in a transaction of its own, which does not see the move
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	agree(t, h)
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	if got := h.Must(200, "boss", "GET", "/identities", nil); got.Body["total"] != 2.0 {
		t.Errorf("the boss sees %v; want the two who came meanwhile", got.Body["total"])
	}
	h.Exec(`update app_user set last_login_at = now()`)
	if n := h.Count(`select count(*) from management where manager_id = $1`, boss); n != 2 {
		t.Errorf("after the next sign-in %d reports are kept; want 2", n)
	}
}

// disturb changes one or two things that what is kept depends on.
func disturb(ctx context.Context, tx *pg.Tx, dice *rand.Rand, ids []string) error {
	for range 1 + dice.IntN(2) {
		one, other := ids[dice.IntN(len(ids))], ids[dice.IntN(len(ids))]
		var err error
		switch dice.IntN(6) {
		case 0:
			_, err = tx.Exec(
				ctx,
				`update app_user set roles = case when roles = '{}' then '{manager}'::text[] else '{}' end
					where id = $1`,
				one,
			)
		case 1:
			_, err = tx.Exec(
				ctx,
				`insert into identity (tenant_id, id, external_id, manager_id) values (current_tenant(), $1::uuid,
					$1::text, $2)`,
				uuid.Must(uuid.NewV7()).String(),
				other,
			)
		case 2:
			_, err = tx.Exec(ctx, `update identity set manager_id = null where id = $1`, one)
		default:
			_, err = tx.Exec(ctx, `update identity set manager_id = $2 where id = $1`, one, other)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
