package effective

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/content"
)

// One returns the access of one person with changes. past is how far back held access counts; 0: not at all.
func One(
	ctx context.Context,
	tx *pg.Tx,
	identityID string,
	changes Changes,
	past time.Duration,
	now time.Time,
) (*Person, error) {
	people, err := LoadChanged(ctx, tx, map[string]Changes{identityID: changes}, changes.Decided, past, now)
	if err != nil {
		return nil, err
	}
	return people[identityID], nil
}

// LoadChanged returns the access of people, each with changes, by ID. decided leaves out request items that wait for
// approval, of all people.
func LoadChanged(
	ctx context.Context,
	tx *pg.Tx,
	changes map[string]Changes,
	decided bool,
	past time.Duration,
	now time.Time,
) (map[string]*Person, error) {
	l := &load{tx: tx, ids: slices.Sorted(maps.Keys(changes)), past: past, now: now, decided: decided, changes: changes}
	return l.run(ctx)
}

// Load returns the access of people, by ID. Each ID has a person, also where there is no access.
func Load(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	past time.Duration,
	now time.Time,
) (map[string]*Person, error) {
	l := &load{tx: tx, ids: ids, past: past, now: now}
	return l.run(ctx)
}

// load is one reading of the access of people.
type load struct {
	tx      *pg.Tx
	ids     []string
	past    time.Duration
	now     time.Time
	decided bool
	changes map[string]Changes // by person

	grants  []held
	reasons []reason
	items   []item
	tasks   []task
	before  []ended
	roles   map[string][]string // entitlements of requested and added roles
}

func (l *load) run(ctx context.Context) (map[string]*Person, error) {
	if err := l.read(ctx); err != nil {
		return nil, err
	}
	if err := l.readRoles(ctx); err != nil {
		return nil, err
	}
	people := map[string]*Person{}
	for _, id := range l.ids {
		people[id] = &Person{ID: id, Access: conflict.Access{Now: l.now, Used: map[string]time.Time{}}}
	}
	l.addGrants(people)
	l.addReasons(people)
	l.addItems(people)
	l.addTasks(people)
	l.addChanges(people)
	for _, e := range l.before {
		p := people[e.IdentityID]
		p.Access.Past = append(p.Access.Past, conflict.Past{EntitlementID: e.EntitlementID, Until: e.Until})
	}
	return people, l.finish(ctx, people)
}

// readRoles reads what is in the roles that are requested or added.
func (l *load) readRoles(ctx context.Context) error {
	var ids []string
	for _, i := range l.items {
		if i.RoleID != "" {
			ids = append(ids, i.RoleID)
		}
	}
	for _, c := range l.changes {
		for _, a := range c.Add {
			if a.RoleID != "" {
				ids = append(ids, a.RoleID)
			}
		}
	}
	l.roles = map[string][]string{}
	slices.Sort(ids)
	held, err := content.Entitlements(ctx, l.tx, slices.Compact(ids))
	if err != nil {
		return err
	}
	for role, all := range held {
		for _, e := range all {
			l.roles[role] = append(l.roles[role], e.ID)
		}
	}
	return nil
}

// addGrants makes a source of each direct grant. Inherited grants follow from them by nesting; finish adds those that
// do not.
func (l *load) addGrants(people map[string]*Person) {
	for _, g := range l.grants {
		p := people[g.IdentityID]
		if g.Used != nil {
			if at, known := p.Access.Used[g.EntitlementID]; !known || g.Used.After(at) {
				p.Access.Used[g.EntitlementID] = *g.Used
			}
		}
		if g.Direct {
			p.add(g.source())
		}
	}
}

// addReasons gives grants the roles behind them, and makes sources of the reasons that no grant is there for. All
// reasons of one assignment, rule or policy are one source.
func (l *load) addReasons(people map[string]*Person) {
	for _, r := range l.reasons {
		p := people[r.IdentityID]
		covered := false
		for i := range p.Sources {
			s := &p.Sources[i]
			if s.Kind != KindGrant || s.Own[0] != r.EntitlementID || r.AccountID != "" && r.AccountID != s.AccountID {
				continue
			}
			covered = true
			if roles := &p.Access.Sources[i].RoleIDs; r.RoleID != "" && !slices.Contains(*roles, r.RoleID) {
				*roles = append(*roles, r.RoleID)
			}
		}
		if !covered {
			p.pending(r.source(), r.RoleID)
		}
	}
}

func (l *load) addItems(people map[string]*Person) {
	for _, i := range l.items {
		own, role := []string{i.EntitlementID}, i.RoleID
		if role != "" {
			own = l.roles[role]
		}
		people[i.IdentityID].pending(Source{Kind: KindRequestItem, ID: i.ID, Own: own, RoleID: role,
			Pending: true, Since: &i.Since}, role)
	}
}

// addTasks adds what is being provisioned without a reason or a grant.
func (l *load) addTasks(people map[string]*Person) {
	for _, t := range l.tasks {
		p := people[t.IdentityID]
		if !slices.ContainsFunc(p.Sources, func(s Source) bool { return slices.Contains(s.Own, t.EntitlementID) }) {
			p.pending(Source{Kind: KindTask, ID: t.ID, Own: []string{t.EntitlementID}, Pending: true,
				Since: &t.Since}, "")
		}
	}
}

// addChanges applies the changes of predictions.
func (l *load) addChanges(people map[string]*Person) {
	for id, c := range l.changes {
		l.change(people[id], c)
	}
}

// change removes sources of a person, and adds one for each addition, in their order.
func (l *load) change(p *Person, c Changes) {
	for i := len(p.Sources) - 1; i >= 0; i-- {
		if slices.Contains(c.Remove, p.Sources[i].ID) {
			p.Sources = slices.Delete(p.Sources, i, i+1)
			p.Access.Sources = slices.Delete(p.Access.Sources, i, i+1)
		}
	}
	for _, a := range c.Add {
		own := []string{a.EntitlementID}
		if a.RoleID != "" {
			own = l.roles[a.RoleID]
		}
		s := Source{Kind: KindAdded, ID: a.ID, Own: own, RoleID: a.RoleID, Pending: true}
		var roles []string
		if a.RoleID != "" {
			roles = []string{a.RoleID}
		}
		p.add(s, roles...)
	}
}

// pending adds a source that is not provisioned, or adds its entitlements to the source of the same ID.
func (p *Person) pending(s Source, role string) {
	for i := range p.Sources {
		if old := &p.Sources[i]; old.Kind == s.Kind && old.ID == s.ID {
			for _, id := range s.Own {
				if !slices.Contains(old.Own, id) {
					old.Own = append(old.Own, id)
				}
			}
			return
		}
	}
	if role == "" {
		p.add(s)
		return
	}
	p.add(s, role)
}

func (p *Person) add(s Source, roles ...string) {
	p.Sources = append(p.Sources, s)
	p.Access.Sources = append(p.Access.Sources, conflict.Source{ID: s.ID, Pending: s.Pending, RoleIDs: roles})
}

// finish reads the nesting above all sources and the traits of everything, and completes the people by them.
func (l *load) finish(ctx context.Context, people map[string]*Person) error {
	nesting, err := l.readNesting(ctx, people)
	if err != nil {
		return err
	}
	for _, p := range people {
		p.nesting = nesting
		for i := range p.Sources {
			p.Access.Sources[i].Gives = nesting.closure(p.Sources[i].Own)
		}
	}
	l.addStrayInherited(people)
	return l.readTraits(ctx, people)
}

// addStrayInherited adds inherited grants that follow from no direct grant of their person: they are held all the same.
func (l *load) addStrayInherited(people map[string]*Person) {
	given := map[string]map[string]bool{}
	for id, p := range people {
		given[id] = map[string]bool{}
		for i, s := range p.Access.Sources {
			if p.Sources[i].Kind == KindGrant {
				for _, e := range s.Gives {
					given[id][e] = true
				}
			}
		}
	}
	for _, g := range l.grants {
		if p := people[g.IdentityID]; !g.Direct && !given[p.ID][g.EntitlementID] &&
			!slices.Contains(l.changes[p.ID].Remove, g.ID) && !l.removed(p, g) {
			p.add(g.source())
			p.Access.Sources[len(p.Sources)-1].Gives = []string{g.EntitlementID}
		}
	}
}

// removed reports whether a prediction has removed what an inherited grant follows from.
func (l *load) removed(p *Person, g held) bool {
	return slices.ContainsFunc(l.grants, func(o held) bool {
		return o.Direct && o.IdentityID == p.ID && slices.Contains(l.changes[p.ID].Remove, o.ID) &&
			p.nesting.path([]string{o.EntitlementID}, g.EntitlementID) != nil
	})
}

// readNesting reads everything that the people's entitlements are nested in.
func (l *load) readNesting(ctx context.Context, people map[string]*Person) (upward, error) {
	const sql = `
		with recursive above (member_id, parent_id) as (
		    select n.member_id, n.parent_id from entitlement_edge n where n.member_id = any(@ids::text[]::uuid[])
		     union
		    select n.member_id, n.parent_id from above a join entitlement_edge n on n.member_id = a.parent_id
		)
		select member_id::text, parent_id::text from above order by 1, 2`
	ids := map[string]bool{}
	for _, p := range people {
		for _, s := range p.Sources {
			for _, id := range s.Own {
				ids[id] = true
			}
		}
		// What a prediction has removed may be what inherited grants follow from.
		for _, g := range l.grants {
			ids[g.EntitlementID] = true
		}
	}
	up := upward{}
	if len(ids) == 0 {
		return up, nil
	}
	var member, parent string
	err := pg.Each(ctx, l.tx, "read nesting above access", []any{&member, &parent}, func() error {
		up[member] = append(up[member], parent)
		return nil
	}, sql, pgx.NamedArgs{"ids": keys(ids)})
	return up, err
}

// readTraits reads the environment, labels and attributes of everything that people have and had. A label goes before
// an attribute of the same name, and both before the environment of the connector.
func (l *load) readTraits(ctx context.Context, people map[string]*Person) error {
	const sql = `
		select e.id::text, coalesce(c.environment, ''), e.labels, e.attributes
		  from entitlement e
		  left join connector c on c.id = e.connector_id
		 where e.id = any(@ids::text[]::uuid[])`
	ids := map[string]bool{}
	for _, p := range people {
		for _, id := range p.Access.Entitlements() {
			ids[id] = true
		}
	}
	all := map[string]conflict.Traits{}
	if len(ids) > 0 {
		var id, environment string
		var labels, attributes map[string]any
		if err := pg.Each(ctx, l.tx, "read traits", []any{&id, &environment, &labels, &attributes}, func() error {
			all[id] = traitsOf(environment, attributes, labels)
			labels, attributes = nil, nil
			return nil
		}, sql, pgx.NamedArgs{"ids": keys(ids)}); err != nil {
			return err
		}
	}
	for _, p := range people {
		p.Access.Traits = all
	}
	return nil
}

// traitsOf are the traits of one entitlement. read_only is its own, not one that sides can agree in.
func traitsOf(environment string, more ...map[string]any) conflict.Traits {
	t := conflict.Traits{Values: map[string]string{}}
	if environment != "" {
		t.Values["environment"] = environment
	}
	for _, values := range more {
		for name, value := range values {
			switch value := value.(type) {
			case string:
				t.Values[name] = value
			case bool, float64:
				t.Values[name] = fmt.Sprint(value)
			}
		}
	}
	t.ReadOnly = t.Values["read_only"] == "true"
	return t
}

func keys(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for id := range set {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}
