package scim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func discover(
	t *testing.T,
	auth v1.AuthConfig,
	req v1.DiscoverRequest,
) (v1.DiscoverResponse, map[string]v1.DiscoveredField) {
	t.Helper()
	req.AuthConfig = auth
	got, err := connector().Discover(t.Context(), req, nil)
	if err != nil || !got.Success {
		t.Fatalf("Discover: %v, %+v", err, got.Error)
	}
	fields := map[string]v1.DiscoveredField{}
	for _, o := range got.Objects {
		for _, f := range o.Fields {
			fields[o.Kind+" "+f.Name] = f
		}
	}
	return got, fields
}

func TestDeclaredSchemaAndSamplesAreMerged(t *testing.T) {
	addr := targettest.StartNode(t, "testdata/scimmy", "TOKEN="+canary, "USERS=30", "GROUPS=2")
	auth := bearer("http://" + addr + "/scim/v2")
	got, fields := discover(t, auth, v1.DiscoverRequest{})
	if len(got.Objects) != 3 || *got.Objects[0].CountHint != 30 || got.Objects[0].SuggestedKey != "id" {
		t.Fatalf("objects = %+v", got.Objects)
	}
	name := fields["identity userName"]
	if name.Source != "both" || !name.Required || name.Format != "email" || name.DistinctInSample != 10 ||
		name.UniqueRatio != 1 ||
		len(name.Samples) != 10 {
		t.Errorf("userName = %+v", name)
	}
	manager := fields["account "+resource.EnterpriseUser+":manager.value"]
	if manager.Source != "both" || manager.NullRatio != 0.1 || manager.Format != "uuid" {
		t.Errorf("manager.value = %+v", manager)
	}
	if mails := fields["identity emails.value"]; !mails.Multi || mails.Type != "string" || mails.Format != "email" {
		t.Errorf("emails.value = %+v", mails)
	}
	if active := fields["identity active"]; active.Type != "boolean" || active.NullRatio != 0 {
		t.Errorf("active = %+v", active)
	}
	if f := fields["identity nickName"]; f.Source != "schema" || f.NullRatio != 1 {
		t.Errorf("nickName = %+v", f)
	}
	if f := fields["identity password"]; !f.Secret || len(f.Samples) != 0 {
		t.Errorf("password = %+v", f)
	}
	if f := fields["entitlement displayName"]; f.Source != "both" || f.Samples[0] != "Group 0" {
		t.Errorf("group displayName = %+v", f)
	}
	again, _ := discover(t, auth, v1.DiscoverRequest{SampleSize: 5})
	if again.SchemaDigest != got.SchemaDigest || !strings.HasPrefix(got.SchemaDigest, "sha256:") {
		t.Errorf("digest changed from %s to %s", got.SchemaDigest, again.SchemaDigest)
	}
}

func TestTargetWithoutSchemasIsKnownByItsSamples(t *testing.T) {
	base := serve(
		t,
		answer(
			map[string]string{
				"/Users": page(
					1,
					`[{"id":"1","userName":"anna.b@example.test","password":"hunter2-hash",`+
						`"urn:vendor:x":{"clientSecret":"`+canary+`","since":"2024-02-03","level":3}}]`,
					"",
				),
			},
		),
	)
	got, fields := discover(
		t,
		bearer(base),
		v1.DiscoverRequest{MaskSamples: true, Objects: []v1.ObjectKind{v1.Accounts, v1.Entitlements}},
	)
	var codes []string
	for _, w := range got.Warnings {
		codes = append(codes, w.Code)
	}
	if diff := cmp.Diff(
		[]string{"plaintext", "schema_unavailable", "schema_unavailable", "no_groups"},
		codes,
	); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if f := fields["account userName"]; f.Samples[0] != "a***.b***@e***.t***" || f.Source != "sample" {
		t.Errorf("userName = %+v", f)
	}
	if f := fields["account urn:vendor:x:since"]; f.Type != "date" {
		t.Errorf("since = %+v", f)
	}
	if f := fields["account urn:vendor:x:clientSecret"]; !f.Secret || len(f.Samples) != 0 {
		t.Errorf("clientSecret = %+v", f)
	}
	if f := fields["account password"]; !f.Secret || len(f.Samples) != 0 {
		t.Errorf("password = %+v", f)
	}
}
