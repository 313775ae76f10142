package runner

import (
	"encoding/json"
	"fmt"

	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// call is a request of one of the kinds, decoded.
type call struct {
	test      v1.TestRequest
	discover  v1.DiscoverRequest
	sync      v1.SyncRequest
	provision v1.ProvisionRequest
	read      v1.ReadRequest
}

// newCall decodes the request of an offer. The error does not repeat the request, which holds
// credentials.
func newCall(o wire.Offer) (c call, err error) {
	switch o.Kind {
	case wire.KindTest:
		err = json.Unmarshal(o.Request, &c.test)
	case wire.KindDiscover:
		err = json.Unmarshal(o.Request, &c.discover)
	case wire.KindSync:
		err = json.Unmarshal(o.Request, &c.sync)
	case wire.KindProvision:
		err = json.Unmarshal(o.Request, &c.provision)
	case wire.KindRead:
		err = json.Unmarshal(o.Request, &c.read)
	default:
		return c, fmt.Errorf("calls of kind %q are not known here", o.Kind)
	}
	if err != nil {
		// The decoder's own words could quote a secret.
		return c, fmt.Errorf("the %s request cannot be read", o.Kind)
	}
	return c, nil
}

// secrets are what must not be shown of the call: those of its settings, and a password that is to be set.
func (c call) secrets(kind wire.TaskKind) []string {
	switch kind {
	case wire.KindTest:
		return secretsIn(c.test.AuthConfig)
	case wire.KindDiscover:
		return secretsIn(c.discover.AuthConfig)
	case wire.KindProvision:
		found := secretsIn(c.provision.AuthConfig)
		if n := c.provision.Credential; n != nil && n.Password != "" {
			found = append(found, n.Password)
		}
		return found
	case wire.KindRead:
		return secretsIn(c.read.AuthConfig)
	default:
		return secretsIn(c.sync.AuthConfig)
	}
}
