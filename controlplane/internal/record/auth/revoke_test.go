package auth_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

// process is another control plane on the same database. It listens as one does when told to.
func (h *house) process(listens bool) *auth.Service {
	h.t.Helper()
	s, err := auth.New(ctx, h.db, ring(h.t), slog.New(slog.DiscardHandler))
	if err != nil {
		h.t.Fatal(err)
	}
	furnish(h.t, s)
	if !listens {
		return s
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	h.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			h.t.Errorf("Run: %v", err)
		}
	})
	// It listens once it has heard of something.
	for range 200 {
		if h.ask(`select count(*)::text from pg_stat_activity where query like 'listen %grantwright_auth%'`) != "0" {
			return s
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.t.Fatal("nobody listens")
	return nil
}

func codeFrom(s *auth.Service, token string) string {
	r, _ := http.NewRequest("GET", "/", nil)
	_, err := s.AuthenticateUser(ctx, token, r)
	if err == nil {
		return ""
	}
	for _, code := range []string{"invalid_token", "token_revoked", "tenant_suspended", "token_expired"} {
		if fault.IsCode(err, code) {
			return code
		}
	}
	return err.Error()
}

// within waits until a token is refused with the code, and tells how long that took.
func (h *house) within(limit time.Duration, s *auth.Service, token, want string) time.Duration {
	h.t.Helper()
	start := time.Now()
	for {
		got := codeFrom(s, token)
		if took := time.Since(start); got == want || took > limit {
			if got != want {
				h.t.Errorf("after %v: %q; want %q", took, got, want)
			}
			return took
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func kidOf(t *testing.T, token string) string {
	t.Helper()
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Header["kid"].(string)
}

func TestARevocationIsHeardOfByOtherProcessesAtOnce(t *testing.T) {
	h := open(t)
	other := h.process(true)
	keys, err := signing.OpenRotator(ctx, h.db, ring(t))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, want string
		revoke     func(in answer)
		undo       string
	}{
		{
			"user disabled",
			"token_revoked",
			func(answer) { h.sql(`update app_user set status = 'disabled'`) },
			`update app_user set status = 'active'`,
		},
		{
			"session ended",
			"token_revoked",
			func(in answer) { h.call("POST", "/auth/logout", in.AccessToken, "") },
			`select 1`,
		},
		{
			"tenant suspended",
			"tenant_suspended",
			func(answer) { h.sql(`update tenant set status = 'suspended'`) },
			`update tenant set status = 'active'`,
		},
		{"key retired", "invalid_token", func(in answer) {
			if _, err := keys.Retire(ctx, kidOf(t, in.AccessToken)); err != nil {
				t.Fatal(err)
			}
		}, `select 1`},
		{"restored", "token_revoked", func(answer) {
			if _, err := signing.BumpEpoch(ctx, h.db); err != nil {
				t.Fatal(err)
			}
		}, `select 1`},
	}
	for _, tt := range tests {
		in := h.signIn()
		h.within(time.Second, other, in.AccessToken, "")
		tt.revoke(in)
		if took := h.within(2*time.Second, other, in.AccessToken, tt.want); took > time.Second {
			t.Errorf("%s: it took %v", tt.name, took)
		}
		h.within(5*time.Second, h.Service, in.AccessToken, tt.want)
		h.sql(tt.undo)
		h.pass(5 * time.Second)
		h.within(5*time.Second, h.Service, h.signIn().AccessToken, "")
	}
}

func TestARoleThatIsTakenAwayIsGoneInOtherProcesses(t *testing.T) {
	h := open(t)
	other := h.process(true)
	in := h.signIn()
	r, _ := http.NewRequest("GET", "/", nil)
	isAdmin := func() bool {
		v, err := other.AuthenticateUser(ctx, in.AccessToken, r)
		if err != nil {
			t.Fatal(err)
		}
		return v.Has(viewer.Admin)
	}
	if !isAdmin() {
		t.Fatal("the admin is none")
	}
	h.sql(`update app_user set roles = '{}'`)
	for start := time.Now(); isAdmin(); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > time.Second {
			t.Fatal("a second later the role is still there")
		}
	}
}

func TestAProcessThatHearsNothingRefusesWithinFiveSeconds(t *testing.T) {
	h := open(t)
	deaf := h.process(false)
	keys, err := signing.OpenRotator(ctx, h.db, ring(t))
	if err != nil {
		t.Fatal(err)
	}
	user, key := h.signIn(), h.signIn()
	for _, in := range []answer{user, key} {
		h.within(time.Second, deaf, in.AccessToken, "")
	}
	h.call("POST", "/auth/logout", user.AccessToken, "").want(t, "logout", 204, "")
	if _, err := keys.Retire(ctx, kidOf(t, key.AccessToken)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { h.within(5*time.Second, deaf, key.AccessToken, "invalid_token") })
	wg.Go(func() { h.within(5*time.Second, deaf, user.AccessToken, "invalid_token") })
	wg.Wait()
}

func TestKeysRotateUnderLoadAndNobodyIsSignedOut(t *testing.T) {
	h := open(t)
	other := h.process(true)
	keys, err := signing.OpenRotator(ctx, h.db, ring(t))
	if err != nil {
		t.Fatal(err)
	}
	tokens := make(chan string, 1024)
	var made, refused atomic.Int64
	var load sync.WaitGroup
	stop := make(chan struct{})
	load.Go(func() {
		defer close(tokens)
		in := h.signIn()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if in = h.call("POST", "/auth/refresh", in.RefreshToken, ""); in.status != 200 {
				t.Errorf("refresh while keys rotate: %d %s", in.status, in.body)
				return
			}
			made.Add(1)
			tokens <- in.AccessToken
		}
	})
	seen := map[string]bool{}
	load.Go(func() {
		for token := range tokens {
			seen[kidOf(t, token)] = true
			for _, s := range []*auth.Service{h.Service, other} {
				if code := codeFrom(s, token); code != "" {
					refused.Add(1)
					t.Errorf("a token of key %s: %s", kidOf(t, token), code)
				}
			}
		}
	})
	for range 3 {
		time.Sleep(150 * time.Millisecond)
		moved, err := keys.Rotate(ctx, signing.Rotation{Now: true})
		if err != nil || len(moved) < 12 {
			t.Errorf("Rotate = %+v, %v", moved, err)
		}
	}
	time.Sleep(4500 * time.Millisecond) // the process that refreshes does not listen, and finds the new key by itself
	close(stop)
	load.Wait()
	if made.Load() < 50 || refused.Load() > 0 || len(seen) < 2 {
		t.Errorf(
			"%d tokens were made with %d keys, %d refused; want many, of several keys, and none refused",
			made.Load(),
			len(seen),
			refused.Load(),
		)
	}
}

func TestANextKeySignsOnlyWhenItHasBeenKnownForADay(t *testing.T) {
	h := open(t)
	keys, err := signing.OpenRotator(ctx, h.db, ring(t))
	if err != nil {
		t.Fatal(err)
	}
	rotate := func() (states string) {
		moved, err := keys.Rotate(ctx, signing.Rotation{Audiences: []string{"api"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moved {
			states += string(m.Key.State) + " "
		}
		return strings.TrimSpace(states)
	}
	age := func(state, column string, by string) {
		h.keysSQL(
			`update signing_key set `+column+` = `+column+` - $1::interval where audience = 'api' and state = $2`,
			by,
			state,
		)
	}
	if got := rotate(); got != "next" {
		t.Errorf("the first step: %s; want a key made known", got)
	}
	if got := rotate(); got != "next" {
		t.Errorf("at once again: %s; want nothing but the news when", got)
	}
	age("next", "created_at", "24 hours")
	if got := rotate(); got != "verify_only active next" {
		t.Errorf("a day later: %s", got)
	}
	age("verify_only", "ended_at", "366 days")
	if got := rotate(); got != "retired next" {
		t.Errorf("a year later: %s", got)
	}
	if _, err := keys.Rotate(ctx, signing.Rotation{Audiences: []string{"webhook"}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unknown audience: %v", err)
	}
	if _, err := keys.Retire(ctx, "nonsense"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown key: %v", err)
	}
	all, err := keys.List(ctx)
	if err != nil || len(all) != 6 {
		t.Errorf("List = %d keys, %v; want three of the API and one each of three audiences", len(all), err)
	}
}

// keysSQL runs a statement on the deployment's own tables.
func (h *house) keysSQL(statement string, args ...any) {
	h.t.Helper()
	err := h.db.Deployment(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func TestAfterARestoreNothingFromBeforeWorksButAnAgentsRenewal(t *testing.T) {
	h := open(t)
	in := h.signIn()
	var agent, invitation, link string
	err := h.db.As(ctx, viewer.System(h.tenant), func(tx *pg.Tx) (err error) {
		if agent, _, err = h.IssueAgentToken(ctx, tx, bearer.AgentClaims{AgentID: "a"}); err != nil {
			return err
		}
		if invitation, _, err = h.IssueEnrollToken(ctx, tx, "a"); err != nil {
			return err
		}
		link, err = h.IssueSignInLink(ctx, tx, h.admin)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := signing.BumpEpoch(ctx, h.db)
	if err != nil {
		t.Fatal(err)
	}
	// The same backup again: the epoch is what it was when the backup was taken.
	h.keysSQL(`update deployment set epoch = 0`)
	time.Sleep(1100 * time.Millisecond)
	second, err := signing.BumpEpoch(ctx, h.db)
	if err != nil || second <= first || first == 0 {
		t.Errorf("epochs %d and %d, %v; want each greater than the one before", first, second, err)
	}
	h.within(5*time.Second, h.Service, in.AccessToken, "token_revoked")
	h.call("POST", "/auth/refresh", in.RefreshToken, "").want(t, "refresh", 401, "invalid_grant")
	h.call("POST", "/auth/sign-in-link", "", `{"token":"`+link+`","password":"`+canary+`"}`).
		want(t, "sign-in link", 401, "invalid_grant")
	if _, err := h.VerifyEnrollToken(ctx, invitation); !fault.IsCode(err, "token_revoked") {
		t.Errorf("an invitation: %v; want token_revoked", err)
	}
	if _, err := h.VerifyAgentToken(ctx, agent, false); !fault.IsCode(err, "token_revoked") {
		t.Errorf("an agent's token: %v; want token_revoked", err)
	}
	if c, err := h.VerifyAgentToken(ctx, agent, true); err != nil || c.AgentID != "a" {
		t.Errorf("an agent's token at its renewal: %+v, %v", c, err)
	}
	again := h.signIn()
	if list := h.sessions(again.AccessToken); list.Total != 1 {
		t.Errorf("%d sessions are open; want the one since", list.Total)
	}
}

func TestAnAgentRenewsByATokenWhoseKeyWasRetired(t *testing.T) {
	h := open(t)
	var token string
	err := h.db.As(ctx, viewer.System(h.tenant), func(tx *pg.Tx) (err error) {
		token, _, err = h.IssueAgentToken(ctx, tx, bearer.AgentClaims{AgentID: "a"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := signing.OpenRotator(ctx, h.db, ring(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Retire(ctx, kidOf(t, token)); err != nil {
		t.Fatal(err)
	}
	late := h.process(false)
	if _, err := late.VerifyAgentToken(ctx, token, false); !fault.IsCode(err, "invalid_token") {
		t.Errorf("the token: %v; want invalid_token", err)
	}
	if _, err := late.VerifyAgentToken(ctx, token, true); err != nil {
		t.Errorf("at the renewal, where the agent's own key is the proof: %v", err)
	}
}
