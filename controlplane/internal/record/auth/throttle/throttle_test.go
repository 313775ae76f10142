package throttle

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

func TestAttemptsOfOneAccountAndNetworkAreCountedTogether(t *testing.T) {
	base := attemptOf("user|t|1", "192.0.2.7")
	tests := []struct {
		account, ip                string
		samePair, sameAcc, sameNet bool
	}{
		{"user|t|1", "192.0.2.200", true, true, false},
		{"user|t|1", "::ffff:192.0.2.7", true, true, true},
		{"user|t|1", "192.0.3.7", false, true, false},
		{"user|t|1", "2001:db8::1", false, true, false},
		{"user|t|2", "192.0.2.7", false, false, true},
	}
	for _, tt := range tests {
		got := attemptOf(tt.account, tt.ip)
		pair, acc, net := slices.Equal(
			got.pair,
			base.pair,
		), slices.Equal(
			got.account,
			base.account,
		), slices.Equal(
			got.Network,
			base.Network,
		)
		if pair != tt.samePair || acc != tt.sameAcc || net != tt.sameNet {
			t.Errorf("%s from %s: same pair %v, account %v, network %v", tt.account, tt.ip, pair, acc, net)
		}
	}
	if a, b := attemptOf(
		"x",
		"2001:db8:0:1::1",
	), attemptOf(
		"x",
		"2001:db8:0:1:ffff::2",
	); !slices.Equal(
		a.Network,
		b.Network,
	) {
		t.Error("two addresses of one /64 are two networks")
	}
	for _, spelling := range []string{"a@x", "A@x", "a@x ", "\ta@X", "ａ@ｘ"} {
		if got := CanonicalEmail(spelling); got != "a@x" {
			t.Errorf("canonical(%q) = %q; want a@x", spelling, got)
		}
	}
}

func TestFailuresCloseTheDoorForLongerEachTime(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	// series are n failures, a minute apart, the newest first; the newest is at start.
	series := func(n int, apart time.Duration) (out []time.Time) {
		for i := range n {
			out = append(out, start.Add(-time.Duration(i)*apart))
		}
		return out
	}
	second := time.Second
	tests := []struct {
		name                   string
		pair, account, network []time.Time
		want                   time.Duration // after start; 0: open
	}{
		{"four", series(4, second), nil, nil, 0},
		{"five", series(5, second), nil, nil, 15 * time.Minute},
		{"five over 16 minutes", series(5, 4*time.Minute+second), nil, nil, 0},
		{"nine", series(9, second), nil, nil, 15 * time.Minute},
		{"ten", series(10, second), nil, nil, 30 * time.Minute},
		{"fifteen", series(15, second), nil, nil, time.Hour},
		{"twenty", series(20, second), nil, nil, 2 * time.Hour},
		{"twenty-five", series(25, second), nil, nil, 4 * time.Hour},
		{"a hundred", series(100, second), nil, nil, 4 * time.Hour},
		{"account, 49", nil, series(49, second), nil, 0},
		{"account, 50", nil, series(50, second), nil, time.Hour - 49*time.Second},
		{"network, 19", nil, nil, series(19, second), 0},
		{"network, 20", nil, nil, series(20, second), time.Minute - 19*time.Second},
		{"the longest counts", series(5, second), nil, series(20, second), 15 * time.Minute},
	}
	for _, tt := range tests {
		var want time.Time
		if tt.want > 0 {
			want = start.Add(tt.want)
		}
		if got := blockedUntil(tt.pair, tt.account, tt.network); !got.Equal(want) {
			t.Errorf("%s: closed until %v; want %v", tt.name, got, want)
		}
	}
}

func TestProcessesCountFailuresTogetherAndSweepOldOnes(t *testing.T) {
	db := pgtest.New(t)
	now := time.Now()
	processes := []*Limiter{{DB: db}, {DB: db}}
	for _, s := range processes {
		s.Now = func() time.Time { return now }
	}
	try := attemptOf("user|t|1", "192.0.2.7")
	for i := range 5 {
		s := processes[i%2]
		if err := s.Check(t.Context(), try); err != nil {
			t.Fatalf("before failure %d: %v", i+1, err)
		}
		if err := s.RecordFailure(t.Context(), try); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range processes {
		if err := s.Check(t.Context(), try); !fault.IsCode(err, "login_throttled") {
			t.Errorf("after five failures: %v; want login_throttled", err)
		}
	}
	if err := processes[0].Check(t.Context(), attemptOf("user|t|1", "198.51.100.1")); err != nil {
		t.Errorf("the same account from another network: %v", err)
	}
	if err := processes[0].Check(t.Context(), attemptOf("user|t|2", "192.0.2.7")); err != nil {
		t.Errorf("another account from the same network: %v", err)
	}
	if err := processes[0].Forgive(t.Context(), try); err != nil {
		t.Fatal(err)
	}
	if err := processes[1].Check(t.Context(), try); err != nil {
		t.Errorf("after a sign-in: %v", err)
	}
	now = now.Add(25 * time.Hour)
	if err := processes[0].RecordFailure(t.Context(), try); err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := db.Pool().
		QueryRow(t.Context(), `select count(*) from login_failure`).
		Scan(&rows); err != nil ||
		rows != 3 {
		t.Errorf("%d rows, %v; want the three of the newest failure", rows, err)
	}
}

func TestGuessesFromElsewhereDoNotKeepPeopleOutOfNetworksTheyKnow(t *testing.T) {
	now := time.Now()
	s := &Limiter{DB: pgtest.New(t), Now: func() time.Time { return now }}
	at := func(ip string) Attempt { return attemptOf("user|t|1", ip) }
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(s.Forgive(t.Context(), at("192.0.2.7"))) // a sign-in
	for guess := range accountLimit + networkLimit {
		do(s.RecordFailure(t.Context(), at(fmt.Sprintf("198.51.%d.7", guess/4)))) // from many networks
		do(s.RecordFailure(t.Context(), attemptOf("user|t|2", "192.0.2.7")))      // a neighbor behind the same address
	}
	if err := s.Check(t.Context(), at("203.0.113.9")); !fault.IsCode(err, "login_throttled") {
		t.Errorf("from a network that the account never used: %v; want login_throttled", err)
	}
	do(s.Check(t.Context(), at("192.0.2.7")))
	for range burst {
		do(s.RecordFailure(t.Context(), at("192.0.2.7")))
	}
	if err := s.Check(t.Context(), at("192.0.2.7")); !fault.IsCode(err, "login_throttled") {
		t.Errorf("after five failures from the known network: %v; want login_throttled", err)
	}
	now = now.Add(knownFor + time.Hour)
	do(s.Check(t.Context(), at("192.0.2.7")))
}

func TestGuessesOfAPasswordCloseNeitherNeighborsNorOtherWaysIn(t *testing.T) {
	now := time.Now()
	s := &Limiter{DB: pgtest.New(t), Now: func() time.Time { return now }}
	for i := range networkLimit {
		if err := s.RecordFailure(t.Context(), attemptOf(fmt.Sprint("user|t|", i), "192.0.2.7")); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		try    Attempt
		closed bool
	}{
		"any password from this address":        {attemptOf("user|t|99", "192.0.2.7"), true},
		"a password from the address beside it": {attemptOf("user|t|99", "192.0.2.8"), false},
		"a provider":                            {AttemptAt("oidc", "192.0.2.7"), false},
		"a sign-in link":                        {AttemptAt("link", "192.0.2.7"), false},
	} {
		if err := s.Check(t.Context(), tt.try); fault.IsCode(err, "login_throttled") != tt.closed {
			t.Errorf("%s: %v; want closed %v", name, err, tt.closed)
		}
	}
}
