package serve_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/grantwright/grantwright/connectorkit/serve"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// A connector of one's own is a function and a handler. In earnest, http.ListenAndServeTLS takes the handler.
func Example() {
	staff := map[string]string{"100": "Zoë Okafor", "101": "Iryna Koval"}
	connector := &serve.Handler{
		Name: "staff list", Token: "correct-horse-battery-staple", // from a secret store, in earnest
		Sync: func(_ context.Context, req v1.SyncRequest) v1.SyncResponse {
			out := v1.SyncResponse{Success: true}
			if req.AuthConfig["region"] != "eu" {
				said := "there is no such region"
				return v1.SyncResponse{Error: &said}
			}
			for id, name := range staff {
				out.Identities = append(out.Identities, v1.RemoteIdentity{ExternalID: id, DisplayName: &name})
			}
			return out
		},
	}
	server := httptest.NewServer(connector)
	defer server.Close()
	fmt.Println(read(server.URL, "eu"))
	fmt.Println(read(server.URL, "mars"))
	// Output:
	// 2 people, complete: true
	// there is no such region
}
