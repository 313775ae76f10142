package scenarios

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/harness"
)

func secondFactor(t *testing.T, h *harness.House) {
	di := h.Member(h.Admin, "di@main.example", "")
	h.Expect(
		"401 invalid_credentials",
		di.Client,
		"POST",
		"/auth/mfa/totp",
		map[string]string{"password": "not that of Di"},
	)
	begun := harness.Read[struct {
		Secret string `json:"secret"`
	}](h, h.Expect("201", di.Client, "POST", "/auth/mfa/totp",
		map[string]string{"password": harness.Password(di.Email)}))
	signIn(h, di.Email) // nothing has changed yet
	app := authenticator{t, begun.Secret}
	now := app.step()
	codes := harness.Read[struct {
		Recovery []string `json:"recovery_codes"`
	}](h, h.Expect("200", di.Client, "POST", "/auth/mfa/totp/confirm",
		map[string]string{"code": app.code(now)})).Recovery
	if len(codes) != 10 {
		t.Fatalf("there are %d recovery codes; want 10", len(codes))
	}

	in := func(want string, more ...string) {
		t.Helper()
		h.Expect(want, di.As(""), "POST", "/auth/login", credentials(di.Email, harness.Password(di.Email), more...))
	}
	in("401 otp_required")
	in("401 invalid_otp", "otp", app.code(now)) // used by the confirmation
	in("200", "otp", app.code(now+1))           // a clock may be half a minute ahead
	in("401 invalid_otp", "otp", app.code(now+1))
	in("200", "otp", strings.ToLower(codes[0]))
	in("401 invalid_otp", "otp", codes[0])
	me := harness.Read[struct {
		MFA struct {
			TOTP bool `json:"totp"`
			Left int  `json:"recovery_codes_left"`
		} `json:"mfa"`
	}](h, h.Expect("200", di.Client, "GET", "/auth/me", nil)).MFA
	if !me.TOTP || me.Left != 9 {
		t.Errorf("the second factor is %+v; want one, and nine recovery codes", me)
	}
	if got := h.Total(h.Admin, "/audit-events?action=auth.recovery_used"); got != 1 {
		t.Errorf("the audit log tells of %d recovery codes; want one", got)
	}

	h.Expect(
		"401 invalid_otp",
		di.Client,
		"DELETE",
		"/auth/mfa/totp",
		map[string]string{"password": harness.Password(di.Email), "code": codes[0]},
	)
	h.Expect(
		"204",
		di.Client,
		"DELETE",
		"/auth/mfa/totp",
		map[string]string{"password": harness.Password(di.Email), "code": codes[1]},
	)
	in("200")
}

// authenticator is the app on somebody's telephone (RFC 6238: SHA-1, six digits, thirty seconds).
type authenticator struct {
	t      *testing.T
	secret string
}

func (a authenticator) step() int64 { return time.Now().Unix() / 30 }

func (a authenticator) code(step int64) string {
	a.t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(a.secret)
	if err != nil {
		a.t.Fatal(err)
	}
	m := hmac.New(sha1.New, key)
	if err := binary.Write(m, binary.BigEndian, step); err != nil {
		a.t.Fatal(err)
	}
	sum := m.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:])&0x7fffffff%1_000_000)
}
