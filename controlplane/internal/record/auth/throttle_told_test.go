package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

const own = "a pass phrase of one's own"

// signInAt signs in at a tenant, or without one.
func (h *house) signInAt(slug, email, plain string) answer {
	h.t.Helper()
	return h.call("POST", "/auth/login", "", fmt.Sprintf(`{"email":%q,"password":%q,"tenant":%q}`, email, plain, slug))
}

// plant makes a tenant with a user of an address, whose password whoever asks knows.
func (h *house) plant(slug, email string) (tenantID string) {
	h.t.Helper()
	made, err := tenant.Bootstrap{Slug: slug, AdminEmail: email, AdminPassword: own}.Run(ctx, h.db)
	if err != nil {
		h.t.Fatal(err)
	}
	return made.Tenant.ID
}

// repassword gives the users of another tenant a password.
func (h *house) repassword(tenantID, plain string) {
	h.t.Helper()
	err := h.db.As(ctx, viewer.System(tenantID), func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `update app_user set password_hash = $1`, password.Hash(plain))
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// TestThrottlingDoesNotTellWhereAnAddressIsKnown compares what somebody hears who tries an address that a tenant knows
// with what they hear of one that no tenant knows.
func TestThrottlingDoesNotTellWhereAnAddressIsKnown(t *testing.T) {
	type step struct {
		times       int
		slug, plain string
	}
	for name, way := range map[string][]step{
		"without a tenant, then at one that does not exist": {{5, "", "wrong"}, {1, "nowhere", "wrong"}},
		"without a tenant, then at its own":                 {{5, "", "wrong"}, {1, "acme", "wrong"}},
		"at its own tenant, then without":                   {{5, "acme", "wrong"}, {1, "", "wrong"}},
		"at its own tenant, then at another":                {{5, "acme", "wrong"}, {1, "beta", "wrong"}},
		"at the planted user's, then without":               {{5, "beta", "wrong"}, {1, "", "wrong"}},
		"without, then at the planted user's":               {{5, "", "wrong"}, {1, "beta", "wrong"}},
		"as the planted user, then at its own":              {{5, "", own}, {1, "acme", "wrong"}},
	} {
		var heard []string
		for _, email := range []string{"ada@acme.example", "eve@acme.example"} { // the first is known at acme
			h := open(t)
			if strings.Contains(name, "planted") {
				h.plant("beta", email)
			}
			var all strings.Builder
			for _, s := range way {
				for range s.times {
					a := h.signInAt(s.slug, email, s.plain)
					fmt.Fprintf(&all, "%d %s; ", a.status, a.code)
				}
			}
			heard = append(heard, all.String())
		}
		if heard[0] != heard[1] {
			t.Errorf("%s: of a known address one hears\n%s\nof another\n%s", name, heard[0], heard[1])
		}
	}
}

func TestTheOwnPasswordInAnotherTenantIsNoFreeGuess(t *testing.T) {
	h := open(t)
	beta := h.plant("beta", "ada@acme.example")
	for i := range 5 {
		guess := fmt.Sprintf("guess number %d", i)
		h.repassword(beta, guess)
		h.signInAt("", "ada@acme.example", guess).want(t, guess, 200, "")
	}
	h.repassword(beta, canary)
	in := h.signInAt("", "ada@acme.example", canary)
	if in.status != 200 || in.TenantID != beta {
		t.Errorf(
			"after five guesses the sixth, right one shows that it fits in another tenant too: %d %s",
			in.status,
			in.body,
		)
	}
	h.pass(15*time.Minute + time.Second)
	h.signInAt("acme", "ada@acme.example", canary).want(t, "later, in that tenant", 200, "")
}
