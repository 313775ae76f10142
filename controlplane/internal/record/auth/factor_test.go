package auth_test

import (
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/factor"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/totp"
)

func (a answer) into(t *testing.T, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), to); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
}

func (h *house) loginWith(otp string) answer {
	h.t.Helper()
	return h.call(
		"POST",
		"/auth/login",
		"",
		fmt.Sprintf(`{"email":"ada@acme.example","password":%q,"otp":%q}`, canary, otp),
	)
}

// secondFactor gives the admin a second factor and returns its secret and recovery codes.
func (h *house) secondFactor() (secret []byte, recovery []string) {
	h.t.Helper()
	in := h.signIn()
	var begun factor.FactorSecret
	h.call("POST", "/auth/mfa/totp", in.AccessToken, fmt.Sprintf(`{"password":%q}`, canary)).into(h.t, &begun)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(begun.Secret)
	if err != nil || len(secret) != 20 || !strings.Contains(begun.URI, "secret="+begun.Secret) {
		h.t.Fatalf("begun %+v, %v", begun, err)
	}
	var codes factor.RecoveryCodes
	confirmed := h.call("POST", "/auth/mfa/totp/confirm", in.AccessToken, fmt.Sprintf(`{"code":%q}`, h.code(secret)))
	confirmed.want(h.t, "confirm", 200, "")
	confirmed.into(h.t, &codes)
	h.pass(30 * time.Second) // the code of this step is used up
	return secret, codes.Codes
}

func (h *house) code(secret []byte) string { return totp.Code(secret, totp.Step(h.now())) }

func TestASecondFactorIsAskedForAtEverySignIn(t *testing.T) {
	h := open(t)
	in := h.signIn()
	h.call("POST", "/auth/mfa/totp", in.AccessToken, `{"password":"wrong"}`).
		want(t, "begin with a wrong password", 401, "invalid_credentials")
	h.call("POST", "/auth/mfa/totp/confirm", in.AccessToken, `{"code":"123456"}`).
		want(t, "confirm what was not begun", 409, "conflict")
	secret, recovery := h.secondFactor()
	if len(recovery) != 10 {
		t.Errorf("%d recovery codes; want 10", len(recovery))
	}
	h.call("POST", "/auth/mfa/totp", in.AccessToken, fmt.Sprintf(`{"password":%q}`, canary)).
		want(t, "begin a second one", 409, "conflict")

	needed := h.loginWith("")
	needed.want(t, "the password alone", 401, "otp_required")
	if needed.AccessToken != "" || needed.RefreshToken != "" {
		t.Error("a token was given for the password alone")
	}
	h.login("ada@acme.example", "wrong "+canary).
		want(t, "a wrong password says nothing of it", 401, "invalid_credentials")
	h.loginWith("000000").want(t, "a wrong code", 401, "invalid_otp")
	code := h.code(secret)
	h.loginWith(code).want(t, "the code", 200, "")
	h.loginWith(code).want(t, "the code a second time", 401, "invalid_otp")
	h.pass(30 * time.Second)
	alias := h.call(
		"POST",
		"/auth/login",
		"",
		fmt.Sprintf(`{"email":"ada@acme.example","password":%q,"totp":%q}`, canary, h.code(secret)),
	)
	alias.want(t, "the code as totp", 200, "")
	me := h.call("GET", "/auth/me", alias.AccessToken, "")
	if !strings.Contains(me.body, `"totp":true`) || !strings.Contains(me.body, `"recovery_codes_left":10`) {
		t.Errorf("me: %s", me.body)
	}

	h.loginWith(strings.ToLower(recovery[3])).want(t, "a recovery code", 200, "")
	h.loginWith(recovery[3]).want(t, "the recovery code again", 401, "invalid_otp")
	if got := h.audited("auth.recovery_used") + h.audited("auth.mfa_enabled"); got != "successsuccess" {
		t.Errorf("audited %q", got)
	}

	h.call("DELETE", "/auth/mfa/totp", in.AccessToken, fmt.Sprintf(`{"password":%q,"code":"000000"}`, canary)).
		want(t, "remove with a wrong code", 401, "invalid_otp")
	h.pass(30 * time.Second)
	h.call("DELETE", "/auth/mfa/totp", in.AccessToken,
		fmt.Sprintf(`{"password":%q,"code":%q}`, canary, h.code(secret))).
		want(t, "remove", 204, "")
	h.loginWith("").want(t, "without a second factor", 200, "")
	h.noSecrets(canary)
}

func TestTheSecretOfASecondFactorIsSealed(t *testing.T) {
	h := open(t)
	secret, recovery := h.secondFactor()
	kept := h.log.String() + h.ask(`select string_agg(encode(secret, 'escape'), '') from second_factor`) +
		h.ask(
			`select string_agg(encode(code_hash, 'escape'), '') from recovery_code`,
		) + h.ask(`select string_agg(audit_event::text, '') from audit_event`)
	for _, s := range []string{string(secret), totp.Text(secret), recovery[0],
		strings.ReplaceAll(recovery[0], "-", "")} {
		if strings.Contains(kept, s) {
			t.Errorf("a secret of the second factor is kept in the clear")
		}
	}
	h.sql(`update second_factor set user_id = user_id, secret = secret || '\x00'`)
	if a := h.loginWith(h.code(secret)); a.status != 500 {
		t.Errorf("a secret that was changed: %d %s; want 500", a.status, a.body)
	}
}

func TestAFloodOfCodesGetsFiveTries(t *testing.T) {
	h := open(t)
	h.secondFactor()
	var tried, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			switch a := h.loginWith(fmt.Sprintf("%06d", i)); a.code {
			case "invalid_otp":
				tried.Add(1)
			case "login_throttled":
				refused.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	wg.Wait()
	if tried.Load() != 5 || refused.Load() != 25 {
		t.Errorf("%d codes were tried and %d refused; want 5 and 25", tried.Load(), refused.Load())
	}
}

func TestASignInLinkDoesNotGoAroundTheSecondFactor(t *testing.T) {
	h := open(t)
	secret, _ := h.secondFactor()
	var link string
	err := h.db.As(
		ctx,
		viewer.System(h.tenant),
		func(tx *pg.Tx) (err error) { link, err = h.IssueSignInLink(ctx, tx, h.admin); return err },
	)
	if err != nil {
		t.Fatal(err)
	}
	use := func(otp string) answer {
		return h.call(
			"POST",
			"/auth/sign-in-link",
			"",
			fmt.Sprintf(`{"token":%q,"password":"%s anew","otp":%q}`, link, canary, otp),
		)
	}
	use("").want(t, "the link alone", 401, "otp_required")
	use("000000").want(t, "a wrong code", 401, "invalid_otp")
	h.login("ada@acme.example", canary).want(t, "the password was not changed", 401, "otp_required")
	use(h.code(secret)).want(t, "with the code", 200, "")

	var had bool
	reset := func() {
		err := h.db.As(
			ctx,
			viewer.System(h.tenant),
			func(tx *pg.Tx) (err error) { had, err = factor.Reset(ctx, tx, h.admin); return err },
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	if reset(); !had {
		t.Error("ResetSecondFactor found none")
	}
	h.login("ada@acme.example", canary+" anew").want(t, "after an administrator reset it", 200, "")
	if reset(); had {
		t.Error("ResetSecondFactor found one twice")
	}
}
