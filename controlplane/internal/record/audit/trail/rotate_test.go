package trail_test

import (
	"slices"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

func TestANewKeyIsAnnouncedUnderTheOldOneAndBothVerify(t *testing.T) {
	h := open(t)
	other := pgtest.Tenant(t, h.db, "other")
	h.write(h.tenant, 30)
	h.sign()
	old := h.public()
	key, err := h.log.Rotate(ctx, []string{h.tenant.Tenant, other.Tenant})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.text(
		`select count(*)::text from audit_event where action = 'audit.key_rotated'
			and event::json -> 'context' ->> 'fingerprint' = $1`,
		chain.Fingerprint(key.Public),
	); got != "2" {
		t.Errorf("announced in %s logs; want both", got)
	}
	announced := h.text(
		`select e.seq::text || ' ' || (select c.kid <> $1 from audit_checkpoint c where c.tenant_id = e.tenant_id
		    and c.seq >= e.seq order by c.seq limit 1)::text
		from audit_event e where e.tenant_id = $2 and action = 'audit.key_rotated'`,
		key.ID,
		h.tenant.Tenant,
	)
	if announced != "33 true" {
		t.Errorf("the entry and whether the old key signed it: %s", announced)
	}
	h.write(h.tenant, 5)
	path, _ := h.exported()
	if kid := h.text(
		`select kid from audit_checkpoint where tenant_id = $1 order by seq desc limit 1`,
		h.tenant.Tenant,
	); kid != key.ID {
		t.Errorf("signed with %s; want the new key %s", kid, key.ID)
	}
	if v := h.verify(); !v.OK || v.Checkpoints != 3 {
		t.Errorf("verdict = %+v, %+v", v, v.FirstBreak)
	}
	if r, err := chain.VerifyFile(path); err != nil || r.Break != nil || len(r.Keys) != 2 {
		t.Errorf("the export under its own keys: %+v, %v", r, err)
	}
	if r, err := chain.VerifyFile(path, old, key.Public); err != nil || r.Break != nil {
		t.Errorf("the export under both keys: %+v, %v", r.Break, err)
	}
	out := h.call(200, "auditor", "GET", "/audit-events/checkpoints", nil)
	var states []bool
	for _, k := range out["keys"].([]any) {
		states = append(states, k.(map[string]any)["active"].(bool))
	}
	if !slices.Equal(states, []bool{false, true}) {
		t.Errorf("keys are active: %v", states)
	}
}

func TestARotationThatWasInterruptedGoesOnWithTheSameKey(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 3)
	if _, err := h.log.Rotate(ctx, []string{h.tenant.Tenant, "no tenant"}); err == nil {
		t.Fatal("a tenant that is not there was told of the key")
	}
	waiting := h.text(`select kid from signing_key where audience = 'audit' and state = 'next'`)
	key, err := h.log.Rotate(ctx, []string{h.tenant.Tenant})
	if err != nil || key.ID != waiting {
		t.Errorf("went on with %s, %v; want %s", key.ID, err, waiting)
	}
	if got := h.text(
		`select string_agg(state, ' ' order by created_at) || ' ' || (select count(*) from audit_event
		    where action = 'audit.key_rotated')
		from signing_key where audience = 'audit'`,
	); got != "verify_only active 1" {
		t.Errorf("keys, and entries about them: %s", got)
	}
}
