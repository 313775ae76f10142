package scenarios

import (
	"slices"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// world is what somebody sees of a tenant.
type world struct {
	people       []worker
	accounts     []owned
	entitlements []right
	grants       []grant
}

type worker struct {
	identity
	Department *string `json:"department"`
}

type right struct {
	ID string `json:"id"`
}

type grant struct {
	ID          string `json:"id"`
	Account     string `json:"account_id"`
	Entitlement string `json:"entitlement_id"`
}

func known(h *harness.House, c *api.Client) world {
	return world{
		people:   harness.All[worker](h, c, "/identities", nil),
		accounts: harness.All[owned](h, c, "/accounts", nil),
		entitlements: harness.All[right](
			h,
			c,
			"/entitlements",
			nil,
		),
		grants: harness.All[grant](h, c, "/entitlements/grants", nil),
	}
}

// ids are those of each list, in order.
func (w world) ids() map[string][]string {
	out := map[string][]string{"/identities": nil, "/accounts": nil, "/entitlements": nil, "/entitlements/grants": nil}
	add := func(list, id string) { out[list] = append(out[list], id) }
	for _, p := range w.people {
		add("/identities", p.ID)
	}
	for _, a := range w.accounts {
		add("/accounts", a.ID)
	}
	for _, e := range w.entitlements {
		add("/entitlements", e.ID)
	}
	for _, g := range w.grants {
		add("/entitlements/grants", g.ID)
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// under is the part of a manager: their direct and indirect reports, with all that hangs on them.
func (w world) under(manager string) world {
	reports := map[string]bool{manager: true}
	for grew := true; grew; {
		grew = false
		for _, p := range w.people {
			if p.ManagerID != nil && reports[*p.ManagerID] && !reports[p.ID] {
				reports[p.ID], grew = true, true
			}
		}
	}
	delete(reports, manager)
	return w.hangingOn(reports)
}

// hangingOn is people with all their accounts and grants, and what they hold.
func (w world) hangingOn(people map[string]bool) (part world) {
	accounts, entitlements := map[string]bool{}, map[string]bool{}
	for _, a := range w.accounts {
		if a.IdentityID != nil && people[*a.IdentityID] {
			accounts[a.ID] = true
		}
	}
	for _, g := range w.grants {
		if accounts[g.Account] {
			part.grants, entitlements[g.Entitlement] = append(part.grants, g), true
		}
	}
	return w.pick(part, people, accounts, entitlements)
}

// ownedIn is the part of a resource owner: what they own, who holds it by which account, and those grants alone.
func (w world) ownedIn(entitlement string) (part world) {
	owner := map[string]string{}
	for _, a := range w.accounts {
		if a.IdentityID != nil {
			owner[a.ID] = *a.IdentityID
		}
	}
	holders, accounts := map[string]bool{}, map[string]bool{}
	for _, g := range w.grants {
		if g.Entitlement == entitlement && owner[g.Account] != "" {
			part.grants, accounts[g.Account], holders[owner[g.Account]] = append(part.grants, g), true, true
		}
	}
	return w.pick(part, holders, accounts, map[string]bool{entitlement: true})
}

func (w world) pick(part world, people, accounts, entitlements map[string]bool) world {
	for _, p := range w.people {
		if people[p.ID] {
			part.people = append(part.people, p)
		}
	}
	for _, a := range w.accounts {
		if accounts[a.ID] {
			part.accounts = append(part.accounts, a)
		}
	}
	for _, e := range w.entitlements {
		if entitlements[e.ID] {
			part.entitlements = append(part.entitlements, e)
		}
	}
	return part
}

// boss is a manager of managers who is not the head of the company, and clerk somebody else without reports.
func (w world) boss(t *testing.T) (boss, clerk worker) {
	t.Helper()
	for _, p := range w.people {
		n := len(w.under(p.ID).people)
		switch {
		case p.Status != "active" || p.ManagerID == nil:
		case n == 0:
			clerk = p
		case n > len(w.under(boss.ID).people):
			boss = p
		}
	}
	if boss.ID == "" || clerk.ID == "" {
		t.Fatal("the company has no manager beneath its head, or nobody without reports")
	}
	return boss, clerk
}

// popular is the entitlement that most accounts hold.
func (w world) popular() (id string) {
	count := map[string]int{}
	for _, g := range w.grants {
		if count[g.Entitlement]++; count[g.Entitlement] > count[id] || id == "" {
			id = g.Entitlement
		}
	}
	return id
}
