package target

import (
	"net/url"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target/httpfields"
	"github.com/grantwright/grantwright/connectorkit/target/internal/address"
	"github.com/grantwright/grantwright/connectorkit/target/internal/assertion"
	"github.com/grantwright/grantwright/connectorkit/target/internal/neterr"
	"github.com/grantwright/grantwright/connectorkit/target/internal/outcome"
	"github.com/grantwright/grantwright/connectorkit/target/internal/shared"
	"github.com/grantwright/grantwright/connectorkit/target/internal/teststeps"
	"github.com/grantwright/grantwright/connectorkit/target/internal/tlsconf"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Values of the setting auth_method.
const (
	AuthNone              = httpfields.AuthNone
	AuthBasic             = httpfields.AuthBasic
	AuthBearer            = httpfields.AuthBearer
	AuthAPIKey            = httpfields.AuthAPIKey // in the header that api_key_name names
	AuthAPIKeyHeader      = httpfields.AuthAPIKeyHeader
	AuthAPIKeyQuery       = httpfields.AuthAPIKeyQuery
	AuthClientCredentials = httpfields.AuthClientCredentials
	AuthJWTBearer         = httpfields.AuthJWTBearer
)

// Assertion gets tokens by a signed assertion instead of a client secret (RFC 7523 section 2.1).
type Assertion = assertion.Assertion

// AuthFields describe auth_method and the credentials of the given methods, for a connector's Fields. The first is
// the default.
func AuthFields(methods ...string) []connectorkit.Field { return httpfields.AuthFields(methods...) }

// CommonFields describe the settings that ReadOptions reads beside base_url.
func CommonFields() []connectorkit.Field { return httpfields.CommonFields() }

// Explain turns an error of DNS, TCP or TLS into the error that users read. host is host:port; phase names the step
// where the error itself does not tell. A *v1.ErrorDetail is returned as it is, with the phase added.
func Explain(err error, host, phase string) *v1.ErrorDetail { return neterr.Explain(err, host, phase) }

// ParseURL reads an address that a user typed for a target or a token endpoint. It is strict, so that no two parsers
// can read two hosts from one address. setting names the key in the error, which has the code invalid_url.
func ParseURL(setting, raw string) (*url.URL, error) { return address.ParseURL(setting, raw) }

// TLS is how a target proves its identity, and how the connector does.
type TLS = tlsconf.Settings

// Steps measures the steps of a connection test and reports each as it ends. It serves one goroutine.
type Steps = teststeps.Steps

// NewSteps begins a connection test.
func NewSteps(env connectorkit.Env, report connectorkit.Report) *Steps {
	return teststeps.NewSteps(env, report)
}

// MayHaveArrived says whether a request that ended with err may have been carried out all the same: no answer came,
// or one that a gateway or a failing service gives in place of the true one.
func MayHaveArrived(err error) bool { return outcome.MayHaveArrived(err) }

// Absent says whether err is the target's own answer that something does not exist, with one of the statuses.
func Absent(err error, statuses ...int) bool { return outcome.Absent(err, statuses...) }

// Forbidden says whether err is the target's refusal to show one record to this login.
func Forbidden(err error) bool { return outcome.Forbidden(err) }

// Unanswered says whether a request was sent and no answer to it came.
func Unanswered(err error) bool { return outcome.Unanswered(err) }

// Shared is what outlives a call: OAuth2 tokens, and for every target its rate budget and its circuit breaker. All are
// kept apart by a digest of host and credentials, so that no one reaches the tokens of others. The zero value is ready.
type Shared = shared.State

// Process is the Shared of this process. Connectors of different types that speak to one host with the same
// credentials keep its limits together by it.
func Process() *Shared { return shared.Process() }
