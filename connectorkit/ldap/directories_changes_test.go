package ldap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// way is a way of finding changes in a directory.
type way struct {
	directory, mode string
	admin           bool // needs more rights than reading people
	root            bool // needs the whole naming context
	strategy        string
	exact           bool // reads nothing but what has changed
}

var ways = []way{
	{"OpenLDAP", "auto", false, false, "ldap_syncrepl", true},
	{"OpenLDAP", "modifytimestamp", false, false, "ldap_modify_timestamp", false},
	{"389 Directory Server", "auto", false, false, "ldap_syncrepl", true},
	{"389 Directory Server", "changelog", true, false, "ldap_changelog", true},
	{"389 Directory Server", "modifytimestamp", false, false, "ldap_modify_timestamp", false},
	{"Samba", "auto", true, true, "ldap_dirsync", true},
	{"Samba", "auto", false, false, "ldap_usn", true},
	{"Samba", "dirsync", false, false, "ldap_dirsync", true},
	{"Samba", "auto", false, true, "ldap_dirsync", true},
	{"Samba", "usn", true, true, "ldap_usn", true},
	{"ApacheDS", "auto", false, false, "ldap_modify_timestamp", false},
}

// atMost is how many records one of each change may bring: two for each of the three people who came, changed
// or were renamed, two for the person who joined the group, whose memberOf may have changed too, a primary
// group for each of these on Active Directory, and the group with its members, of whom each round adds one.
func atMost(round int) int { return 6 + 2 + 4 + 1 + 2 + round }

// crew is an organisation many times as large as its changes.
func crew(directory) ldaptest.Org {
	return ldaptest.Org{People: ldaptest.Staff(100), Groups: []ldaptest.Group{
		{Name: "team", People: []string{"u001", "u002"}},
		{Name: "others", People: []string{"u003"}, Groups: []string{"team"}},
	}}
}

func TestEveryDirectoryTellsWhatHasChanged(t *testing.T) {
	inEach(t, crew, func(t *testing.T, d directory, s *ldaptest.Server) {
		round := 0
		for _, w := range ways {
			if w.directory != d.name {
				continue
			}
			t.Run(w.String(), func(t *testing.T) {
				auth := w.auth(d, s)
				known := whole(t, auth)
				round++
				happen(t, s, round)
				w.check(t, auth, known, atMost(round))

				round++
				happen(t, s, round)
				s.Restart(t)
				w.checkAfterRestart(t, auth, known)
			})
		}
	})
}

func (w way) String() string {
	return fmt.Sprintf("%s finds %s, administrator %t, whole context %t", w.mode, w.strategy, w.admin, w.root)
}

func (w way) auth(d directory, s *ldaptest.Server) v1.AuthConfig {
	auth := below(d, s, map[string]any{"change_mode": w.mode})
	if w.root {
		// The domain's own people change with every sign-in.
		auth["user_base_dn"], auth["user_filter"] = ldaptest.Suffix, "(displayName=*)"
	}
	if w.admin {
		auth["bind_dn"], auth["bind_password"] = s.AdminDN, s.AdminPass
	}
	return auth
}

// check takes in the changes and compares with a full read.
func (w way) check(t *testing.T, auth v1.AuthConfig, known *ledger, most int) {
	t.Helper()
	how, records := catchUp(t, auth, known)
	if !how.Incremental || how.Strategy != w.strategy || how.FallbackReason != "" {
		t.Errorf("read %+v, want %s", how, w.strategy)
	}
	if w.exact && records > most {
		t.Errorf("%d records were read, want %d at most", records, most)
	}
	samePeople(t, w.mode, whole(t, auth), known)
	if how, records = catchUp(t, auth, known); !how.Incremental || w.exact && records > most {
		t.Errorf("though nothing has changed: read %+v, %d records", how, records)
	}
}

// checkAfterRestart is check where the directory may have forgotten with the restart what has changed: then
// it must say why everything is read.
func (w way) checkAfterRestart(t *testing.T, auth v1.AuthConfig, known *ledger) {
	t.Helper()
	how, _ := catchUp(t, auth, known)
	if how.Incremental == (how.FallbackReason != "") || how.Incremental && how.Strategy != w.strategy {
		t.Errorf("after a restart: read %+v, want %s or a reason why not", how, w.strategy)
	}
	samePeople(t, w.mode+" after a restart", whole(t, auth), known)
}

// happen makes one of each change: somebody comes, somebody changes, somebody is renamed, somebody goes, and
// a group gets a member or loses it. The people differ from round to round.
func happen(t *testing.T, s *ldaptest.Server, round int) {
	t.Helper()
	uid := func(n int) string { return fmt.Sprintf("u%03d", 20+5*round+n) }
	conn := s.Admin(t)
	s.AddPerson(t, conn, ldaptest.Person{UID: fmt.Sprintf("new%d", round), First: "Núñez", Last: "New", Number: round})
	mail := goldap.NewModifyRequest(s.UserDN(uid(0)), nil)
	mail.Replace("mail", []string{fmt.Sprintf("changed%d@iga.test", round)})
	rdn, _, _ := strings.Cut(s.UserDN("renamed "+uid(1)), ",")
	team := goldap.NewModifyRequest(s.GroupDN("team"), nil)
	team.Add("member", []string{s.UserDN(uid(3))})
	for _, err := range []error{
		conn.Modify(mail), conn.ModifyDN(goldap.NewModifyDNRequest(s.UserDN(uid(1)), rdn, true, "")),
		conn.Del(goldap.NewDelRequest(s.UserDN(uid(2)), nil)), conn.Modify(team),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestADomainControllerRestoredFromABackupIsReadAnew(t *testing.T) {
	t.Parallel()
	d := directories[slices.IndexFunc(directories, func(d directory) bool { return d.ad })]
	s := d.start(t, crew(d))
	w := way{mode: "usn"}
	auth := w.auth(d, s)
	known := whole(t, auth)
	happen(t, s, 1)
	s.NewInvocationID(t)
	if how, _ := catchUp(t, auth, known); how.Incremental || how.FallbackReason == "" {
		t.Errorf("read %+v", how)
	}
	samePeople(t, "after the restore", whole(t, auth), known)
	happen(t, s, 2)
	if how, records := catchUp(t, auth, known); !how.Incremental || records > atMost(2) {
		t.Errorf("afterwards: read %+v, %d records", how, records)
	}
	samePeople(t, "afterwards", whole(t, auth), known)
}
