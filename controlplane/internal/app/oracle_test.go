package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// TestWhatEverybodySeesIsWhatAnOracleSays makes organisations at random, with circles of managers, people who manage
// themselves, managers whom nobody knows, people with several roles and groups within groups, and asks every list and
// every record of them as everybody who looks. Between the questions people, owners, accounts and users change, and the
// next answer must know.
func TestWhatEverybodySeesIsWhatAnOracleSays(t *testing.T) {
	o := newOrganisation(t)
	rules := o.seen()
	if t.Failed() {
		return
	}
	rapid.Check(t, func(rt *rapid.T) {
		o.found(rt)
		for range 2 {
			q := questions{organisation: o, t: rt, world: o.look()}
			for range 2 {
				q.ask(pick(rt, "watcher", o.watchers), rules)
			}
			o.change(rt, q.world)
		}
		q := questions{organisation: o, t: rt, world: o.look()}
		q.ask(pick(rt, "watcher", o.watchers), rules)
	})
}

// questions are asked of one state of the world.
type questions struct {
	*organisation
	t     *rapid.T
	world world
}

// ask asks everything that one watcher can ask.
func (q questions) ask(w *watcher, rules map[string][]string) {
	q.t.Helper()
	s := q.world.seenBy(w.identity, w.roles...)
	who, what, where := q.one(
		keys(q.world.people),
		"who",
	), q.one(
		keys(q.world.accounts),
		"what",
	), q.one(
		keys(q.world.groups),
		"where",
	)
	held := q.one(keys(q.world.grants), "held")
	if _, there := s.people[w.identity]; there && rapid.IntRange(0, 3).Draw(q.t, "about oneself") == 0 {
		who = w.identity
	}
	for _, kind := range []string{"people", "accounts", "groups", "grants"} {
		for _, path := range rules[kind] {
			q.list(w, s, pick(q.t, "part", s.parts(path, who, what, where, connectors[0])), s.listed)
		}
	}
	asked := map[string]string{"person": who, "account": what, "group": where, "grant": held}
	for _, kind := range keys(asked) {
		id := asked[kind]
		for _, path := range rules["of "+kind] {
			p := pick(q.t, "hanging", s.hanging(path, id))
			if !s.read[id] {
				q.hidden(w, p.path, id)
				continue
			}
			q.list(w, s, p, s.read)
		}
		for _, path := range rules[kind] {
			q.record(w, s, kind, strings.Replace(path, "{id}", id, 1), id)
		}
	}
	for _, path := range rules["story of grant"] {
		q.story(w, s, strings.Replace(path, "{id}", held, 1), held, s.read[held])
	}
	for _, path := range rules["story of person"] {
		at := strings.Replace(path, "{id}", who, 1) + "?entitlement_id=" + where
		if !s.read[who] {
			q.hidden(w, at, who)
			continue
		}
		_, there := s.groups[where]
		q.story(
			w,
			s,
			at,
			where,
			there && s.read[where] && (s.all || who == s.self || s.manages(&who) || s.owns(s.groups[where])),
		)
	}
	q.own(w, s)
}

// story asks why something is held, or why not, and looks that nobody hidden is told of.
func (q questions) story(w *watcher, s sight, path, id string, open bool) {
	q.t.Helper()
	if !open {
		q.hidden(w, path, id)
		return
	}
	q.get(w, s, path, http.StatusOK)
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// pick draws one of these by its place.
func pick[T any](t *rapid.T, label string, from []T) T {
	return from[rapid.IntRange(0, len(from)-1).Draw(t, label)]
}

// one draws an id, or that of nothing where there is none.
func (q questions) one(ids []string, label string) string {
	if len(ids) == 0 {
		return nothing
	}
	return pick(q.t, label, ids)
}

// get asks as a watcher, and looks for what nobody hidden may be told by: their ids and names.
func (q questions) get(w *watcher, s sight, path string, want int) reply {
	q.t.Helper()
	r, err := q.try(w.token, "GET", path, nil)
	if err != nil || r.status != want {
		q.t.Fatalf("GET %s as %s = %d %.300s, %v; want %d", path, w.name, r.status, r.raw, err, want)
	}
	for id, name := range s.hiddenNames() {
		if strings.Contains(r.raw, name) {
			q.t.Fatalf("GET %s as %s names %s, who is hidden: %s", path, w.name, name, r.raw)
		}
		if names(r.body, id) {
			q.t.Fatalf("GET %s as %s shows the id of %s, which is hidden: %s", path, w.name, name, r.raw)
		}
	}
	return r
}

// list walks a list, by cursor or by offset, and holds its rows and its totals against the oracle.
func (q questions) list(w *watcher, s sight, p part, among map[string]bool) {
	q.t.Helper()
	var want []string
	for id := range among {
		if among[id] && p.in(id) {
			want = append(want, id)
		}
	}
	limit, byOffset := rapid.IntRange(2, 6).Draw(q.t, "limit"), rapid.Bool().Draw(q.t, "by offset")
	at, sign := p.path, "?"
	if strings.Contains(at, "?") {
		sign = "&"
	}
	var got []string
	for next := ""; ; {
		r := q.get(w, s, at+sign+fmt.Sprintf("limit=%d", limit)+next, http.StatusOK)
		page := rowIDs(r)
		if got = append(got, page...); r.body["total"] != float64(len(want)) {
			q.t.Fatalf("GET %s as %s: total %v; want %d of %d", at, w.name, r.body["total"], len(want), len(among))
		}
		cursor := r.text("next_cursor")
		if byOffset && len(page) == limit {
			next = fmt.Sprintf("&offset=%d", len(got))
			continue
		}
		if byOffset || cursor == "" {
			break
		}
		next = "&cursor=" + url.QueryEscape(cursor)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.SortSlices(strings.Compare)); diff != "" {
		q.t.Fatalf("GET %s as %s: -want +got\n%s", at, w.name, diff)
	}
}

// rowIDs are the ids of a list's rows: of members, those of their grants.
func rowIDs(r reply) (ids []string) {
	items, _ := r.body["items"].([]any)
	for _, item := range items {
		row := item.(map[string]any)
		id, _ := row["id"].(string)
		if id == "" {
			id, _ = row["grant_id"].(string)
		}
		ids = append(ids, id)
	}
	return ids
}

// hidden expects the answer that whoever asks for nothing gets, to the letter.
func (q questions) hidden(w *watcher, path, id string) {
	q.t.Helper()
	answers := [2]string{}
	for i, one := range []string{id, uuid.NewString()} {
		r, err := q.try(w.token, "GET", strings.Replace(path, id, one, 1), nil)
		if err != nil || r.status != http.StatusNotFound {
			q.t.Fatalf("GET %s as %s = %d %s, %v; want 404", path, w.name, r.status, r.raw, err)
		}
		delete(r.body, "request_id")
		delete(r.body, "instance") // the request again
		b, err := json.Marshal(r.body)
		if err != nil {
			q.t.Fatal(err)
		}
		answers[i] = strings.ReplaceAll(string(b), one, "ID")
	}
	if answers[0] != answers[1] {
		q.t.Fatalf("GET %s as %s tells that there is something:\n%s\n%s", path, w.name, answers[0], answers[1])
	}
}

// record reads one record with all that it brings along.
func (q questions) record(w *watcher, s sight, kind, path, id string) {
	q.t.Helper()
	if !s.read[id] {
		q.hidden(w, path, id)
		return
	}
	if kind == "person" {
		path += "?expand=manager,accounts,grants"
	}
	r := q.get(w, s, path, http.StatusOK)
	if r.text("id") != id {
		q.t.Fatalf("GET %s as %s gives %s", path, w.name, r.text("id"))
	}
	if diff := cmp.Diff(s.brings(kind, id), told(kind, r)); diff != "" {
		q.t.Fatalf("GET %s as %s brings -want +got\n%s", path, w.name, diff)
	}
	if kind == "grant" {
		whole := q.get(q.admin, s.seeing(), path, http.StatusOK)
		hidden, _ := r.body["hidden_paths"].(float64)
		if shown, all := len(r.body["paths"].([]any)), len(whole.body["paths"].([]any)); shown+int(hidden) != all {
			q.t.Fatalf("GET %s as %s shows %d paths and hides %v of %d", path, w.name, shown, hidden, all)
		}
	}
}

// own reads the own record, and the sign-in's.
func (q questions) own(w *watcher, s sight) {
	q.t.Helper()
	if _, there := s.people[w.identity]; there {
		if r := q.get(w, s, "/identities/me", http.StatusOK); r.text("id") != w.identity {
			q.t.Fatalf("the own record of %s is %s; want %s", w.name, r.text("id"), w.identity)
		}
		return
	}
	q.get(w, s, "/identities/me", http.StatusNotFound)
}

// hiddenNames are the names, by id, of what a viewer may not be told: neither a record nor what a grant that may be
// read is between.
func (s sight) hiddenNames() map[string]string {
	told := maps.Clone(s.read)
	for id, g := range s.grants {
		if s.read[id] {
			told[g.Account], told[g.Group] = true, true
		}
	}
	hidden := map[string]string{}
	for id, p := range s.people {
		hidden[id] = p.Name
	}
	for id, a := range s.accounts {
		hidden[id] = a.Name
	}
	for id, g := range s.groups {
		hidden[id] = g.Name
	}
	maps.DeleteFunc(hidden, func(id, _ string) bool { return told[id] })
	return hidden
}

// seeing is the sight of an admin.
func (s sight) seeing() sight { return s.seenBy("", "admin") }

// names reports whether an answer shows an id, but where a record that may be read says who manages or owns it.
func names(value any, id string) bool {
	switch value := value.(type) {
	case string:
		return value == id
	case []any:
		return slices.ContainsFunc(value, func(v any) bool { return names(v, id) })
	case map[string]any:
		for member, v := range value {
			if !slices.Contains(
				[]string{"manager_id", "owner_ids", "source_owner_ids", "sponsor_id", "backup_owner_id"},
				member,
			) &&
				names(v, id) {
				return true
			}
		}
	}
	return false
}

// brings is what a record shows besides itself.
func (s sight) brings(kind, id string) map[string]any {
	ofPerson := func(a account) bool { return a.Owner != nil && *a.Owner == id }
	grants := func(among map[string]bool, of func(g grant) bool) (ids []string) {
		for _, one := range keys(s.grants) {
			if g := s.grants[one]; among[one] && of(g) {
				ids = append(ids, one)
			}
		}
		return ids
	}
	switch kind {
	case "person":
		accounts := slices.DeleteFunc(keys(s.accounts), func(a string) bool {
			return !s.read[a] || !ofPerson(s.accounts[a]) || s.accounts[a].over()
		})
		held := grants(s.read, func(g grant) bool { return ofPerson(s.accounts[g.Account]) && !g.over() })
		manager := ""
		if m := s.people[id].Manager; m != nil && s.read[*m] {
			manager = *m
		}
		return map[string]any{
			"accounts": fmt.Sprint(accounts),
			"grants":   fmt.Sprint(held),
			"counts":   fmt.Sprint(len(accounts), len(held)),
			"manager":  manager,
		}
	case "account":
		return map[string]any{
			"counts": fmt.Sprint(len(grants(s.read, func(g grant) bool { return g.Account == id && !g.over() }))),
		}
	case "group":
		holds := func(g grant) bool {
			return g.Group == id && slices.Contains([]string{"active", "ending", "revoking", "missing"}, g.Status)
		}
		direct := grants(s.listed, func(g grant) bool { return holds(g) && g.Directness == "direct" })
		var parents, children []string
		for _, e := range s.edges {
			if e.Member == id && s.read[e.Parent] {
				parents = append(parents, e.Parent)
			}
			if e.Parent == id && s.read[e.Member] {
				children = append(children, e.Member)
			}
		}
		slices.Sort(parents)
		slices.Sort(children)
		return map[string]any{
			"counts":   fmt.Sprint(len(direct), len(grants(s.listed, holds))),
			"parents":  fmt.Sprint(parents),
			"children": fmt.Sprint(children),
		}
	}
	return nil
}

// told is what an answer shows besides the record itself, in the form of brings.
func told(kind string, r reply) map[string]any {
	ids := func(member string) string {
		list, _ := r.body[member].([]any)
		found := make([]string, 0, len(list))
		for _, item := range list {
			found = append(found, item.(map[string]any)["id"].(string))
		}
		slices.Sort(found)
		return fmt.Sprint(found)
	}
	counts, _ := r.body["counts"].(map[string]any)
	switch kind {
	case "person":
		manager, _ := r.body["manager"].(map[string]any)
		id, _ := manager["id"].(string)
		return map[string]any{
			"accounts": ids("accounts"),
			"grants":   ids("grants"),
			"counts":   fmt.Sprint(counts["accounts"], counts["grants"]),
			"manager":  id,
		}
	case "account":
		return map[string]any{"counts": fmt.Sprint(counts["grants"])}
	case "group":
		return map[string]any{
			"counts":   fmt.Sprint(r.body["direct_member_count"], r.body["effective_member_count"]),
			"parents":  ids("parents"),
			"children": ids("children"),
		}
	}
	return nil
}
