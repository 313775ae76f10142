package app_test

import (
	"net"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
)

func TestTenantsDoNotReachTheAddressesOfTheServiceItself(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s := newSiteWith(t, func(c *config.Config) {
		c.EgressCIDRs = []string{"127.0.0.0/8"} // an operator who opened a range that holds the service
		c.OpsListen = listener.Addr().String()
	})
	body := map[string]any{
		"type": "rest",
		"connection": map[string]any{
			"base_url":    "http://" + listener.Addr().String(),
			"auth_method": "none",
			"streams": []any{
				map[string]any{"name": "u", "object": "user", "request": map[string]any{"path": "/metrics"}},
			},
		},
	}
	got := s.as(s.token, "POST", "/connectors/test", body)
	if got.body["success"] == true || !strings.Contains(got.raw, "not allowed from here") {
		t.Errorf("a hosted connector is led to the operators' address: %d %.400s", got.status, got.raw)
	}
}
