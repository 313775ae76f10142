package scenarios

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// inbox is an endpoint of webhooks. It keeps what arrives, from when it arrives, and answers as it is told to.
type inbox struct {
	url string

	mu     sync.Mutex
	status int
	gate   chan struct{} // answers wait until it is closed
	got    []letter
	flying int
	most   int // in flight at once
}

// letter is one request as it came.
type letter struct {
	ID, Timestamp, Signature, Attempt string
	Body                              []byte
}

// news is what a letter says.
type news struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	TenantID  string `json:"tenant_id"`
	Sequence  int64  `json:"sequence"`
	Data      struct {
		ID         string `json:"id"`
		ExternalID string `json:"external_id"`
		Status     string `json:"status"`
	} `json:"data"`
}

func (l letter) says(t *testing.T) (m news) {
	t.Helper()
	if err := json.Unmarshal(l.Body, &m); err != nil {
		t.Fatalf("what arrived is no JSON: %v", err)
	}
	return m
}

// signedBy verifies as Standard Webhooks lay down: one of the signatures is right.
func (l letter) signedBy(t *testing.T, secret string) bool {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("the secret has another form than whsec_ and base64: %v", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(l.ID + "." + l.Timestamp + "."))
	mac.Write(l.Body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return slices.Contains(strings.Fields(l.Signature), want)
}

// openInbox listens at an address; empty: one of its own.
func openInbox(t *testing.T, address string) *inbox {
	t.Helper()
	in := &inbox{status: http.StatusOK}
	server := httptest.NewUnstartedServer(in)
	if address != "" {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = server.Listener.Close()
		server.Listener = l
	}
	server.Start()
	in.url = server.URL
	t.Cleanup(func() {
		in.release()
		server.Close()
	})
	return in
}

func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	in.mu.Lock()
	in.got = append(in.got, letter{
		ID:        r.Header.Get("webhook-id"),
		Timestamp: r.Header.Get("webhook-timestamp"),
		Signature: r.Header.Get("webhook-signature"),
		Attempt:   r.Header.Get("grantwright-attempt"),
		Body:      body,
	})
	in.flying++
	in.most = max(in.most, in.flying)
	gate, status := in.gate, in.status
	in.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
		}
	}
	in.mu.Lock()
	in.flying--
	in.mu.Unlock()
	w.WriteHeader(status)
}

// answer sets the status of the answers to come.
func (in *inbox) answer(status int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.status = status
}

// hold lets answers wait until release.
func (in *inbox) hold() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.gate = make(chan struct{})
}

func (in *inbox) release() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.gate != nil {
		close(in.gate)
		in.gate = nil
	}
}

func (in *inbox) letters() []letter {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.got)
}

// about waits for n letters about a person and gives them.
func (in *inbox) about(t *testing.T, person string, n int) []letter {
	t.Helper()
	var found []letter
	harness.Eventually(t, fmt.Sprintf("%d letters about a person arrive", n), func() bool {
		found = nil
		for _, l := range in.letters() {
			if l.says(t).Data.ID == person {
				found = append(found, l)
			}
		}
		return len(found) >= n
	}, nil)
	return found
}

// hook is a webhook that was made for a test.
type hook struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

func (k hook) path() string { return "/settings/webhooks/" + k.ID }

func makeHook(t *testing.T, c *api.Client, name, url string, events ...string) (k hook) {
	t.Helper()
	if err := c.Post(
		harness.Context(t),
		"/settings/webhooks",
		map[string]any{"name": name, "url": url, "events": events},
		&k,
	); err != nil {
		t.Fatal(err)
	}
	return k
}

// delivery is a line of a webhook's log.
type delivery struct {
	ID         string  `json:"id"`
	EventID    string  `json:"event_id"`
	ResourceID string  `json:"resource_id"`
	Purpose    string  `json:"purpose"`
	State      string  `json:"state"`
	Attempt    int     `json:"attempt"`
	LastStatus *int    `json:"last_status"`
	LastError  *string `json:"last_error"`
}

// logged waits until the log has n deliveries that a test of the caller's holds good.
func logged(t *testing.T, h *harness.House, k hook, n int, good func(delivery) bool) []delivery {
	t.Helper()
	var found []delivery
	harness.Eventually(t, fmt.Sprintf("the log of deliveries has %d as they should be", n), func() bool {
		found = slices.DeleteFunc(
			harness.All[delivery](h, h.Admin, k.path()+"/deliveries", nil),
			func(d delivery) bool { return !good(d) },
		)
		return len(found) >= n
	}, nil)
	return found
}

func TestAWebhookIsToldWhatHappensAndWhatItMissedCanBeSentAgain(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	ctx := harness.Context(t)
	in := openInbox(t, "")
	from := time.Now().Add(-time.Minute)
	k := makeHook(t, h.Admin, "tickets", in.url+"/in", "identity.created")

	first := h.Person(h.Admin, "E1")
	l := in.about(t, first, 1)[0]
	m := l.says(t)
	if !l.signedBy(t, k.Secret) || len(strings.Fields(l.Signature)) != 1 || l.Attempt != "1" {
		t.Errorf("the signature %q of attempt %s is not that of the secret", l.Signature, l.Attempt)
	}
	if m.Type != "identity.created" || m.ID != l.ID || m.TenantID == "" || m.Sequence != 1 ||
		m.Data.ExternalID != "E1" ||
		m.Data.Status != "active" {
		t.Errorf("the letter %s says %s", l.ID, l.Body)
	}

	var ping struct {
		Success bool   `json:"success"`
		EventID string `json:"event_id"`
		Status  int    `json:"status"`
	}
	if err := h.Admin.Post(ctx, k.path()+"/test", nil, &ping); err != nil || !ping.Success || ping.Status != 200 {
		t.Errorf("the test says %+v, %v", ping, err)
	}
	arrived := in.letters()
	if l := arrived[len(arrived)-1]; l.ID != ping.EventID || l.says(t).Type != "webhook.ping" ||
		!l.signedBy(t, k.Secret) {
		t.Errorf("the test sent %s by the id %s; want a signed webhook.ping by %s", l.Body, l.ID, ping.EventID)
	}

	// An endpoint that refuses: its own status is in the log, and its event is sent again by the same id and in the
	// same words.
	in.answer(http.StatusInsufficientStorage)
	second := h.Person(h.Admin, "E2")
	refused := logged(t, h, k, 1, func(d delivery) bool { return d.ResourceID == second && d.Attempt == 1 })[0]
	if refused.State != "pending" || refused.LastStatus == nil ||
		*refused.LastStatus != http.StatusInsufficientStorage {
		t.Errorf("the log says of the refusal: %+v; want pending with status 507", refused)
	}
	if err := h.Admin.Post(
		ctx,
		k.path()+"/test",
		nil,
		&ping,
	); err != nil || ping.Success ||
		ping.Status != http.StatusInsufficientStorage {
		t.Errorf("a test of an endpoint that refuses says %+v, %v; want its 507", ping, err)
	}
	in.answer(http.StatusNoContent)
	if err := h.Admin.Post(ctx, k.path()+"/deliveries/"+refused.ID+"/redeliver", nil, nil); err != nil {
		t.Fatal(err)
	}
	again := in.about(t, second, 2)
	if again[0].ID != again[1].ID || again[0].ID != refused.EventID || !bytes.Equal(again[0].Body, again[1].Body) {
		t.Errorf(
			"the event %s was sent as %s %s and again as %s %s",
			refused.EventID,
			again[0].ID,
			again[0].Body,
			again[1].ID,
			again[1].Body,
		)
	}

	// A new secret: for a while, both sign.
	var rotated hook
	if err := h.Admin.Post(ctx, k.path()+"/rotate-secret", map[string]any{"overlap": "PT1H"}, &rotated); err != nil {
		t.Fatal(err)
	}
	third := h.Person(h.Admin, "E3")
	l = in.about(t, third, 1)[0]
	if !l.signedBy(t, k.Secret) || !l.signedBy(t, rotated.Secret) || len(strings.Fields(l.Signature)) != 2 ||
		rotated.Secret == k.Secret {
		t.Errorf("after the rotation the signature is %q; want one under each secret", l.Signature)
	}

	// A window of time is sent again, by the ids that there were.
	replay := map[string]any{"from": from, "events": []string{"identity.created"}}
	var count struct {
		Count int `json:"count"`
	}
	if err := h.Admin.Post(ctx, k.path()+"/replay?dry_run=true", replay, &count); err != nil || count.Count != 3 {
		t.Errorf("the replay would send %d events, %v; want 3", count.Count, err)
	}
	before := len(in.letters())
	if err := h.Admin.Post(ctx, k.path()+"/replay", replay, &count); err != nil || count.Count != 3 {
		t.Errorf("the replay sends %d events, %v; want 3", count.Count, err)
	}
	for person, n := range map[string]int{first: 2, second: 3, third: 2} {
		for _, l := range in.about(t, person, n)[1:] {
			if l.ID != in.about(t, person, n)[0].ID ||
				!l.signedBy(t, rotated.Secret) && len(strings.Fields(l.Signature)) == 2 {
				t.Errorf("a repeat came by the id %s", l.ID)
			}
		}
	}
	if got := len(in.letters()); got < before+3 {
		t.Errorf("%d letters came by the replay; want 3", got-before)
	}
	logged(t, h, k, 3, func(d delivery) bool { return d.Purpose == "replay" && d.State == "succeeded" })
	replay["undelivered_only"] = true
	if err := h.Admin.Post(ctx, k.path()+"/replay?dry_run=true", replay, &count); err != nil || count.Count != 0 {
		t.Errorf("a replay of what did not arrive would send %d events, %v; want none", count.Count, err)
	}
}

func TestADeadEndpointHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	const people = 20
	h := harness.Open(t)
	silent, well := openInbox(t, ""), openInbox(t, "")
	silent.hold()
	dead := makeHook(t, h.Admin, "dead", "http://"+freeAddress(t), "identity.created")
	makeHook(t, h.Admin, "silent", silent.url, "identity.created")
	k := makeHook(t, h.Admin, "well", well.url, "identity.created")
	for i := range people {
		h.Person(h.Admin, fmt.Sprint("E", i))
	}
	logged(t, h, k, people, func(d delivery) bool { return d.State == "succeeded" })
	if got := len(well.letters()); got != people {
		t.Errorf("%d letters came; want %d", got, people)
	}
	silent.mu.Lock()
	if silent.most < 1 || silent.most > 4 {
		t.Errorf("an endpoint that does not answer was sent %d at once; want four at most", silent.most)
	}
	silent.mu.Unlock()
	tried := logged(t, h, dead, 1, func(d delivery) bool { return d.Attempt == 1 })[0]
	if tried.State != "pending" || tried.LastStatus != nil || tried.LastError == nil || *tried.LastError == "" {
		t.Errorf("the log says of the dead endpoint: %+v; want an error without a status", tried)
	}
}

// freeAddress is a loopback address where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestNoEventIsLostWhenTheControlPlaneDiesBeforeItIsDelivered(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	address := freeAddress(t)
	k := makeHook(t, h.Admin, "tickets", "http://"+address, "identity.created")
	made := map[string]bool{}
	for i := range 5 {
		made[h.Person(h.Admin, fmt.Sprint("down", i))] = true
	}
	logged(t, h, k, 5, func(d delivery) bool { return d.Attempt == 1 && d.LastStatus == nil })

	in := openInbox(t, address)
	in.hold()
	for i := range 25 {
		made[h.Person(h.Admin, fmt.Sprint("up", i))] = true
	}
	harness.Eventually(t, "deliveries are under way", func() bool { return len(in.letters()) >= 4 }, nil)
	h.Plane.Kill()
	begun := in.letters()
	if len(begun) >= 25 {
		t.Fatalf("all was posted before the control plane died; nothing is shown by that")
	}
	in.release()
	h.Start()
	// Those that met no endpoint are due a minute later: the date has come.
	h.Exec(`update webhook_delivery set due_at = now() where state = 'pending' and attempt = 1`)
	logged(t, h, k, len(made), func(d delivery) bool { return d.State == "succeeded" })

	ids, first := map[string]string{}, map[string][]byte{}
	for _, l := range in.letters() {
		person := l.says(t).Data.ID
		if !l.signedBy(t, k.Secret) || !made[person] {
			t.Errorf("a letter is not signed, or about nobody: %s", l.Body)
		}
		if id, known := ids[person]; known && id != l.ID {
			t.Errorf("one event came by the ids %s and %s", id, l.ID)
		}
		if body, known := first[l.ID]; known && !bytes.Equal(body, l.Body) {
			t.Errorf("one id came with the words %s and %s", body, l.Body)
		}
		ids[person], first[l.ID] = l.ID, l.Body
	}
	if len(ids) != len(made) || len(first) != len(made) {
		t.Errorf("%d of %d people were told of, by %d ids", len(ids), len(made), len(first))
	}
	for _, l := range begun {
		n := 0
		for _, other := range in.letters() {
			if other.ID == l.ID {
				n++
			}
		}
		if n < 2 {
			t.Errorf("the event %s was being posted when the control plane died, and was not posted again", l.ID)
		}
	}
}
