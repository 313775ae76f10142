package quirks

import (
	"net/url"
	"testing"
	"time"
)

func TestEveryStatementHasASourceAndADate(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		if p.Key == "" || p.Name == "" || seen[p.Key] {
			t.Errorf("profile %q: a key is missing or taken", p.Key)
		}
		seen[p.Key] = true
		if len(p.Quirks) == 0 && p.Key != Generic {
			t.Errorf("%s states nothing", p.Key)
		}
		for _, q := range p.Quirks {
			u, err := url.Parse(q.Source)
			if _, dated := time.Parse(
				time.DateOnly,
				q.Date,
			); err != nil || u.Scheme != "https" || u.Host == "" || dated != nil ||
				q.Note == "" {
				t.Errorf("%s: %+v lacks a note, an address or a date", p.Key, q)
			}
		}
		for _, r := range p.Rates {
			if r.Count <= 0 || r.Seconds <= 0 || r.Requests == "" {
				t.Errorf("%s: rate %+v", p.Key, r)
			}
		}
	}
}

func TestValuesAreThoseTheReaderKnows(t *testing.T) {
	known := map[string][]string{
		"pagination":    {"", "index", "cursor", "none"},
		"filter":        {"", FilterFull, FilterEqOnly, FilterNone},
		"last_modified": {"", Yes, No},
		"attributes":    {"", Yes, No},
		"group_changes": {"", GroupsByLastModified, GroupsAlways},
		"members":       {"", "groups_inline", "group_get", "user_groups", "users_filter"},
	}
	for name, values := range map[string][]string{
		"update": {"", ByPatch, ByPut}, "style": {"", StylePath, StyleNoPath}, "words": {"", WordsLower, WordsCapital},
		"booleans":      {"", BooleansJSON, BooleansText},
		"add_member":    {"", MemberPath, MemberNoPath, MemberWrapped, MemberReplace, MemberPut},
		"remove_member": {"", MemberValuePath, MemberArray, MemberWrapped, MemberReplace, MemberPut},
		"disable":       {"", DisableActive, DisableDelete, DisableNever},
		"delete":        {"", DeleteDeletes, DeleteDeactivates}, "password": {"", Yes, No},
	} {
		known[name] = values
	}
	for _, p := range All() {
		w := p.Write
		for name, value := range map[string]string{"update": w.Update, "style": w.Style, "words": w.Words,
			"booleans": w.Booleans, "add_member": w.AddMember,
			"remove_member": w.RemoveMember, "disable": w.Disable, "delete": w.Delete, "password": w.Password,
			"pagination": p.Pagination, "filter": p.Filter, "last_modified": p.LastModified,
			"attributes": p.Attributes, "group_changes": p.GroupChanges, "members": p.Members} {
			ok := false
			for _, v := range known[name] {
				ok = ok || v == value
			}
			if !ok {
				t.Errorf("%s: %s is %q", p.Key, name, value)
			}
		}
	}
}

func TestProfilesAreFoundByTheAddress(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.slack.com/scim/v2":                              "slack",
		"https://API.SLACK.COM/scim/v2":                              "slack",
		"https://api.github.com/scim/v2/enterprises/acme":            "github-emu",
		"https://api.github.com/scim/v2/organizations/acme":          "github-org",
		"https://api.github.com/other":                               Generic,
		"https://scim.eu-west-1.amazonaws.com/abc/scim/v2":           "aws-identity-center",
		"https://acme.my.salesforce.com/services/scim/v2":            "salesforce",
		"https://graph.microsoft.com/rp/scim":                        "entra-id",
		"https://graph.microsoft.com/v1.0":                           Generic,
		"https://acme.service-now.com/api/now/scim":                  "servicenow",
		"https://dbc-1.cloud.databricks.com/api/2.0/preview/scim/v2": "databricks",
		"https://example.com/scim2":                                  Generic,
		"https://api.slack.com.evil.example/scim/v2":                 Generic,
		"://": Generic,
	} {
		if got := ByURL(base).Key; got != want {
			t.Errorf("ByURL(%q) = %s, want %s", base, got, want)
		}
	}
}
