package trail_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// line is what a search of the log is held against.
type line struct {
	seq, at, action, category, outcome, actorType, actor, subjectType, subject, request, event string
}

func (h *house) lines() (out []line) {
	h.t.Helper()
	const sql = `
		select seq::text, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), action, category, outcome,
		       actor_type, coalesce(actor_id, ''), subject_type, coalesce(subject_id, ''), coalesce(request_id, ''),
		           event
		  from audit_event
		 order by audit_event.seq desc`
	rows, err := h.owner.Query(ctx, sql)
	if err != nil {
		h.t.Fatal(err)
	}
	for rows.Next() {
		var l line
		if err := rows.Scan(
			&l.seq,
			&l.at,
			&l.action,
			&l.category,
			&l.outcome,
			&l.actorType,
			&l.actor,
			&l.subjectType,
			&l.subject,
			&l.request,
			&l.event,
		); err != nil {
			h.t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// asked draws filters of which each may be there or not, with what must hold.
func asked(r *rand.Rand, log []line) (url.Values, func(l line) bool) {
	q, like := url.Values{}, log[r.IntN(len(log))]
	var must []func(l line) bool
	maybe := func(name, value string, odds int, holds func(l line) bool) {
		if value != "" && r.IntN(odds) == 0 {
			q.Set(name, value)
			must = append(must, holds)
		}
	}
	domain, _, _ := strings.Cut(like.action, ".")
	maybe(
		"action",
		like.action+",user.deleted",
		4,
		func(l line) bool { return l.action == like.action || l.action == "user.deleted" },
	)
	if !q.Has("action") {
		maybe("action", domain+".*,agent.identity_mismatch", 4, func(l line) bool {
			return strings.HasPrefix(l.action, domain+".") || l.action == "agent.identity_mismatch"
		})
	}
	maybe("category", like.category, 4, func(l line) bool { return l.category == like.category })
	outcome := log[r.IntN(len(log))].outcome // of another: what never goes together is asked for as well
	maybe("outcome", outcome, 3, func(l line) bool { return l.outcome == outcome })
	maybe("actor_type", like.actorType, 5, func(l line) bool { return l.actorType == like.actorType })
	maybe("actor_id", like.actor, 5, func(l line) bool { return l.actor == like.actor })
	maybe("subject_type", like.subjectType, 5, func(l line) bool { return l.subjectType == like.subjectType })
	maybe("subject_id", like.subject, 8, func(l line) bool { return l.subject == like.subject })
	maybe("request_id", like.request, 8, func(l line) bool { return l.request == like.request })
	from, to := log[r.IntN(len(log))].at, log[r.IntN(len(log))].at
	maybe("from", from, 5, func(l line) bool { return l.at >= from })
	maybe("to", to, 5, func(l line) bool { return l.at < to })
	text := []string{"TITLE", "lead <B>", "Ünder", "u-ada", `"north"`, "ÜNDER (x)*"}[r.IntN(6)]
	maybe("q", text, 6, func(l line) bool {
		return strings.Contains(strings.ToLower(l.event), strings.ToLower(strings.ReplaceAll(text, `"`, `\"`)))
	})
	return q, func(l line) bool {
		return !slices.ContainsFunc(must, func(holds func(line) bool) bool { return !holds(l) })
	}
}

func TestEveryCombinationOfFiltersFindsWhatALookAtEachEventDoes(t *testing.T) {
	h := open(t)
	r := rand.New(rand.NewPCG(7, 7))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for n := range 400 {
		v := viewer.Viewer{
			Tenant:    h.tenant.Tenant,
			Kind:      viewer.User,
			ID:        pick("u-ada", "u-bob"),
			RequestID: fmt.Sprint("r-", n/3),
		}
		switch r.IntN(4) {
		case 0:
			v.Kind, v.ID = viewer.Service, "s-bot"
		case 1:
			v = viewer.System(h.tenant.Tenant)
		}
		e := audit.Entry{
			Action: pick(
				"auth.login",
				"auth.logout",
				"user.deleted",
				"identity.updated",
				"connector.updated",
				"agent.identity_mismatch",
				"audit.exported",
			),
			Outcome: audit.Outcome(pick("success", "success", "success", "failure", "denied")),
			Reason:  pick("", "under", "ünder (x)*", `the "north"`),
		}
		if subject := pick("", "user", "connector"); subject != "" {
			e.Subject = audit.Subject{Type: subject, ID: fmt.Sprint("x-", r.IntN(9))}
		}
		if r.IntN(3) == 0 {
			e.Changes = []audit.Change{{Field: "title", From: nil, To: "Lead <b>"}}
		}
		h.record(v, e)
	}
	h.tamper(
		`update audit_event set at = at - interval '3 seconds' where seq % 50 = 7`,
	) // the clock was set back now and then
	h.call(200, "auditor", "GET", "/audit-events", nil)
	log := h.lines()
	for range 300 {
		filters, holds := asked(r, log)
		var want []string
		for _, l := range log {
			if holds(l) {
				want = append(want, l.seq)
			}
		}
		if got := h.walk(filters, 1+r.IntN(60), len(want)); !cmp.Equal(want, got) {
			t.Fatalf("%s\n%s", filters.Encode(), cmp.Diff(want, got))
		}
	}
}

// walk reads every page, and holds the total of each against what there must be.
func (h *house) walk(filters url.Values, limit, total int) (seqs []string) {
	h.t.Helper()
	query := "/audit-events?limit=" + fmt.Sprint(limit) + "&" + filters.Encode()
	for cursor := ""; ; {
		out := h.call(200, "auditor", "GET", query+cursor, nil)
		seqs = append(seqs, numbers(out)...)
		if out["total"] != float64(total) {
			h.t.Errorf("%s: total %v; want %d", query, out["total"], total)
		}
		next, _ := out["next_cursor"].(string)
		if next == "" {
			return seqs
		}
		cursor = "&cursor=" + url.QueryEscape(next)
	}
}

func TestASearchThroughTooManyEventsIsRefusedWithAWayOut(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 20)
	h.tamper(
		`insert into audit_event (tenant_id, seq, event, prev_hash, hash, at, action, category, outcome, actor_type)
		select tenant_id, 100 + n, '{}', prev_hash, hash, at - interval '1 day', 'auth.login', category, outcome,
		    actor_type from audit_event, generate_series(1, 100001) n where seq = 1`,
	)
	for _, query := range []string{"q=lead", "q=lead&action=auth.login", "q=lead&to=" +
		time.Now().UTC().Format("2006-01-02T15:04:05Z")} {
		out := h.call(400, "auditor", "GET", "/audit-events?"+query, nil)
		if detail, _ := out["detail"].(string); out["code"] != "invalid_parameter" ||
			!strings.Contains(detail, "narrow it down") {
			t.Errorf("%s: %v", query, out)
		}
	}
	for _, query := range []string{"q=lead&action=identity.updated", "q=lead&from=" +
		time.Now().Add(-time.Hour).UTC().Format("2006-01-02T15:04:05Z")} {
		if out := h.call(200, "auditor", "GET", "/audit-events?"+query, nil); out["total"] != 20.0 {
			t.Errorf("%s: %v", query, out["total"])
		}
	}
}
