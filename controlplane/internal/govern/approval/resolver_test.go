package approval_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// try resolves by a rule that is the default, and takes it away again.
func (h *house) try(stages ...object) func(s approval.Subject) approval.Plan {
	h.T.Helper()
	h.Exec(`delete from approval_rule`)
	h.make(rule("tried", object{"default": true}, stages...))
	return h.resolve
}

// TestEveryKindOfResolverNamesWhomItSays goes through the kinds, for a person with a manager over a manager.
func TestEveryKindOfResolverNamesWhomItSays(t *testing.T) {
	h := open(t)
	h.Exec(
		`update identity set sponsor_id = $1, backup_owner_id = $2,
			attributes = jsonb_build_object('mentor', 'olga@example.com') where id = $3`,
		h.olga,
		h.boss,
		h.ada,
	)
	h.Assign(h.role, h.olga)
	h.Assign(h.role, h.lead)
	h.User("watcher", h.olga, "auditor")
	h.User("both", h.boss, "auditor", "resource_owner")
	schedule := h.Must(
		201,
		"admin",
		"POST",
		"/approval-rules/on-call",
		object{"name": "desk", "identity_ids": []string{h.boss, h.olga, h.ada}, "shift": "P1D",
			"starts_at": aTuesday.Add(-25 * time.Hour)},
	)
	if schedule.Text("on_call_identity_id") != h.olga {
		t.Errorf("on call: %v", schedule.Body)
	}
	role := func(s *approval.Subject) { s.EntitlementID, s.RoleID = nil, &h.role }
	h.Exec(
		`insert into role_entitlement (tenant_id, role_id, entitlement_id) values (current_tenant(), $1, $2)`,
		h.role,
		h.group,
	)
	for _, tt := range []struct {
		about    string
		resolver object
		change   func(s *approval.Subject)
		want     string
	}{
		{"the manager", by("manager"), nil, "1 of lead"},
		{"the manager's manager", object{"kind": "manager", "level": 2}, nil, "1 of boss"},
		{"a manager too high up", object{"kind": "manager", "level": 3}, nil, "1 of administrators (fallback)"},
		{"the owner of an entitlement", by("entitlement_owner"), nil, "1 of olga"},
		{"the owner of a role, for an entitlement", by("role_owner"), nil, "1 of administrators (fallback)"},
		{"the owner of a role", by("role_owner"), role, "1 of olga"},
		{"the owner of what a role holds", by("entitlement_owner"), role, "1 of olga"},
		{"the owner of the thing", by("resource_owner"), role, "1 of olga"},
		{"the owner of a system", by("connector_owner"), nil, "1 of administrators (fallback)"},
		{"the sponsor", by("sponsor"), nil, "1 of olga"},
		{"the sponsor, who asks", by("sponsor"), func(s *approval.Subject) { s.RequesterID = h.olga },
			"1 of boss (fallback)"},
		{"a person", person(h.boss), nil, "1 of boss"},
		{"holders of a role", object{"kind": "group", "role_id": h.role}, nil, "1 of lead, olga"},
		{"a role of the tenant", object{"kind": "app_role", "app_role": "resource_owner"}, nil, "1 of resource owners"},
		{"auditors, of whom one may write", object{"kind": "app_role", "app_role": "auditor"}, nil, "1 of auditors"},
		{"a role that nobody has", object{"kind": "app_role", "app_role": "manager"}, nil,
			"1 of administrators (fallback)"},
		{"an expression that gives an address",
			object{"kind": "expression", "text": "identity['attributes']['mentor']"}, nil, "1 of olga"},
		{"an expression that gives ids", object{"kind": "expression", "text": "[identity['sponsor_id'], 'boss', " +
			"None, 'nobody at all']"}, nil, "1 of olga, boss"},
		{"an expression over the request", object{"kind": "expression", "text": "'boss' if request['urgency'] == " +
			"'normal' else 'lead'"}, nil, "1 of boss"},
		{"an expression that fails", object{"kind": "expression", "text": "identity['attributes']['gone']"}, nil,
			"1 of administrators (fallback)"},
		{"an expression that never ends", object{"kind": "expression",
			"text": "[x for x in range(10**9) if False] or 'boss'"}, nil, "1 of administrators (fallback)"},
		{"who is on call", object{"kind": "on_call", "schedule_id": schedule.Text("id")}, nil, "1 of olga"},
		{"who is on call, and asks", object{"kind": "on_call", "schedule_id": schedule.Text("id")},
			func(s *approval.Subject) { s.RequesterID = h.olga }, "1 of boss (fallback)"},
		{"a choice of nobody", by("requester_choice"), nil, "1 of administrators (fallback)"},
		{"a choice", by("requester_choice"), func(s *approval.Subject) { s.Approvers = []string{h.boss} }, "1 of boss"},
		{"a choice of who may not be chosen",
			object{"kind": "requester_choice", "from": object{"field": "manager", "op": "in_tree", "value": "boss"}},
			func(s *approval.Subject) { s.Approvers = []string{h.boss, h.olga} }, "1 of olga"},
		{"a choice of oneself", by("requester_choice"), func(s *approval.Subject) { s.Approvers = []string{h.ada} },
			"1 of administrators (fallback)"},
	} {
		s := h.subject()
		if tt.change != nil {
			tt.change(&s)
		}
		p := h.try(stage(group("any", tt.resolver)))(s)
		got := strings.ReplaceAll(said(p), "1 of olga, lead", "1 of lead, olga")
		if got != tt.want {
			t.Errorf("%s: %s; want %s\n%v", tt.about, got, tt.want, p.Log)
		}
		if len(p.Log) < 3 || p.Blocked {
			t.Errorf("%s: blocked %v, log %v", tt.about, p.Blocked, p.Log)
		}
	}
}

func TestGroupsAgreeAsTheirModeSays(t *testing.T) {
	h := open(t)
	h.Exec(`update identity set status = 'deactivated' where external_id = 'boss'`)
	fallback := func(s object, to ...object) object { s["fallback"] = to; return s }
	for _, tt := range []struct {
		about  string
		stages []object
		change func(s *approval.Subject)
		want   string
	}{
		{"any, though one has left", []object{stage(group("any", person(h.boss), person(h.lead), person(h.olga)))}, nil,
			"1 of lead, olga"},
		{"all, with another for who has left",
			[]object{fallback(stage(group("all", person(h.boss), person(h.lead))), person(h.olga), person(h.root))},
			nil, "2 of lead, olga (fallback)"},
		{"all, one of them twice", []object{stage(group("all", person(h.lead), by("manager")))}, nil, "1 of lead"},
		{"a quorum with enough", []object{stage(quorum(2, person(h.boss), person(h.lead), person(h.olga)))}, nil,
			"2 of lead, olga"},
		{"a quorum with too few", []object{stage(quorum(3, person(h.boss), person(h.lead), person(h.olga)))}, nil,
			"3 of lead, olga, administrators (fallback)"},
		{"a quorum that cannot be filled", []object{stage(quorum(4, person(h.boss), person(h.lead), person(h.olga),
			by("resource_owner")))}, nil, "3 of lead, olga, administrators (fallback)"},
		{"two groups", []object{stage(group("any", person(h.lead)), group("any", person(h.olga)))}, nil,
			"1 of lead & 1 of olga"},
		{"two groups of one", []object{stage(group("any", person(h.lead)),
			group("any", person(h.lead), person(h.olga)))}, nil, "1 of lead & 1 of olga"},
		{"one who stood before", []object{stage(group("any", person(h.lead))),
			fallback(stage(group("any", by("manager"))), person(h.olga))}, nil, "1 of lead | 1 of olga (fallback)"},
		{"one who stood among many", []object{stage(group("any", person(h.lead), person(h.olga))),
			stage(group("any", person(h.lead)))}, nil, "1 of lead, olga | 1 of lead"},
		{"the beneficiary in a group", []object{stage(group("all", person(h.ada), person(h.olga)))}, nil,
			"2 of olga, administrators (fallback)"},
		{"the requester as fallback", []object{fallback(stage(group("any", person(h.boss))), person(h.lead))},
			func(s *approval.Subject) { s.RequesterID = h.lead }, "1 of administrators (fallback)"},
		{"the administrator who asks", []object{stage(group("any", by("resource_owner")))},
			func(s *approval.Subject) { s.RequesterID = h.root }, "1 of olga"},
	} {
		s := h.subject()
		if tt.change != nil {
			tt.change(&s)
		}
		p := h.try(tt.stages...)(s)
		if got := said(p); got != tt.want {
			t.Errorf("%s: %s; want %s\n%v", tt.about, got, tt.want, p.Log)
		}
	}
	body := rule(
		"lax",
		object{"default": true},
		stage(group("any", by("manager"))),
		stage(group("any", person(h.lead))),
	)
	body["distinct_approvers"], body["allow_self_approval"] = false, true
	h.Exec(`delete from approval_rule`)
	h.make(body)
	p := h.expect(h.subject(func(s *approval.Subject) { s.RequesterID = h.lead }), "1 of lead | satisfied")
	if p.Distinct || !p.SelfApproval || p.Stages[1].DueAt != nil {
		t.Errorf("plan = %+v", p)
	}
}

func TestAStageIsResolvedAnewAndEscalated(t *testing.T) {
	h := open(t)
	h.make(
		rule(
			"two",
			object{"default": true},
			stage(group("any", by("manager"), person(h.olga))),
			stage(group("any", person(h.olga))),
		),
	)
	p := h.expect(h.subject(), "1 of lead, olga | 1 of olga")
	h.Exec(`update identity set manager_id = $1 where id = $2`, h.boss, h.ada)
	ctx := context.Background()
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		first, err := resolution.Stage(ctx, tx, h.subject(), p, 0, nil, h.at)
		if err != nil {
			return err
		}
		if got := saidStage(first); got != "1 of boss, olga" || first.DueAt == nil {
			t.Errorf("the first stage: %s", got)
		}
		second, err := resolution.Stage(ctx, tx, h.subject(), p, 1, []string{h.olga}, h.at)
		if err != nil {
			return err
		}
		if got := saidStage(second); got != "1 of administrators (fallback)" || len(second.Log) == 0 {
			t.Errorf("the second stage when olga has agreed: %s", got)
		}
		p.Distinct = false
		second, err = resolution.Stage(ctx, tx, h.subject(), p, 1, []string{h.olga}, h.at)
		if err != nil {
			return err
		}
		if got := saidStage(second); got != "satisfied" {
			t.Errorf("the second stage without distinct approvers: %s", got)
		}
		slots, err := resolution.People(
			ctx,
			tx,
			h.subject(),
			p,
			[]approval.ApproverResolver{{Kind: "identity", IdentityID: h.ada}, {Kind: "manager", Level: 1}},
			"escalation",
			h.at,
		)
		if err != nil {
			return err
		}
		if len(slots) != 1 || slots[0].IdentityID != h.boss || slots[0].Via != "escalation" {
			t.Errorf("escalated to %+v", slots)
		}
		slots, err = resolution.People(
			ctx,
			tx,
			h.subject(),
			p,
			[]approval.ApproverResolver{{Kind: "identity", IdentityID: h.ada}},
			"escalation",
			h.at,
		)
		if err == nil && (len(slots) != 1 || slots[0].Role != "admin") {
			t.Errorf("escalated to %+v; want the administrators", slots)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhoeverAsksIsToldWhomTheyMayChoose(t *testing.T) {
	h := open(t)
	p := h.try(
		stage(
			group(
				"any",
				object{
					"kind": "requester_choice",
					"from": object{"field": "manager", "op": "in_tree", "value": "boss"},
				},
			),
		),
	)(h.subject())
	ctx := context.Background()
	for _, tt := range []struct {
		chosen []string
		code   string
	}{{nil, "approver_choice_required"}, {[]string{h.boss}, "approver_not_choosable"},
		{[]string{h.ada}, "approver_not_choosable"}, {[]string{h.olga}, ""}} {
		err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
			wrong, err := resolution.CheckChoice(
				ctx,
				tx,
				[]approval.Subject{h.subject(func(s *approval.Subject) { s.Approvers = tt.chosen })},
				[]approval.Plan{p},
				h.at,
			)
			if err == nil {
				err = wrong[0]
			}
			return err
		})
		if tt.code == "" && err != nil || tt.code != "" && !fault.IsCode(err, tt.code) {
			t.Errorf("chosen %v: %v; want %q", tt.chosen, err, tt.code)
		}
	}
}

func TestManyRequestsAreResolvedAsOneWouldBe(t *testing.T) {
	h := open(t)
	h.make(
		rule(
			"all",
			object{"default": true},
			stage(group("all", by("manager"), by("resource_owner"))),
			stage(group("any", object{"kind": "app_role", "app_role": "admin"})),
		),
	)
	var subjects []approval.Subject
	for i := range 60 {
		who := []string{h.ada, h.lead, h.olga}[i%3]
		subjects = append(subjects, h.subject(func(s *approval.Subject) { s.BeneficiaryID, s.RequesterID = who, who }))
	}
	for i, p := range h.resolveAll(subjects...) {
		if want := said(h.resolveAll(subjects[i%3])[0]); said(p) != want {
			t.Fatalf("request %d: %s; want %s", i, said(p), want)
		}
	}
}
