package ldap_test

import (
	"testing"

	goldap "github.com/go-ldap/ldap/v3"
	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAMemberIsFoundByAFurtherUserName(t *testing.T) {
	defer ldap.MarkOften()()
	s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 30, LDIF: tree})
	auth := with(s, map[string]any{"page_size": 6})
	admin := s.Admin(t)
	if err := each(
		modify("uid=u0000003,ou=people", func(m *goldap.ModifyRequest) { m.Add("uid", []string{"Second", "third"}) }),
		add("cn=posix,ou=groups",
			map[string][]string{"objectClass": {"posixGroup"}, "cn": {"posix"}, "gidNumber": {"100"},
				"memberUid": {"second", "third", "u0000004", "stranger"}}),
	)(admin); err != nil {
		t.Fatal(err)
	}
	straight := mustPages(t, auth, false, v1.SyncOptions{})
	known := newLedger()
	known.take(t, straight)
	account, group := keyOf(t, straight, "u0000003"), keyOf(t, straight, "posix")
	want := map[string]bool{"account " + account: true, "username u0000004": true, "username stranger": true}
	if diff := cmp.Diff(want, known.members[group]); diff != "" {
		t.Errorf("members (-want +got)\n%s", diff)
	}
	if scope := starScopes(straight)[v1.Grants]; !scope.Complete {
		t.Errorf("scope %+v", scope)
	}
	// The same after each interruption, and when the group alone has changed.
	for i, p := range straight {
		if p.Page.Checkpoint == "" {
			continue
		}
		got := newLedger()
		got.take(
			t,
			append(
				append([]v1.SyncResponse{}, straight[:i+1]...),
				mustPages(t, auth, false, v1.SyncOptions{Checkpoint: p.Page.Checkpoint})...,
			),
		)
		if diff := cmp.Diff(want, got.members[group]); diff != "" {
			t.Errorf("interrupted after page %d: members (-want +got)\n%s", i, diff)
		}
	}
	if err := modify("cn=posix,ou=groups", func(m *goldap.ModifyRequest) {
		m.Add("memberUid", []string{"u0000005"})
	})(admin); err != nil {
		t.Fatal(err)
	}
	if how, _ := catchUp(t, auth, known); !how.Incremental {
		t.Errorf("read %+v", how)
	}
	want["username u0000005"] = true
	if diff := cmp.Diff(want, known.members[group]); diff != "" {
		t.Errorf("after a change: members (-want +got)\n%s", diff)
	}
}

// keyOf is the key of the person, or the group, of this name.
func keyOf(t *testing.T, pages []v1.SyncResponse, name string) string {
	t.Helper()
	for _, p := range pages {
		for _, a := range p.Accounts {
			if a.Username != nil && *a.Username == name {
				return a.ExternalID
			}
		}
		for _, e := range p.Entitlements {
			if e.Name != nil && *e.Name == name {
				return e.ExternalID
			}
		}
	}
	t.Fatalf("there is no %s", name)
	return ""
}
