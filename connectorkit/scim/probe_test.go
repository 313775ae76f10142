package scim

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func stepNames(steps []v1.TestStep) (out []string) {
	for _, s := range steps {
		name := s.Name
		if !s.OK {
			name += " failed"
		}
		out = append(out, name)
	}
	return out
}

func probeOf(t *testing.T, auth v1.AuthConfig) (v1.TestResponse, []string) {
	t.Helper()
	var live []string
	test, err := connector().Test(t.Context(), v1.TestRequest{AuthConfig: auth},
		connectorkit.Report(func(p v1.Progress) {
			if p.Step != nil {
				live = append(live, stepNames([]v1.TestStep{*p.Step})...)
			}
		}))
	if err != nil {
		t.Fatalf("Test: %v", err)
	}
	return test, live
}

func TestProbeOfAWorkingTargetAsksForItsDeclarationOnly(t *testing.T) {
	var paths []string
	inner := elimity(t, 3, 1, 1, 250)
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			paths = append(paths, r.URL.Path)
		}
		inner.ServeHTTP(w, r)
	}))
	test, live := probeOf(t, bearer(base))
	if diff := cmp.Diff(
		[]string{"dns", "tcp", "service_provider_config"},
		live,
	); diff != "" || !test.Success ||
		test.Error != nil {
		t.Errorf("steps (-want +got):\n%s\n%+v", diff, test.Error)
	}
	if diff := cmp.Diff([]string{"/ServiceProviderConfig"}, paths); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	f := test.Facts
	if f.MaxPageSize != 250 || f.Incremental != "last_modified" || f.ServerTime == nil ||
		!strings.Contains(strings.Join(f.SupportedControls, " "), "filter") ||
		f.Pagination[0] != "index" {
		t.Errorf("facts = %+v", f)
	}
	if test.Result.HTTP.Status != 200 || !strings.Contains(test.Result.HTTP.BodyExcerpt, "maxResults") ||
		test.ExecutedBy.AgentID != "a1" {
		t.Errorf("result = %+v", test.Result.HTTP)
	}
	if len(test.Warnings) != 1 || test.Warnings[0].Code != "plaintext" {
		t.Errorf("warnings = %v, want the one of plain http", test.Warnings)
	}
}

func TestWhatIsKnownOfTheVendorIsToldWithTheFacts(t *testing.T) {
	test, _ := probeOf(t, bearer(serve(t, elimity(t, 3, 1, 1, 250)), "vendor_profile", "atlassian"))
	if f := test.Facts; f == nil || f.Vendor != "Atlassian" || f.MaxPageSize != 100 || f.Incremental != "none" {
		t.Errorf("facts = %+v", test.Facts)
	}
}

func TestSettingsOfTheUserComeBeforeWhatIsKnownOfTheVendor(t *testing.T) {
	set, err := settings.Read(v1.AuthConfig{"base_url": "https://api.slack.com/scim/v2", "bearer_token": canary})
	if err != nil || set.Profile.Key != "slack" || set.Pagination != settings.PageIndex || set.LastModified != "no" ||
		set.Options.RateRPS != 16 ||
		set.MemberStrategy != settings.MembersInline {
		t.Errorf("settings for Slack = %+v, %v", set, err)
	}
	set, err = settings.Read(
		v1.AuthConfig{
			"base_url":        "https://api.slack.com/scim/v2",
			"bearer_token":    canary,
			"pagination":      "cursor",
			"last_modified":   "yes",
			"member_strategy": settings.MembersByGet,
			"rate_limit_rps":  3,
			"max_concurrency": 2,
			"vendor_profile":  "miro",
		},
	)
	if err != nil || set.Profile.Key != "miro" || set.Pagination != settings.PageCursor || set.LastModified != "yes" ||
		set.MemberStrategy != settings.MembersByGet ||
		set.Options.RateRPS != 3 ||
		set.Options.Concurrency != 2 {
		t.Errorf("settings by hand = %+v, %v", set, err)
	}
}

func TestProtectedDeclarationWithReadableUsersIsASuccessWithAWarning(t *testing.T) {
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/Users" {
			scimError(w, 403, "", "not for you")
			return
		}
		if r.FormValue("count") != "1" {
			t.Errorf("query = %s, want count=1", r.URL.RawQuery)
		}
		_, _ = w.Write([]byte(page(7, people(0, 1), "")))
	}))
	test, live := probeOf(t, bearer(base))
	if diff := cmp.Diff(
		[]string{"dns", "tcp", "service_provider_config failed", "users_probe"},
		live,
	); diff != "" ||
		!test.Success {
		t.Errorf("steps (-want +got):\n%s\n%+v", diff, test.Error)
	}
	if s := test.Steps[2]; s.HTTP.Status != 403 || s.Hint == "" || !strings.Contains(s.Detail, "not for you") {
		t.Errorf("refused step = %+v", s)
	}
	if w := test.Warnings[len(test.Warnings)-1]; w.Code != "service_provider_config_unavailable" ||
		test.Result.HTTP.Status != 200 {
		t.Errorf("warnings = %v, result %+v", test.Warnings, test.Result)
	}
}

func TestPublicDeclarationProvesNoCredentials(t *testing.T) {
	test, _ := probeOf(t, bearer(serve(t, answer(map[string]string{"/ServiceProviderConfig": `{}`}))))
	if !test.Success || test.Warnings[len(test.Warnings)-1].Code != "credentials_not_proven" {
		t.Errorf("success %t, warnings %v", test.Success, test.Warnings)
	}
}

func TestSettingsAreReadTogetherAndMistakesNamed(t *testing.T) {
	for _, tt := range []struct {
		auth v1.AuthConfig
		want []string
	}{
		{v1.AuthConfig{"auth_method": "bearer"}, []string{"base_url is missing", "bearer_token is missing"}},
		{v1.AuthConfig{"base_url": "https://x.test", "bearer_token": canary, "client_id": "c"},
			[]string{"auth_method is missing", "fit 2 methods"}},
		{v1.AuthConfig{"base_url": "https://x.test", "client_id": "c"},
			[]string{"token_url is missing", "client_secret is missing"}},
		{v1.AuthConfig{"base_url": "https://x.test", "auth_method": "magic", "count": "many"},
			[]string{"auth_method must be one of", "count must be a whole number"}},
		{v1.AuthConfig{"base_url": "https://u:" + canary + "@x.test", "bearer_token": canary},
			[]string{"user name and password do not belong"}},
		{v1.AuthConfig{"base_url": "https://2130706433/scim", "bearer_token": canary}, []string{"numeric host"}},
		{v1.AuthConfig{"base_url": "https://x.test", "bearer_token": canary,
			"extra_headers": map[string]any{"Host": canary}}, []string{`extra header "Host"`}},
		{v1.AuthConfig{"base_url": "https://x.test", "bearer_token": canary, "ca_pem": "nonsense"},
			[]string{"ca_pem: there is no certificate in PEM form"}},
	} {
		test, _ := probeOf(t, tt.auth)
		err := connector().Sync(t.Context(), v1.SyncRequest{AuthConfig: tt.auth}, nil)
		for _, want := range tt.want {
			if test.Error == nil || test.Error.Class != v1.ClassConfig || !strings.Contains(test.Error.Message, want) ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("Test(%v) = %v, Sync = %v; want %q", tt.auth, test.Error, err, want)
			}
		}
		if strings.Contains(errors.Join(test.Error, err).Error(), canary) {
			t.Errorf("the secret is told: %v", err)
		}
	}
}

func TestEveryFieldIsNamedOnceAndSecretsAreMarked(t *testing.T) {
	seen := map[string]bool{}
	secret := map[string]bool{
		"bearer_token":       true,
		"password":           true,
		"api_key":            true,
		"client_secret":      true,
		"token_extra_params": true,
		"extra_headers":      true,
		"client_key_pem":     true,
	}
	for _, f := range settings.Fields() {
		if seen[f.Key] || f.Label == "" || f.Type == "" {
			t.Errorf("field %+v", f)
		}
		seen[f.Key] = true
		if f.Secret != secret[f.Key] {
			t.Errorf("%s: secret = %t", f.Key, f.Secret)
		}
	}
	for _, key := range []string{"base_url", "auth_method", "token_url", "client_id", "scope", "audience", "resource",
		"token_auth_style", "pagination", "count", "users_path", "groups_path", "user_filter", "group_filter",
		"member_strategy", "ca_pem", "timeout_s"} {
		if !seen[key] {
			t.Errorf("field %s is missing", key)
		}
	}
}
