package request_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/inbox"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// house is a served API over a small company: boss over mia over ann and tom; olga owns what can be asked for. Chains,
// the inbox and fulfilment are the real ones; the target is played by statements on grants.
type house struct {
	*recordtest.House
	requests                   *request.Service
	given                      *fulfil.Service
	chains                     *chain.Service
	boss, mia, ann, tom, olga  string
	root                       string // the administrator's identity
	system, group, vault, role string // a connector, a group of low risk, one of high, and a role that holds the first
	annsAccount                string
	at                         time.Time // the time that the packages use; zero: now
}

// escalate does one pass of the work on overdue reviews, and says how many it escalated.
func (h *house) escalate() (int, error) {
	work := &queue.Queue{DB: h.DB, Log: slog.New(slog.DiscardHandler), Kinds: h.requests.Kinds()}
	return work.Look(context.Background())
}

// passes does the work that time brings to chains.
func (h *house) passes() {
	h.T.Helper()
	h.Exec(`update chain set look_at = now() - interval '1 second'`)
	if _, err := h.chains.Part(context.Background(), h.Tenant.Tenant); err != nil {
		h.T.Fatal(err)
	}
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		log := slog.New(slog.DiscardHandler)
		inbox := &inbox.Service{
			DB:      db,
			Cursors: cursors,
			Log:     log,
			Now:     h.now,
			Answers: map[string]decision.Answer{},
		}
		h.chains = &chain.Service{DB: db, Log: log, Now: h.now}
		h.requests = &request.Service{DB: db, Cursors: cursors, Chains: h.chains, Inbox: inbox, Log: log, Now: h.now}
		h.chains.Decided, h.chains.CheckApproval = h.requests.Decided, h.requests.CheckApproval
		h.given = &fulfil.Service{DB: db, Log: log, Now: h.now, Moved: h.requests.Moved}
		for kind, answer := range h.chains.Answers() {
			inbox.Answers[kind] = answer
		}
		for kind, answer := range h.requests.Answers() {
			inbox.Answers[kind] = answer
		}
		return append(h.requests.Routes(), inbox.Routes()...)
	})
	h.boss = h.user("boss", "", viewer.Manager)
	h.mia = h.user("mia", h.boss, viewer.Manager)
	h.ann = h.user("ann", h.mia)
	h.tom = h.user("tom", h.mia)
	h.olga = h.user("olga", h.boss, viewer.ResourceOwner)
	h.EverybodySignsIn()
	h.root = h.user("root", "", viewer.Admin)
	h.user("auditor", "", viewer.Auditor)
	h.system = newID()
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'dir',
			'Directory', 'ldap')`,
		h.system,
	)
	h.annsAccount = h.Account(h.system, "ann", h.ann)
	h.group, h.vault = h.offered("ledger", "low", h.olga), h.offered("vault", "high", h.olga)
	h.role = newID()
	h.Exec(
		`insert into role (tenant_id, id, key, name, owner_ids, requestable) values (current_tenant(), $1, 'clerk',
			'Clerk', array[$2::uuid], true)`,
		h.role,
		h.olga,
	)
	h.Exec(
		`insert into role_entitlement (tenant_id, role_id, entitlement_id) values (current_tenant(), $1, $2)`,
		h.role,
		h.offered("books", "low"),
	)
	return h
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (h *house) now() time.Time {
	if h.at.IsZero() {
		return time.Now()
	}
	return h.at
}

// user makes a person who signs in by their name.
func (h *house) user(name, manager string, roles ...viewer.Role) string {
	h.T.Helper()
	id := h.Person(name, manager)
	h.Let(name, h.Tenant.Tenant, id, roles...)
	names := []string{}
	for _, r := range roles {
		names = append(names, string(r))
	}
	h.Exec(
		`insert into app_user (tenant_id, id, email, display_name, identity_id, roles) values (current_tenant(), $1,
			$2 || '@example.com', $2, $3, $4)`,
		newID(),
		name,
		id,
		names,
	)
	return id
}

// offered makes a group that anybody may ask for.
func (h *house) offered(name, risk string, owners ...string) string {
	h.T.Helper()
	id := h.Entitlement(h.system, name, owners...)
	h.Exec(
		`update entitlement set requestable = true, business_description = 'for those who need it',
			risk_level = $2 where id = $1`,
		id,
		risk,
	)
	return id
}

// rule makes an approval rule for some entitlements.
func (h *house) rule(name string, branches, terms string, entitlements ...string) string {
	h.T.Helper()
	id := newID()
	h.Exec(`insert into approval_rule (tenant_id, id, name, applies_to, branches, terms)
		values (current_tenant(), $1, $2, jsonb_build_object('entitlement_ids', $3::text[]), $4::text::jsonb,
		    $5::text::jsonb)`, id, name, entitlements, branches, terms)
	return id
}

const byManager = `[{"outcome":{"kind":"chain","stages":[{"name":"Manager",` +
	`"groups":[{"approvers":[{"kind":"manager"}],"mode":"any"}],"fallback":[{"kind":"app_role",` +
	`"app_role":"admin"}]}]}}]`

// wish is the body of a request for entitlements.
func wish(who string, entitlements ...string) map[string]any {
	things := []any{}
	for _, e := range entitlements {
		things = append(things, map[string]any{"entitlement_id": e})
	}
	return map[string]any{
		"requested_for_identity_id": who,
		"requested_resources":       things,
		"justification":             "the books must be closed",
	}
}

// with is a body with more members.
func with(body map[string]any, more ...any) map[string]any {
	out := map[string]any{}
	for k, v := range body {
		out[k] = v
	}
	for i := 0; i+1 < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

// thing is a body of which the first resource has more members.
func thing(body map[string]any, more ...any) map[string]any {
	first := body["requested_resources"].([]any)[0].(map[string]any)
	return with(body, "requested_resources", []any{with(first, more...)})
}

// ask submits a request that must be taken.
func (h *house) ask(as string, body map[string]any) recordtest.Answer {
	h.T.Helper()
	return h.Must(201, as, "POST", "/access-requests", body)
}

func items(a recordtest.Answer) []map[string]any {
	var out []map[string]any
	list, _ := a.Body["items"].([]any)
	for _, i := range list {
		out = append(out, i.(map[string]any))
	}
	return out
}

// item is the id of one of a request's items.
func item(a recordtest.Answer, n int) string { return items(a)[n]["id"].(string) }

// decide has somebody decide items of a request.
func (h *house) decide(as, id, action string, itemIDs ...string) recordtest.Answer {
	h.T.Helper()
	return h.Must(200, as, "POST", "/access-requests/"+id+"/decisions", decisions(action, itemIDs...))
}

func decisions(action string, itemIDs ...string) map[string]any {
	list := []any{}
	for _, i := range itemIDs {
		list = append(list, map[string]any{"item_id": i, "action": action, "comment": "because I say so"})
	}
	return map[string]any{"decisions": list}
}

// is expects a status of a request, and of its items in their order.
func (h *house) is(id, status string, itemStatuses ...string) recordtest.Answer {
	h.T.Helper()
	a := h.Must(200, "root", "GET", "/access-requests/"+id, nil)
	got := []string{}
	for _, i := range items(a) {
		got = append(got, i["status"].(string))
	}
	if a.Text("status") != status || len(itemStatuses) > 0 && !slices.Equal(got, itemStatuses) {
		h.T.Fatalf("the request is %s with items %v; want %s with %v", a.Text("status"), got, status, itemStatuses)
	}
	return a
}

// looks has fulfilment look at everything now.
func (h *house) looks() {
	h.T.Helper()
	h.Exec(`update fulfilment set due_at = now() - interval '1 second' where state <> 'closed'`)
	if _, err := h.given.Part(context.Background(), h.Tenant.Tenant); err != nil {
		h.T.Fatal(err)
	}
}

// gives has the target have what an account was given.
func (h *house) gives(account, entitlement string) {
	h.T.Helper()
	h.Grant(h.system, account, entitlement)
	h.looks()
}

// takes has the target have it no more.
func (h *house) takes(account, entitlement string) {
	h.T.Helper()
	h.Exec(
		`update access_grant set status = 'revoked' where account_id = $1 and entitlement_id = $2`,
		account,
		entitlement,
	)
	h.looks()
}

// listen has somebody want events of requests.
func (h *house) listen() {
	h.T.Helper()
	h.Exec(
		`insert into event_wish (tenant_id, listener, kind) select current_tenant(), 'test',
			k from unnest(array['request.submitted', 'request.approved', 'request.rejected']) k`,
	)
}

// told are the kinds of events of a request, in order.
func (h *house) told(id string) string {
	h.T.Helper()
	return strings.Join(h.Strings(`select kind from event where resource_id = $1 order by sequence`, id), " ")
}

// audited are the actions in the audit log about a request, in order.
func (h *house) audited(id string) []string {
	h.T.Helper()
	return h.Strings(`select action from audit_event where subject_id = $1 order by seq`, id)
}
