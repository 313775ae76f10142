package scenarios

import (
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

// owned is an account with whoever it belongs to.
type owned struct {
	ID          string  `json:"id"`
	ExternalID  string  `json:"external_id"`
	Username    string  `json:"username"`
	IdentityID  *string `json:"identity_id"`
	Correlation struct {
		State string `json:"state"`
	} `json:"correlation"`
}

// owners are a connector's accounts by their ids.
func owners(h *harness.House, connector string) map[string]owned {
	all := map[string]owned{}
	for _, a := range harness.All[owned](h, h.Admin, "/accounts", url.Values{"connector_id": {connector}}) {
		all[a.ID] = a
	}
	return all
}

// correlated counts what a run of rules does, or would do.
type correlated struct {
	Gains         int `json:"gains"`
	ChangedOwners int `json:"changed_owners"`
	Losses        int `json:"losses"`
	Disputed      int `json:"disputed"`
}

func TestAPreviewOfRulesTellsWhatTheNextRunDoes(t *testing.T) {
	t.Parallel()
	h, s := open(t, 300, 0)
	ctx := harness.Context(t)
	h.Sync(h.Admin, h.Connect(h.Admin, s.state.Personnel()), api.Sync{})
	directory := h.Connect(h.Admin, s.state.Directory())
	rules := func(body map[string]any) {
		t.Helper()
		if err := h.Admin.Call(ctx, "PUT", "/connectors/"+directory+"/correlation", body, nil); err != nil {
			t.Fatal(err)
		}
	}
	by := func(id, field string, weight float64) any {
		return map[string]any{
			"id":         id,
			"weight":     weight,
			"conditions": []any{map[string]any{"source": field, "identity": field, "match": "ci_exact"}},
		}
	}
	rules(map[string]any{"rules": []any{}})
	h.Sync(h.Admin, directory, api.Sync{})
	for _, next := range []map[string]any{
		{"rules": []any{by("mail", "email", 0.95)}},
		{"rules": []any{by("mail", "email", 0.95), by("number", "employee_number", 0.98)}},
		{"rules": []any{by("number", "employee_number", 0.98)}, "propose": 0.6},
		{},
	} {
		var told struct {
			Counts correlated `json:"counts"`
			Gains  []struct {
				Account struct {
					ID string `json:"id"`
				} `json:"account"`
				To struct {
					ID string `json:"id"`
				} `json:"to"`
			} `json:"gains"`
		}
		asked := map[string]any{"connector_id": directory}
		for key, value := range next {
			asked[key] = value
		}
		before := owners(h, directory)
		if err := h.Admin.Post(ctx, "/accounts/correlation/preview", asked, &told); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, owners(h, directory)); diff != "" {
			t.Errorf("%v: the preview changed something:\n%s", next, shorten(diff))
		}
		rules(next)
		h.Sync(h.Admin, directory, api.Sync{})
		after := owners(h, directory)
		if diff := cmp.Diff(told.Counts, happened(before, after)); diff != "" {
			t.Errorf("%v: -preview +run\n%s", next, diff)
		}
		for _, g := range told.Gains {
			if a := after[g.Account.ID]; a.IdentityID == nil || *a.IdentityID != g.To.ID {
				t.Errorf(
					"%v: account %s was to belong to %s and belongs to %v",
					next,
					a.Username,
					g.To.ID,
					a.IdentityID,
				)
			}
		}
	}
	if linked := h.Total(h.Admin, "/accounts?correlation=linked"); linked < 200 {
		t.Errorf("by the standard rules %d accounts have an owner; want nearly all", linked)
	}
}

// happened counts what is different. An account about which people have to decide from now on counts for nothing else.
func happened(before, after map[string]owned) (n correlated) {
	for id, was := range before {
		is := after[id]
		switch {
		case was.Correlation.State != "disputed" && is.Correlation.State == "disputed":
			n.Disputed++
		case was.IdentityID == nil && is.IdentityID != nil:
			n.Gains++
		case was.IdentityID != nil && is.IdentityID == nil:
			n.Losses++
		case was.IdentityID != nil && *was.IdentityID != *is.IdentityID:
			n.ChangedOwners++
		}
	}
	return n
}

func TestWhoAPersonSaysOwnsAnAccountOwnsItWhateverIsReadLater(t *testing.T) {
	t.Parallel()
	h, s := open(t, 300, 0)
	ctx := harness.Context(t)
	h.Sync(h.Admin, h.Connect(h.Admin, s.state.Personnel()), api.Sync{})
	directory := h.Connect(h.Admin, s.state.Directory())
	h.Sync(h.Admin, directory, api.Sync{})
	staff := harness.All[identity](h, h.Admin, "/identities", url.Values{"status": {"active"}})
	named := func(login string) owned {
		t.Helper()
		for _, a := range owners(h, directory) {
			if a.Username == login {
				return a
			}
		}
		t.Fatalf("no account %s", login)
		return owned{}
	}
	machine, nobodys := s.company.Wrinkles.ServiceAccounts[0], s.company.Wrinkles.OrphanAccounts[0]
	var somebodys string // an account that the rules have given to its owner
	for _, a := range owners(h, directory) {
		if a.Correlation.State == "linked" && *a.IdentityID != staff[0].ID {
			somebodys = a.Username
			break
		}
	}
	for _, login := range []string{machine, somebodys} {
		if err := h.Admin.Post(
			ctx,
			"/accounts/"+named(login).ID+"/link",
			map[string]any{"identity_id": staff[0].ID, "reason": "runs it"},
			nil,
		); err != nil {
			t.Fatal(err)
		}
	}
	bulk(t, h, named(nobodys), staff[1])

	for _, login := range []string{machine, somebodys, nobodys} {
		if err := s.ldap.UpdateAccount(
			login,
			func(a *people.Account) { a.Title, a.Mail = "Renamed", staff[2].EmployeeNumber+"@else.example" },
		); err != nil {
			t.Fatal(err)
		}
	}
	h.Sync(h.Admin, directory, api.Sync{})
	h.Sync(h.Admin, directory, api.Sync{Incremental: true})
	for login, owner := range map[string]string{machine: staff[0].ID, somebodys: staff[0].ID, nobodys: staff[1].ID} {
		if a := named(login); a.Correlation.State != "manual" || a.IdentityID == nil || *a.IdentityID != owner {
			t.Errorf("account %s is %s of %v; want what a person has said", login, a.Correlation.State, a.IdentityID)
		}
	}
}

// bulk links an account among others that cannot be, tentatively first.
func bulk(t *testing.T, h *harness.House, a owned, owner identity) {
	t.Helper()
	type outcome struct {
		Counts struct {
			Linked int `json:"linked"`
			Failed int `json:"failed"`
		} `json:"counts"`
		Results []struct {
			Status string `json:"status"`
			Code   string `json:"code"`
		} `json:"results"`
	}
	order := map[string]any{"reason": "list of the department", "dry_run": true, "pairs": []any{
		map[string]any{"account_id": a.ID, "employee_number": owner.EmployeeNumber},
		map[string]any{"external_id": "no-such-account", "employee_number": owner.EmployeeNumber},
		map[string]any{"account_id": a.ID[:len(a.ID)-1] + "0", "employee_number": "no-such-person"},
	}}
	var tentative, real outcome
	if err := h.Admin.Post(harness.Context(t), "/accounts/bulk-link", order, &tentative); err != nil {
		t.Fatal(err)
	}
	now := func() (is owned) {
		if err := h.Admin.Get(harness.Context(t), "/accounts/"+a.ID, &is); err != nil {
			t.Fatal(err)
		}
		return is
	}
	if is := now(); is.IdentityID != nil {
		t.Errorf("a dry run has given the account to %s", *is.IdentityID)
	}
	order["dry_run"] = false
	if err := h.Admin.Post(harness.Context(t), "/accounts/bulk-link", order, &real); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tentative, real); diff != "" || real.Counts.Linked != 1 || real.Counts.Failed != 2 {
		t.Errorf("bulk: %+v; -dry run +real\n%s", real, diff)
	}
	codes := []string{real.Results[0].Status, real.Results[1].Code}
	if !slices.Equal(codes, []string{"linked", "account_not_found"}) || real.Results[2].Code == "" {
		t.Errorf("the results are %+v", real.Results)
	}
	if is := now(); is.IdentityID == nil || *is.IdentityID != owner.ID {
		t.Errorf("the account belongs to %v; want %s", is.IdentityID, owner.ID)
	}
}
