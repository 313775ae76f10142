package pack_test

import (
	"context"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
)

func TestMappingsAreOfferedWhileThePackIsInstalledAndWhereTheyFit(t *testing.T) {
	h := open(t)
	h.upload(clinic("1.0.0", ""))
	offers := func(kind string) int {
		t.Helper()
		n := 0
		err := h.DB.As(context.Background(), h.Tenant, func(tx *pg.Tx) error {
			all, err := pack.Offers(
				context.Background(),
				tx,
				connector.Connector{Type: kind, Environment: "production", Purpose: "both"},
			)
			for _, m := range all {
				if m.Source != "wardName" || m.Target != "department" || m.Note != "the sector pack clinic offers it" {
					t.Errorf("offered is %+v", m)
				}
			}
			n = len(all)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := offers("ldap"); n != 0 {
		t.Errorf("%d mappings before the pack is installed", n)
	}
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	if a, b := offers("ldap"), offers("rest"); a != 1 || b != 0 {
		t.Errorf("%d mappings for a directory and %d for REST; want 1 and 0", a, b)
	}
	h.Must(200, "admin", "POST", packs+"/clinic/uninstall", map[string]any{"mode": "detach"})
	if n := offers("ldap"); n != 0 {
		t.Errorf("%d mappings after the pack was uninstalled", n)
	}
}
