package reconcile_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/changes"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/callback"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/worker"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// site is a target with accounts, read by the real engine, with the API in front.
type site struct {
	*desk
	runs   *syncrun.Service
	worker *worker.Service

	mu       sync.Mutex
	accounts []v1.RemoteAccount
	members  []string
}

func (s *site) Test(context.Context, v1.TestRequest, connectorkit.Report) (v1.TestResponse, error) {
	return v1.TestResponse{Success: true}, nil
}

func (s *site) Discover(context.Context, v1.DiscoverRequest, connectorkit.Report) (v1.DiscoverResponse, error) {
	return v1.DiscoverResponse{Success: true}, nil
}

// Sync tells all accounts and the group staff, and attests that they are all.
func (s *site) Sync(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
	s.mu.Lock()
	page := v1.SyncResponse{Success: true, Accounts: append([]v1.RemoteAccount(nil), s.accounts...), Page: &v1.Page{}}
	name := "staff"
	page.Entitlements = []v1.RemoteEntitlement{{ExternalID: name, NativeRef: "cn=staff", Name: &name}}
	for _, m := range s.members {
		page.Grants = append(
			page.Grants,
			v1.RemoteGrant{EntitlementExternalID: name, PrincipalRef: &v1.Ref{Kind: v1.RefNative, Value: "uid=" + m}},
		)
	}
	s.mu.Unlock()
	for kind, n := range map[v1.ObjectKind]int{v1.Identities: 0, v1.Accounts: len(page.Accounts), v1.Entitlements: 1,
		v1.Grants: len(page.Grants)} {
		page.Page.Scopes = append(page.Page.Scopes, v1.Scope{Kind: kind, Key: "*", Complete: true, Count: n})
	}
	return emit(ctx, page)
}

type noAgents struct{}

func (noAgents) Serves(dispatch.Target) bool                           { return false }
func (noAgents) Online(context.Context, dispatch.Target) (bool, error) { return false, nil }

// newSite has thirty accounts, u0 to u29, all members of staff, which have been read once.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{desk: &desk{}}
	ring, err := seal.New([]byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	s.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		s.world = &world{t: t, db: db}
		d := &dispatch.Dispatcher{HostedConnector: func(string) (connectorkit.Connector, error) { return s, nil }}
		connectors := &connector.Service{DB: db, Seal: ring, Dispatch: d, Now: time.Now, Log: log, Cursors: cursors}
		fields := &fieldmap.Service{
			DB:         db,
			Connectors: connectors,
			Cursors:    cursors,
			Compile:    transform.Compile,
			Log:        log,
			Now:        time.Now,
		}
		s.runs = &syncrun.Service{
			DB:          db,
			Connectors:  connectors,
			Cursors:     cursors,
			Now:         time.Now,
			CallbackKey: ring.Derive("callback"),
			Guard:       &outbound.Guard{},
		}
		s.worker = &worker.Service{
			DB:         db,
			Connectors: connectors,
			Fields:     fields,
			Dispatch:   d,
			Agents:     noAgents{},
			Callbacks:  &callback.Sender{DB: db, Runs: s.runs, Log: log, Now: time.Now},
			Log:        log,
			Now:        time.Now,
		}
		decisions := &hold.Service{DB: db, Now: time.Now, Wake: s.worker.Wake}
		diffs := &changes.Service{DB: db, Cursors: cursors}
		return slices.Concat(decisions.Routes(), diffs.Routes(), s.runs.Routes())
	})
	s.world.v = s.House.Tenant
	s.connector = s.connect("dir")
	for i := range 30 {
		s.add(fmt.Sprintf("u%d", i))
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.worker.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	if got := s.read(); got != "succeeded" {
		t.Fatalf("the first load ended %s", got)
	}
	return s
}

func (s *site) add(name string) {
	s.accounts = append(s.accounts, v1.RemoteAccount{ExternalID: name, NativeRef: "uid=" + name, Username: &name})
	s.members = append(s.members, name)
}

func (s *site) change(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
}

// read runs the engine once and tells how the run ended, or that it waits.
func (s *site) read() string {
	s.world.t.Helper()
	admin := viewer.Viewer{Tenant: s.world.v.Tenant, Kind: viewer.User, ID: "u", Roles: []viewer.Role{viewer.Admin}}
	run, err := s.runs.Start(context.Background(), admin, s.connector, "api", syncrun.Trigger{})
	if err != nil {
		s.world.t.Fatal(err)
	}
	s.run = run.ID
	return s.await()
}

func (s *site) await() string {
	s.world.t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		status := one[string](s.world, `select status from sync_run where id = $1`, s.run)
		switch status {
		case "queued", "running", "evaluating", "applying":
		default:
			return status
		}
		if time.Now().After(deadline) {
			s.world.t.Fatalf("the run stays %s", status)
		}
	}
}

func TestTheEngineMergesWhatIsReleasedAndNothingElse(t *testing.T) {
	s := newSite(t)
	off, name := true, "Renamed"
	s.change(func() {
		for i := range 12 {
			s.accounts[i].IsDisabled = &off
		}
		s.accounts[20].DisplayName = &name
		s.members = s.members[:29]
	})
	if got := s.read(); got != "held" || s.states() != "active 30" {
		t.Fatalf("twelve of thirty disabled: the run is %s, accounts %s", got, s.states())
	}
	if n := one[int](
		s.world,
		`select (select count(*) from account where display_name = 'Renamed') + (select count(*) from access_grant
			where status = 'missing')`,
	); n != 2 {
		t.Errorf("%d of two harmless changes went on", n)
	}
	s.Must(
		202,
		"admin",
		"POST",
		s.at("/release"),
		s.decision(3, row{"subset": row{"external_ids": []string{"u0", "u1", "u2"}}}),
	)
	if got := s.await(); got != "held" || s.states() != "active 27, disabled 3" {
		t.Errorf("three released: the run is %s, accounts %s", got, s.states())
	}
	s.Must(202, "admin", "POST", s.at("/release"), s.decision(9))
	if got := s.await(); got != "succeeded" || s.states() != "active 18, disabled 12" {
		t.Errorf("all released: the run is %s, accounts %s", got, s.states())
	}
	if n := one[int](
		s.world,
		`select count(*) from sync_change where run_id = $1 and state <> 'applied'`,
		s.run,
	); n != 0 {
		t.Errorf("%d changes are not applied", n)
	}
	s.change(func() { s.members = append(s.members, "u29") })
	if got := s.read(); got != "succeeded" {
		t.Errorf("the next run ended %s", got)
	}
	if diff := cmp.Diff([]string{"grant.reappear u29 in staff applied"}, s.changes()); diff != "" {
		t.Errorf("the next run: -want +got\n%s", diff)
	}
}

func TestTheEngineRemovesInTwoStepsAndBringsBackWhoReturns(t *testing.T) {
	s := newSite(t)
	var gone v1.RemoteAccount
	s.change(func() { gone, s.accounts, s.members = s.accounts[29], s.accounts[:29], s.members[:29] })
	for _, want := range []string{"active 29, missing 1 missing", "active 29, deleted 1 revoked"} {
		status := s.read()
		if got := s.states() + " " + one[string](
			s.world,
			`select g.status from access_grant g join account a on a.id = g.account_id where a.external_id = 'u29'`,
		); status != "succeeded" ||
			got != want {
			t.Errorf("the run ended %s: %s; want %s", status, got, want)
		}
	}
	if status := s.read(); status != "succeeded" || len(s.changes()) != 0 {
		t.Errorf("once it is gone: %s %v", status, s.changes())
	}
	s.change(func() { s.accounts, s.members = append(s.accounts, gone), append(s.members, "u29") })
	if status := s.read(); status != "succeeded" {
		t.Errorf("the last run ended %s", status)
	}
	if diff := cmp.Diff(
		[]string{"account.reappear u29 applied", "grant.reappear u29 in staff applied"},
		s.changes(),
	); diff != "" {
		t.Errorf("back again: -want +got\n%s", diff)
	}
	if got := s.states() + " " + one[string](
		s.world,
		`select string_agg(distinct status, ',') from access_grant`,
	); got != "active 30 active" {
		t.Errorf("back again: %s", got)
	}
}

func TestANewerRunOfTheEngineTakesThePlaceOfAHeldOne(t *testing.T) {
	s := newSite(t)
	all := s.accounts
	s.change(func() { s.accounts = nil })
	if got := s.read(); got != "held" {
		t.Fatalf("an empty directory: %s", got)
	}
	held := s.run
	s.change(func() { s.accounts = all })
	if got := s.read(); got != "succeeded" || s.states() != "active 30" || len(s.changes()) != 0 {
		t.Errorf("once it is back: %s, accounts %s, changes %v", got, s.states(), s.changes())
	}
	if got := one[string](
		s.world,
		`select status || ' ' || (error ->> 'code') from sync_run where id = $1`,
		held,
	); got != "discarded superseded" {
		t.Errorf("the held run is %s", got)
	}
}
