package enroll

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/protocol/wire"
)

func order(t *testing.T, url string) Order {
	payload := base64.RawURLEncoding.EncodeToString([]byte(`{"jti":"jti-1"}`))
	return Order{
		Dir:      config.Dir(filepath.Join(t.TempDir(), "data")),
		Settings: config.Settings{URL: url},
		Token:    "e30." + payload + ".c2ln",
		Version:  "test",
	}
}

func TestEnrollingAgainAfterALostAnswerAsksWithTheSameKeys(t *testing.T) {
	var asked []wire.RegisterRequest
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req wire.RegisterRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		asked = append(asked, req)
		if len(asked) == 1 {
			panic(http.ErrAbortHandler) // registered, but the answer is lost
		}
		_ = json.NewEncoder(w).
			Encode(wire.RegisterResponse{AgentID: "a", Token: "t", ExpiresAt: time.Now().Add(time.Hour), JoinSeq: 1})
	}))
	defer server.Close()
	o := order(t, server.URL)
	if _, err := Enroll(t.Context(), o); err == nil {
		t.Fatal("the answer was not lost")
	}
	if _, err := o.Dir.LoadState(); !errors.Is(err, config.ErrNotEnrolled) {
		t.Fatalf("after the lost answer: %v, want not enrolled", err)
	}
	state, err := Enroll(t.Context(), o)
	if err != nil || state.AgentID != "a" {
		t.Fatalf("second time: %+v %v", state, err)
	}
	if asked[0].IdentityKey != asked[1].IdentityKey || asked[0].SealingKey != asked[1].SealingKey ||
		asked[0].Proof != asked[1].Proof {
		t.Error("the second request has other keys: the control plane would refuse it as a second host")
	}
	if stored, err := o.Dir.LoadState(); err != nil || stored.Token != "t" || stored.JoinSeq != 1 {
		t.Errorf("stored %+v (%v)", stored, err)
	}
	if _, err := Enroll(t.Context(), o); !errors.Is(err, ErrEnrolled) {
		t.Errorf("third time: %v, want ErrEnrolled", err)
	}
}

func TestAnAnswerWithoutAMembershipIsNotStored(t *testing.T) {
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }),
	)
	defer server.Close()
	o := order(t, server.URL)
	if _, err := Enroll(t.Context(), o); err == nil {
		t.Fatal("an empty answer was taken for a membership")
	}
	if _, err := o.Dir.LoadState(); !errors.Is(err, config.ErrNotEnrolled) {
		t.Errorf("LoadState = %v, want ErrNotEnrolled", err)
	}
}

func TestARefusalIsReadForWhatItIs(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name      string
		status    int
		header    map[string]string
		body      string
		want      string
		permanent bool
		after     time.Duration
	}{
		{"a problem", 403, map[string]string{"Content-Type": "application/problem+json; charset=utf-8"},
			`{"code":"agent_revoked","detail":"gone"}`, "(agent_revoked): gone", true, 0},
		{"a title alone", 401, map[string]string{"Content-Type": "application/problem+json"},
			`{"code":"x","title":"No entry"}`, "No entry", false, 0},
		{"a proxy's page", 403, map[string]string{"Content-Type": "text/html", "Server": "squid"}, "<html>", "squid",
			false, 0},
		{"seconds", 503, map[string]string{"Retry-After": "30"}, "", "503", false, 30 * time.Second},
		{"a date", 503, map[string]string{"Retry-After": "Fri, 20 Nov 2026 10:01:00 GMT"}, "", "503", false,
			time.Minute},
		{"a past date", 503, map[string]string{"Retry-After": "Fri, 20 Nov 2026 09:00:00 GMT"}, "", "503", false, 0},
		{"forever", 503, map[string]string{"Retry-After": "99999999"}, "", "503", false, time.Hour},
		{"nonsense", 503, map[string]string{"Retry-After": "soon"}, "", "503", false, 0},
		{"a clock apart", 401, map[string]string{"Date": "Fri, 20 Nov 2026 11:00:00 GMT"}, "", "clock differs", false,
			0},
	} {
		resp := &http.Response{
			StatusCode: tt.status,
			Header:     http.Header{},
			Body:       io.NopCloser(strings.NewReader(tt.body)),
		}
		for k, v := range tt.header {
			resp.Header.Set(k, v)
		}
		r := Refusal(resp, now)
		if !strings.Contains(r.Error(), tt.want) || r.Permanent() != tt.permanent || r.RetryAfter != tt.after {
			t.Errorf("%s: %q permanent %v after %v", tt.name, r, r.Permanent(), r.RetryAfter)
		}
	}
}

func TestATokenWhoseHostClockIsAheadIsNotRenewedAllTheTime(t *testing.T) {
	tokens := &Tokens{}
	now := time.Now()
	tokens.set(config.State{IssuedAt: now, ExpiresAt: now.Add(-time.Hour)})
	if wait := tokens.RenewAt().Sub(now); wait < wrongClock/2 {
		t.Errorf("renewal in %v", wait)
	}
}
