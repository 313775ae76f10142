package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target/internal/address"
	"github.com/grantwright/grantwright/connectorkit/target/internal/assertion"
	"github.com/grantwright/grantwright/connectorkit/target/internal/neterr"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ClientCredentials gets bearer tokens by the OAuth2 client credentials grant (RFC 6749 section 4.4). Tokens
// are kept in Options.Shared by token URL, client and what is asked for, and renewed at 80 % of their life,
// by one request at a time. A 401 of the target leads to exactly one fresh token and one more try.
type ClientCredentials struct {
	TokenURL     string
	ClientID     string
	ClientSecret string
	Scope        string
	Audience     string
	Resource     string // RFC 8707
	InBody       bool   // client_secret_post instead of client_secret_basic
	Extra        map[string]string
	Assertion    *assertion.Assertion // instead of client and secret
}

func (a ClientCredentials) secrets() []string {
	pair := url.QueryEscape(a.ClientID) + ":" + url.QueryEscape(a.ClientSecret)
	basic := Basic{Username: url.QueryEscape(a.ClientID), Password: url.QueryEscape(a.ClientSecret)}
	hidden := append(basic.secrets(), a.ClientSecret, pair)
	if a.Assertion != nil {
		hidden = append(hidden, a.Assertion.Key)
	}
	return hidden
}

func (a ClientCredentials) apply(ctx context.Context, c *Client, req *http.Request, stale string) (string, error) {
	token, err := c.oauthToken(ctx, a, stale)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return token, nil
}

// lifeWithoutWord is how long a token is used whose answer does not say when it expires.
const lifeWithoutWord = 10 * time.Minute

// oauthToken gives a token that is good by our clock, and another one than stale.
func (c *Client) oauthToken(ctx context.Context, a ClientCredentials, stale string) (string, error) {
	slot := c.shared.Token(a.key())
	select {
	case slot.Turn <- struct{}{}:
	case <-ctx.Done():
		return "", neterr.Explain(ctx.Err(), c.host, "token")
	}
	defer func() { <-slot.Turn }()
	if slot.Value != "" && slot.Value != stale && c.now().Before(slot.Renew) {
		c.hide(slot.Value)
		return slot.Value, nil
	}
	token, life, err := c.fetchToken(ctx, a)
	if err != nil {
		return "", err
	}
	slot.Value, slot.Renew = token, c.now().Add(life*8/10)
	return token, nil
}

// freshToken asks the token endpoint whatever is known already, as a test must.
func (c *Client) freshToken(ctx context.Context, a ClientCredentials) (time.Duration, error) {
	token, life, err := c.fetchToken(ctx, a)
	if err != nil {
		return 0, err
	}
	slot := c.shared.Token(a.key())
	select {
	case slot.Turn <- struct{}{}:
		slot.Value, slot.Renew = token, c.now().Add(life*8/10)
		<-slot.Turn
	case <-ctx.Done():
		return 0, neterr.Explain(ctx.Err(), c.host, "token")
	}
	return life, nil
}

// key tells tokens apart. It covers the secret: whoever gives a wrong one must not be served the token of who knows it.
func (a ClientCredentials) key() string {
	h := sha256.New()
	b, _ := json.Marshal(a) // strings and a map of strings always encode, with sorted keys
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// fetchToken asks the token endpoint, with the same patience as any request.
func (c *Client) fetchToken(ctx context.Context, a ClientCredentials) (token string, life time.Duration, err error) {
	u, err := address.ParseURL("token_url", a.TokenURL)
	if err != nil {
		return "", 0, err
	}
	ask := Request{Method: http.MethodPost, Phase: "token", Repeatable: true}
	err = c.repeat(ctx, ask, func() error {
		token, life, err = c.askToken(ctx, a, u)
		return err
	})
	return token, life, err
}

func (c *Client) askToken(ctx context.Context, a ClientCredentials, u *url.URL) (string, time.Duration, error) {
	form, err := a.form(c.now())
	if err != nil {
		return "", 0, &v1.ErrorDetail{
			Class: v1.ClassConfig, Code: "invalid_private_key", Message: err.Error(), Phase: "token",
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, fmt.Errorf("token request: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if !a.InBody && a.Assertion == nil {
		// RFC 6749 section 2.3.1: both are form-encoded before they become user name and password.
		req.SetBasicAuth(url.QueryEscape(a.ClientID), url.QueryEscape(a.ClientSecret))
	}
	resp, err := c.exchange(
		ctx, c.tokenTransport, req, Request{Method: http.MethodPost, Phase: "token"}, c.clean(u.String()),
	)
	if err != nil {
		return "", 0, err
	}
	defer resp.Close()
	if resp.Status/100 != 2 {
		return "", 0, tokenRefused(resp)
	}
	return c.readToken(resp)
}

func (a ClientCredentials) form(now time.Time) (url.Values, error) {
	if a.Assertion != nil {
		return a.Assertion.Form(a.TokenURL, a.Scope, now)
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	for k, v := range a.Extra {
		form.Set(k, v)
	}
	for k, v := range map[string]string{"scope": a.Scope, "audience": a.Audience, "resource": a.Resource} {
		if v != "" {
			form.Set(k, v)
		}
	}
	if a.InBody {
		form.Set("client_id", a.ClientID)
		form.Set("client_secret", a.ClientSecret)
	}
	return form, nil
}

func (c *Client) readToken(resp *Response) (string, time.Duration, error) {
	var answer struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		ExpiresIn   any    `json:"expires_in"` // a number; some send a string
	}
	dec, err := resp.JSON()
	if err != nil {
		return "", 0, err
	}
	if err := dec.Decode(&answer); err != nil {
		return "", 0, resp.Explain(err)
	}
	c.hide(answer.AccessToken)
	refuse := func(code, message string) (string, time.Duration, error) {
		d := resp.fault(
			v1.ClassTargetFault, code, message, "The token endpoint is not one of OAuth2, or wants other settings.",
		)
		return "", 0, d
	}
	if answer.AccessToken == "" {
		return refuse("oauth_no_token", "the token endpoint answered without an access_token")
	}
	if answer.TokenType != "" && !strings.EqualFold(answer.TokenType, "bearer") {
		return refuse("oauth_token_type", "the token endpoint gave a token of another type than Bearer")
	}
	life := lifeWithoutWord
	if seconds, err := strconv.ParseFloat(fmt.Sprint(answer.ExpiresIn), 64); err == nil && seconds > 0 {
		life = time.Duration(min(seconds, 86400) * float64(time.Second))
	}
	return answer.AccessToken, life, nil
}

// tokenRefused names the token endpoint's own reason (RFC 6749 section 5.2) beside its status.
func tokenRefused(resp *Response) *v1.ErrorDetail {
	d := resp.Refusal()
	var answer struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(resp.excerpt, &answer) != nil || answer.Error == "" {
		if d.Hint == "" || d.Class == v1.ClassAuth || d.Class == v1.ClassNotFound {
			d.Hint = "The token endpoint refused. Check token_url and the client's or service account's credentials."
		}
		return d
	}
	d.Target.HTTP.OAuthError = resp.client.clean(answer.Error)
	switch answer.Error {
	case "invalid_client", "unauthorized_client", "access_denied":
		d.Class, d.Hint = v1.ClassAuth,
			"Check client_id and client_secret, whether the secret has expired, and token_auth_style "+
				"(client_secret_basic or client_secret_post)."
	case "invalid_scope", "invalid_target", "invalid_resource":
		d.Class, d.Hint = v1.ClassConfig, "Check scope, audience and resource: the token endpoint rejects one of them."
	case "unsupported_grant_type", "invalid_request":
		d.Class, d.Hint = v1.ClassConfig,
			"Allow the client credentials grant for this client at the authorization server, and check token_url, "+
				"scope, audience and resource."
	default:
		return d
	}
	d.Code, d.Retryable = "oauth_"+answer.Error, false
	return d
}
