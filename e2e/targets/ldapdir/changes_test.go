package ldapdir_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/e2e/targets/ldapdir"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

func TestChangesShowAndNobodyIsMissedBetweenPages(t *testing.T) {
	s, c := start(t, 300)
	conn := dial(t, s, true)
	victim, moved := c.Directory.Accounts[3].Login, c.Directory.Accounts[5].Login
	paging := ldap.NewControlPaging(10)
	r := request(s.PeopleDN(), ldap.ScopeWholeSubtree, "(uid=*)", "uid")
	r.Controls = []ldap.Control{paging}
	first, err := conn.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.RemoveAccount(victim))
	must(t, s.SetEnabled(moved, false))
	must(
		t,
		s.AddAccount(
			people.Account{
				Login:       "new.person",
				FamilyName:  "Person",
				DisplayName: "New Person",
				Kind:        people.Employee,
				Enabled:     true,
				Manager:     moved,
			},
		),
	)
	must(
		t,
		s.AddGroup(people.Group{Name: "Night, shift", Members: []string{"new.person"}, Groups: []string{"vpn-users"}}),
	)
	must(t, s.RemoveMember("all-staff", moved))
	paging.SetCookie(ldap.FindControl(first.Controls, ldap.ControlTypePaging).(*ldap.ControlPaging).Cookie)
	rest, err := conn.SearchWithPaging(r, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(first.Entries)+len(rest.Entries), len(c.Directory.Accounts)-len(
		c.Wrinkles.ServiceAccounts,
	)+1; got != want {
		t.Errorf("%d people over pages with changes between them; want %d", got, want)
	}
	for filter, want := range map[string]int{
		"(uid=" + victim + ")": 0,
		"(member=uid=" + victim + ",ou=employees," + s.PeopleDN() + ")":      0,
		"(&(uid=" + moved + ")(pwdAccountLockedTime=*))":                     1,
		"(manager=uid=" + moved + ",ou=employees," + s.PeopleDN() + ")":      len(reports(c, moved)) + 1,
		"(&(uid=" + moved + ")(memberOf=cn=all-staff," + s.GroupsDN() + "))": 0,
		"(memberOf=cn=Night\\5c, shift," + s.GroupsDN() + ")":                2,
	} {
		found, err := conn.Search(request(s.BaseDN(), ldap.ScopeWholeSubtree, filter, "1.1"))
		if err != nil || len(found.Entries) != want {
			t.Errorf("%s: %d entries, %v; want %d", filter, len(found.Entries), err, want)
		}
	}
	must(t, s.RemoveGroup("night, shift"))
	if err := s.RemoveAccount(victim); err == nil {
		t.Error("removing an account twice succeeded")
	}
}

func reports(c people.Company, login string) []string {
	var all []string
	for _, a := range c.Directory.Accounts {
		if a.Manager == login {
			all = append(all, a.Login)
		}
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadersAndChangesDoNotDisturbEachOther(t *testing.T) {
	s, c := start(t, 500)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			conn := dial(t, s, true)
			found, err := conn.SearchWithPaging(
				request(s.BaseDN(), ldap.ScopeWholeSubtree, "(objectClass=inetOrgPerson)", "*", "+"),
				50,
			)
			if err != nil || len(found.Entries) < len(c.Directory.Accounts) {
				t.Errorf("%v with %d entries; want at least %d", err, len(found.Entries), len(c.Directory.Accounts))
			}
		})
	}
	for i := range 60 {
		must(
			t,
			s.AddAccount(
				people.Account{
					Login:      fmt.Sprintf("temp%d", i),
					FamilyName: "Temp",
					Kind:       people.Contractor,
					Enabled:    true,
				},
			),
		)
		must(t, s.AddMember("contractors", fmt.Sprintf("temp%d", i)))
		must(t, s.SetEnabled(c.Directory.Accounts[i].Login, false))
	}
	wg.Wait()
}

func TestFaultsHappenAsOrdered(t *testing.T) {
	s, _ := start(t, 300)
	conn := dial(t, s, true)
	all := request(s.PeopleDN(), ldap.ScopeWholeSubtree, "(uid=*)", "uid")

	s.SetFaults(ldapdir.Faults{BusyEvery: 2, UnavailableEvery: 3})
	var codes []uint16
	for range 6 {
		_, err := conn.Search(request(s.PeopleDN(), ldap.ScopeBaseObject, "(objectClass=*)"))
		codes = append(codes, code(err))
	}
	if want := []uint16{0, 51, 52, 51, 0, 51}; !slices.Equal(codes, want) {
		t.Errorf("codes %v; want %v", codes, want)
	}

	s.SetFaults(ldapdir.Faults{LimitAfter: 30})
	if found, err := conn.Search(all); code(err) != ldap.LDAPResultAdminLimitExceeded || len(found.Entries) != 30 {
		t.Errorf("got %v with %d entries; want code 11 with 30", err, len(found.Entries))
	}

	paged := func() (*ldap.SearchResult, error) {
		return conn.SearchWithPaging(request(s.PeopleDN(), ldap.ScopeWholeSubtree, "(uid=*)", "uid"), 100)
	}
	s.SetFaults(ldapdir.Faults{SizeAfter: 30})
	if found, err := paged(); code(err) != ldap.LDAPResultSizeLimitExceeded {
		t.Errorf("got %v with %v; want code 4", err, found)
	}
	for after, want := range map[int]int{-1: 0, 30: 30} {
		s.SetFaults(ldapdir.Faults{EndAfter: after})
		if found, err := paged(); err != nil || len(found.Entries) != want {
			t.Errorf("an end after %d entries gave %v; want success with %d", after, err, want)
		}
	}
	s.SetFaults(ldapdir.Faults{Hidden: []string{"uid"}})
	if found, err := paged(); err != nil || len(found.Entries) < 200 || len(found.Entries[0].Attributes) != 0 {
		t.Errorf("with its attribute hidden the search gave %v with %d entries", err, len(found.Entries))
	}

	s.SetFaults(ldapdir.Faults{CutAfter: 25})
	if _, err := conn.Search(all); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("a cut connection gave %v; want an unexpected end", err)
	}

	s.SetFaults(ldapdir.Faults{Delay: 50 * time.Millisecond})
	conn = dial(t, s, true)
	begin := time.Now()
	if _, err := conn.SearchWithPaging(all, 100); err != nil || time.Since(begin) < 150*time.Millisecond {
		t.Errorf("three pages took %v, %v; want 150 ms at least", time.Since(begin), err)
	}
}

func TestCloseEndsAClientThatStaysConnected(t *testing.T) {
	s, _ := start(t, 0)
	c, err := net.Dial("tcp", s.Addr())
	must(t, err)
	defer func() { _ = c.Close() }()
	ended := make(chan error, 1)
	go func() { ended <- s.Close() }()
	select {
	case err := <-ended:
		must(t, err)
	case <-time.After(3 * time.Second):
		t.Fatal("Close waits for an idle client")
	}
	must(t, c.SetReadDeadline(time.Now().Add(time.Second)))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the client read %v; want the end of the connection", err)
	}
}

func TestWritesAreRefused(t *testing.T) {
	s, c := start(t, 0)
	conn := dial(t, s, true)
	del := ldap.NewDelRequest("uid="+c.Directory.Accounts[0].Login+",ou=employees,"+s.PeopleDN(), nil)
	if err := conn.Del(del); code(err) != ldap.LDAPResultUnwillingToPerform {
		t.Errorf("delete: %v; want code 53", err)
	}
}

func TestTwentyThousandEntriesAreReadInTwentyPages(t *testing.T) {
	s, c := start(t, 20000)
	conn := dial(t, s, true)
	begin := time.Now()
	found, err := conn.SearchWithPaging(
		request(s.PeopleDN(), ldap.ScopeWholeSubtree, "(objectClass=inetOrgPerson)", "mail", "manager"),
		1000,
	)
	if err != nil {
		t.Fatal(err)
	}
	want := len(c.Directory.Accounts) - len(c.Wrinkles.ServiceAccounts)
	if len(found.Entries) != want {
		t.Errorf("%d entries; want %d", len(found.Entries), want)
	}
	t.Logf("%d entries in %v", len(found.Entries), time.Since(begin))
}
