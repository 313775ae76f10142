package remote

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/protocol/schema/schematest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// paths serves a text for each path; a number alone is a status.
func paths(t *testing.T, answers map[string]string) v1.AuthConfig {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, there := answers[r.URL.Path]
		switch {
		case !there:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case text == "501":
			w.WriteHeader(http.StatusNotImplemented)
		case text == "403":
			w.WriteHeader(http.StatusForbidden)
		default:
			w.Header().Set("Content-Type", response.MediaJSON)
			_, _ = io.WriteString(w, text)
		}
	}))
	t.Cleanup(server.Close)
	return v1.AuthConfig{"base_url": server.URL, "secret_settings": map[string]any{"key": canary}}
}

func TestAConnectionIsTestedByWhatTheServiceHas(t *testing.T) {
	const manifest = `{"name":"our HR","version":"3.1","protocol_versions":["v1"]}`
	for name, tt := range map[string]struct {
		answers map[string]string
		ok      bool
		class   v1.ErrorClass
		steps   string
		warning string
	}{
		"only sync": {map[string]string{"/v1/sync": whole3}, true, "", "dns tcp manifest test sync", ""},
		"sync, 501 for all": {map[string]string{"/v1/sync": whole3, "/v1/test": "501", "/v1/manifest": "501"}, true, "",
			"dns tcp manifest test sync", ""},
		"every path alike": {map[string]string{"/v1/sync": whole3, "/v1/test": whole3, "/v1/manifest": whole3}, true,
			"", "dns tcp manifest test sync", ""},
		"nothing in it": {map[string]string{"/v1/sync": `{"success":true,"accounts":[],"error":null}`}, true, "",
			"dns tcp manifest test sync", "no_records"},
		"all there": {map[string]string{"/v1/manifest": manifest,
			"/v1/test": `{"success":true,"steps":[{"name":"bind","ok":true,"ms":3,"detail":"with ` + canary +
				`"}],"error":null,"warnings":[{"code":"slow","message":"a bit"}]}`},
			true, "", "dns tcp manifest test bind", "slow"},
		"it says no": {map[string]string{"/v1/test": `{"success":false,"steps":[],"error":{"class":"auth","code":"ldap_49","message":"no entry for ` + canary + `"}}`},
			false, v1.ClassAuth, "dns tcp manifest test", ""},
		"it says no in a sentence": {map[string]string{"/v1/test": `{"success":false,"error":"the vault is sealed"}`},
			false, v1.ClassTargetFault, "dns tcp manifest test", ""},
		"success and an error": {map[string]string{"/v1/test": `{"success":true,"error":{"class":"auth","code":"x","message":"x"}}`}, false, v1.ClassProtocol, "dns tcp manifest test", ""},
		"no verdict": {map[string]string{"/v1/test": `{}`}, false, v1.ClassProtocol,
			"dns tcp manifest test", ""},
		"steps of another kind": {map[string]string{"/v1/test": `{"success":true,"steps":"all good"}`}, false,
			v1.ClassProtocol, "dns tcp manifest test", ""},
		"another protocol": {map[string]string{"/v1/manifest": `{"protocol_versions":["v2"]}`,
			"/v1/sync": whole3}, false, v1.ClassConfig, "dns tcp manifest", ""},
		"a manifest that may not be read": {map[string]string{"/v1/manifest": "403", "/v1/sync": whole3}, true, "",
			"dns tcp manifest test sync", "manifest_unusable"},
		"nothing at all": {map[string]string{}, false, v1.ClassConfig, "dns tcp manifest test sync",
			""},
		"sync fails": {map[string]string{"/v1/sync": `{"success":false,"error":"with ` + canary +
			`"}`}, false, v1.ClassTargetFault, "dns tcp manifest test sync", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var told []string
			auth := paths(t, tt.answers)
			out, err := newConnector().Test(t.Context(), v1.TestRequest{AuthConfig: auth},
				func(p v1.Progress) { told = append(told, p.Step.Name) })
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(out)
			if err == nil {
				err = schematest.Validate("test_response", text)
			}
			if err != nil || strings.Contains(string(text), canary) {
				t.Errorf("%v in %s", err, text)
			}
			if out.Success != tt.ok || !tt.ok && (out.Error == nil || out.Error.Class != tt.class) {
				t.Errorf("success %v, %+v", out.Success, out.Error)
			}
			var names []string
			for _, s := range out.Steps {
				names = append(names, s.Name)
			}
			if got := strings.Join(names, " "); got != tt.steps || strings.Join(told, " ") != tt.steps {
				t.Errorf("steps %s, told %s; want %s", got, told, tt.steps)
			}
			if tt.warning != "" && (len(out.Warnings) == 0 || out.Warnings[0].Code != tt.warning) {
				t.Errorf("warnings %+v", out.Warnings)
			}
		})
	}
}

func TestHostedConnectorsSpeakNothingButTLS(t *testing.T) {
	auth := paths(t, map[string]string{"/v1/sync": whole3})
	c := New(connectorkit.Env{Dial: newConnector().env.Dial}).(*connector) // nobody allows plain HTTP
	out, err := c.Test(t.Context(), v1.TestRequest{AuthConfig: auth}, nil)
	if err != nil || out.Success || out.Error.Code != "plaintext_not_allowed" {
		t.Errorf("%+v, %v", out.Error, err)
	}
}

func TestFieldsComeFromTheServiceOrFromASample(t *testing.T) {
	declared := `{"success":true,"objects":[{"kind":"account","native_type":"user","fields":[
		{"name":"mail","type":"string","samples":["a@b.c","with ` + canary +
		`"]},{"name":"api_token","type":"string","samples":["abcdef"]}]}],"error":null}`
	for name, tt := range map[string]struct {
		answers map[string]string
		mask    bool
		want    map[string]string // field: type and samples
		fails   v1.ErrorClass
	}{
		"declared": {map[string]string{"/v1/discover": declared}, false,
			map[string]string{"account mail": "string a@b.c with [secret]", "account api_token": "string *** "}, ""},
		"declared, masked": {map[string]string{"/v1/discover": declared}, true,
			map[string]string{"account mail": "string a***@b***.c*** w*** C***-s***"}, ""},
		"a type nobody knows": {map[string]string{"/v1/discover": `{"success":true,"objects":[{"kind":"account","native_type":"u","fields":[{"name":"a","type":"varchar"}]}]}`}, false, nil, v1.ClassProtocol},
		"a kind nobody knows": {map[string]string{"/v1/discover": `{"success":true,"objects":[{"kind":"user","native_type":"u","fields":[]}]}`}, false, nil, v1.ClassProtocol},
		"it fails":            {map[string]string{"/v1/discover": `{"success":false,"objects":[],"error":{"class":"auth","code":"x","message":"no"}}`}, false, nil, v1.ClassAuth},
		"sampled": {map[string]string{"/v1/sync": `{"success":true,"error":null,"identities":[{"external_id":"1","hire_date":"2024-02-29","email":"a@b.c","attributes":{"badge":7,"office":{"city":"Kyiv"},"password":"hunter22"}}]}`},
			false, map[string]string{"identity hire_date": "date 2024-02-29", "identity email": "string a@b.c",
				"identity badge": "integer 7", "identity office.city": "string Kyiv", "identity password": "string ***",
				"identity external_id": "string 1"}, ""},
		"sampled, masked": {map[string]string{"/v1/sync": `{"success":true,"error":null,"identities":[{"external_id":"1","email":"jane@b.c"}]}`}, true, map[string]string{"identity email": "string j***@b***.c***"}, ""},
		"sampling fails": {map[string]string{"/v1/sync": `{"success":false,"error":"no"}`}, false, nil,
			v1.ClassTargetFault},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := newConnector().Discover(t.Context(),
				v1.DiscoverRequest{AuthConfig: paths(t, tt.answers), MaskSamples: tt.mask}, nil)
			if tt.fails != "" {
				var d *v1.ErrorDetail
				if !errors.As(err, &d) || d.Class != tt.fails {
					t.Errorf("%v; want class %s", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(out)
			if err == nil {
				err = schematest.Validate("discover_response", text)
			}
			if err != nil || strings.Contains(string(text), canary) || strings.Contains(string(text), "hunter22") {
				t.Errorf("%v in %s", err, text)
			}
			got := map[string]string{}
			for _, o := range out.Objects {
				for _, f := range o.Fields {
					got[o.Kind+" "+f.Name] = strings.TrimSpace(f.Type + " " + strings.Join(f.Samples, " "))
				}
			}
			for field, want := range tt.want {
				if got[field] != strings.TrimSpace(want) {
					t.Errorf("%s is %q; want %q", field, got[field], want)
				}
			}
		})
	}
}

func TestSamplingStopsWhenThereIsEnough(t *testing.T) {
	s := start(t, func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
		_, _ = io.WriteString(
			w,
			answer(accounts(n*10, 10), `{"next_page_token":"`+string(rune('a'+n))+`","estimate":{"accounts":48211}}`),
		)
	})
	out, err := newConnector().Discover(t.Context(),
		v1.DiscoverRequest{AuthConfig: s.auth(), SampleSize: 5, Objects: []v1.ObjectKind{v1.Accounts}}, nil)
	if err != nil || len(out.Objects) != 1 || *out.Objects[0].CountHint != 48211 ||
		out.Objects[0].SuggestedKey != "external_id" {
		t.Fatalf("%+v, %v", out, err)
	}
	if n := len(s.asked()); n != 1 {
		t.Errorf("%d requests for five records", n)
	}
	five := 5
	want := &v1.SyncOptions{MaxRecords: &five, Mode: v1.ModeDiscover, Objects: []v1.ObjectKind{v1.Accounts}}
	if diff := cmp.Diff(want, s.asked()[0].Options); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
