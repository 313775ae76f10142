package pack_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// house serves packs, roles, policies and people; evaluation and binding work when they are told to.
type house struct {
	*recordtest.House
	packs    *pack.Service
	policies *policy.Service
	private  ed25519.PrivateKey
}

func open(t testing.TB) *house {
	t.Helper()
	return openWith(t, func(*pack.Service) {})
}

// openWith is open with other settings of packs.
func openWith(t testing.TB, set func(*pack.Service)) *house {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{private: private}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		quiet := slog.New(slog.DiscardHandler)
		h.policies = &policy.Service{DB: db, Cursors: cursors, Log: quiet, Now: time.Now}
		h.packs = &pack.Service{
			DB:      db,
			Cursors: cursors,
			Trusted: []ed25519.PublicKey{public},
			Log:     quiet,
			Now:     time.Now,
		}
		set(h.packs)
		people := &directory.Service{DB: db, Cursors: cursors, Now: time.Now}
		roles := &role.Service{DB: db, Cursors: cursors}
		approvals := &ruleset.Service{DB: db, Cursors: cursors, Now: time.Now}
		routes := append(h.packs.Routes(), h.policies.Routes()...)
		return slices.Concat(routes, people.Routes(), roles.Routes(), approvals.Routes())
	})
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("manager", h.Tenant.Tenant, "", viewer.Manager)
	return h
}

// system adds a connector that has been read; label is its label tag, or none.
func (h *house) system(businessID, label string) string {
	id := uuid.Must(uuid.NewV7()).String()
	labels := map[string]string{}
	if label != "" {
		labels["tag"] = label
	}
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type, labels, last_success_at)
			values (current_tenant(), $1, $2, $2, 'ldap', $3, now())`,
		id,
		businessID,
		labels,
	)
	return id
}

// settle evaluates until there is nothing to do.
func (h *house) settle() {
	h.T.Helper()
	const due = `select (select count(*) from work_item where kind in ('policy', 'policy_sweep'))
		+ (select count(*) from policy_walk where finished_at is null and started_at is not null)`
	for range 10_000 {
		n, err := h.policies.Part(context.Background(), h.Tenant.Tenant)
		if err != nil {
			h.T.Fatal(err)
		}
		if n == 0 && h.Count(due) == 0 {
			return
		}
	}
	h.T.Fatal("the evaluation finds something to do again and again")
}

// look binds what waits, as after the end of a run.
func (h *house) look() {
	h.T.Helper()
	h.Exec(`update sector_pack_installation set looked_at = now() - interval '1 hour'`)
	h.bind()
}

// bind does one pass of the work on what waits, and says on how many installations.
func (h *house) bind() int {
	h.T.Helper()
	work := &queue.Queue{DB: h.DB, Log: slog.New(slog.DiscardHandler), Kinds: h.packs.Kinds()}
	n, err := work.Look(context.Background())
	if err != nil {
		h.T.Fatal(err)
	}
	return n
}

// hire makes somebody through the API.
func (h *house) hire(name, department string) string {
	h.T.Helper()
	made := h.Must(201, "admin", "POST", "/identities", map[string]any{
		"external_id": name,
		"email":       name + "@example.com",
		"first_name":  name,
		"last_name":   "X",
		"department":  department,
	})
	return made.Text("id")
}

// holds are the names of the entitlements that somebody should hold, and "account" for each system alone.
func (h *house) holds(identity string) string {
	return strings.Join(h.Strings(`
		select distinct coalesce(e.name, 'account')
		  from access_reason r
		  left join entitlement e on e.id = r.entitlement_id
		 where r.identity_id = $1 and r.state = 'active' and r.ends_at is null
		 order by 1`, identity), " ")
}

// upload brings a signed pack of these files.
func (h *house) upload(files map[string]string) {
	h.T.Helper()
	h.Must(201, "admin", "POST", "/sector-packs/upload", map[string]any{"archive": h.packed(files)})
}

func (h *house) packed(files map[string]string) string {
	h.T.Helper()
	f := archive.Files{}
	for name, text := range files {
		f[name] = []byte(text)
	}
	f.Sign(h.private)
	packed, err := f.Pack()
	if err != nil {
		h.T.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(packed)
}

// clinic is a small pack. Its parts can be replaced.
func clinic(version, more string, replace ...string) map[string]string {
	text := fmt.Sprintf(`apiVersion: grantwright.pack/v1
kind: SectorPack
metadata: {key: clinic, version: %s, name: Clinic, sector: healthcare, publisher: test}
parameters:
  - {key: wards, type: "string[]", default: [Nursing], prompt: Wards}
  - {key: grace, type: duration, default: P0D, prompt: Grace}
roles:
  - {key: nurse, name: Nurse, entitlements: [{select: {connector: {tag: ehr}, nameLike: "Nurse*"}}]}
birthrights:
  - key: nurses
    name: Nurses
    subject: {match: all, rules: [{field: department, op: in, value: "{{wards}}"}]}
    grant: [{role: nurse}]
    lifecycle: {when: [active], onNoMatch: grace, grace: "{{grace}}"}
  - key: everybody
    name: Everybody
    subject: {match: all, rules: [{field: kind, op: eq, value: human}]}
    grant: [{select: {connector: {tag: directory}, kind: group, name: Staff}}]
    lifecycle: {onNoMatch: end_now}
accessGrantPolicies:
  - key: shadowed
    name: Shadowed
    subject: {match: all, rules: [{field: title, op: contains, value: chief}]}
    grant: [{role: nurse}]
lifecyclePolicies: [{key: default, moverGrace: P3D, deleteAfter: P30D}]
sodPolicies: [{key: two, name: Two, severity: high, sides: [{label: A, roles: [nurse]}, {label: B, dutyTags: [b]}]}]
dutyTags: [{key: b, name: B}]
fieldMappings: [{key: hr, when: {connectorType: ldap}, object: identity, fields: [{source: wardName, target: department}]}]
%s`, version, more)
	return map[string]string{"pack.yaml": strings.NewReplacer(replace...).Replace(text)}
}

const packs = "/sector-packs"

// keys are the keys of the items of a member of an answer.
func keys(body map[string]any, member string) string {
	list, _ := body[member].([]any)
	var out []string
	for _, item := range list {
		m, _ := item.(map[string]any)
		out = append(out, fmt.Sprint(m["object_key"]))
	}
	return strings.Join(out, " ")
}

// str is anything as a text.
func str(v any) string { return fmt.Sprint(v) }
