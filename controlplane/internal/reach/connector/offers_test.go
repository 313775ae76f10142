package connector_test

import (
	"context"
	"slices"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestWhatATestSawATargetOfferCountsUntilTheSettingsChange(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	offered := []v1.ProvisionOp{v1.OpAccountCreate, v1.OpEntitlementGrant}
	h.target.test = func(context.Context, v1.TestRequest, connectorkit.Report) (v1.TestResponse, error) {
		return v1.TestResponse{Success: true, Operations: offered}, nil
	}
	if got := h.opened(path).Offers; got != nil {
		t.Errorf("before a test: %v", got)
	}
	h.want(200, h.call("admin", "POST", path+"/test", nil))
	if got := h.opened(path).Offers; !slices.Equal(got, offered) {
		t.Errorf("after a test: %v; want %v", got, offered)
	}
	works := h.target.test
	h.target.test = refusing
	h.want(200, h.call("admin", "POST", path+"/test", nil))
	if got := h.opened(path).Offers; !slices.Equal(got, offered) {
		t.Errorf("after a test that failed with the same settings: %v; want %v", got, offered)
	}
	h.target.test = works
	h.want(200, h.call("admin", "POST", path+"/test", nil))
	h.want(200, h.call("admin", "PATCH", path, object{"connection": object{"user_filter": "(mail=*)"}}))
	if got := h.opened(path).Offers; got != nil {
		t.Errorf("after a change of the settings: %v", got)
	}
	h.target.test = refusing
	h.want(200, h.call("admin", "POST", path+"/test", nil))
	if got := h.opened(path).Offers; got != nil {
		t.Errorf("after a test that failed: %v", got)
	}
}
