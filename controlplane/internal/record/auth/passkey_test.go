package auth_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/factor"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/passkey"
)

func TestAPasskeySignsInWithoutAPassword(t *testing.T) {
	h := open(t)
	in := h.signIn()
	o := h.ceremony("/auth/passkeys/registration", in.AccessToken, withPassword).PublicKey
	if o.RP.ID != "localhost" || o.Attestation != "none" || o.AuthenticatorSelection.ResidentKey != "required" ||
		o.AuthenticatorSelection.UserVerification != "required" || len(o.ExcludeCredentials) != 0 {
		t.Errorf("options of a registration: %+v", o)
	}
	d, id := h.register(in.AccessToken, withPassword)
	asked := h.ceremony("/auth/passkey/start", "", "").PublicKey
	if asked.RPID != "localhost" || asked.UserVerification != "required" || len(asked.AllowCredentials) != 0 {
		t.Errorf("options of a sign-in: %+v", asked)
	}
	out := h.byPasskey(d)
	out.want(t, "sign in", 200, "")
	if out.User.ID != h.admin || out.TenantID != h.tenant {
		t.Errorf("signed in as %+v", out.User)
	}
	list := h.call("GET", "/auth/passkeys", out.AccessToken, "")
	if !strings.Contains(list.body, `"name":"Laptop"`) || !strings.Contains(list.body, `"domain":"localhost"`) ||
		strings.Contains(list.body, `"last_used_at":null`) {
		t.Errorf("list: %s", list.body)
	}
	me := h.call("GET", "/auth/me", out.AccessToken, "")
	sessions := h.call("GET", "/auth/sessions", out.AccessToken, "")
	if !strings.Contains(me.body, `"passkeys":1`) || !strings.Contains(sessions.body, `"method":"passkey"`) {
		t.Errorf("me: %s\nsessions: %s", me.body, sessions.body)
	}
	renamed := h.call("PATCH", "/auth/passkeys/"+id, out.AccessToken, `{"name":" Phone "}`, "Content-Type",
		"application/merge-patch+json")
	renamed.want(t, "rename", 200, "")
	if !strings.Contains(renamed.body, `"name":"Phone"`) {
		t.Errorf("renamed: %s", renamed.body)
	}
	h.call("DELETE", "/auth/passkeys/"+id, out.AccessToken, withPassword).
		want(t, "delete with the password alone", 401, "otp_required")
	h.call("DELETE", "/auth/passkeys/"+id, out.AccessToken, h.confirms(d, out.AccessToken)).want(t, "delete", 204, "")
	h.byPasskey(d).want(t, "sign in with a deleted passkey", 401, "invalid_passkey")
	got := h.ask(`select string_agg(action || ' ' || outcome, ', ' order by seq) from audit_event
		where action like 'auth.passkey%'`)
	if got != "auth.passkey_registered success, auth.passkey_renamed success, auth.passkey_deleted success" {
		t.Errorf("audited: %s", got)
	}
	h.noSecrets(canary)
}

func TestAPasskeyIsTheSecondFactorAfterAPassword(t *testing.T) {
	h := open(t)
	d, _ := h.register(h.signIn().AccessToken, withPassword)
	alone := h.login("ada@acme.example", canary)
	alone.want(t, "the password alone", 401, "otp_required")
	if !strings.Contains(alone.body, `"methods":["passkey"]`) {
		t.Errorf("the refusal is %s", alone.body)
	}
	h.login("ada@acme.example", "wrong "+canary).want(t, "a wrong password", 401, "invalid_credentials")
	h.loginWith("123456").want(t, "a code of no app", 401, "invalid_otp")
	with := func(d *device) answer {
		return h.call("POST", "/auth/login", "", fmt.Sprintf(`{"email":"ada@acme.example","password":%q,"passkey":%s}`,
			canary, d.get(h.ceremony("/auth/passkey/start", "", ""))))
	}
	stranger := h.newDevice()
	stranger.handle = d.handle
	with(stranger).want(t, "another's passkey", 401, "invalid_passkey")
	out := with(d)
	out.want(t, "the passkey", 200, "")
	if got := h.ask(`select method from auth_session order by id desc limit 1`); got != "password_passkey" {
		t.Errorf("method = %s", got)
	}
	var begun factor.FactorSecret
	h.call("POST", "/auth/mfa/totp", out.AccessToken, withPassword).into(t, &begun)
	if begun.Secret == "" {
		t.Error("a second method cannot be set up")
	}
}

func TestEveryChallengeWorksOnceForWhatItWasMade(t *testing.T) {
	h := open(t)
	in := h.signIn()
	d, id := h.register(in.AccessToken, withPassword)
	given := d.get(h.ceremony("/auth/passkey/start", "", ""))
	h.assert(given).want(t, "once", 200, "")
	h.assert(given).want(t, "twice", 401, "invalid_passkey")
	late := h.ceremony("/auth/passkey/start", "", "")
	h.pass(5*time.Minute + time.Second)
	h.assert(d.get(late)).want(t, "after five minutes", 401, "invalid_passkey")
	own := late
	own.PublicKey.Challenge = b64.EncodeToString(make([]byte, 32))
	h.assert(d.get(own)).want(t, "a challenge of their own", 401, "invalid_passkey")
	confirm := h.ceremony("/auth/passkeys/assertion", in.AccessToken, "")
	if len(confirm.PublicKey.AllowCredentials) != 1 {
		t.Errorf("options of a confirmation: %+v", confirm.PublicKey)
	}
	h.assert(d.get(confirm)).want(t, "the challenge of a confirmation", 401, "invalid_passkey")
	other := h.byPasskey(d)
	h.call("DELETE", "/auth/passkeys/"+id, other.AccessToken, h.confirms(d, in.AccessToken)).
		want(t, "a confirmation of another session", 401, "invalid_passkey")
	proof := h.confirms(d, other.AccessToken)
	h.ceremony("/auth/passkeys/registration", other.AccessToken, proof)
	h.call("POST", "/auth/passkeys/registration", other.AccessToken, proof).
		want(t, "a confirmation twice", 401, "invalid_passkey")
	reg := h.ceremony("/auth/passkeys/registration", other.AccessToken, h.confirms(d, other.AccessToken))
	body := fmt.Sprintf(`{"name":"x","credential":%s}`, h.newDevice().create(reg))
	h.call("POST", "/auth/passkeys", in.AccessToken, body).
		want(t, "a registration of another session", 422, "invalid_passkey")
	h.call("POST", "/auth/passkeys", other.AccessToken, body).want(t, "a registration", 201, "")
	h.call("POST", "/auth/passkeys", other.AccessToken, body).want(t, "a registration twice", 422, "invalid_passkey")
}

func TestAPasskeyIsRefused(t *testing.T) {
	h := open(t)
	in := h.signIn()
	d := h.newDevice()
	d.counter = 7
	h.registerOn(d, in.AccessToken, withPassword)
	other := h.user("bob@acme.example", "")
	handle := d.handle
	for _, c := range []struct {
		name string
		with func(d *device)
	}{
		{"of another site", func(d *device) { d.origin = "https://evil.example" }},
		{"for another domain", func(d *device) { d.party = "evil.example" }},
		{"without verifying the user", func(d *device) { d.flags = 0 }},
		{"of another user", func(d *device) {
			id := uuid.MustParse(other)
			d.handle = append(append([]byte{}, handle[:16]...), id[:]...)
		}},
		{"of another tenant", func(d *device) { d.handle = append(make([]byte, 16), handle[16:]...) }},
		{"of nobody", func(d *device) { d.handle = nil }},
		{"with another key", func(d *device) { d.key = h.newDevice().key }},
		{"that is unknown", func(d *device) { d.id = []byte("another credential") }},
	} {
		bad := *d
		c.with(&bad)
		h.byPasskey(&bad).want(t, c.name, 401, "invalid_passkey")
		h.pass(time.Minute + time.Second) // the network is throttled otherwise
	}
	h.byPasskey(d).want(t, "their own", 200, "")
	copied := *d
	copied.counter = 3
	h.byPasskey(&copied).want(t, "a copy with an older counter", 401, "invalid_passkey")
	if got := h.ask(
		`select (event::jsonb)->'context'->>'reason' || ' ' || outcome from audit_event where action = 'auth.passkey_refused'`,
	); got !=
		"counter_not_increased denied" {
		t.Errorf("audited: %s", got)
	}
	h.byPasskey(d).want(t, "the original", 200, "")
	h.sql(`update app_user set status = 'disabled' where id = $1`, h.admin)
	h.byPasskey(d).want(t, "of a disabled user", 401, "invalid_passkey")
}

func TestRefusedPasskeysThrottleTheNetwork(t *testing.T) {
	h := open(t)
	d := h.newDevice()
	for n := 1; ; n++ {
		a := h.byPasskey(d)
		if a.status == 429 {
			if n < 20 || a.code != "login_throttled" {
				t.Errorf("attempt %d: %d %s", n, a.status, a.code)
			}
			break
		}
		if n > 25 {
			t.Fatal("no limit")
		}
		a.want(t, "an unknown passkey", 401, "invalid_passkey")
	}
	h.signIn() // passwords are not closed by that
}

func TestSettingUpAPasskeyNeedsAConfirmation(t *testing.T) {
	h := open(t)
	in := h.signIn()
	begin := func(proof string) answer { return h.call("POST", "/auth/passkeys/registration", in.AccessToken, proof) }
	begin(`{}`).want(t, "nothing", 422, "validation_failed")
	begin(`{"password":"a","otp":"123456"}`).want(t, "two", 422, "validation_failed")
	begin(`{"password":"wrong"}`).want(t, "a wrong password", 401, "invalid_credentials")
	begin(`{"otp":"123456"}`).want(t, "a code of no app", 401, "invalid_otp")
	secret, _ := h.secondFactor()
	in = h.loginWith(h.code(secret))
	h.pass(30 * time.Second)
	begin(withPassword).want(t, "the password of a user with a second factor", 401, "otp_required")
	begin(`{"otp":"000000"}`).want(t, "a wrong code", 401, "invalid_otp")
	begin(fmt.Sprintf(`{"otp":%q}`, h.code(secret))).want(t, "a code", 200, "")
	h.sql(`update app_user set password_hash = null where id = $1`, h.admin)
	h.sql(`delete from second_factor`)
	begin(`{"password":"any"}`).want(t, "a user of an identity provider", 409, "conflict")
}

func TestAUserHasAtMostTenPasskeys(t *testing.T) {
	h := open(t)
	in := h.signIn()
	h.sql(
		`insert into passkey (tenant_id, id, user_id, name, relying_party, credential_id, public_key, syncable, backed_up)
		select current_tenant(), gen_random_uuid(), $1, 'k', 'localhost', convert_to(n::text, 'UTF8'), '', false, false
		  from generate_series(1, 8) n`,
		h.admin,
	)
	secret := h.ask(`select count(*)::text from passkey`)
	if secret != "8" {
		t.Fatal(secret)
	}
	h.sql(`delete from passkey where credential_id = '1'`)
	h.sql(`update passkey set relying_party = 'elsewhere'`)
	// The password is not sufficient any more, so the options are made as after a confirmation.
	h.Passkeys.Reauthenticate = func(_ context.Context, _ viewer.Viewer, _ passkey.Proof) error { return nil }
	first := h.newDevice()
	h.registerOn(first, in.AccessToken, `{}`)
	h.registerOn(h.newDevice(), in.AccessToken, `{}`)
	pending := h.ceremony("/auth/passkeys/registration", in.AccessToken, `{}`)
	if len(pending.PublicKey.ExcludeCredentials) != 2 {
		t.Errorf("excluded: %v; want those of this host", pending.PublicKey.ExcludeCredentials)
	}
	h.registerOn(h.newDevice(), in.AccessToken, `{}`)
	h.call("POST", "/auth/passkeys/registration", in.AccessToken, `{}`).
		want(t, "an eleventh", 409, "too_many_passkeys")
	h.call("POST", "/auth/passkeys", in.AccessToken,
		fmt.Sprintf(`{"name":"x","credential":%s}`, h.newDevice().create(pending))).
		want(t, "an eleventh that was begun before", 409, "too_many_passkeys")
}

func TestAPasskeyOfAnotherUserIsNotFound(t *testing.T) {
	h := open(t)
	in := h.signIn()
	_, id := h.register(in.AccessToken, withPassword)
	h.user("bob@acme.example", "")
	h.sql(`update passkey set user_id = (select id from app_user where email = 'bob@acme.example')`)
	h.call("PATCH", "/auth/passkeys/"+id, in.AccessToken, `{"name":"x"}`, "Content-Type",
		"application/merge-patch+json").want(t, "rename", 404, "not_found")
	h.call("DELETE", "/auth/passkeys/"+id, in.AccessToken, withPassword).want(t, "delete", 404, "not_found")
}

func TestAResetRemovesPasskeys(t *testing.T) {
	h := open(t)
	d, _ := h.register(h.signIn().AccessToken, withPassword)
	err := h.db.As(ctx, viewer.System(h.tenant), func(tx *pg.Tx) error {
		had, err := factor.Reset(ctx, tx, h.admin)
		if !had {
			t.Error("there was nothing to reset")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.byPasskey(d).want(t, "after the reset", 401, "invalid_passkey")
	h.signIn()
	if got := h.audited("auth.passkey_deleted") + ", " + h.audited("auth.mfa_reset"); got != "success, success" {
		t.Errorf("audited: %s", got)
	}
}

func TestPasskeysNeedAHostName(t *testing.T) {
	for _, c := range []struct{ public, base, id, origin string }{
		{"https://iga.example", "https://iga.example", "iga.example", "https://iga.example"},
		{"https://iga.example", "https://acme.iga.example/t/acme", "iga.example", "https://acme.iga.example"},
		{"https://app.example", "https://acme.example", "acme.example", "https://acme.example"},
		{"https://IGA.example:8443", "https://IGA.example:8443", "iga.example", "https://iga.example:8443"},
		{"http://localhost:8080", "http://localhost:8080", "localhost", "http://localhost:8080"},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080", "localhost", "http://localhost:8080"},
		{"https://[::1]:8080", "https://[::1]:8080", "localhost", "https://localhost:8080"},
		{"http://iga.example", "http://iga.example", "", ""},
		{"https://10.0.0.7", "https://10.0.0.7", "", ""},
		{"https://[fd00::1]:8443", "https://[fd00::1]:8443", "", ""},
	} {
		p, err := passkey.PartyOf(c.public, c.base)
		if p.ID != c.id || p.Origin != c.origin || (err == nil) != (c.id != "") {
			t.Errorf("PartyOf(%s, %s) = %+v, %v", c.public, c.base, p, err)
		}
	}
	h := open(t)
	in := h.signIn()
	h.Sessions.PublicURL = "http://10.0.0.7:8080"
	h.call("POST", "/auth/passkey/start", "", "").want(t, "sign in", 409, "passkeys_unavailable")
	h.call("POST", "/auth/passkeys/registration", in.AccessToken, withPassword).
		want(t, "register", 409, "passkeys_unavailable")
	if o := h.call("GET", "/auth/options", "", ""); !strings.Contains(o.body, `"passkey_origin":""`) {
		t.Errorf("options: %s", o.body)
	}
}
