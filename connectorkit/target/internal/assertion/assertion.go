package assertion

import (
	"crypto"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Assertion gets tokens by a signed assertion instead of a client secret: the JWT bearer grant (RFC 7523
// section 2.1), as service accounts use it.
type Assertion struct {
	Issuer   string
	Subject  string // subject of the assertion; empty: none
	Audience string // empty: the token endpoint
	Key      string // a private key in PEM form: RSA (RS256) or EC P-256 (ES256)
	KeyID    string
}

const jwtBearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// assertionLife is how long an assertion is good for; authorization servers take an hour at most.
const assertionLife = 5 * time.Minute

// Form is what the token endpoint is sent.
func (a Assertion) Form(tokenURL, scope string, now time.Time) (url.Values, error) {
	key, method, err := ParseKey(a.Key)
	if err != nil {
		return nil, err
	}
	audience := a.Audience
	if audience == "" {
		audience = tokenURL
	}
	claims := jwt.MapClaims{"iss": a.Issuer, "aud": audience, "iat": now.Unix(), "exp": now.Add(assertionLife).Unix()}
	if a.Subject != "" {
		claims["sub"] = a.Subject
	}
	if scope != "" {
		claims["scope"] = scope
	}
	token := jwt.NewWithClaims(method, claims)
	if a.KeyID != "" {
		token.Header["kid"] = a.KeyID
	}
	signed, err := token.SignedString(key)
	if err != nil {
		return nil, fmt.Errorf("sign the assertion: %w", err)
	}
	return url.Values{"grant_type": {jwtBearerGrant}, "assertion": {signed}}, nil
}

var errKey = errors.New("jwt_private_key is no RSA or EC P-256 private key in PEM form")

// ParseKey reads the key. Its line breaks may be written as \n, as in the key files that clouds give.
func ParseKey(text string) (crypto.PrivateKey, jwt.SigningMethod, error) {
	pem := []byte(strings.ReplaceAll(text, `\n`, "\n"))
	if key, err := jwt.ParseRSAPrivateKeyFromPEM(pem); err == nil {
		return key, jwt.SigningMethodRS256, nil
	}
	key, err := jwt.ParseECPrivateKeyFromPEM(pem)
	if err != nil || key.Curve.Params().BitSize != 256 {
		return nil, nil, errKey // the parser's own words may hold parts of the key
	}
	return key, jwt.SigningMethodES256, nil
}
