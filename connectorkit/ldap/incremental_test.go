package ldap_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// tree is people in places of their own, so that something can be moved.
var tree = strings.Join([]string{
	"dn: ou=sites," + ldaptest.Suffix + "\nobjectClass: organizationalUnit\nou: sites\n",
	"dn: ou=oslo,ou=sites," + ldaptest.Suffix + "\nobjectClass: organizationalUnit\nou: oslo\n",
	"dn: ou=bergen,ou=sites," + ldaptest.Suffix + "\nobjectClass: organizationalUnit\nou: bergen\n",
	"dn: ou=elsewhere," + ldaptest.Suffix + "\nobjectClass: organizationalUnit\nou: elsewhere\n",
	somebody("uid=ola,ou=oslo,ou=sites,"), somebody("uid=kari,ou=oslo,ou=sites,"),
	somebody("uid=nils,ou=bergen,ou=sites,"),
	"dn: cn=crew,ou=groups," + ldaptest.Suffix + "\nobjectClass: groupOfNames\ncn: crew\nmember: " +
		"uid=ola,ou=oslo,ou=sites," + ldaptest.Suffix +
		"\nmember: uid=nils,ou=bergen,ou=sites," + ldaptest.Suffix + "\n",
	"dn: cn=lonely,ou=groups," + ldaptest.Suffix + "\nobjectClass: groupOfNames\ncn: lonely\nmember: " +
		"uid=kari,ou=oslo,ou=sites," + ldaptest.Suffix + "\n",
}, "\n")

func somebody(rdn string) string {
	uid := strings.TrimPrefix(strings.SplitN(rdn, ",", 2)[0], "uid=")
	return "dn: " + rdn + ldaptest.Suffix + "\nobjectClass: inetOrgPerson\nuid: " + uid + "\ncn: " + uid + "\nsn: " +
		uid + "\n"
}

func dn(rdn string) string { return rdn + "," + ldaptest.Suffix }

// change is something that happens in a directory.
type change struct {
	name string
	do   func(c *goldap.Conn) error
	most int // records that a read of changes may bring where the directory tells what has changed
}

func modify(name string, edit func(*goldap.ModifyRequest)) func(*goldap.Conn) error {
	return func(c *goldap.Conn) error {
		m := goldap.NewModifyRequest(dn(name), nil)
		edit(m)
		return c.Modify(m)
	}
}

func rename(name, rdn, parent string) func(*goldap.Conn) error {
	return func(c *goldap.Conn) error {
		if parent != "" {
			parent = dn(parent)
		}
		return c.ModifyDN(goldap.NewModifyDNRequest(dn(name), rdn, true, parent))
	}
}

func remove(name string) func(*goldap.Conn) error {
	return func(c *goldap.Conn) error { return c.Del(goldap.NewDelRequest(dn(name), nil)) }
}

func add(name string, attributes map[string][]string) func(*goldap.Conn) error {
	return func(c *goldap.Conn) error {
		a := goldap.NewAddRequest(dn(name), nil)
		for k, v := range attributes {
			a.Attribute(k, v)
		}
		return c.Add(a)
	}
}

func addPerson(name string) func(*goldap.Conn) error {
	uid := strings.TrimPrefix(strings.SplitN(name, ",", 2)[0], "uid=")
	return add(name, map[string][]string{"objectClass": {"inetOrgPerson"}, "uid": {uid}, "cn": {uid}, "sn": {uid}})
}

func each(list ...func(*goldap.Conn) error) func(*goldap.Conn) error {
	return func(c *goldap.Conn) error {
		for _, do := range list {
			if err := do(c); err != nil {
				return err
			}
		}
		return nil
	}
}

// life is what happens in a directory in the course of time, one after the other. Nobody whose employeeType
// is left is read.
func life() []change {
	leave := func(m *goldap.ModifyRequest) { m.Replace("employeeType", []string{"left"}) }
	return []change{
		{"nothing", func(*goldap.Conn) error { return nil }, 0},
		{"somebody comes", addPerson("uid=new,ou=people"), 2},
		{"somebody changes", modify("uid=new,ou=people", func(m *goldap.ModifyRequest) {
			m.Replace("mail", []string{"new@iga.test"})
		}), 2},
		{"somebody is renamed", rename("uid=ola,ou=oslo,ou=sites", "uid=olav", ""), 6},
		{"somebody moves", rename("uid=olav,ou=oslo,ou=sites", "uid=olav", "ou=bergen,ou=sites"), 6},
		{"somebody leaves the filter", modify("uid=u0000003,ou=people", leave), 4},
		{"somebody comes back", modify("uid=u0000003,ou=people", func(m *goldap.ModifyRequest) {
			m.Delete("employeeType", nil)
		}), 2},
		{"somebody goes", remove("uid=u0000004,ou=people"), 12},
		{"somebody joins a group", modify("cn=lonely,ou=groups", func(m *goldap.ModifyRequest) {
			m.Add("member", []string{ldaptest.UserDN(5)})
		}), 3},
		{"a group loses a member", modify("cn=lonely,ou=groups", func(m *goldap.ModifyRequest) {
			m.Delete("member", []string{ldaptest.UserDN(5)})
		}), 2},
		{"a group loses everybody", modify("cn=lonely,ou=groups", func(m *goldap.ModifyRequest) {
			m.Replace("member", []string{""})
		}), 1},
		{
			"a group comes",
			add(
				"cn=fresh,ou=groups",
				map[string][]string{
					"objectClass": {"groupOfNames"}, "cn": {"fresh"},
					"member": {ldaptest.UserDN(1), ldaptest.UserDN(2)},
				},
			),
			3,
		},
		{"a group is renamed", rename("cn=fresh,ou=groups", "cn=stale", ""), 3},
		{"a group goes", remove("cn=stale,ou=groups"), 3},
		{"a place is renamed", rename("ou=bergen,ou=sites", "ou=bryggen", ""), 4},
		{"a place moves", rename("ou=bryggen,ou=sites", "ou=bryggen", "ou=elsewhere"), 4},
		{"a place changes", modify("ou=people", func(m *goldap.ModifyRequest) {
			m.Replace("description", []string{"all"})
		}), 0},
		{
			"a place comes with somebody",
			each(
				add("ou=new,ou=sites", map[string][]string{"objectClass": {"organizationalUnit"}, "ou": {"new"}}),
				addPerson("uid=first,ou=new,ou=sites"),
			),
			4,
		},
		{"a place goes", each(remove("uid=first,ou=new,ou=sites"), remove("ou=new,ou=sites")), 4},
	}
}

const notLeft = "(!(employeeType=left))"

func TestChangesLeadToWhatAFullReadFinds(t *testing.T) {
	for _, tt := range []struct {
		mode, strategy string
		options        ldaptest.Options
		settings       map[string]any
		exact          bool // only what has changed is read
	}{
		{"auto", "ldap_syncrepl", ldaptest.Options{Syncprov: true}, nil, true},
		{
			"syncrepl with refint", "ldap_syncrepl", ldaptest.Options{Syncprov: true, Refint: true},
			map[string]any{"change_mode": "syncrepl"}, true,
		},
		{"auto without syncprov", "ldap_modify_timestamp", ldaptest.Options{}, nil, false},
		{
			"modifytimestamp", "ldap_modify_timestamp", ldaptest.Options{Syncprov: true},
			map[string]any{"change_mode": "modifytimestamp", "id_attribute": "entryUUID"}, false,
		},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			tt.options.Users, tt.options.Groups, tt.options.PerGroup, tt.options.LDIF = 20, 3, 4, tree
			s := ldaptest.StartSlapd(t, tt.options)
			auth := with(s, map[string]any{"user_filter": notLeft, "page_size": 7})
			for k, v := range tt.settings {
				auth[k] = v
			}
			admin := s.Admin(t)
			known := whole(t, auth)
			for _, c := range life() {
				if err := c.do(admin); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				how, records := catchUp(t, auth, known)
				if !how.Incremental || how.Strategy != tt.strategy || how.FallbackReason != "" {
					t.Errorf("%s: read %+v", c.name, how)
				}
				if tt.exact && records > c.most {
					t.Errorf("%s: %d records were read; at most %d have changed", c.name, records, c.most)
				}
				compare := same
				if tt.options.Refint {
					compare = samePeople
				}
				compare(t, c.name, whole(t, auth), known)
			}
		})
	}
}

// TestAPlaceThatIsNoneByItsClassIsWatched renames a person who has another below.
func TestAPlaceThatIsNoneByItsClassIsWatched(t *testing.T) {
	s := ldaptest.StartSlapd(
		t, ldaptest.Options{Syncprov: true, LDIF: tree + "\n" + somebody("uid=inner,uid=ola,ou=oslo,ou=sites,")},
	)
	auth := with(s, nil)
	known := whole(t, auth)
	admin := s.Admin(t)
	if err := addPerson("uid=second,uid=kari,ou=oslo,ou=sites")(admin); err != nil {
		t.Fatal(err)
	}
	if how, _ := catchUp(t, auth, known); !how.Incremental {
		t.Errorf("read %+v", how)
	}
	for _, who := range []string{"ola", "kari"} {
		if err := rename("uid="+who+",ou=oslo,ou=sites", "uid=x"+who, "")(admin); err != nil {
			t.Fatal(err)
		}
		if how, _ := catchUp(t, auth, known); how.Incremental ||
			!strings.Contains(how.FallbackReason, "has others below it") {
			t.Errorf("read %+v", how)
		}
		same(t, who, whole(t, auth), known)
	}
}

func TestAfterARestartWhatIsStillThereIsNamed(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 60, Groups: 3, PerGroup: 4, LDIF: tree})
	auth := with(s, nil)
	known := whole(t, auth)
	admin := s.Admin(t)
	for _, c := range life()[1:5] {
		if err := c.do(admin); err != nil {
			t.Fatal(err)
		}
	}
	if err := remove("uid=u0000009,ou=people")(admin); err != nil {
		t.Fatal(err)
	}
	s.Restart(t) // the server's own log of what has gone is lost with it
	pages := mustPages(t, auth, true, v1.SyncOptions{Cursor: known.cursor})
	present, complete := 0, 0
	for _, p := range pages {
		for _, list := range p.Page.Present {
			if list.Kind == v1.Accounts {
				present += len(list.ExternalIDs)
			}
		}
		for _, scope := range p.Page.Scopes {
			if scope.Kind == v1.Accounts && scope.Complete {
				complete = scope.Count
			}
		}
	}
	known.take(t, pages)
	same(t, "after the restart", whole(t, auth), known)
	if present == 0 || complete != len(known.records[v1.Accounts]) {
		t.Errorf(
			"%d accounts were named; the scope counts %d of %d", present, complete, len(known.records[v1.Accounts]),
		)
	}
}

func TestACookieTheDirectoryDoesNotKnowLeadsToAFullRead(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 10, LDIF: tree})
	auth := with(s, nil)
	known := whole(t, auth)
	future := time.Now().AddDate(1, 0, 0).UTC().Format("20060102150405") + ".000000Z#000000#000#000000"
	withCookie := func(cookie string) string {
		var cursor map[string]any
		if err := json.Unmarshal([]byte(known.cursor), &cursor); err != nil {
			t.Fatal(err)
		}
		cursor["people"] = []byte(cookie)
		b, _ := json.Marshal(cursor)
		return string(b)
	}
	for name, cookie := range map[string]string{
		"newer than the server": "rid=000,csn=" + future, "without a number": "nonsense", "empty": "",
	} {
		pages := mustPages(t, auth, true, v1.SyncOptions{Cursor: withCookie(cookie)})
		last := pages[len(pages)-1].Page
		if last.Read.Incremental || last.Read.Strategy != "full" || last.Read.FallbackReason == "" ||
			last.Cursor == "" {
			t.Errorf("%s: read %+v, cursor %q", name, last.Read, last.Cursor)
		}
		fresh := newLedger()
		fresh.take(t, pages)
		same(t, name, known, fresh)
	}
}

// TestALimitOnChangesLeadsToAFullReadAndAnotherWay has more changes than the login may get at once: content
// synchronisation knows no pages.
func TestALimitOnChangesLeadsToAFullReadAndAnotherWay(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 60, LDIF: tree, ReaderSizeLimit: 20})
	auth := with(s, nil)
	known := whole(t, auth)
	admin := s.Admin(t)
	for i := range 40 {
		if err := modify(fmt.Sprintf("uid=u%07d,ou=people", i), func(m *goldap.ModifyRequest) {
			m.Replace("description", []string{"x"})
		})(admin); err != nil {
			t.Fatal(err)
		}
	}
	how, _ := catchUp(t, auth, known)
	if how.Incremental || !strings.Contains(how.FallbackReason, "result 4 (sizeLimitExceeded)") {
		t.Errorf("read %+v", how)
	}
	same(t, "after the limit", whole(t, auth), known)
	if how, _ = catchUp(t, auth, known); !how.Incremental || how.Strategy != "ldap_modify_timestamp" {
		t.Errorf("the read after that: %+v", how)
	}
}

func TestCursorsThatDoNotFitLeadToAFullReadWithTheReason(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 10, LDIF: tree})
	auth := with(s, nil)
	known := whole(t, auth)
	for _, tt := range []struct {
		name, cursor, reason string
		settings             map[string]any
	}{
		{"no cursor", "", "no position", nil},
		{"nonsense", "{", "another version", nil},
		{"another version", `{"v":0}`, "another version", nil},
		{"another filter", known.cursor, "set differently", map[string]any{"user_filter": "(uid=*)"}},
		{"another base", known.cursor, "set differently", map[string]any{"base_dn": ldaptest.PeopleDN}},
		{"another way", known.cursor, "change_mode", map[string]any{"change_mode": "modifytimestamp"}},
		{"no way", known.cursor, "change_mode is none", map[string]any{"change_mode": "none"}},
	} {
		auth := with(s, tt.settings)
		pages := mustPages(t, auth, true, v1.SyncOptions{Cursor: tt.cursor})
		last := pages[len(pages)-1].Page
		if last.Read.Incremental || last.Read.Strategy != "full" ||
			!strings.Contains(last.Read.FallbackReason, tt.reason) {
			t.Errorf("%s: read %+v", tt.name, last.Read)
		}
		if hasCursor := last.Cursor != ""; hasCursor == (tt.settings["change_mode"] == "none") {
			t.Errorf("%s: cursor %q", tt.name, last.Cursor)
		}
	}
	if pages := mustPages(
		t, with(s, map[string]any{"change_mode": "dirsync"}), false, v1.SyncOptions{},
	); !hasWarning(warningsOf(pages), "change_mode_unusable") {
		t.Errorf("warnings %v", warningsOf(pages))
	}
}

func warningsOf(pages []v1.SyncResponse) []v1.Warning {
	var out []v1.Warning
	for _, p := range pages {
		out = append(out, p.Page.Warnings...)
	}
	return out
}

func TestWhatChangesDuringAFullReadIsReadTheNextTime(t *testing.T) {
	for _, mode := range []string{"syncrepl", "modifytimestamp"} {
		s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 1500, Groups: 3, PerGroup: 4, LDIF: tree})
		auth := with(s, map[string]any{"change_mode": mode, "page_size": 100})
		admin := s.Admin(t)
		known := newLedger()
		pages, err := pagesOf(t, auth, false, v1.SyncOptions{}, func(page int) error {
			if page != 2 {
				return nil
			}
			return each(
				modify("uid=u0000001,ou=people", func(m *goldap.ModifyRequest) {
					m.Replace("mail", []string{"changed@iga.test"})
				}),
				remove("uid=u0000002,ou=people"), addPerson("uid=late,ou=people"),
				rename("uid=u0001499,ou=people", "uid=u0001499", "ou=oslo,ou=sites"),
				rename("uid=u0000000,ou=people", "uid=zero", ""),
			)(admin)
		})
		if err != nil {
			t.Fatal(err)
		}
		known.take(t, pages)
		if how, _ := catchUp(t, auth, known); !how.Incremental {
			t.Errorf("%s: read %+v", mode, how)
		}
		same(t, mode, whole(t, auth), known)
	}
}

// TestAHundredChangesOfThousandsAreReadAlone reads what has changed and no more; how long it takes with
// 50,000 people is measured by BenchmarkIncremental.
func TestAHundredChangesOfThousandsAreReadAlone(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 5000, Groups: 10, PerGroup: 50})
	auth := with(s, nil)
	known := whole(t, auth)
	admin := s.Admin(t)
	for i := range 100 {
		if err := modify(fmt.Sprintf("uid=u%07d,ou=people", i*7), func(m *goldap.ModifyRequest) {
			m.Replace("description", []string{fmt.Sprint(i)})
		})(admin); err != nil {
			t.Fatal(err)
		}
	}
	if how, records := catchUp(t, auth, known); records != 200 || how.Strategy != "ldap_syncrepl" {
		t.Errorf("%d records were read by %s, want 200", records, how.Strategy)
	}
	same(t, "a hundred changes", whole(t, auth), known)
}
