package pg_test

import (
	"errors"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestAConnectionThatIsLostIsNoFaultOfOurs(t *testing.T) {
	db, system := small(t, 1)
	user := viewer.Viewer{Tenant: system.Tenant, Kind: viewer.User, ID: "u", Roles: []viewer.Role{viewer.Admin}}
	lose := func(tx *pg.Tx) error { return tx.Conn().PgConn().Conn().Close() }
	for what, fn := range map[string]func(tx *pg.Tx) error{
		"in the middle": func(tx *pg.Tx) error { return errors.Join(lose(tx), read(t.Context())(tx)) },
		"at the end":    lose,
	} {
		var f *fault.Fault
		err := db.As(t.Context(), user, fn)
		if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.Code != "database_unavailable" || f.RetryAfter <= 0 {
			t.Errorf("lost %s: %v; want database_unavailable, and when to come again", what, err)
		}
		if err := db.As(t.Context(), user, read(t.Context())); err != nil {
			t.Errorf("after a connection was lost %s: %v", what, err)
		}
	}
}
