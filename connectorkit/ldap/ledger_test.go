package ldap_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ledger is what somebody knows of a directory who takes in what reads of it hand on.
type ledger struct {
	records map[v1.ObjectKind]map[string]string // kind, key: record
	members map[string]map[string]bool          // group: members
	names   map[string]string                   // every native reference there ever was: key
	cursor  string
}

func newLedger() *ledger {
	l := &ledger{
		records: map[v1.ObjectKind]map[string]string{}, members: map[string]map[string]bool{},
		names: map[string]string{},
	}
	for _, k := range []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements} {
		l.records[k] = map[string]string{}
	}
	return l
}

// take takes in one whole read, by the rules of the protocol: tombstones and what is missing from a complete
// scope have gone.
func (l *ledger) take(t *testing.T, pages []v1.SyncResponse) {
	t.Helper()
	named := map[v1.ObjectKind]map[string]bool{v1.Identities: {}, v1.Accounts: {}, v1.Entitlements: {}}
	members := map[string]map[string]bool{}
	for _, p := range pages {
		l.takeRecords(t, p, named)
		for _, g := range p.Grants {
			if members[g.EntitlementExternalID] == nil {
				members[g.EntitlementExternalID] = map[string]bool{}
			}
			members[g.EntitlementExternalID][principal(g)] = true
		}
		for _, present := range p.Page.Present {
			for _, id := range present.ExternalIDs {
				named[present.Kind][id] = true
			}
		}
	}
	for group, list := range members {
		if l.members[group] == nil {
			l.members[group] = map[string]bool{}
		}
		maps.Copy(l.members[group], list)
	}
	for _, p := range pages {
		for _, s := range p.Page.Scopes {
			l.takeScope(s, named, members)
		}
	}
	for group := range l.members {
		maps.DeleteFunc(l.members[group], func(member string, _ bool) bool {
			id, isAccount := strings.CutPrefix(member, "account ")
			return isAccount && l.records[v1.Accounts][id] == "" // what somebody holds goes with them
		})
		if _, known := l.records[v1.Entitlements][group]; !known || len(l.members[group]) == 0 {
			delete(l.members, group)
		}
	}
	l.cursor = pages[len(pages)-1].Page.Cursor
}

func (l *ledger) takeRecords(t *testing.T, p v1.SyncResponse, named map[v1.ObjectKind]map[string]bool) {
	t.Helper()
	put := func(kind v1.ObjectKind, id string, deleted bool, record any) {
		b, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		delete(l.records[kind], id)
		if !deleted {
			l.records[kind][id], named[kind][id] = string(b), true
		}
	}
	for _, r := range p.Identities {
		put(v1.Identities, r.ExternalID, r.Deleted, r)
	}
	for _, r := range p.Accounts {
		l.names["native "+r.NativeRef] = r.ExternalID
		put(v1.Accounts, r.ExternalID, r.Deleted, r)
	}
	for _, r := range p.Entitlements {
		put(v1.Entitlements, r.ExternalID, r.Deleted, r)
	}
}

func (l *ledger) takeScope(s v1.Scope, named map[v1.ObjectKind]map[string]bool, members map[string]map[string]bool) {
	group, single := strings.CutPrefix(s.Key, "entitlement:")
	switch {
	case !s.Complete:
	case single:
		l.members[group] = members[group]
	case s.Kind == v1.Grants:
		l.members = members
	default:
		maps.DeleteFunc(l.records[s.Kind], func(id, _ string) bool { return !named[s.Kind][id] })
	}
}

func principal(g v1.RemoteGrant) string {
	if g.AccountExternalID != nil {
		return "account " + *g.AccountExternalID
	}
	return string(g.PrincipalRef.Kind) + " " + g.PrincipalRef.Value
}

// same fails unless two ledgers hold the same.
func same(t *testing.T, what string, want, got *ledger) {
	t.Helper()
	sameRecords(t, what, want, got)
	if diff := cmp.Diff(want.members, got.members); diff != "" {
		t.Errorf("%s: members (-want +got)\n%s", what, diff)
	}
}

func sameRecords(t *testing.T, what string, want, got *ledger) {
	t.Helper()
	if diff := cmp.Diff(want.records, got.records); diff != "" {
		t.Errorf("%s: records (-want +got)\n%s", what, diff)
	}
}

// samePeople is same for a directory that itself corrects the members of groups when people are renamed or
// go, and does not count that as a change of the group: who was a member under an old name is the same person
// under the new one.
func samePeople(t *testing.T, what string, want, got *ledger) {
	t.Helper()
	sameRecords(t, what, want, got)
	if diff := cmp.Diff(want.people(), got.people()); diff != "" {
		t.Errorf("%s: members (-want +got)\n%s", what, diff)
	}
}

// people are the members that there are, by key.
func (l *ledger) people() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for group, members := range l.members {
		out[group] = map[string]bool{}
		for m := range members {
			if id := l.names[m]; l.records[v1.Accounts][id] != "" {
				out[group][id] = true
			}
		}
	}
	return out
}

// errKilled ends a read that a test interrupts.
var errKilled = errors.New("killed")

// pagesOf reads and keeps the pages. during runs after each page and may interrupt the read with an error.
func pagesOf(
	t *testing.T, auth v1.AuthConfig, incremental bool, o v1.SyncOptions, during func(page int) error,
) ([]v1.SyncResponse, error) {
	t.Helper()
	return pagesIn(t, agentEnv(), auth, incremental, o, during)
}

func pagesIn(
	t *testing.T, env connectorkit.Env, auth v1.AuthConfig, incremental bool, o v1.SyncOptions,
	during func(page int) error,
) ([]v1.SyncResponse, error) {
	t.Helper()
	var pages []v1.SyncResponse
	err := ldap.New(env).Sync(t.Context(), v1.SyncRequest{
		AuthConfig: auth, Incremental: incremental, Options: &o,
	}, func(_ context.Context, p v1.SyncResponse) error {
		pages = append(pages, p)
		if during != nil {
			return during(len(pages))
		}
		return nil
	})
	return pages, err
}

func mustPages(t *testing.T, auth v1.AuthConfig, incremental bool, o v1.SyncOptions) []v1.SyncResponse {
	t.Helper()
	pages, err := pagesOf(t, auth, incremental, o, nil)
	if err != nil {
		t.Fatalf("Sync: %v", err)
	}
	if last := pages[len(pages)-1].Page; last.HasMore || last.Read == nil {
		t.Fatalf("the last page is %+v", last)
	}
	return pages
}

// whole is a ledger of a full read.
func whole(t *testing.T, auth v1.AuthConfig) *ledger {
	t.Helper()
	l := newLedger()
	l.take(t, mustPages(t, auth, false, v1.SyncOptions{}))
	return l
}

// catchUp reads the changes since l, takes them in, and says how they were read and how many records came,
// tombstones apart.
func catchUp(t *testing.T, auth v1.AuthConfig, l *ledger) (v1.Read, int) {
	t.Helper()
	pages := mustPages(t, auth, true, v1.SyncOptions{Cursor: l.cursor})
	records := 0
	for _, p := range pages {
		records += p.Len() - tombstones(p)
	}
	l.take(t, pages)
	return *pages[len(pages)-1].Page.Read, records
}

func tombstones(p v1.SyncResponse) (n int) {
	for i := range p.Identities {
		n += number(p.Identities[i].Deleted)
	}
	for i := range p.Accounts {
		n += number(p.Accounts[i].Deleted)
	}
	for i := range p.Entitlements {
		n += number(p.Entitlements[i].Deleted)
	}
	return n
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
