package session

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
)

// refreshCookie holds a console's refresh token (decision A7): out of reach of scripts, sent to /auth/* alone, and
// never by a page of another site.
const refreshCookie = "grantwright_refresh"

// cookiePath limits the refresh cookie to the paths of sign-in.
const cookiePath = httpapi.Prefix + "/auth"

// Browser is what a request says of the program that sent it. Embed it in the input struct.
type Browser struct {
	// User-Agent of the client, recorded with the session.
	Agent string `header:"User-Agent" hidden:"true"`
	// Sec-Fetch-Site of the browser: same-origin, same-site, cross-site or none.
	Site string `header:"Sec-Fetch-Site" hidden:"true"`
	// Origin of the page that sent the request.
	Origin string `header:"Origin" hidden:"true"`
}

// UserAgent is the User-Agent, cut down to what fits a list of sessions.
func (b Browser) UserAgent() string {
	text := strings.ToValidUTF8(strings.ReplaceAll(b.Agent, "\x00", ""), "")
	if len(text) > 256 {
		text = strings.ToValidUTF8(text[:256], "")
	}
	return text
}

// BaseURL is the address by which a browser came to us: the tenant's, or the service's own. Its cookies lie there.
func (s *Service) BaseURL(ctx context.Context) string {
	return cmp.Or(incoming.AddressedBase(ctx), s.PublicURL)
}

// CheckOrigin refuses a request that another site's page made with a cookie of ours (CrossOriginProtection of
// net/http). Browsers send Sec-Fetch-Site or Origin with every POST; who sends neither is no browser.
func (s *Service) CheckOrigin(ctx context.Context, b Browser) error {
	ours, err := url.Parse(s.BaseURL(ctx))
	if err != nil {
		return err
	}
	r := &http.Request{Method: http.MethodPost, Host: ours.Host, URL: ours, Header: http.Header{}}
	for name, value := range map[string]string{"Sec-Fetch-Site": b.Site, "Origin": b.Origin} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if http.NewCrossOriginProtection().Check(r) != nil {
		return fault.Coded(
			fault.Forbidden,
			"cross_origin",
			"The request came from another site and was refused.",
		)
	}
	return nil
}

// Output answers whoever signed in. Cookies are set for a console alone.
type Output struct {
	// Session cookies. Set only for the console.
	Cookies []http.Cookie `header:"Set-Cookie"`
	Body    SignInTokens
}

// Answer gives the tokens, with the refresh token as a cookie where that is wanted.
func (s *Service) Answer(t SignInTokens, asCookie bool) *Output {
	if !asCookie {
		return &Output{Body: t}
	}
	c := s.Cookie(refreshCookie, cookiePath, t.RefreshToken, t.RefreshExpiresIn)
	c.SameSite = http.SameSiteStrictMode
	t.RefreshToken = ""
	return &Output{Body: t, Cookies: []http.Cookie{c}}
}

// Cookie is one that scripts cannot read. A life of zero or less removes it.
func (s *Service) Cookie(name, path, value string, life int) http.Cookie {
	if life <= 0 {
		life = -1
	}
	return http.Cookie{
		Name: name, Value: value, Path: path, MaxAge: life, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: strings.HasPrefix(s.PublicURL, "https://"),
	}
}
