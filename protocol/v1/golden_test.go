package v1_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/protocol/schema/schematest"
	"github.com/grantwright/grantwright/protocol/testdata"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// kinds tells a fixture's type by the beginning of its name, which is the schema's name too.
var kinds = map[string]reflect.Type{
	"sync_request":       reflect.TypeFor[v1.SyncRequest](),
	"sync_response":      reflect.TypeFor[v1.SyncResponse](),
	"error_detail":       reflect.TypeFor[v1.ErrorDetail](),
	"test_request":       reflect.TypeFor[v1.TestRequest](),
	"test_response":      reflect.TypeFor[v1.TestResponse](),
	"discover_request":   reflect.TypeFor[v1.DiscoverRequest](),
	"discover_response":  reflect.TypeFor[v1.DiscoverResponse](),
	"provision_request":  reflect.TypeFor[v1.ProvisionRequest](),
	"provision_response": reflect.TypeFor[v1.ProvisionResponse](),
	"read_request":       reflect.TypeFor[v1.ReadRequest](),
	"read_response":      reflect.TypeFor[v1.ReadResponse](),
	"progress":           reflect.TypeFor[v1.Progress](),
	"remote_identity":    reflect.TypeFor[v1.RemoteIdentity](),
	"remote_account":     reflect.TypeFor[v1.RemoteAccount](),
	"remote_entitlement": reflect.TypeFor[v1.RemoteEntitlement](),
	"remote_grant":       reflect.TypeFor[v1.RemoteGrant](),
}

func fixtures(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	names, err := fs.Glob(testdata.Files, "v1/*.json")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d fixtures, %v", len(names), err)
	}
	for _, name := range names {
		text, err := testdata.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(strings.TrimPrefix(name, "v1/"), ".json")] = text
	}
	return all
}

func kindOf(t *testing.T, name string) string {
	t.Helper()
	for kind := range kinds {
		if strings.HasPrefix(name, kind) {
			return kind
		}
	}
	t.Fatalf("no envelope for the fixture %s", name)
	return ""
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestEveryFixtureComesBackByteForByte(t *testing.T) {
	met := map[string]bool{}
	for name, text := range fixtures(t) {
		kind := kindOf(t, name)
		met[kind] = true
		value := reflect.New(kinds[kind])
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(value.Interface()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := encode(t, value.Interface()); !bytes.Equal(got, text) {
			t.Errorf("%s comes back as\n%s", name, got)
		}
	}
	if len(met) != len(kinds) {
		t.Errorf("fixtures for %d of %d envelopes", len(met), len(kinds))
	}
}

func TestEveryFixtureFitsItsSchema(t *testing.T) {
	for name, text := range fixtures(t) {
		if err := schematest.Validate(kindOf(t, name), text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheSchemasRefuseWhatTheProtocolForbids(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		{"sync_request", `{"connector_business_id":"x","incremental":false,"last_sync_at":null}`, "lacks auth_config"},
		{"sync_request", `{"connector_business_id":"x","incremental":"no","last_sync_at":null,"auth_config":{}}`,
			"incremental"},
		{"sync_request", `{"connector_business_id":"x","incremental":true,"last_sync_at":"yesterday","auth_config":{}}`,
			"date-time"},
		{"sync_request", `{"connector_business_id":"x","incremental":true,"last_sync_at":null,"auth_config":{},"options":{"chunk_size":99999}}`, "maximum"},
		{"sync_response", `{"success":true,"identities":[],"accounts":[{"username":"a"}],"entitlements":[],"grants":[],"error":null}`, "lacks external_id"},
		{"sync_response", `{"success":true,"identities":[],"accounts":[],"entitlements":[],"grants":[],"error":null,"page":{"has_more":true,"next_page_token":"` + strings.Repeat("x", 5000) + `"}}`, "maxLength"},
		{"error_detail", `{"class":"bad_luck","code":"x","message":"x","retryable":false}`, "bad_luck"},
		{"remote_grant", `{"entitlement_external_id":""}`, "minLength"},
		{"ack", `{"ack_seq":9007199254740994,"credit":1}`, "maximum"},
		{"frame", `{"v":2,"type":"hello","id":"x","ts":"2026-11-20T10:00:00Z"}`, "must be 1"},
	} {
		if err := schematest.Validate(tt.name, []byte(tt.doc)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %.60s: %v, want %q", tt.name, tt.doc, err, tt.want)
		}
	}
}

func memberNames(t *testing.T, v any) []string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestPlainEnvelopesHaveExactlyTheSpecifiedMembers(t *testing.T) {
	want := []string{"auth_config", "connector_business_id", "incremental", "last_sync_at"}
	if got := memberNames(t, v1.SyncRequest{}); !slices.Equal(got, want) {
		t.Errorf("SyncRequest without options has %v, want %v", got, want)
	}
	want = []string{"accounts", "entitlements", "error", "grants", "identities", "success"}
	if got := memberNames(t, v1.SyncResponse{}); !slices.Equal(got, want) {
		t.Errorf("SyncResponse without extras has %v, want %v", got, want)
	}
}

func TestAnEmptyAnswerHasArraysAndNoNulls(t *testing.T) {
	r := v1.SyncResponse{Success: true}
	r.Normalize()
	if got, want := encode(t, r), fixtures(t)["sync_response_empty"]; !bytes.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheFullRecordsLeaveNoMemberOut(t *testing.T) {
	all := fixtures(t)
	for _, kind := range []string{"remote_identity", "remote_account", "remote_entitlement", "remote_grant"} {
		value := reflect.New(kinds[kind])
		if err := json.Unmarshal(all[kind+"_full"], value.Interface()); err != nil {
			t.Fatal(err)
		}
		for i := range value.Elem().NumField() {
			if value.Elem().Field(i).IsZero() {
				t.Errorf("%s_full lacks %s", kind, value.Elem().Type().Field(i).Name)
			}
		}
	}
}

func TestAnEmptyListOfAPersonIsNotAnAbsentOne(t *testing.T) {
	text, err := json.Marshal(v1.RemoteIdentity{ExternalID: "1", PhoneNumbers: []v1.PhoneNumber{}})
	if err != nil || string(text) != `{"external_id":"1","phone_numbers":[]}` {
		t.Errorf("%s, %v; want the empty list, and no addresses", text, err)
	}
}

func TestAnErrorWithoutWordsStillSaysWhatItIs(t *testing.T) {
	if got := (&v1.ErrorDetail{Class: v1.ClassAuth, Code: "http_401"}).Error(); got != "auth error (http_401)" {
		t.Errorf("Error() = %q", got)
	}
}
