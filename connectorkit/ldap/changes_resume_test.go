package ldap_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"
	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// killedChanges reads the changes since a cursor, killed after each checkpoint in turn, and goes on from it each time.
// It gives the pages of all attempts, and how many records they brought in all.
func killedChanges(t *testing.T, auth v1.AuthConfig, cursor string) (pages []v1.SyncResponse, records, kills int) {
	t.Helper()
	o := v1.SyncOptions{Cursor: cursor}
	for {
		before := o.Checkpoint
		req := v1.SyncRequest{
			AuthConfig: auth, Incremental: true, Options: &v1.SyncOptions{Cursor: cursor, Checkpoint: before},
		}
		err := ldap.New(agentEnv()).Sync(t.Context(), req, func(_ context.Context, p v1.SyncResponse) error {
			pages = append(pages, p)
			records += p.Len() - tombstones(p)
			if p.Page.Checkpoint != "" {
				o.Checkpoint = p.Page.Checkpoint
			}
			if o.Checkpoint != before && p.Page.HasMore {
				return errKilled
			}
			return nil
		})
		if err == nil {
			return pages, records, kills
		}
		if !errors.Is(err, errKilled) {
			t.Fatalf("Sync: %v", err)
		}
		if kills++; kills > 500 {
			t.Fatal("the read does not get on")
		}
	}
}

func TestAReadOfChangesThatIsKilledGoesOn(t *testing.T) {
	defer ldap.MarkOften()()
	for _, mode := range []string{"syncrepl", "modifytimestamp"} {
		t.Run(mode, func(t *testing.T) {
			s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 60, Groups: 6, PerGroup: 8, LDIF: tree})
			auth := with(s, map[string]any{"change_mode": mode, "page_size": 9, "user_filter": notLeft})
			admin := s.Admin(t)
			for _, restart := range []bool{false, true} {
				known := whole(t, auth)
				for i := range 20 {
					edit := func(m *goldap.ModifyRequest) { m.Replace("title", []string{fmt.Sprint(i, restart)}) }
					if err := modify(fmt.Sprintf("uid=u%07d,ou=people", i), edit)(admin); err != nil {
						t.Fatal(err)
					}
				}
				goes := fmt.Sprintf("uid=u00000%d,ou=people", 40+number(restart))
				if err := each(remove(goes), modify("cn=lonely,ou=groups", func(m *goldap.ModifyRequest) {
					m.Add("description", []string{fmt.Sprint(restart)})
				}))(admin); err != nil {
					t.Fatal(err)
				}
				if restart {
					s.Restart(t) // names what is still there instead of what has gone
					admin = s.Admin(t)
				}
				straight := mustPages(t, auth, true, v1.SyncOptions{Cursor: known.cursor})
				pages, records, kills := killedChanges(t, auth, known.cursor)
				known.take(t, pages)
				same(t, "killed after each checkpoint", whole(t, auth), known)
				if kills < 2 {
					t.Errorf("killed %d times", kills)
				}
				if want := liveRecords(straight); records > want {
					t.Errorf(
						"%d records were read in %d attempts; want %d: what was handed on is handed on again", records,
						kills+1, want,
					)
				}
				if diff := cmp.Diff(starScopes(straight), starScopes(pages)); diff != "" {
					t.Errorf("scopes (-want +got)\n%s", diff)
				}
			}
		})
	}
}

func liveRecords(pages []v1.SyncResponse) (n int) {
	for _, p := range pages {
		n += p.Len() - tombstones(p)
	}
	return n
}

func TestAReadOfTheChangesOfADomainThatIsKilledGoesOn(t *testing.T) {
	defer ldap.MarkOften()()
	for _, mode := range []string{"dirsync", "usn"} {
		t.Run(mode, func(t *testing.T) {
			d := newDomain(t)
			auth := d.auth()
			auth["change_mode"], auth["user_filter"], auth["page_size"] = mode, "(!(department=left))", 4
			known := whole(t, auth)
			for _, f := range fates {
				f.do(d)
				straight := mustPages(t, auth, true, v1.SyncOptions{Cursor: known.cursor})
				pages, records, _ := killedChanges(t, auth, known.cursor)
				known.take(t, pages)
				same(t, f.name, whole(t, auth), known)
				if want := liveRecords(straight); records > want {
					t.Errorf("%s: %d records were read; want %d", f.name, records, want)
				}
			}
		})
	}
}

func TestACheckpointOfOtherChangesStartsTheReadAnew(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 10, LDIF: tree})
	auth := with(s, nil)
	known := whole(t, auth)
	admin := s.Admin(t)
	rename := func(name string) {
		if err := modify("uid=u0000001,ou=people", func(m *goldap.ModifyRequest) {
			m.Replace("cn", []string{name})
		})(admin); err != nil {
			t.Fatal(err)
		}
	}
	rename("One")
	pages := mustPages(t, auth, true, v1.SyncOptions{Cursor: known.cursor})
	checkpoint := pages[0].Page.Checkpoint
	if checkpoint == "" {
		t.Fatal("a read of changes has no checkpoint")
	}
	known.take(t, pages)
	rename("Two")
	pages = mustPages(t, auth, true, v1.SyncOptions{Cursor: known.cursor, Checkpoint: checkpoint})
	known.take(t, pages)
	same(t, "with a checkpoint of other changes", whole(t, auth), known)
	if !hasWarning(warningsOf(pages), "checkpoint_unusable") {
		t.Errorf("warnings %v", warningsOf(pages))
	}
}

// TestLimitedRunsGetBeyondTheirLimitInADirectoryThatChanges removes somebody who was read before each run, so that the
// directory does not show its entries as it did.
func TestLimitedRunsGetBeyondTheirLimitInADirectoryThatChanges(t *testing.T) {
	defer ldap.MarkOften()()
	s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 40, Groups: 2, PerGroup: 3})
	auth := with(s, map[string]any{"page_size": 7})
	admin := s.Admin(t)
	want := whole(t, auth)
	got := map[string]bool{}
	limit, checkpoint := 10, ""
	for run := range 6 {
		o := &v1.SyncOptions{SyncRunID: fmt.Sprint(run), MaxRecords: &limit, Checkpoint: checkpoint}
		req := v1.SyncRequest{AuthConfig: auth, Options: o}
		var last v1.Page
		err := connectorkit.Sync(t.Context(), ldap.New(agentEnv()), req, connectorkit.LimitsOf(
			req, 0,
		), func(_ context.Context, p v1.SyncResponse) error {
			for _, a := range p.Accounts {
				got[a.ExternalID] = true
			}
			last = *p.Page
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, scope := range last.Scopes {
			if run > 0 && scope.Complete && (scope.Kind == v1.Accounts || scope.Kind == v1.Identities) {
				t.Errorf("run %d attests %+v", run, scope)
			}
		}
		if checkpoint = last.Checkpoint; checkpoint == "" {
			break
		}
		if err := remove(fmt.Sprintf("uid=u%07d,ou=people", run))(admin); err != nil {
			t.Fatal(err)
		}
	}
	// For each one who has gone from what was read, at most one of the others moved to a place that counts as read.
	if missed := len(want.records[v1.Accounts]) - len(got); checkpoint != "" || missed > 4 {
		t.Errorf(
			"%d of %d accounts were not read; the reading goes on at %q", missed, len(want.records[v1.Accounts]),
			checkpoint,
		)
	}
}
