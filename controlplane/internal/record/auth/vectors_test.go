package auth

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

// door is a place where a form of token is judged.
type door struct {
	name  string
	form  signing.Form
	judge func(token string) error
}

// doors are all of them. At the renewal of agents a token may have expired.
func doors(s *Service) []door {
	r, _ := http.NewRequest("GET", "/", nil)
	return []door{
		{
			"user",
			signing.UserForm,
			func(token string) error { _, err := s.AuthenticateUser(ctx, token, r); return err },
		},
		{"service", signing.ServiceForm, func(token string) error { _, err := s.VerifyOnce(ctx, token); return err }},
		{
			"refresh",
			signing.RefreshForm,
			func(token string) error {
				_, err := s.Signer.Verify(ctx, signing.RefreshForm, token, false)
				return err
			},
		},
		{
			"agent",
			signing.AgentForm,
			func(token string) error { _, err := s.VerifyAgentToken(ctx, token, false); return err },
		},
		{
			"agent's renewal",
			signing.AgentForm,
			func(token string) error { _, err := s.VerifyAgentToken(ctx, token, true); return err },
		},
		{
			"invitation",
			signing.EnrollForm,
			func(token string) error { _, err := s.VerifyEnrollToken(ctx, token); return err },
		},
	}
}

// as is good in another form.
func as(f signing.Form, good signing.Claims) signing.Claims {
	good.Audience, good.Kind, good.Scope = f.Audience.Claim(), f.Kind, f.Scope
	if f.Kind != signing.UserForm.Kind {
		good.Session = ""
	}
	return good
}

// vectors are tokens of a form that nobody may accept: those of RFC 8725, and what was found in others' verifiers. key
// signs for the form's audience, elsewhere is the id of a key of another one.
func vectors(
	t *testing.T,
	f signing.Form,
	key signing.PrivateKey,
	elsewhere string,
	good signing.Claims,
	now int64,
) (valid string, bad map[string]string) {
	t.Helper()
	public := key.Private.Public().(ed25519.PublicKey)
	head := fmt.Sprintf(`{"alg":"EdDSA","kid":%q,"typ":%q}`, key.Kid, f.Typ)
	body, own := asJSON(t, good), good.Audience
	valid = forge(key.Private, head, body)
	sign := func(h, b string) string { return forge(key.Private, h, b) }
	hs256 := func() string {
		input := b64(strings.Replace(head, "EdDSA", "HS256", 1)) + "." + b64(body)
		m := hmac.New(sha256.New, public)
		m.Write([]byte(input))
		return input + "." + base64.RawURLEncoding.EncodeToString(m.Sum(nil))
	}
	swap := func(old, replacement string) string { return strings.Replace(head, old, replacement, 1) }
	parts := strings.Split(valid, ".")
	_, stranger, _ := ed25519.GenerateKey(nil)
	claim := func(pairs ...string) string { return sign(head, with(t, good, pairs...)) }
	quoted := func(s string) string { return fmt.Sprintf("%q", s) }
	small := base64.RawURLEncoding.EncodeToString(append(make([]byte, 63), 0x80))
	exactly := func(size int) string {
		for n := 0; ; n++ {
			if token := claim("jti", quoted(strings.Repeat("j", n))); len(token) >= size {
				return token
			}
		}
	}
	return valid, map[string]string{
		"empty":                "",
		"words":                "token",
		"one dot":              "a.b",
		"three dots":           valid + ".x",
		"a million dots":       strings.Repeat(".", 1_000_000),
		"alg none":             b64(swap("EdDSA", "none")) + "." + parts[1] + ".",
		"alg None":             sign(swap("EdDSA", "None"), body),
		"alg NONE":             sign(swap("EdDSA", "NONE"), body),
		"alg missing":          sign(fmt.Sprintf(`{"kid":%q,"typ":%q}`, key.Kid, f.Typ), body),
		"alg array":            sign(swap(`"EdDSA"`, `["EdDSA"]`), body),
		"alg HS256 public key": hs256(),
		"alg ES256":            sign(swap("EdDSA", "ES256"), body),
		"alg RS256":            sign(swap("EdDSA", "RS256"), body),
		"another key":          forge(stranger, head, body),
		"kid unknown":          sign(swap(key.Kid, "unknown"), body),
		"kid path":             sign(swap(key.Kid, "../../x"), body),
		"kid quote":            sign(swap(key.Kid, "' or 1=1"), body),
		"kid huge":             sign(swap(key.Kid, strings.Repeat("k", 10<<10)), body),
		"kid of another set":   sign(swap(key.Kid, elsewhere), body),
		"kid missing":          sign(fmt.Sprintf(`{"alg":"EdDSA","typ":%q}`, f.Typ), body),
		"jku":                  sign(swap("{", `{"jku":"https://evil.example/",`), body),
		"jwk":                  sign(swap("{", `{"jwk":{"kty":"OKP"},`), body),
		"x5u":                  sign(swap("{", `{"x5u":"https://evil.example/",`), body),
		"x5c":                  sign(swap("{", `{"x5c":["AA"],`), body),
		"crit":                 sign(swap("{", `{"crit":["x"],`), body),
		"b64":                  sign(swap("{", `{"b64":false,`), body),
		"zip":                  sign(swap("{", `{"zip":"DEF",`), body),
		"cty":                  sign(swap("{", `{"cty":"JWT",`), body),
		"typ JWT":              sign(swap(f.Typ, "JWT"), body),
		"typ missing":          sign(fmt.Sprintf(`{"alg":"EdDSA","kid":%q}`, key.Kid), body),
		"header twice":         sign(swap("{", `{"alg":"EdDSA",`), body),
		"header in two cases":  sign(swap("{", `{"ALG":"EdDSA",`), body),
		"header array":         sign("[]", body),
		"header trailing":      sign(head+"{}", body),
		"aud missing":          claim("aud", ""),
		"aud array":            claim("aud", `["`+own+`","urn:grantwright:x"]`),
		"aud array of one":     claim("aud", `["`+own+`"]`),
		"aud prefix":           claim("aud", quoted(own+"2")),
		"iss with slash":       claim("iss", quoted(good.Issuer+"/")),
		"iss other":            claim("iss", `"http://grantwright"`),
		"iss missing":          claim("iss", ""),
		"tid missing":          claim("tid", ""),
		"tid array":            claim("tid", `["`+good.Tenant+`"]`),
		"tid text":             claim("tid", `"acme"`),
		"exp missing":          claim("exp", ""),
		"exp text":             claim("exp", `"9999999999"`),
		"exp 1e400":            claim("exp", `1e400`),
		"exp 1e10":             claim("exp", `1e10`),
		"exp fraction":         claim("exp", `9999999999.5`),
		"exp negative":         claim("exp", `-1`),
		"exp null":             claim("exp", `null`),
		"nbf in the future":    claim("nbf", fmt.Sprint(now+32)),
		"iat in the future":    claim("iat", fmt.Sprint(now+32)),
		"sub empty":            claim("sub", `""`),
		"sub twice":            sign(head, strings.Replace(body, "{", `{"sub":"x",`, 1)),
		"sub in two cases":     sign(head, strings.Replace(body, "{", `{"Sub":"x",`, 1)),
		"nested claim":         claim("cnf", `{"jkt":"x"}`),
		"claims array":         sign(head, "[]"),
		"claims trailing":      sign(head, body+" x"),
		"claims cut":           sign(head, body[:len(body)-1]),
		"invalid UTF-8":        sign(head, strings.Replace(body, quoted(f.Kind), "\"us\xff\"", 1)),
		"nested JWT":           sign(head, quoted(valid)),
		"padding":              parts[0] + "." + parts[1] + "." + parts[2] + "==",
		"line break":           parts[0] + "." + parts[1][:8] + "\n" + parts[1][8:] + "." + parts[2],
		"space":                parts[0] + ". " + parts[1] + "." + parts[2],
		"standard base64":      parts[0] + "." + parts[1] + "." + "+/" + parts[2][2:],
		"last bits":            valid[:len(valid)-1] + string(valid[len(valid)-1]+1),
		"signature cut":        valid[:len(valid)-4],
		"signature longer":     valid + "AAAA",
		"signature missing":    parts[0] + "." + parts[1] + ".",
		"signature of another": parts[0] + "." + b64(with(t, good, "sub", `"another"`)) + "." + parts[2],
		"signature zero": parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(
			make([]byte, 64),
		),
		"signature small":       parts[0] + "." + parts[1] + "." + small,
		"signature malleable":   parts[0] + "." + parts[1] + "." + malleable(t, parts[2]),
		"too long":              claim("jti", quoted(strings.Repeat("j", 4<<10))),
		"aud of another":        claim("aud", `"urn:grantwright:elsewhere"`),
		"aud number":            claim("aud", `7`),
		"kind missing":          claim("kind", ""),
		"kind of nobody":        claim("kind", `"admin"`),
		"kind in capitals":      claim("kind", quoted(strings.ToUpper(f.Kind))),
		"scope of another":      claim("scope", `"everything"`),
		"jti missing":           claim("jti", ""),
		"sub missing":           claim("sub", ""),
		"sub array":             claim("sub", `["x"]`),
		"sub null":              claim("sub", `null`),
		"iat missing":           claim("iat", ""),
		"nbf missing":           claim("nbf", ""),
		"nbf text":              claim("nbf", `"1"`),
		"iss array":             claim("iss", `["`+good.Issuer+`"]`),
		"iss with http":         claim("iss", quoted("http://"+good.Issuer)),
		"tid twice":             sign(head, strings.Replace(body, "{", `{"tid":"`+good.Tenant+`",`, 1)),
		"epoch text":            claim("epoch", `"1"`),
		"epoch huge":            claim("epoch", `1e400`),
		"claims null":           sign(head, "null"),
		"claims number":         sign(head, "1"),
		"claims empty":          sign(head, ""),
		"header empty":          sign("", body),
		"header nested":         sign(swap("{", `{"x":{"a":1},`), body),
		"header deep":           sign(strings.Repeat("[", 1000), body),
		"alg null":              sign(swap(`"EdDSA"`, "null"), body),
		"alg object":            sign(swap(`"EdDSA"`, `{"a":"EdDSA"}`), body),
		"alg lower":             sign(swap("EdDSA", "eddsa"), body),
		"alg PS256":             sign(swap("EdDSA", "PS256"), body),
		"kid number":            sign(swap(quoted(key.Kid), "7"), body),
		"kid empty":             sign(swap(key.Kid, ""), body),
		"x5t":                   sign(swap("{", `{"x5t":"AA",`), body),
		"typ number":            sign(swap(quoted(f.Typ), "7"), body),
		"typ with a space":      sign(swap(f.Typ, " "+f.Typ), body),
		"typ application twice": sign(swap(f.Typ, "application/application/"+f.Typ), body),
		"nested in a part":      parts[0] + "." + b64(valid) + "." + parts[2],
		"JWE of five parts":     parts[0] + "." + parts[1] + "." + parts[2] + "." + parts[1] + "." + parts[2],
		"dots alone":            "..",
		"a part empty":          parts[0] + ".." + parts[2],
		"a space that is none":  valid + "\u00a0",
		"NUL":                   valid + "\x00",
		"line break behind":     valid + "\n",
		"upper case":            strings.ToUpper(valid),
		"a byte too long":       exactly(signing.MaxToken + 1),
	}
}

func TestForgedAndMalformedTokensAreInvalidAtEveryDoor(t *testing.T) {
	s := service(t, pgtest.New(t))
	began := time.Now()
	s.Now = func() time.Time { return began } // what lies in the future stays there, however slow the machine is
	good := newSession(t, s, "a")
	for _, d := range doors(s) {
		elsewhere := s.Signer.Keys.PrivateKey(signing.ForAgent).Kid
		if d.form.Audience == signing.ForAgent {
			elsewhere = s.Signer.Keys.PrivateKey(signing.ForAPI).Kid
		}
		valid, bad := vectors(
			t,
			d.form,
			s.Signer.Keys.PrivateKey(d.form.Audience),
			elsewhere,
			as(d.form, good),
			s.Now().Unix(),
		)
		if err := d.judge(valid); err != nil {
			t.Fatalf("%s: a good token: %v; every other case would prove nothing", d.name, err)
		}
		for name, token := range bad {
			if err := d.judge(token); codeOf(err) != "invalid_token" {
				t.Errorf("%s: %s: %q; want invalid_token", d.name, name, codeOf(err))
			}
			d.cheap(t, name, token)
		}
	}
}

// cheap holds a refusal against a millisecond and 64 KiB: whoever sends nonsense must not cost more than they spend.
// The best of a few tries counts, since others use the machine too.
func (d door) cheap(t *testing.T, name, token string) {
	t.Helper()
	best, least := time.Hour, uint64(1<<40)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_ = d.judge(token)
		best = min(best, time.Since(start))
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if best > time.Millisecond || least > 64<<10 {
		t.Errorf("%s: %s costs %v and %d bytes; want at most 1 ms and 64 KiB", d.name, name, best, least)
	}
}

func TestTimesAndRightsAreToldToWhoeverHoldsASignedToken(t *testing.T) {
	s := service(t, pgtest.New(t))
	good, other := newSession(t, s, "a"), newSession(t, s, "b")
	api, now := s.Signer.Keys.PrivateKey(signing.ForAPI), s.Now().Unix()
	head := fmt.Sprintf(`{"alg":"EdDSA","kid":%q,"typ":"at+jwt"}`, api.Kid)
	claim := func(pairs ...string) string { return forge(api.Private, head, with(t, good, pairs...)) }
	quoted := func(s string) string { return fmt.Sprintf("%q", s) }
	r, _ := http.NewRequest("GET", "/", nil)
	for name, token := range map[string]string{
		"sid missing": claim("sid", ""), "kind of agents": claim("kind", `"agent"`),
		"scope": claim("scope", `"enroll"`), "aud of agents": claim("aud", quoted(signing.ForAgent.Claim())),
		"typ of refresh": forge(api.Private, strings.Replace(head, "at+jwt", signing.RefreshForm.Typ, 1), asJSON(t, good)),
		"typ of agents":  forge(api.Private, strings.Replace(head, "at+jwt", signing.AgentForm.Typ, 1), asJSON(t, good)),
	} {
		if _, err := s.AuthenticateUser(ctx, token, r); codeOf(err) != "invalid_token" {
			t.Errorf("%s: %q; want invalid_token", name, codeOf(err))
		}
	}
	application := forge(api.Private, strings.Replace(head, "at+jwt", "application/at+jwt", 1), asJSON(t, good))
	for name, want := range map[string]struct{ token, code string }{
		"typ as a media type":      {application, ""},
		"expired by six seconds":   {claim("exp", fmt.Sprint(now-6)), "token_expired"},
		"expired by three seconds": {claim("exp", fmt.Sprint(now-3)), ""},
		"issued in 20 seconds":     {claim("iat", fmt.Sprint(now+20), "nbf", fmt.Sprint(now+20)), ""},
		"another tenant":           {claim("tid", quoted(other.Tenant)), "token_revoked"},
		"another user":             {claim("sub", quoted(other.Subject)), "token_revoked"},
		"another session":          {claim("sid", quoted(other.Session)), "token_revoked"},
		"an older password":        {claim("epoch", "0"), "token_revoked"},
		"from before a restore":    {claim("dep", "7"), "token_revoked"},
		"a service that is not":    {claim("kind", `"service"`), "token_revoked"},
	} {
		if _, err := s.AuthenticateUser(ctx, want.token, r); codeOf(err) != want.code {
			t.Errorf("%s: %q; want %q", name, codeOf(err), want.code)
		}
	}
}
