package plan

import (
	"cmp"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Notice is how long before its end a grant is said to be ending: a week, so that there is time to request it again.
const Notice = 7 * 24 * time.Hour

// Person is a person as the planner sees them.
type Person struct {
	ID string `db:"id"`
	// Status is the person's status in the directory, such as active or on_leave.
	Status string `db:"status"`
	// Urgent puts the person's tasks into the urgent lane, as after an immediate termination.
	Urgent bool      `db:"urgent"`
	Since  time.Time `db:"status_changed_at"` // the status
	// Now is the database's time at the reading, by which all of the plan is made.
	Now   time.Time `db:"now"`
	Known bool      `db:"known"` // before they went
	// Wants are the live reasons, with what they ask for.
	Wants []ledger.Want `db:"-"`
	// Accounts are those that are there or on their way.
	Accounts []Account `db:"-"`
	// Deleted because syncs do not show them, which is no proof that they are gone.
	Unseen []Account `db:"-"`
	// Grants are those of the accounts, by account and entitlement.
	Grants  map[Pair]Grant         `db:"-"`
	History map[string]Past        `db:"-"` // by entitlement
	life    map[string][]task.Open `db:"-"` // by account, the one that decides first
	holding map[string]task.Open   `db:"-"` // by grant
	Lost    map[string]bool        `db:"-"` // systems in which an account of theirs was removed that a reason asks for
	// Settings are the tenant's: what happens during a leave, and after a departure.
	Settings Conditions `db:"-"`
}

// Prepare makes the person ready to be filled.
func (p *Person) Prepare() {
	p.Grants, p.History, p.life = map[Pair]Grant{}, map[string]Past{}, map[string][]task.Open{}
	p.holding, p.Lost = map[string]task.Open{}, map[string]bool{}
}

// Conditions under which a person is looked at.
type Conditions struct {
	Now         time.Time
	Leave       string // keep or disable
	DeleteAfter *time.Duration
	Zone        *time.Location // of the tenant's days
	Urgent      bool           // asked for by a user or a decision
	Connectors  map[string]ability.Ability
	Offers      map[string]Offer // entitlements
}

// Offer is an entitlement as the planner sees it.
type Offer struct {
	// Grantable and Revocable say what the target lets be changed.
	Grantable, Revocable bool
}

// Past is what reasons have asked for before.
type Past struct {
	Kind     string          // of the latest reason
	Accounts map[string]bool // "": their main one
}

// Pair is an account and an entitlement, by their ids.
type Pair struct{ Account, Entitlement string }

// Account is an account of the person that is there, or that is to be made.
type Account struct {
	ID          string `db:"id"`
	IdentityID  string `db:"identity_id"`
	ConnectorID string `db:"connector_id"`
	// Status is the account's status, such as provisioning or active.
	Status   string `db:"status"`
	Disabled bool   `db:"is_disabled"`
	// Managed says whether the product may change the account.
	Managed   string    `db:"managed"`
	Type      string    `db:"account_type"`
	CreatedAt time.Time `db:"created_at"`
	// WantedAt is when a reason first asked for the account. Nil: none has.
	WantedAt *time.Time `db:"wanted_at"`
	// DisabledFor is why the product disabled the account. Nil: it did not, and so it never enables
	// it.
	DisabledFor *string    `db:"disabled_for"`
	DisabledAt  *time.Time `db:"disabled_at"`
}

// Grant is an entitlement that an account holds, held, or is to hold.
type Grant struct {
	ID            string `db:"id"`
	AccountID     string `db:"account_id"`
	EntitlementID string `db:"entitlement_id"`
	Status        string `db:"status"`
	Directness    string `db:"directness"`
	// Immutable grants cannot be revoked one by one, such as a primary group.
	Immutable bool       `db:"immutable"`
	EndsAt    *time.Time `db:"ends_at"`
	// WantedAt is when a reason first asked for the grant. Nil: none has, and so it is native.
	WantedAt   *time.Time `db:"wanted_at"`
	Reappeared bool       `db:"reappeared"` // it came back in the target after we had revoked it
	Removed    bool       `db:"removed"`    // it was removed in the target, not by us
}

// governed are the values of managed with which rules write an account: they disable and enable it, and give and take
// its grants. Of one that is discovered no attribute is written.
var governed = []string{"managed", "discovered"}

// Writable says whether rules may write the account at all. They leave alone what is protected, read only or unmanaged,
// and accounts that do not belong to a person.
func (a Account) Writable() bool {
	return slices.Contains(governed, a.Managed) && (a.Type == "person" || a.Type == "unknown")
}

// mainAccount is the account of a system that reasons mean which name none: one that is there before one that is
// missing, one that is known to be a person's before one of unknown type, and then the oldest. Where a person has one
// that rules may not write, no other one is made beside it.
func mainAccount(accounts []Account) (Account, bool) {
	own := slices.DeleteFunc(
		slices.Clone(accounts),
		func(a Account) bool { return a.Type != "person" && a.Type != "unknown" || a.Status == "deleted" },
	)
	if len(own) == 0 {
		return Account{}, false
	}
	slices.SortFunc(own, func(a, b Account) int {
		return cmp.Or(
			falseFirst(a.Status == "missing" || a.Status == "failed", b.Status == "missing" || b.Status == "failed"),
			falseFirst(!a.Writable(), !b.Writable()),
			falseFirst(a.Type != "person", b.Type != "person"),
			a.CreatedAt.Compare(b.CreatedAt),
			cmp.Compare(a.ID, b.ID),
		)
	})
	return own[0], true
}

// falseFirst puts what is false first.
func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// seesGo says whether it is ours to see to it that an account cannot be used when its owner goes: it was there when
// they went, or we gave it to them. One that is found later is an orphan, for people to decide about.
func (p Person) seesGo(a Account) bool {
	return p.Known && !a.CreatedAt.After(p.Since) || a.WantedAt != nil || a.DisabledFor != nil
}

// gone people hold nothing that we gave. Those who are away cannot use what they hold, where the tenant wants it so.
func (p Person) gone() bool { return p.Status == "deactivated" || p.Status == "archived" }

// away says whether the person is on a leave during which accounts are disabled.
func (p Person) away() bool { return p.Status == "on_leave" && p.Settings.Leave == "disable" }

// Add keeps a task. They come with those first on which depends what becomes of a grant or an account: one that has not
// ended before one that is to be shown, and what waits for another task last.
func (p *Person) Add(t task.Open) {
	switch {
	case t.GrantID != nil:
		if _, first := p.holding[*t.GrantID]; !first {
			p.holding[*t.GrantID] = t
		}
	case task.IsAboutAccount(t.Operation) && t.AccountID != nil:
		p.life[*t.AccountID] = append(p.life[*t.AccountID], t)
	}
}
