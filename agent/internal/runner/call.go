package runner

import (
	"encoding/json"
	"fmt"

	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// call is a request of one of the three kinds, decoded.
type call struct {
	test     v1.TestRequest
	discover v1.DiscoverRequest
	sync     v1.SyncRequest
}

func newCall(o wire.Offer) (c call, err error) {
	switch o.Kind {
	case wire.KindTest:
		err = json.Unmarshal(o.Request, &c.test)
	case wire.KindDiscover:
		err = json.Unmarshal(o.Request, &c.discover)
	case wire.KindSync:
		err = json.Unmarshal(o.Request, &c.sync)
	default:
		return c, fmt.Errorf("calls of kind %q are not known here", o.Kind)
	}
	if err != nil {
		// The decoder's own words could quote a secret.
		return c, fmt.Errorf("the %s request cannot be read", o.Kind)
	}
	return c, nil
}

// auth is the call's settings and secrets.
func (c call) auth(kind wire.TaskKind) v1.AuthConfig {
	switch kind {
	case wire.KindTest:
		return c.test.AuthConfig
	case wire.KindDiscover:
		return c.discover.AuthConfig
	default:
		return c.sync.AuthConfig
	}
}
