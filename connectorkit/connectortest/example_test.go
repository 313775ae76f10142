package connectortest_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/connectortest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// roster is the smallest connector there can be: it reads accounts from a list. A connector of one's own asks its
// target instead.
type roster []string

func (roster) Test(context.Context, v1.TestRequest, connectorkit.Report) (v1.TestResponse, error) {
	return v1.TestResponse{Success: true, Steps: []v1.TestStep{{Name: "request", OK: true}}}, nil
}

func (roster) Discover(context.Context, v1.DiscoverRequest, connectorkit.Report) (v1.DiscoverResponse, error) {
	fields := []v1.DiscoveredField{{Name: "login", Path: "login", Type: "string", Required: true, Source: "schema"}}
	return v1.DiscoverResponse{
		Success: true, SchemaDigest: "sha256:1",
		Objects: []v1.DiscoveredObject{{Kind: "account", NativeType: "user", SuggestedKey: "login", Fields: fields}},
	}, nil
}

// page is how many accounts the target tells at once.
const page = 20

func (r roster) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	info := v1.Page{Read: &v1.Read{Strategy: "full"}}
	if req.Incremental {
		info.Read.FallbackReason = "the target cannot tell what has changed"
	}
	var from int
	from, info.Warnings = r.start(req)
	for last := false; !last; info.Warnings = nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		to, out, here := min(from+page, len(r)), v1.SyncResponse{Success: true}, info
		for _, login := range r[from:to] {
			out.Accounts = append(out.Accounts, v1.RemoteAccount{ExternalID: login, Username: &login})
		}
		here.Checkpoint = strconv.Itoa(to)
		if last = to == len(r); last {
			here.Scopes = []v1.Scope{{Kind: v1.Accounts, Key: "*", Complete: true, Count: to}}
		}
		out.Page, from = &here, to
		if err := emit(ctx, out); err != nil {
			return err
		}
	}
	return nil
}

// start is where a read begins: after what a checkpoint says was read, or at the beginning.
func (r roster) start(req v1.SyncRequest) (int, []v1.Warning) {
	if req.Options == nil || req.Options.Checkpoint == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(req.Options.Checkpoint)
	if err != nil || n < 0 || n > len(r) {
		return 0, []v1.Warning{
			{Code: "checkpoint_unusable", Message: "the checkpoint is none of this connector's; everything is read"},
		}
	}
	return n, nil
}

func TestAConnectorOfOnesOwnIsAccepted(t *testing.T) {
	var everybody roster
	for i := range 100 {
		everybody = append(everybody, fmt.Sprintf("user%03d", i))
	}
	connectortest.Run(t, connectortest.Subject{Connector: everybody, Auth: v1.AuthConfig{}, Least: 100})
}
