package role_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// within runs fn as the tenant's system and gives its error.
func within(h *recordtest.House, fn func(ctx context.Context, tx *pg.Tx) error) error {
	ctx := context.Background()
	return h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error { return fn(ctx, tx) })
}

func assign(h *recordtest.House, a assignment.Assignment) (id string, err error) {
	err = within(h, func(ctx context.Context, tx *pg.Tx) error {
		ids, err := assignment.Assign(ctx, tx, []assignment.Assignment{a})
		if err == nil {
			id = ids[0]
		}
		return err
	})
	return id, err
}

// given are the live reasons of somebody, as name, kind, state and whether they end.
func given(h *recordtest.House, person string) string {
	return fmt.Sprint(
		h.Strings(
			`select e.name || ' ' || r.kind || ' ' || r.state || case when r.ends_at is null then '' else ' ends' end
		from access_reason r join entitlement e on e.id = r.entitlement_id where r.identity_id = $1
		    and r.state <> 'ended' order by 1`,
			person,
		),
	)
}

func TestAnAssignmentGivesWhatTheRoleAndItsPartsHold(t *testing.T) {
	h := house(t)
	connector, ann := uuid.NewString(), h.Person("ann", "")
	staff, books := h.Entitlement(connector, "staff"), h.Entitlement(connector, "books")
	inner := h.Must(201, "admin", "POST", roles,
		map[string]any{"name": "Inner", "entitlement_ids": []string{books, staff}}).
		Text("id")
	outer := h.Must(201, "admin", "POST", roles, map[string]any{"name": "Outer", "entitlement_ids": []string{staff}}).
		Text("id")
	h.Exec(`insert into role_child (tenant_id, role_id, child_id) values (current_tenant(), $1, $2)`, outer, inner)
	h.Exec(`delete from work_item where kind = 'policy'`)
	request := uuid.NewString()
	id, err := assign(
		h,
		assignment.Assignment{
			RoleID:     outer,
			IdentityID: ann,
			Kind:       ledger.Request,
			Reason:     "needed",
			RequestID:  &request,
			Details:    map[string]any{"number": "AR-1"},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := given(h, ann); got != "[books request active staff request active]" {
		t.Errorf("reasons: %s", got)
	}
	if n := h.Count(
		`select count(*) from access_reason where source_type = 'role_assignment' and source_id = $1 and role_id = $2
			and details->>'number' = 'AR-1' and note = 'needed'`,
		id,
		outer,
	); n != 2 {
		t.Errorf("%d reasons say where they come from; want 2", n)
	}
	if n := h.Count(`select count(*) from work_item where kind = 'policy' and subject = $1`, ann); n == 0 {
		t.Error("nobody looks at the person's rules")
	}
	if n := h.Count(`select count(*) from audit_event where action = 'role.assigned'`); n != 1 {
		t.Errorf("%d events; want 1", n)
	}
	err = within(h, func(ctx context.Context, tx *pg.Tx) error {
		n, err := assignment.Unassign(ctx, tx, []string{id, uuid.NewString()}, time.Time{}, "not needed any more", true)
		if n != 2 {
			t.Errorf("%d reasons ended; want 2", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := given(h, ann); got != "[]" {
		t.Errorf("after its end: %s", got)
	}
	if n := h.Count(
		`select count(*) from role_assignment where state = 'ended' and end_reason = 'not needed any more'
			and ended_at is not null`,
	); n != 1 {
		t.Error("the assignment did not end")
	}
}

func TestAnAssignmentBeginsAndEndsInItsTime(t *testing.T) {
	h := house(t)
	connector, ann := uuid.NewString(), h.Person("ann", "")
	staff := h.Entitlement(connector, "staff")
	id := h.Must(201, "admin", "POST", roles, map[string]any{"name": "Staff", "entitlement_ids": []string{staff}}).
		Text("id")
	soon, late := time.Now().Add(time.Hour), time.Now().Add(48*time.Hour)
	made, err := assign(
		h,
		assignment.Assignment{RoleID: id, IdentityID: ann, Kind: assignment.ByHand, StartsAt: soon, EndsAt: &late},
	)
	if err != nil {
		t.Fatal(err)
	}
	state := func() string {
		return h.Strings(`select state || ' ' || coalesce(round(extract(epoch from ends_at - starts_at) / 3600)::text,
			'never') from role_assignment where id = $1`, made)[0]
	}
	if got := state() + given(h, ann); got != "scheduled 47[staff role scheduled ends]" {
		t.Error(got)
	}
	at := func(now time.Time) {
		t.Helper()
		if err := within(h, func(ctx context.Context, tx *pg.Tx) error {
			if _, _, err := ledger.Settle(ctx, tx, now); err != nil {
				return err
			}
			_, err := assignment.Settle(ctx, tx, now)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	at(soon.Add(time.Minute))
	if got := state() + given(h, ann); got != "active 47[staff role active ends]" {
		t.Error(got)
	}
	later := late.Add(24 * time.Hour)
	if err := within(
		h,
		func(ctx context.Context, tx *pg.Tx) error { return assignment.Extend(ctx, tx, made, &later) },
	); err != nil {
		t.Fatal(err)
	}
	at(late.Add(time.Minute))
	if got := state() + given(h, ann); got != "active 71[staff role active ends]" {
		t.Error(got)
	}
	at(later)
	if got := state() + given(h, ann); got != "ended 71[]" {
		t.Error(got)
	}
	err = within(h, func(ctx context.Context, tx *pg.Tx) error { return assignment.Extend(ctx, tx, made, nil) })
	if !fault.IsCode(err, "invalid_transition") {
		t.Errorf("what has ended is extended: %v", err)
	}
}

func TestWhoHasLeftAndWhatIsOutOfUseAreNotAssigned(t *testing.T) {
	h := house(t)
	ann, gone := h.Person("ann", ""), h.Person("gone", "")
	h.Exec(`update identity set status = 'deactivated' where id = $1`, gone)
	id := h.Must(201, "admin", "POST", roles, map[string]any{"name": "Staff"}).Text("id")
	draft := h.Must(201, "admin", "POST", roles, map[string]any{"name": "Draft", "lifecycle": "draft"}).Text("id")
	for _, tt := range []struct {
		role, person, code string
	}{{id, gone, "person_has_left"}, {draft, ann, "role_not_assignable"}, {uuid.NewString(), ann, "not_found"}} {
		_, err := assign(h, assignment.Assignment{RoleID: tt.role, IdentityID: tt.person, Kind: assignment.ByHand})
		if !fault.IsCode(err, tt.code) && !(tt.code == "not_found" && fault.Is(err, fault.NotFound)) {
			t.Errorf("%v; want %s", err, tt.code)
		}
	}
	if _, err := assign(h, assignment.Assignment{RoleID: id, IdentityID: ann, Kind: assignment.ByHand}); err != nil {
		t.Fatal(err)
	}
	if _, err := assign(
		h,
		assignment.Assignment{RoleID: id, IdentityID: ann, Kind: assignment.ByHand},
	); !fault.IsCode(
		err,
		"already_assigned",
	) {
		t.Errorf("twice by hand: %v", err)
	}
	if _, err := assign(h, assignment.Assignment{RoleID: id, IdentityID: ann, Kind: ledger.Emergency}); err != nil {
		t.Errorf("in an emergency beside it: %v", err)
	}
}
