package decision_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

func TestColleaguesAreFoundAsTheyAreNow(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	path := "/decision-tasks/" + h.one(question("a", ann)) + "/colleagues"
	late, wed := h.Person("Late Comer", ""), h.worker("Mia Maiden", "", "")
	found := func(q string) bool { return h.finds("ann", path, q) != "" }
	before := []bool{found("late"), found("maiden"), found("wife")}
	h.account(late, "active")
	h.Exec(`update identity set display_name = 'Mia Wife' where id = $1`, wed)
	after := []bool{found("late"), found("maiden"), found("wife")}
	if !slices.Equal(before, []bool{false, true, false}) || !slices.Equal(after, []bool{true, false, true}) {
		t.Errorf("before %v, after %v", before, after)
	}
	h.Exec(`update app_user set identity_id = null where identity_id = $1`, late)
	h.Exec(`delete from app_user where identity_id = $1`, wed)
	if n := h.Count(`select count(*) from decision_colleague_word`); n != 0 {
		t.Errorf("%d words of people without a user are kept", n)
	}
}

func TestANameThatChangesWhileAUserIsLinkedIsFound(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	path := "/decision-tasks/" + h.one(question("a", ann)) + "/colleagues"
	mia := h.Person("Mia Maiden", "")
	linked := make(chan error, 1)
	link := func(ctx context.Context, tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			`insert into app_user (tenant_id, id, email, identity_id) values (current_tenant(), gen_random_uuid(),
				'mia@users.test', $1)`,
			mia,
		)
		return err
	}
	h.as(func(ctx context.Context, tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `update identity set display_name = 'Mia Wife' where id = $1`, mia); err != nil {
			return err
		}
		go func() { linked <- h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error { return link(ctx, tx) }) }()
		for late := time.After(30 * time.Second); h.Count(`select count(*) from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'`) == 0; {
			select {
			case err := <-linked:
				return errors.Join(errors.New("the user was linked beside the change"), err)
			case <-late:
				return errors.New("nobody waits for the change, nor goes on without it")
			case <-time.After(5 * time.Millisecond):
			}
		}
		return nil
	})
	if err := <-linked; err != nil {
		t.Fatal(err)
	}
	if got := h.finds("ann", path, "wife") + h.finds("ann", path, "maiden"); got != "Mia Wife" {
		t.Errorf("found %q", got)
	}
}
