package scenarios

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/mishap"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

func TestWhileOneRunGoesOnAnotherIsRefusedAndItCanBeCancelled(t *testing.T) {
	t.Parallel()
	h, s := open(t, 1000, 50)
	for _, mode := range []string{"hosted", "agent"} {
		c := s.state.Personnel()
		c.BusinessID, c.Mode = mode, mode
		if mode == "agent" {
			c.AgentID = h.Agent(h.Admin, "site").ID
		}
		connector := h.Connect(h.Admin, c)
		s.hr.SetFaults(mishap.Faults{Delay: 200 * time.Millisecond})
		run := h.Begin(h.Admin, connector, api.Sync{ChunkSize: 50})
		h.Reach(
			h.Admin,
			connector,
			run,
			func(r api.Run) bool { return r.Status == "running" && r.Counters.Identities > 0 },
		)
		_, err := h.Admin.Start(harness.Context(t), connector, api.Sync{})
		var p *api.Problem
		if !errors.As(err, &p) || p.Status != 409 || p.RunID != run {
			t.Errorf("%s: a second trigger got %v; want 409 with the first run's id", mode, err)
		}
		if err := h.Admin.Post(
			harness.Context(t),
			"/connectors/"+connector+"/sync-runs/"+run+"/cancel",
			nil,
			nil,
		); err != nil {
			t.Error(err)
		}
		if r := h.End(h.Admin, connector, run); r.Status != "cancelled" {
			t.Errorf("%s: the cancelled run is %s", mode, r.Status)
		}
		s.hr.SetFaults(mishap.Faults{})
		h.Sync(h.Admin, connector, api.Sync{})
		if got := h.Total(h.Admin, "/identities"); got != 1000 {
			t.Errorf("%s: %d people after the next run; want 1000", mode, got)
		}
	}
}

func TestEventsOfARunAreStreamedUntilItsEnd(t *testing.T) {
	t.Parallel()
	h, s := open(t, 600, 50)
	connector := h.Connect(h.Admin, s.state.Personnel())
	s.hr.SetFaults(mishap.Faults{Delay: 100 * time.Millisecond})
	started, err := h.Admin.Start(harness.Context(t), connector, api.Sync{ChunkSize: 50})
	if err != nil {
		t.Fatal(err)
	}
	status, header, body, err := h.Admin.Raw(harness.Context(t), http.MethodGet, started.Links["events"], nil)
	if err != nil || status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("the events answered %d %s, %v", status, header.Get("Content-Type"), err)
	}
	var names []string
	for _, line := range strings.Split(string(body), "\n") {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			names = append(names, name)
		}
	}
	if n := len(names); n < 3 || names[0] != "sync.progress" || names[n-1] != "sync.completed" ||
		slices.Index(names, "sync.completed") != n-1 {
		t.Errorf("events: %v; want progress, again and again, and one sync.completed at the end", names)
	}
}

// receiver takes callbacks once it knows their secret.
type receiver struct {
	mu     sync.Mutex
	secret []byte
	bad    []string
	got    []progress
}

type progress struct {
	Event    string       `json:"event"`
	RunID    string       `json:"run_id"`
	Seq      int64        `json:"seq"`
	Status   string       `json:"status"`
	Counters api.Counters `json:"counters"`
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.secret == nil { // the first may come before the answer that tells the secret
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var p progress
	mac := hmac.New(sha256.New, r.secret)
	mac.Write([]byte(req.Header.Get("webhook-id") + "." + req.Header.Get("webhook-timestamp") + "." + string(body)))
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if !slices.Contains(strings.Fields(req.Header.Get("webhook-signature")), want) || json.Unmarshal(body, &p) != nil {
		r.bad = append(r.bad, string(body))
	}
	r.got = append(r.got, p)
}

func TestACallbackHearsSignedProgressAndSurelyTheEnd(t *testing.T) {
	t.Parallel()
	h, s := open(t, 1500, 50)
	connector := h.Connect(h.Admin, s.state.Personnel())
	s.hr.SetFaults(mishap.Faults{Delay: 150 * time.Millisecond})
	r := &receiver{}
	web := httptest.NewServer(r)
	defer web.Close()
	started, err := h.Admin.Start(
		harness.Context(t),
		connector,
		api.Sync{ChunkSize: 50, CallbackURL: web.URL + "/progress"},
	)
	if err != nil {
		t.Fatal(err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(started.CallbackSecret, "whsec_"))
	if err != nil || len(key) < 24 {
		t.Fatalf("the callback's secret has %d bytes, %v", len(key), err)
	}
	r.mu.Lock()
	r.secret = key
	r.mu.Unlock()
	run := h.Well(h.End(h.Admin, connector, started.RunID))
	harness.Eventually(t, "the last callback has been delivered", func() bool {
		now, err := h.Admin.Run(harness.Context(t), connector, run.ID)
		return err == nil && now.Callback != nil && *now.Callback == "delivered"
	}, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.got[len(r.got)-1]
	if len(r.bad) > 0 || last.Event != "sync.completed" || last.Status != "succeeded" || last.RunID != run.ID ||
		last.Counters != run.Counters {
		t.Errorf(
			"the last of %d callbacks is %+v, with %d badly signed; want the end of the run",
			len(r.got),
			last,
			len(r.bad),
		)
	}
	told := 0
	for i, p := range r.got[:len(r.got)-1] {
		if told++; p.Event != "sync.progress" || i > 0 && p.Seq <= r.got[i-1].Seq {
			t.Errorf("callback %d is %+v; want progress in order", i, p)
		}
	}
	if told == 0 {
		t.Error("there was no callback while the run went on")
	}
}

func TestACapOnRecordsIsKeptAndProvesNothingGone(t *testing.T) {
	t.Parallel()
	h, s := open(t, 400, 0)
	connector := h.Connect(h.Admin, s.state.Personnel())
	run := h.End(h.Admin, connector, h.Begin(h.Admin, connector, api.Sync{MaxRecords: 50}))
	if run.Status != "partial" || run.Counters.Identities != 50 || h.Total(h.Admin, "/identities") != 50 {
		t.Errorf("the capped run is %s with %d people; want partial with 50", run.Status, run.Counters.Identities)
	}
	h.Sync(h.Admin, connector, api.Sync{})
	h.End(h.Admin, connector, h.Begin(h.Admin, connector, api.Sync{MaxRecords: 10}))
	if got := h.Total(h.Admin, "/identities"); got != 400 {
		t.Errorf("%d people after a capped run; want 400 still", got)
	}
}

// identity is what the next test looks at.
type identity struct {
	ID             string  `json:"id"`
	ExternalID     string  `json:"external_id"`
	EmployeeNumber string  `json:"employee_number"`
	Status         string  `json:"status"`
	ManagerID      *string `json:"manager_id"`
}

// login is an account with its owner.
type login struct {
	Username       string  `json:"username"`
	EmployeeNumber string  `json:"employee_number"`
	IdentityID     *string `json:"identity_id"`
	Orphaned       bool    `json:"orphaned"`
	Correlation    struct {
		State       string   `json:"state"`
		Explanation []string `json:"explanation"`
	} `json:"correlation"`
}

func TestManagersAndOwnersAreFoundAcrossSystemsInWhateverOrderTheyAreRead(t *testing.T) {
	t.Parallel()
	h, s := open(t, 500, 0)
	directory := h.Connect(h.Admin, s.state.Directory())
	h.Sync(h.Admin, directory, api.Sync{ChunkSize: 50})
	if got := h.Total(h.Admin, "/accounts?correlation=linked"); got != 0 {
		t.Errorf("%d accounts have an owner before anybody is known", got)
	}
	h.Sync(h.Admin, h.Connect(h.Admin, s.state.Personnel()), api.Sync{ChunkSize: 50})

	byNumber, byID := map[string]identity{}, map[string]identity{}
	for _, p := range harness.All[identity](h, h.Admin, "/identities", nil) {
		byNumber[p.EmployeeNumber], byID[p.ID] = p, p
	}
	for _, p := range s.company.People {
		is := byNumber[p.Number]
		if p.Status == people.Terminated && is.Status != "deactivated" {
			t.Errorf("%s has left and is %s", p.Number, is.Status)
		}
		got := ""
		if is.ManagerID != nil {
			got = byID[*is.ManagerID].EmployeeNumber
		}
		if got != p.Manager {
			t.Errorf("the manager of %s is %q; want %q", p.Number, got, p.Manager)
		}
	}
	shared := s.company.Wrinkles.DuplicateMail
	for _, a := range harness.All[login](h, h.Admin, "/accounts", url.Values{"connector_id": {directory}}) {
		owner := ""
		if a.IdentityID != nil {
			owner = byID[*a.IdentityID].EmployeeNumber
		}
		switch {
		case slices.Contains(shared, a.EmployeeNumber): // number and address may speak of two people: that is for a person to decide
		case owner != a.EmployeeNumber:
			t.Errorf("account %s of %q belongs to %q", a.Username, a.EmployeeNumber, owner)
		case owner != "" && (a.Correlation.State != "linked" || len(a.Correlation.Explanation) == 0):
			t.Errorf(
				"account %s is %s with the explanation %v; want linked with one",
				a.Username,
				a.Correlation.State,
				a.Correlation.Explanation,
			)
		case owner == "" && a.Correlation.State != "uncorrelated":
			t.Errorf("account %s of nobody is %s", a.Username, a.Correlation.State)
		}
	}
	ownerless := int64(len(s.company.Wrinkles.OrphanAccounts) + len(s.company.Wrinkles.ServiceAccounts))
	if got := h.Total(h.Admin, "/accounts/uncorrelated"); got != ownerless {
		t.Errorf("%d accounts belong to nobody; want %d", got, ownerless)
	}
}
