package correlate_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

var ctx = context.Background()

// world is a served API with a connector whose accounts look for their owners.
type world struct {
	*recordtest.House
	connector string
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{House: recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		owners := &correlate.Service{DB: db, Now: time.Now}
		return append(owners.Routes(), (&directory.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()...)
	})}
	w.connector = w.newConnector(w.Tenant, "main")
	return w
}

func (w *world) newConnector(v viewer.Viewer, name string) string {
	w.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	w.ExecAs(
		v,
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, $2, $2, 'ldap')`,
		id,
		name,
	)
	return id
}

// fields are columns with their values.
type fields map[string]any

// someone makes an identity whose display_name is also its external_id.
func (w *world) someone(name string, f fields) string {
	w.T.Helper()
	return w.insert(w.Tenant, "identity", fields{"external_id": name, "display_name": name}, f)
}

// login makes an account of the connector; its name is its external_id alone.
func (w *world) login(name string, f fields) string {
	w.T.Helper()
	return w.insert(
		w.Tenant,
		"account",
		fields{"connector_id": w.connector, "external_id": name, "row_hash": []byte{}},
		f,
	)
}

func (w *world) insert(v viewer.Viewer, table string, base, more fields) string {
	w.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	all := maps.Clone(base)
	maps.Copy(all, more)
	all["id"] = id
	names := slices.Sorted(maps.Keys(all))
	args, holders := []any{}, []string{}
	for i, n := range names {
		args, holders = append(args, all[n]), append(holders, fmt.Sprint("$", i+1))
	}
	w.ExecAs(
		v,
		fmt.Sprintf(
			"insert into %s (tenant_id, %s) values (current_tenant(), %s)",
			table,
			strings.Join(names, ", "),
			strings.Join(holders, ", "),
		),
		args...)
	return id
}

// run correlates as the end of a run of the connector does.
func (w *world) run() (linked int64) {
	w.T.Helper()
	return w.runOf(w.Tenant, w.connector)
}

func (w *world) runOf(v viewer.Viewer, connector string) (linked int64) {
	w.T.Helper()
	err := w.DB.AsBulk(ctx, v, func(tx *pg.Tx) (err error) {
		linked, err = matching.Run(ctx, tx, connector)
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return linked
}

// stands tells how an account stands to whom, and why: "linked ada matched".
func (w *world) stands(account string) string {
	w.T.Helper()
	return w.Strings(`select concat_ws(' ', a.correlation_state, i.display_name, a.correlation ->> 'reason')
		from account a left join identity i on i.id = a.identity_id where a.id = $1`, account)[0]
}

func (w *world) expect(account, want string) {
	w.T.Helper()
	if got := w.stands(account); got != want {
		w.T.Errorf(
			"the account is %q; want %q: %v",
			got,
			want,
			w.Strings(`select correlation::text from account where id = $1`, account),
		)
	}
}

// rules writes the connector's settings.
func (w *world) rules(settings map[string]any) {
	w.T.Helper()
	w.Must(200, "admin", "PUT", "/connectors/"+w.connector+"/correlation", settings)
}

type m = map[string]any

// rule is a rule with one condition.
func rule(id, source, identity, match string, weight float64) m {
	return m{"id": id, "weight": weight, "conditions": []m{{"source": source, "identity": identity, "match": match}}}
}

func veto(id, field string) m {
	return m{"id": id, "veto": true, "conditions": []m{{"source": field, "identity": field, "match": "exact"}}}
}

// writes counts the rows of accounts that fn writes.
func (w *world) writes(fn func()) int {
	w.T.Helper()
	const sql = `select coalesce(sum(version), 0) from account`
	before := w.Count(sql)
	fn()
	return w.Count(sql) - before
}
