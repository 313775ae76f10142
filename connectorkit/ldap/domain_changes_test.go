package ldap_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// fates are what happens in a domain, one after the other.
var fates = []struct {
	name string
	do   func(d *domain)
}{
	{"nothing", func(*domain) {}},
	{"somebody comes", func(d *domain) { d.user(50); d.refresh() }},
	{"somebody changes", func(d *domain) { d.change(d.find(30), "mail", "a@x") }},
	{"somebody moves", func(d *domain) { d.move(d.find(31), "CN=User 31,OU=Sub,OU=People,DC=x") }},
	{"somebody leaves the filter", func(d *domain) { d.change(d.find(32), "department", "left") }},
	{"somebody goes", func(d *domain) { d.remove(d.find(33)) }},
	{"many change", func(d *domain) {
		for n := 34; n < 42; n++ {
			d.change(d.find(n), "title", "x")
		}
	}},
	{"a group gets members beyond a range", func(d *domain) { d.change(d.find(21), "member", span(0, 16)...) }},
	{"a group loses members", func(d *domain) { d.change(d.find(21), "member", span(3, 4)...) }},
	{"a group loses everybody", func(d *domain) { d.change(d.find(21), "member") }},
	{"a group comes", func(d *domain) { d.group(22, "New", 2001); d.change(d.find(22), "member", span(1, 7)...) }},
	{"somebody gets another primary group", func(d *domain) {
		d.change(d.find(34), "primaryGroupID", "2001")
		d.change(d.find(22), "member", span(1, 6)...)
		d.touch(d.find(20))
	}},
	{"a group goes", func(d *domain) { d.remove(d.find(22)) }},
	{"a place is renamed", func(d *domain) {
		d.move(d.find(1), "OU=Staff,DC=x")
		for _, o := range d.objects { // nothing but the place counts as changed
			o.dn = strings.Replace(o.dn, ",OU=People,DC=x", ",OU=Staff,DC=x", 1)
		}
	}},
	{"a computer changes", func(d *domain) {
		d.put(60, "CN=PC,DC=x", attrs{"objectClass": {"user", "computer"}, "objectCategory": {"computer"}})
		d.refresh()
	}},
}

func TestChangesOfADomainLeadToWhatAFullReadFinds(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare  func(*domain)
		settings map[string]any
		strategy string
		sweeps   bool
	}{
		"dirsync": {func(*domain) {}, nil, "ldap_dirsync", false},
		"dirsync without the right": {func(d *domain) {
			d.mayReplicate = false
			d.remove(d.find(41))
		}, nil, "ldap_dirsync", false},
		"dirsync without tombstones": {func(d *domain) {
			d.mayReplicate, d.seesDeleted = false, false
		}, nil, "ldap_dirsync", true},
		"usn as dirsync is refused": {func(d *domain) {
			d.denyDirSync = true
			d.remove(d.find(41))
		}, nil, "ldap_usn", false},
		"usn without tombstones": {func(d *domain) {
			d.seesDeleted = false
		}, map[string]any{"change_mode": "usn"}, "ldap_usn", true},
		"usn of a part of the domain": {func(d *domain) {
			d.remove(d.find(41))
		}, map[string]any{"user_base_dn": "OU=People,DC=x"}, "ldap_usn", false},
		"dirsync for a part of the domain": {func(*domain) {

		}, map[string]any{"user_base_dn": "OU=People,DC=x", "change_mode": "dirsync"}, "ldap_dirsync", false},
		"usn with classes of one's own": {func(d *domain) {
			d.remove(d.find(41))
		}, map[string]any{"change_mode": "usn", "user_filter": "(&(objectClass=person)(!(department=left)))"},
			"ldap_usn", false},
		"dirsync with classes of one's own": {func(*domain) {

		}, map[string]any{"user_filter": "(&(objectClass=person)(!(department=left)))"}, "ldap_dirsync", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDomain(t)
			tt.prepare(d)
			auth := d.auth()
			auth["user_filter"], auth["page_size"] = "(!(department=left))", 4
			for k, v := range tt.settings {
				auth[k] = v
			}
			known := whole(t, auth)
			for _, f := range fates {
				if strings.Contains(f.name, "place") && auth["user_base_dn"] != nil {
					continue // the base itself would go
				}
				f.do(d)
				pages := mustPages(t, auth, true, v1.SyncOptions{Cursor: known.cursor})
				known.take(t, pages)
				last := pages[len(pages)-1].Page
				if !last.Read.Incremental || last.Read.Strategy != tt.strategy {
					t.Errorf("%s: read %+v", f.name, last.Read)
				}
				swept := slices.ContainsFunc(last.Scopes, func(s v1.Scope) bool {
					return s.Key == "*" && s.Kind == v1.Accounts && s.Complete
				})
				if swept != tt.sweeps && (f.name != "nothing" && !strings.Contains(f.name, "place")) {
					t.Errorf("%s: swept %v; scopes %v", f.name, swept, last.Scopes)
				}
				same(t, f.name, whole(t, auth), known)
			}
		})
	}
}

func TestNumbersOfAnotherControllerOrDatabaseAreNotGoneBy(t *testing.T) {
	for name, tt := range map[string]struct {
		happen func(*domain)
		reason string
	}{
		"another controller":  {func(d *domain) { d.dc = "DC2" }, "another server"},
		"a restored database": {func(d *domain) { d.invoked = 9 }, "restored"},
		"numbers run back":    {func(d *domain) { d.usn -= 10 }, "restored"},
		"a refusal":           {func(d *domain) { d.refuseChanges = 11; d.usn++ }, "result 11 (adminLimitExceeded)"},
	} {
		d := newDomain(t)
		auth := d.auth()
		auth["change_mode"] = "usn"
		known := whole(t, auth)
		tt.happen(d)
		d.refresh()
		how, _ := catchUp(t, auth, known)
		if how.Incremental || how.Strategy != "full" || !strings.Contains(how.FallbackReason, tt.reason) {
			t.Errorf("%s: read %+v", name, how)
		}
		same(t, name, whole(t, auth), known)
	}
}

func TestAWayThatIsRefusedIsNotTakenAgain(t *testing.T) {
	d := newDomain(t)
	auth := d.auth()
	auth["change_mode"] = "auto"
	known := whole(t, auth)
	d.denyDirSync = true // the right was taken away
	if how, _ := catchUp(t, auth, known); how.Incremental || !strings.Contains(how.FallbackReason, "result 50") {
		t.Errorf("read %+v", how)
	}
	if how, _ := catchUp(t, auth, known); !how.Incremental || how.Strategy != "ldap_usn" {
		t.Errorf("the read after that: %+v", how)
	}
}

func TestADomainIsReadInPartsByNumber(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		d := newDomain(t)
		d.usn = 400_000
		d.hidesNumbers = hidden
		d.refresh()
		for n := 60; n < 80; n++ {
			d.usn += 10_000
			d.user(n)
		}
		d.refresh()
		auth := d.auth()
		auth["page_size"] = 4
		straight := mustPages(t, auth, false, v1.SyncOptions{})
		want := newLedger()
		want.take(t, straight)
		if n := len(want.records[v1.Accounts]); n != 32 {
			t.Fatalf("%d accounts, want 32", n)
		}
		if s := starScopes(straight)[v1.Accounts]; !s.Complete || s.Count != 32 {
			t.Errorf("scope %+v", s)
		}
		marks := 0
		for i, p := range straight {
			if p.Page.Checkpoint == "" {
				continue
			}
			marks++
			pages := append(
				slices.Clone(straight[:i+1]),
				mustPages(t, auth, false, v1.SyncOptions{Checkpoint: p.Page.Checkpoint})...,
			)
			got := newLedger()
			got.take(t, pages)
			same(t, "from a checkpoint on", want, got)
		}
		if few := marks < 10; few != hidden {
			t.Errorf("numbers hidden %v: %d checkpoints", hidden, marks)
		}
	}
}

func TestACheckpointOfAnotherControllerStartsTheReadAnew(t *testing.T) {
	d := newDomain(t)
	auth := d.auth()
	pages, err := pagesOf(t, auth, false, v1.SyncOptions{}, func(int) error { return errKilled })
	if !errors.Is(err, errKilled) || pages[0].Page.Checkpoint == "" {
		t.Fatalf("%v, %+v", err, pages[0].Page)
	}
	d.dc = "DC2"
	d.refresh()
	rest := mustPages(t, auth, false, v1.SyncOptions{Checkpoint: pages[0].Page.Checkpoint})
	if !hasWarning(warningsOf(rest), "checkpoint_unusable") {
		t.Errorf("warnings %v", warningsOf(rest))
	}
	got := newLedger()
	got.take(t, rest)
	same(t, "another controller", whole(t, auth), got)
}
