package hrrest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/targets/hrrest"
	"github.com/grantwright/grantwright/e2e/targets/mishap"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

const key = "letmein"

func start(t *testing.T, n int, auth hrrest.Auth) (*hrrest.Server, people.Company) {
	t.Helper()
	c := people.NewCompany(1, n)
	s, err := hrrest.Start(context.Background(), hrrest.Config{Company: c, Key: key, Auth: auth})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s, c
}

type page struct {
	Data       []map[string]any
	Page       int
	PerPage    int `json:"per_page"`
	Total      int
	TotalPages int `json:"total_pages"`
}

// get sends a request with the key; link is the URL of rel="next".
func get(t *testing.T, url string, into any) (status int, link string) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		t.Fatalf("%s: %d: %v", url, answer.StatusCode, err)
	}
	if m := regexp.MustCompile(`<([^>]*)>; rel="next"`).FindStringSubmatch(answer.Header.Get("Link")); m != nil {
		link = m[1]
	}
	return answer.StatusCode, link
}

func TestOnlyTheConfiguredCredentialOpensTheDoor(t *testing.T) {
	for _, auth := range []hrrest.Auth{hrrest.APIKey, hrrest.Bearer, hrrest.Either} {
		s, _ := start(t, 0, auth)
		for header, value := range map[string]string{"X-API-Key": key, "Authorization": "Bearer " + key,
			"X-Api-key": "wrong", "X-Other": key} {
			r, _ := http.NewRequest("GET", s.BaseURL()+"/departments", nil)
			r.Header.Set(header, value)
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			var body struct{ Error struct{ Code string } }
			err = json.NewDecoder(answer.Body).Decode(&body)
			_ = answer.Body.Close()
			opens := value == key && header == "X-API-Key" && auth != hrrest.Bearer ||
				header == "Authorization" && auth != hrrest.APIKey
			want := map[bool]int{true: 200, false: 401}[opens]
			if answer.StatusCode != want || err != nil {
				t.Errorf("%s with %s: %d, %v; want %d", auth, header, answer.StatusCode, err, want)
			}
			if want == 401 && (answer.Header.Get("WWW-Authenticate") == "" || body.Error.Code != "unauthorized") {
				t.Errorf("%s with %s: 401 without a challenge or code", auth, header)
			}
		}
	}
}

func TestPagesHoldEveryEmployeeOnceByNumberAndByLink(t *testing.T) {
	s, c := start(t, 1000, hrrest.APIKey)
	seen := map[string]map[string]any{}
	next, pages := s.BaseURL()+"/employees?per_page=150", 0
	for next != "" {
		var p page
		_, next = get(t, next, &p)
		pages++
		if p.Total != 1000 || p.Page != pages || p.PerPage != 150 || p.TotalPages != 7 {
			t.Fatalf(
				"page %d says page %d, per_page %d, total %d, total_pages %d",
				pages,
				p.Page,
				p.PerPage,
				p.Total,
				p.TotalPages,
			)
		}
		for _, e := range p.Data {
			seen[e["employeeId"].(string)] = e
		}
	}
	if pages != 7 || len(seen) != 1000 || s.Employees() != 1000 {
		t.Fatalf("%d people in %d pages; want 1000 in 7", len(seen), pages)
	}
	missing := 0
	for _, p := range c.People {
		e := seen[p.Number]
		if e["mail"] == nil {
			missing++
		} else if e["mail"] != p.Mail {
			t.Errorf("mail of %s is %v; want %s", p.Number, e["mail"], p.Mail)
		}
		if e["firstName"] != p.GivenName || e["lastName"] != p.FamilyName || e["departmentName"] != p.Department ||
			e["status"] != string(p.Status) {
			t.Errorf("%s is %v; want %+v", p.Number, e, p)
		}
		if boss := e["managerEmployeeId"]; (boss == nil) != (p.Manager == "") ||
			boss != nil && seen[boss.(string)] == nil {
			t.Errorf("manager of %s is %v; want %q", p.Number, boss, p.Manager)
		}
	}
	if missing != 1 {
		t.Errorf("%d people have no mail; want 1", missing)
	}
	var beyond page
	if status, next := get(
		t,
		s.BaseURL()+"/employees?page=999",
		&beyond,
	); status != 200 || len(beyond.Data) != 0 ||
		next != "" {
		t.Errorf("a page beyond the end: %d with %d people, next %q; want 200 and none", status, len(beyond.Data), next)
	}
}

func TestABadPageIsRefused(t *testing.T) {
	s, _ := start(t, 0, hrrest.APIKey)
	for _, query := range []string{"page=0", "page=x", "per_page=-1", "page=99999999999999999999",
		"updated_since=yesterday"} {
		var body struct{ Error struct{ Code string } }
		if status, _ := get(
			t,
			s.BaseURL()+"/employees?"+query,
			&body,
		); status != 400 ||
			body.Error.Code != "bad_parameter" {
			t.Errorf("%s: %d %q; want 400 bad_parameter", query, status, body.Error.Code)
		}
	}
	var p page
	if get(t, s.BaseURL()+"/employees?per_page=100000", &p); p.PerPage != 500 {
		t.Errorf("per_page is %d; want it clamped to 500", p.PerPage)
	}
}

func TestRolesAndTheirMembersAreParentAndChild(t *testing.T) {
	s, c := start(t, 1000, hrrest.APIKey)
	var roles page
	get(t, s.BaseURL()+"/security-roles", &roles)
	if len(roles.Data) != len(c.Roles) {
		t.Fatalf("%d roles; want %d", len(roles.Data), len(c.Roles))
	}
	for i, r := range roles.Data {
		var members page
		get(t, s.BaseURL()+"/security-roles/"+r["roleId"].(string)+"/members", &members)
		if members.Total != len(c.Roles[i].Members) || members.Total == 0 {
			t.Errorf("%s has %d members; want %d", r["name"], members.Total, len(c.Roles[i].Members))
		}
		for k, m := range members.Data {
			if m["employeeId"] != c.Roles[i].Members[k].Number {
				t.Errorf("%s: member %v; want %s", r["name"], m, c.Roles[i].Members[k].Number)
			}
		}
	}
	var nothing map[string]any
	if status, _ := get(t, s.BaseURL()+"/security-roles/SR-99/members", &nothing); status != 404 {
		t.Errorf("an unknown role gave %d; want 404", status)
	}
}

func TestDepartmentsAndCostCentersCoverEveryEmployee(t *testing.T) {
	s, c := start(t, 300, hrrest.APIKey)
	var departments, centers page
	get(t, s.BaseURL()+"/departments", &departments)
	get(t, s.BaseURL()+"/cost-centers", &centers)
	ids, codes := map[any]bool{}, map[any]bool{}
	for _, d := range departments.Data {
		ids[d["departmentId"]] = true
	}
	for _, x := range centers.Data {
		codes[x["code"]] = true
	}
	for _, p := range c.People {
		var one struct{ Data map[string]any }
		get(t, s.BaseURL()+"/employees/"+p.Number, &one)
		if !ids[one.Data["departmentId"]] || !codes[one.Data["costCenter"]] {
			t.Fatalf(
				"%s is in %v, %v, which are not listed",
				p.Number,
				one.Data["departmentId"],
				one.Data["costCenter"],
			)
		}
	}
}

func TestChangesShowInTheFilterByTime(t *testing.T) {
	s, c := start(t, 300, hrrest.APIKey)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	since := s.BaseURL() + "/employees?updated_since=" + url.QueryEscape(
		people.Reference.AddDate(0, 0, 1).Format(time.RFC3339),
	)
	count := func() int {
		var p page
		get(t, since, &p)
		return p.Total
	}
	if got := count(); got != 0 {
		t.Errorf("%d people changed after the reference day; want 0", got)
	}
	leaver := c.People[40].Number
	must(s.Terminate(leaver, people.Reference))
	must(
		s.AddEmployee(
			people.Person{Number: "900001", GivenName: "New", Manager: c.People[0].Number, Status: people.Active},
		),
	)
	must(s.AddRoleMember("Recruiter", "900001"))
	if got := count(); got != 2 {
		t.Errorf("%d people changed; want 2", got)
	}
	var one struct{ Data map[string]any }
	get(t, s.BaseURL()+"/employees/"+leaver, &one)
	if one.Data["status"] != "Terminated" || one.Data["endDate"] != "2026-06-30" {
		t.Errorf("the leaver is %v", one.Data)
	}
	must(s.RemoveRoleMember("SR-07", "900001"))
	must(s.RemoveEmployee("900001"))
	if status, _ := get(t, s.BaseURL()+"/employees/900001", &one); status != 404 {
		t.Errorf("a removed employee gave %d; want 404", status)
	}
	if err := s.RemoveEmployee("900001"); err == nil {
		t.Error("removing an employee twice succeeded")
	}
	var gone page
	get(t, s.BaseURL()+"/employees?status=terminated&per_page=2", &gone)
	for _, e := range gone.Data {
		if e["status"] != "Terminated" {
			t.Errorf("the filter for leavers gave %v", e)
		}
	}
	if gone.Total == 0 {
		t.Error("the filter for leavers found nobody")
	}
}

func TestFaultsReachTheClient(t *testing.T) {
	s, _ := start(t, 0, hrrest.APIKey)
	s.SetFaults(mishap.Faults{HTMLEvery: 1})
	r, _ := http.NewRequest("GET", s.BaseURL()+"/employees", nil)
	r.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") || s.Requests() != 1 {
		t.Errorf("got %q after %d requests; want HTML after 1", answer.Header.Get("Content-Type"), s.Requests())
	}
}

func TestReadersAndChangesDoNotDisturbEachOther(t *testing.T) {
	s, c := start(t, 300, hrrest.APIKey)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 20 {
				var p page
				get(t, s.BaseURL()+"/employees?per_page=300", &p)
				get(t, s.BaseURL()+"/security-roles/SR-01/members", &p)
			}
		})
	}
	for i := range 100 {
		if err := s.Terminate(c.People[i].Number, people.Reference); err != nil {
			t.Fatal(err)
		}
		if err := s.AddRoleMember("SR-01", c.People[i].Number); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
}
