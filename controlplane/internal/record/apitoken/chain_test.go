package apitoken

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
)

// signer makes no real tokens, and counts how often what is known of them was to be forgotten.
type signer struct{ forgotten int }

func (*signer) IssueServiceToken(context.Context, *pg.Tx, bearer.ServiceClaims) (string, error) {
	return "token", nil
}
func (s *signer) ForgetTokens(string) { s.forgotten++ }

// desk is the service with an administrator, at a clock of its own.
type desk struct {
	*Service
	t     *testing.T
	admin viewer.Viewer
	clock time.Time
	signs signer
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	d := &desk{t: t, clock: now}
	d.admin = viewer.Viewer{
		Tenant: v.Tenant,
		Kind:   viewer.User,
		ID:     uuid.NewString(),
		Roles:  []viewer.Role{viewer.Admin},
	}
	d.Service = &Service{DB: db, Tokens: &d.signs, Now: func() time.Time { return d.clock }}
	err := db.As(t.Context(), v, func(tx *pg.Tx) error {
		_, err := tx.Exec(
			t.Context(),
			`insert into app_user (tenant_id, id, email, roles, status) values (current_tenant(), $1,
				'ada@acme.example', '{admin}', 'active')`,
			d.admin.ID,
		)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) as(token Issued) viewer.Viewer {
	return viewer.Viewer{
		Tenant: d.admin.Tenant,
		Kind:   viewer.Service,
		ID:     token.ID,
		Roles:  []viewer.Role{token.Role},
		Scopes: token.Scopes,
	}
}

func (d *desk) make(v viewer.Viewer, name string) Issued {
	d.t.Helper()
	made, err := d.Create(d.t.Context(), v, NewToken{Name: name, Role: viewer.Admin, Scopes: []string{"tokens:write"}})
	if err != nil {
		d.t.Fatal(err)
	}
	return made
}

func (d *desk) rotate(v viewer.Viewer, id string) Issued {
	d.t.Helper()
	made, err := d.Rotate(d.t.Context(), v, id, "PT1H")
	if err != nil {
		d.t.Fatal(err)
	}
	return made
}

func (d *desk) patch(id, body string) {
	d.t.Helper()
	if _, err := d.Patch(d.t.Context(), d.admin, id, httpapi.IfMatch{}, []byte(body)); err != nil {
		d.t.Fatal(err)
	}
}

// states are those of tokens by name, with the reason of those that are disabled.
func (d *desk) states() map[string]string {
	d.t.Helper()
	out := map[string]string{}
	err := d.DB.As(d.t.Context(), d.admin, func(tx *pg.Tx) error {
		all, _, err := list(d.t.Context(), tx, Filters{Sort: "name"}, pg.Page{Limit: 50}, d.clock)
		for _, k := range all {
			state := string(k.State)
			if k.DisabledReason != nil {
				state += " " + *k.DisabledReason
			}
			name := k.Name
			if k.RotatedFromID != nil {
				name += "'"
			}
			out[name] = state
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

func (d *desk) want(when string, want map[string]string) {
	d.t.Helper()
	if diff := cmp.Diff(want, d.states()); diff != "" {
		d.t.Errorf("%s: -want +got\n%s", when, diff)
	}
}

func TestDisablingATokenReachesAllThatItMade(t *testing.T) {
	d := openDesk(t)
	maker := d.make(d.admin, "maker")
	child := d.make(d.as(maker), "child")
	next := d.rotate(d.as(child), child.ID)
	if next.MadeByID == nil || *next.MadeByID != maker.ID {
		t.Errorf("a child that replaced itself was made by %v; want the maker of the child", next.MadeByID)
	}
	d.make(d.as(next), "grandchild")
	d.make(d.admin, "stranger")
	alive := map[string]string{
		"maker":      "active",
		"child":      "expiring",
		"child'":     "active",
		"grandchild": "active",
		"stranger":   "active",
	}
	d.want("at first", alive)
	d.signs.forgotten = 0
	d.patch(maker.ID, `{"enabled":false}`)
	if d.signs.forgotten == 0 {
		t.Error("what is known of the tokens in this process was not forgotten")
	}
	d.want(
		"disabled",
		map[string]string{"maker": "disabled administrator", "child": "disabled maker", "child'": "disabled maker",
			"grandchild": "disabled maker", "stranger": "active"},
	)
	if _, err := d.Rotate(t.Context(), d.admin, next.ID, ""); !fault.IsCode(err, "token_disabled") {
		t.Errorf("replacing what is dead with its maker: %v; want token_disabled", err)
	}
	d.patch(maker.ID, `{"enabled":true}`)
	d.want("enabled again", alive)
}

func TestATokenOutlivesTheEndOfWhatMadeOrPrecededIt(t *testing.T) {
	d := openDesk(t)
	maker := d.make(d.admin, "maker")
	d.make(d.as(maker), "child")
	next := d.rotate(d.as(maker), maker.ID)
	if next.MadeByID != nil {
		t.Errorf("the successor was made by %s; want nobody but the administrator", *next.MadeByID)
	}
	d.clock = d.clock.Add(2 * time.Hour)
	d.want("after the overlap", map[string]string{"maker": "expired", "maker'": "active", "child": "active"})
	if err := d.Revoke(t.Context(), d.admin, maker.ID, httpapi.IfMatch{}, false); err != nil {
		t.Fatal(err)
	}
	d.want("once the old one is revoked", map[string]string{"maker": "revoked", "maker'": "active", "child": "revoked"})
}

func TestTheLogOfANewTokenNamesNothingThatIsEmpty(t *testing.T) {
	d := openDesk(t)
	made := d.make(d.admin, "export")
	var told string
	err := d.DB.As(t.Context(), d.admin, func(tx *pg.Tx) error {
		return tx.QueryRow(t.Context(), `
			select string_agg(c ->> 'field', ' ' order by n)
			  from audit_event e, jsonb_array_elements(e.event::jsonb -> 'changes') with ordinality x (c, n)
			 where e.action = 'api_token.created' and e.event::jsonb -> 'subject' ->> 'id' = $1`, made.ID).Scan(&told)
	})
	if want := "enabled idle_disable_after name"; err != nil || told != want {
		t.Errorf("changes: %q, %v; want %q", told, err, want)
	}
}
