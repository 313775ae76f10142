package passkey

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Party is the relying party: the domain that passkeys belong to, and the origin of the pages that use them.
type Party struct{ ID, Origin string }

// localhost is the only host that browsers trust without TLS.
const localhost = "localhost"

// PartyOf returns the relying party for pages at base. public is the public URL of the deployment. Passkeys of a
// tenant's host below the public host belong to the public host. A loopback address stands for localhost, because a
// relying party cannot be an IP address. It returns passkeys_unavailable if browsers do not offer passkeys there.
func PartyOf(public, base string) (Party, error) {
	main, err := hostOf(public)
	if err != nil {
		return Party{}, err
	}
	at, err := hostOf(base)
	if err != nil {
		return Party{}, err
	}
	host := at.Hostname()
	id := host
	if strings.HasSuffix(host, "."+main.Hostname()) {
		id = main.Hostname()
	}
	if local := host == localhost || strings.HasSuffix(host, "."+localhost); at.Scheme != "https" && !local {
		return Party{}, unavailable(base)
	}
	if protocol.ValidateRPID(id) != nil {
		return Party{}, unavailable(base)
	}
	return Party{ID: id, Origin: at.Scheme + "://" + at.Host}, nil
}

// hostOf parses an address, and replaces a loopback address by localhost.
func hostOf(address string) (*url.URL, error) {
	u, err := url.Parse(strings.ToLower(address))
	if err != nil {
		return nil, fmt.Errorf("parse public URL: %w", err)
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil || !ip.IsLoopback() {
		return u, nil
	}
	port := u.Port()
	u.Host = localhost
	if port != "" {
		u.Host += ":" + port
	}
	return u, nil
}

// unavailable is the fault for a deployment whose address browsers do not accept.
func unavailable(base string) error {
	return fault.Coded(fault.Conflict, "passkeys_unavailable", "Passkeys need a host name and HTTPS, but the address "+
		"of this service is %s. An operator can set base-url.", base)
}

// Origin is the address at which passkeys work for this request; empty if they are not available.
func (s *Service) Origin(ctx context.Context) string {
	p, err := s.party(ctx)
	if err != nil {
		return ""
	}
	return p.Origin
}

func (s *Service) party(ctx context.Context) (Party, error) {
	return PartyOf(s.Sessions.PublicURL, s.Sessions.BaseURL(ctx))
}

// ceremony is the library's relying party with our rules: discoverable credentials that verify their user, without
// attestation, used by pages of the origin itself.
func (p Party) ceremony() (*webauthn.WebAuthn, error) {
	required := true
	w, err := webauthn.New(&webauthn.Config{
		RPID:                  p.ID,
		RPDisplayName:         "Grantwright",
		RPOrigins:             []string{p.Origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: &required,
			ResidentKey:        protocol.ResidentKeyRequirementRequired,
			UserVerification:   protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{
			Login:        webauthn.TimeoutConfig{Timeout: challengeLife, TimeoutUVD: challengeLife},
			Registration: webauthn.TimeoutConfig{Timeout: challengeLife, TimeoutUVD: challengeLife},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("configure passkeys: %w", err)
	}
	return w, nil
}
