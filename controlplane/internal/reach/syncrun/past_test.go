package syncrun_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// pastRows counts what is kept of what was so.
const pastRows = `select (select count(*) from identity_past) + (select count(*) from account_past) + (select count(*)
	    from account_owner_past)
	+ (select count(*) from access_grant_past)`

func TestReadingForTheFirstTimeAndReadingTheSameAgainLeaveNoPast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.script = telling("c1", nil, staff(12)...)
	for range 2 {
		w.full(syncrun.Trigger{})
		if n := one[int](w, pastRows); n != 0 {
			t.Errorf("%d rows tell of a past though nothing has changed", n)
		}
	}
	w.source.script = telling("c2", nil, append(staff(12)[1:], person("p000", "Renamed", "p000@x.test", nil))...)
	w.full(syncrun.Trigger{})
	if n := one[int](w, `select count(*) from identity_past p where p.display_name <> 'Renamed'`); n == 0 {
		t.Errorf("%d rows tell what was read before; want what has changed", n)
	}
}
