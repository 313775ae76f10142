package syncrun_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/callback"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/worker"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// source is a target system that a test writes: pages in order, and what goes wrong after them.
type source struct {
	mu     sync.Mutex
	pages  []v1.SyncResponse
	fail   error
	hold   chan struct{} // blocks before the last page while set
	scopes []v1.Scope
	script script // instead of pages
	asked  []v1.SyncRequest
}

func (s *source) Test(context.Context, v1.TestRequest, connectorkit.Report) (v1.TestResponse, error) {
	return v1.TestResponse{Success: true}, nil
}

func (s *source) Discover(context.Context, v1.DiscoverRequest, connectorkit.Report) (v1.DiscoverResponse, error) {
	return v1.DiscoverResponse{Success: true}, nil
}

func (s *source) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	s.mu.Lock()
	s.asked = append(s.asked, req)
	pages, hold, fail, script := s.pages, s.hold, s.fail, s.script
	s.mu.Unlock()
	if script != nil {
		return script(ctx, req, emit)
	}
	for i, page := range pages {
		if i == len(pages)-1 && hold != nil {
			select {
			case <-hold:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		page.Success = true
		if err := emit(ctx, page); err != nil {
			return err
		}
	}
	if fail != nil {
		return fail
	}
	return emit(ctx, v1.SyncResponse{Success: true, Page: &v1.Page{Scopes: s.scopes}})
}

// world is a tenant with one connector to a source.
type world struct {
	t         testing.TB
	db        *pg.DB
	system    viewer.Viewer
	admin     viewer.Viewer
	source    *source
	runs      *syncrun.Service
	worker    *worker.Service
	connector string
	stop      func()
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return worldOn(t, pgtest.New(t))
}

func worldOn(t testing.TB, db *pg.DB) *world {
	t.Helper()
	w := &world{t: t, db: db, source: &source{}}
	w.system = pgtest.Tenant(t, db, "t-"+uuid.NewString()[:8])
	w.admin = viewer.Viewer{Tenant: w.system.Tenant, Kind: viewer.User, ID: "u", Roles: []viewer.Role{viewer.Admin}}
	w.connector = w.connect("dir", "both")
	w.worker = w.service(t)
	return w
}

func (w *world) connect(businessID, purpose string) string {
	id := uuid.Must(uuid.NewV7()).String()
	w.exec(
		`insert into connector (tenant_id, id, business_id, name, type, purpose) values (current_tenant(), $1, $2, $2,
			'ldap', $3)`,
		id,
		businessID,
		purpose,
	)
	return id
}

// service makes a process that works on runs until the test, or stop, ends it.
func (w *world) service(t testing.TB, with ...func(*worker.Service)) *worker.Service {
	ring, err := seal.New([]byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	cursors, err := httpapi.NewCursors(ring.Derive("cursor"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	d := &dispatch.Dispatcher{HostedConnector: func(string) (connectorkit.Connector, error) { return w.source, nil }}
	connectors := &connector.Service{DB: w.db, Seal: ring, Dispatch: d, Now: time.Now, Log: log, Cursors: cursors}
	fields := &fieldmap.Service{
		DB:         w.db,
		Connectors: connectors,
		Cursors:    cursors,
		Compile:    transform.Compile,
		Log:        log,
		Now:        time.Now,
	}
	guard := &outbound.Guard{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	w.runs = &syncrun.Service{
		DB:          w.db,
		Connectors:  connectors,
		Guard:       guard,
		Cursors:     cursors,
		CallbackKey: ring.Derive("callback"),
		Now:         time.Now,
	}
	s := &worker.Service{
		DB:         w.db,
		Connectors: connectors,
		Fields:     fields,
		Dispatch:   d,
		Agents:     nobody{},
		Callbacks: &callback.Sender{
			DB:   w.db,
			Runs: w.runs,
			HTTP: guard.Client(callback.Timeout),
			Log:  log,
			Now:  time.Now,
		},
		Log: log,
		Now: time.Now,
	}
	for _, set := range with {
		set(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	var once sync.Once
	w.stop = func() {
		once.Do(func() {
			cancel()
			<-done
		})
	}
	t.Cleanup(w.stop)
	return s
}

type nobody struct{}

func (nobody) Serves(dispatch.Target) bool                           { return false }
func (nobody) Online(context.Context, dispatch.Target) (bool, error) { return false, nil }

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	err := w.db.As(context.Background(), w.system, func(tx *pg.Tx) error {
		_, err := tx.Exec(context.Background(), sql, args...)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// one reads a single value.
func one[T any](w *world, sql string, args ...any) (v T) {
	w.t.Helper()
	err := w.db.As(context.Background(), w.system, func(tx *pg.Tx) error {
		return tx.QueryRow(context.Background(), sql, args...).Scan(&v)
	})
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func (w *world) start(t syncrun.Trigger) syncrun.Run {
	w.t.Helper()
	run, err := w.runs.Start(context.Background(), w.admin, w.connector, "api", t)
	if err != nil {
		w.t.Fatal(err)
	}
	return run
}

func (w *world) run(id string) (run syncrun.Run) {
	w.t.Helper()
	err := w.db.As(context.Background(), w.system, func(tx *pg.Tx) (err error) {
		run, err = syncrun.Find(context.Background(), tx, w.connector, id)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return run
}

// await waits until the run is as wanted.
func (w *world) await(id string, ok func(syncrun.Run) bool) syncrun.Run {
	w.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		run := w.run(id)
		if ok(run) {
			return run
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the run stays %s in phase %s: %+v", run.Status, run.Phase, run.Error)
		}
	}
}

func (w *world) sync() syncrun.Run {
	w.t.Helper()
	run := w.start(syncrun.Trigger{ChunkSize: 2})
	run = w.await(run.ID, func(r syncrun.Run) bool { return r.Status.Ended() })
	if run.Status != syncrun.Succeeded {
		w.t.Fatalf("the run ended %s: %+v", run.Status, run.Error)
	}
	return run
}

func p(s string) *string { return &s }

// person gives a person's two records, as a directory tells them.
func person(id, name, email string, more map[string]any) v1.SyncResponse {
	attributes := map[string]any{"cn": name, "mail": email}
	for k, v := range more {
		attributes[k] = v
	}
	return v1.SyncResponse{
		Identities: []v1.RemoteIdentity{{ExternalID: id, NativeRef: "uid=" + id, Attributes: attributes}},
		Accounts: []v1.RemoteAccount{
			{
				ExternalID:         id,
				NativeRef:          "uid=" + id,
				IdentityExternalID: p(id),
				Username:           p(id),
				Email:              p(email),
				DisplayName:        p(name),
				Attributes:         attributes,
			},
		},
	}
}

func group(id string, members ...string) v1.SyncResponse {
	r := v1.SyncResponse{Entitlements: []v1.RemoteEntitlement{{ExternalID: id, NativeRef: "cn=" + id, Name: p(id)}}}
	for _, m := range members {
		r.Grants = append(
			r.Grants,
			v1.RemoteGrant{EntitlementExternalID: id, PrincipalRef: &v1.Ref{Kind: v1.RefNative, Value: m}},
		)
	}
	return r
}

func complete() []v1.Scope {
	var out []v1.Scope
	for _, k := range []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants} {
		out = append(out, v1.Scope{Kind: k, Key: "*", Complete: true})
	}
	return out
}

func TestADirectoryFlowsIn(t *testing.T) {
	w := newWorld(t)
	w.source.scopes = complete()
	w.source.pages = []v1.SyncResponse{
		// Groups before the people they name, a group inside another that comes later, and a report before the boss.
		group("staff", "uid=ann", "uid=bob", "cn=admins"),
		group("admins", "uid=cy"),
		person("ann", "Ann Archer", "ann@x.test", map[string]any{"manager": "uid=bob", "department": "Sales"}),
		person("bob", "Bob Baker", "bob@x.test", nil),
		person("cy", "Cy Carter", "cy@x.test", map[string]any{"userAccountControl": "514"}),
	}
	run := w.sync()
	c := run.Counters
	if c.IdentitiesRead != 3 || c.AccountsDiscovered != 3 || c.EntitlementsMapped != 2 || c.GrantsRecorded != 4 ||
		c.Inherited != 1 {
		t.Errorf("counters = %+v", c)
	}
	if got := one[string](
		w,
		`select m.display_name from identity i join identity m on m.id = i.manager_id where i.external_id = 'ann'`,
	); got != "Bob Baker" {
		t.Errorf("Ann's manager is %q", got)
	}
	if got := one[string](w, `select status from identity where external_id = 'cy'`); got != "deactivated" {
		t.Errorf("Cy, whose account is disabled at the source, is %s", got)
	}
	if got := one[int](
		w,
		`select count(*) from account where identity_id is not null and correlation_state = 'linked'
			and correlation->>'score' = '1'`,
	); got != 3 {
		t.Errorf("%d accounts are linked with an explanation; want 3", got)
	}
	if got := one[int](
		w,
		`select count(*) from access_grant g join account a on a.id = g.account_id where a.external_id = 'cy'
			and g.directness = 'inherited'`,
	); got != 1 {
		t.Errorf("Cy inherits %d grants through admins; want 1", got)
	}
	if got := one[string](
		w,
		`select status || ' ' || funnel_state from connector where id = $1`,
		w.connector,
	); got != "active connected" {
		t.Errorf("the connector is %s", got)
	}
	w.stop() // what is left to do after a run is done by then
	if got := one[int](
		w,
		`select (select count(*) from stage_account) + (select count(*) from stage_grant)`,
	); got != 0 {
		t.Errorf("%d rows are still staged", got)
	}
}

func TestASecondRunChangesOnlyWhatChanged(t *testing.T) {
	w := newWorld(t)
	w.source.pages = []v1.SyncResponse{
		person("ann", "Ann", "ann@x.test", map[string]any{"department": "Sales", "title": "Rep"}),
		person("bob", "Bob", "bob@x.test", map[string]any{"title": "Boss"}),
		group("staff", "uid=ann"),
	}
	w.source.pages = append(w.source.pages, person("eve", "Eve", "ann@x.test", nil)) // who claims Ann's address
	w.sync()
	versions := one[int](w, `select sum(version)::int from identity`)
	again := w.sync()
	if again.Counters.Created != 0 || again.Counters.Updated != 0 {
		t.Errorf("nothing changed, but counters say %+v", again.Counters)
	}
	if got := one[int](w, `select sum(version)::int from identity`); got != versions {
		t.Errorf("untouched people got new versions: %d, were %d", got, versions)
	}
	// Ann moves, loses her title at the source, and Bob keeps his.
	w.source.pages[0] = person("ann", "Ann", "ann@x.test", map[string]any{"department": "Support"})
	changed := w.sync()
	if changed.Counters.Updated != 2 { // her identity and her account
		t.Errorf("counters = %+v; want two updates", changed.Counters)
	}
	if got := one[string](
		w,
		`select department || '/' || coalesce(title, 'none') from identity where external_id = 'ann'`,
	); got != "Support/none" {
		t.Errorf("Ann is now %s", got)
	}
	if got := one[int](w, `select count(*) from identity`); got != 3 {
		t.Errorf("%d people; want 3", got)
	}
}

func TestTwoSourcesOfOnePersonMakeOneIdentity(t *testing.T) {
	w := newWorld(t)
	w.source.pages = []v1.SyncResponse{
		person("ann", "Ann", "ann@x.test", map[string]any{"employeeNumber": "7", "department": "Sales"}),
	}
	w.sync()
	w.connector = w.connect("hr", "source")
	w.source.pages = []v1.SyncResponse{{Identities: []v1.RemoteIdentity{
		{
			ExternalID: "E7",
			Attributes: map[string]any{
				"employeeNumber": "7",
				"mail":           "other@x.test",
				"title":          "Rep",
				"department":     "Marketing",
			},
		},
		{ExternalID: "E8", Attributes: map[string]any{"employeeNumber": "8", "mail": "bob@x.test", "name": "Bob"}},
	}}}
	w.sync()
	if got := one[string](
		w,
		`select department || '/' || title from identity where employee_number = '7'`,
	); got != "Sales/Rep" {
		t.Errorf("her own source says Sales and the other fills in Rep; got %s", got)
	}
	if got := one[string](
		w,
		`select match_rule from identity_source where external_id = 'E7'`,
	); got != "employee_number" {
		t.Errorf("matched by %s", got)
	}
	if got := one[int](w, `select count(*) from identity`); got != 2 {
		t.Errorf("%d people; want 2", got)
	}
}

func TestAccountsFindTheirOwnersWithAnExplanation(t *testing.T) {
	w := newWorld(t)
	w.source.pages = []v1.SyncResponse{
		person("ann", "Ann", "ann@x.test", map[string]any{"employeeNumber": "7"}),
		person("bob", "Bob", "bob@x.test", nil),
	}
	w.sync()
	w.connector = w.connect("app", "target")
	w.source.pages = []v1.SyncResponse{{Accounts: []v1.RemoteAccount{
		{ExternalID: "1", Username: p("a1"), EmployeeNumber: p("7")},
		{ExternalID: "2", Username: p("BOB@x.test")},
		{ExternalID: "3", Username: p("svc-backup")},
		{ExternalID: "4", Username: p("x"), EmployeeNumber: p("7"), Email: p("bob@x.test")},
	}}}
	run := w.sync()
	if run.Counters.Linked != 2 {
		t.Errorf("linked %d; want 2", run.Counters.Linked)
	}
	for id, want := range map[string]string{"1": "linked employee_number", "2": "linked username_is_email",
		"3": "uncorrelated ", "4": "disputed employee_number"} {
		got := one[string](
			w,
			`select correlation_state || ' ' || coalesce(correlation->'rule_ids'->>0, '') from account
				where connector_id = $1 and external_id = $2`,
			w.connector,
			id,
		)
		if got != want {
			t.Errorf("account %s is %q; want %q", id, got, want)
		}
	}
	if got := one[int](
		w,
		`select jsonb_array_length(correlation->'candidates') from account where connector_id = $1
			and external_id = '4'`,
		w.connector,
	); got != 2 {
		t.Errorf("the disputed account names %d candidates; want 2", got)
	}
}

func TestRecordsThatCannotBeUsedAreSetAsideWithTheirReason(t *testing.T) {
	w := newWorld(t)
	w.source.pages = []v1.SyncResponse{
		person(
			"ann",
			"Ann",
			"same@x.test",
			map[string]any{"hireDate": "once"},
		),
		person("bob", "Bob", "same@x.test", nil),
		{
			Accounts: []v1.RemoteAccount{
				{ExternalID: ""},
				{ExternalID: "nul", Username: p("a\x00b")},
				{ExternalID: "deep", Attributes: map[string]any{"x": "a\x00"}},
			},
		},
		group("staff", "uid=nobody"),
	}
	run := w.start(syncrun.Trigger{})
	run = w.await(run.ID, func(r syncrun.Run) bool { return r.Status.Ended() })
	if run.Status != syncrun.Partial || run.Counters.Skipped != 3 || run.Counters.Unresolved != 1 {
		t.Fatalf("the run is %s with %+v", run.Status, run.Counters)
	}
	for code, want := range map[string]int{"not_a_date": 1, "duplicate_email": 1, "missing_key": 1, "invalid_text": 2,
		"unresolved_reference": 1} {
		if got := one[int](
			w,
			`select count(*) from sync_error where run_id = $1 and code = $2`,
			run.ID,
			code,
		); got != want {
			t.Errorf("%d errors of code %s; want %d", got, code, want)
		}
	}
	if got := one[int](w, `select count(*) from identity where email is null`); got != 1 {
		t.Errorf("%d people without the address that another has; want 1", got)
	}
}

func TestAFailedReadTellsTheTargetsErrorAndRemovesNobody(t *testing.T) {
	w := newWorld(t)
	w.source.pages = []v1.SyncResponse{person("ann", "Ann", "ann@x.test", nil), person("bob", "Bob", "bob@x.test", nil)}
	w.sync()
	w.source.pages = w.source.pages[:1]
	w.source.fail = &v1.ErrorDetail{
		Class:   v1.ClassAuth,
		Code:    "ldap_49",
		Message: "LDAP Result Code 49",
		Target:  &v1.Target{Kind: "ldap", LDAP: &v1.LDAPResult{ResultCode: 49, Name: "invalidCredentials"}},
	}
	run := w.start(syncrun.Trigger{})
	run = w.await(run.ID, func(r syncrun.Run) bool { return r.Status.Ended() })
	if run.Status != syncrun.Failed || run.Error == nil || run.Error.Target == nil ||
		run.Error.Target.LDAP.ResultCode != 49 {
		t.Errorf("the run is %s with %+v", run.Status, run.Error)
	}
	if got := one[int](w, `select count(*) from account where status = 'active'`); got != 2 {
		t.Errorf("%d accounts are active; want 2", got)
	}
}

func TestOneRunOfAConnectorAtATime(t *testing.T) {
	w := newWorld(t)
	w.source.hold = make(chan struct{})
	w.source.pages = []v1.SyncResponse{person("ann", "Ann", "ann@x.test", nil), person("bob", "Bob", "bob@x.test", nil)}
	run := w.start(syncrun.Trigger{ChunkSize: 1})
	_, err := w.runs.Start(context.Background(), w.admin, w.connector, "api", syncrun.Trigger{})
	if err == nil || err.Error() != "a run of this connector is active; wait for it or cancel it" {
		t.Errorf("a second run: %v", err)
	}
	close(w.source.hold)
	w.await(run.ID, func(r syncrun.Run) bool { return r.Status == syncrun.Succeeded })
}

func TestAStoppedProcessHandsItsRunBackAndAnotherEndsIt(t *testing.T) {
	w := newWorld(t)
	w.source.hold = make(chan struct{})
	w.source.pages = []v1.SyncResponse{
		person("ann", "Ann", "ann@x.test", nil),
		person("bob", "Bob", "bob@x.test", nil),
		group("staff", "uid=ann", "uid=bob"),
	}
	run := w.start(syncrun.Trigger{ChunkSize: 1})
	w.await(run.ID, func(r syncrun.Run) bool { return r.Chunks >= 2 })
	w.stop()
	if got := w.run(run.ID); got.Status != syncrun.Queued || got.Attempt != 1 {
		t.Fatalf("after the stop the run is %s, attempt %d", got.Status, got.Attempt)
	}
	close(w.source.hold)
	w.worker = w.service(t)
	got := w.await(run.ID, func(r syncrun.Run) bool { return r.Status.Ended() })
	if got.Status != syncrun.Succeeded || got.Attempt != 2 || got.Counters.IdentitiesRead != 2 ||
		got.Counters.GrantsRecorded != 2 {
		t.Errorf("the run is %s, attempt %d, %+v", got.Status, got.Attempt, got.Counters)
	}
	if n := one[int](w, `select count(*) from identity`); n != 2 {
		t.Errorf("%d people; want 2: nothing lost, nothing doubled", n)
	}
}

func TestARunWhoseWorkerDiedIsTakenOverWhenItsLeaseEnds(t *testing.T) {
	w := newWorld(t)
	w.stop()
	w.source.pages = []v1.SyncResponse{person("ann", "Ann", "ann@x.test", nil)}
	run, err := w.runs.Start(context.Background(), w.admin, w.connector, "api", syncrun.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	// What a process leaves that was killed before it read anything: a lease.
	w.exec(
		`update sync_run set status = 'running', lease_owner = gen_random_uuid(),
			lease_until = now() + interval '1 second', attempt = 1 where id = $1`,
		run.ID,
	)
	w.worker = w.service(t)
	got := w.await(run.ID, func(r syncrun.Run) bool { return r.Status.Ended() })
	if got.Status != syncrun.Succeeded || got.Attempt != 2 || got.Counters.Unresolved != 0 {
		t.Errorf("the run is %s, attempt %d, %+v, error %+v", got.Status, got.Attempt, got.Counters, got.Error)
	}
}

func TestACancelledRunStopsAndKeepsWhatWasMerged(t *testing.T) {
	w := newWorld(t)
	w.source.hold = make(chan struct{})
	defer close(w.source.hold)
	w.source.pages = []v1.SyncResponse{person("ann", "Ann", "ann@x.test", nil), person("bob", "Bob", "bob@x.test", nil)}
	run := w.start(syncrun.Trigger{ChunkSize: 1})
	w.await(run.ID, func(r syncrun.Run) bool { return r.Chunks >= 1 })
	w.exec(`update sync_run set cancel_requested = true where id = $1`, run.ID)
	got := w.await(run.ID, func(r syncrun.Run) bool { return r.Status.Ended() })
	if got.Status != syncrun.Cancelled || got.Error == nil || got.Error.Class != v1.ClassCancelled {
		t.Errorf("the run is %s with %+v", got.Status, got.Error)
	}
}

func TestACapNeverProvesAnything(t *testing.T) {
	w := newWorld(t)
	w.source.scopes = complete()
	w.source.pages = []v1.SyncResponse{person("ann", "Ann", "ann@x.test", nil), person("bob", "Bob", "bob@x.test", nil)}
	limit := 1
	run := w.start(syncrun.Trigger{MaxRecords: &limit})
	got := w.await(run.ID, func(r syncrun.Run) bool { return r.Status.Ended() })
	if got.Status != syncrun.Partial || got.Counters.IdentitiesRead != 1 || got.Counters.AccountsDiscovered != 1 {
		t.Errorf("the run is %s with %+v, error %+v", got.Status, got.Counters, got.Error)
	}
	for kind, is := range got.Complete {
		if is {
			t.Errorf("the run claims to have read all %s", kind)
		}
	}
}

func TestChunkSizesGiveTheSameStore(t *testing.T) {
	var want string
	for _, size := range []int{1, 3, 7, 500} {
		w := newWorld(t)
		for i := range 20 {
			id := string(rune('a' + i))
			w.source.pages = append(
				w.source.pages,
				person(id, "P "+id, id+"@x.test", map[string]any{"manager": "uid=a"}),
			)
		}
		w.source.pages = append(w.source.pages, group("g1", "uid=a", "uid=b", "cn=g2"), group("g2", "uid=c"))
		run := w.start(syncrun.Trigger{ChunkSize: size})
		if got := w.await(
			run.ID,
			func(r syncrun.Run) bool { return r.Status.Ended() },
		); got.Status != syncrun.Succeeded {
			t.Fatalf("chunk size %d: %s %+v", size, got.Status, got.Error)
		}
		got := one[string](w, `
			select (select jsonb_agg(jsonb_build_array(i.external_id, i.email, i.display_name, m.external_id)
			    order by i.external_id)
			          from identity i left join identity m on m.id = i.manager_id)::text
			    || (select jsonb_agg(jsonb_build_array(a.external_id, e.external_id, g.directness)
			        order by a.external_id, e.external_id)
			          from access_grant g join account a on a.id = g.account_id join entitlement e
			              on e.id = g.entitlement_id)::text`)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("with chunks of %d the store is\n%s\nwant\n%s", size, got, want)
		}
	}
}

func TestAConnectorThatPanicsFailsItsRunAlone(t *testing.T) {
	w := newWorld(t)
	w.source.fail = errors.New("something odd")
	run := w.start(syncrun.Trigger{})
	got := w.await(run.ID, func(r syncrun.Run) bool { return r.Status.Ended() })
	if b, _ := json.Marshal(got.Error); got.Status != syncrun.Failed || got.Error.Class != v1.ClassInternal {
		t.Errorf("the run is %s with %s", got.Status, b)
	}
}
