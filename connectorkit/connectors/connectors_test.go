package connectors_test

import (
	"errors"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestEveryTypeOfTheCatalogCanBeOpened(t *testing.T) {
	for _, name := range catalog.Types() {
		if c, err := connectors.Open(connectorkit.Env{}, name); err != nil || c == nil {
			t.Errorf("Open(%s) = %v, %v", name, c, err)
		}
	}
	for _, name := range []string{"", "no_such_type", catalog.VendorType} {
		_, err := connectors.Open(connectorkit.Env{}, name)
		var d *v1.ErrorDetail
		if !errors.As(err, &d) || d.Class != v1.ClassConfig || d.Code != "unknown_connector_type" {
			t.Errorf("Open(%q) failed with %v", name, err)
		}
	}
}
