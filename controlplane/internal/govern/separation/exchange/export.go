package exchange

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/document"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/sapgrc"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/table"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// exported is an exported file.
type exported struct {
	name, media string
	content     []byte
}

// Export writes all duties and policies, by name. The same objects make the same file.
func (s *Service) Export(ctx context.Context, v viewer.Viewer, format, ruleSet string) (f exported, err error) {
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		set, err := current(ctx, tx)
		if err != nil {
			return err
		}
		if f, err = file(set, format, ruleSet); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{
			Action:  "separation_policy.exported",
			Subject: audit.Subject{Type: "tenant", ID: tx.Viewer.Tenant},
			Context: map[string]any{"format": format, "duties": len(set.Duties), "policies": len(set.Policies)},
		})
	})
	return f, err
}

// file is a set in a format.
func file(set ruleset.Set, format, ruleSet string) (exported, error) {
	switch format {
	case SAPTxt:
		content, err := archive(sapgrc.Text(set, ruleSet))
		return exported{"sap-grc-rule-set.zip", "application/zip", content}, err
	case SAPXML:
		return exported{"sap-grc-rule-set.xml", "application/xml", sapgrc.XML(set, ruleSet)}, nil
	case CSV:
		duties, policies, err := table.Write(set)
		if err != nil {
			return exported{}, err
		}
		content, err := archive(map[string][]byte{table.DutiesFile: duties, table.PoliciesFile: policies})
		return exported{"separation-of-duties.zip", "application/zip", content}, err
	}
	content, err := document.Write(set)
	return exported{"separation-of-duties.yaml", "application/yaml", content}, err
}

// archive is a ZIP archive of files. The same files make the same archive.
func archive(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			return nil, fmt.Errorf("write archive: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("write archive: %w", err)
	}
	return b.Bytes(), nil
}

// spoken are what files call what duties and policies name by ID. What is gone keeps its ID.
type spoken struct {
	people, roles, connectors, controls, rules map[string]string
	entitlements                               map[string][2]string // connector and external ID
}

// current is what is stored as a set.
func current(ctx context.Context, tx *pg.Tx) (set ruleset.Set, err error) {
	duties, err := duty.All(ctx, tx, "")
	if err != nil {
		return set, err
	}
	policies, err := separationpolicy.All(ctx, tx, "")
	if err != nil {
		return set, err
	}
	say, err := speak(ctx, tx, duties, policies)
	if err != nil {
		return set, err
	}
	called := map[string]string{}
	for _, d := range duties {
		called[d.ID] = d.Name
		set.Duties = append(set.Duties, say.duty(d))
	}
	for _, p := range policies {
		set.Policies = append(set.Policies, say.policy(p, called))
	}
	slices.SortFunc(set.Duties, func(a, b ruleset.Duty) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(set.Policies, func(a, b ruleset.Policy) int { return cmp.Compare(a.Name, b.Name) })
	return set, nil
}

// speak reads the names. People are named by external ID, or by ID where two people share one.
func speak(
	ctx context.Context,
	tx *pg.Tx,
	duties []duty.Duty,
	policies []separationpolicy.Policy,
) (say spoken, err error) {
	const (
		people = `
			select i.id::text,
			       case when i.external_id = '' or i.status = 'archived' or exists (
			                select from identity o
			                 where o.external_id = i.external_id and o.id <> i.id and o.status <> 'archived')
			            then i.id::text else i.external_id end
			  from identity i
			 where i.id = any(@people::text[]::uuid[])`
		roles        = `select r.id::text, r.key from role r where r.id = any(@roles::text[]::uuid[])`
		rules        = `select r.id::text, r.name from approval_rule r`
		controls     = `select c.id::text, c.name from mitigating_control c where c.deleted_at is null`
		connectors   = `select c.id::text, c.business_id from connector c where c.deleted_at is null`
		entitlements = `
			select e.id::text, c.business_id, e.external_id
			  from entitlement e
			  join connector c on c.id = e.connector_id
			 where e.id = any(@entitlements::text[]::uuid[])
			   and c.deleted_at is null`
	)
	who, what, roleIDs := []string{}, []string{}, []string{}
	for _, p := range policies {
		who = append(who, p.OwnerIDs...)
	}
	for _, d := range duties {
		who = append(who, d.OwnerIDs...)
		for _, g := range d.AllOf {
			for _, m := range g.Members {
				switch m.Kind {
				case duty.Entitlement:
					what = append(what, m.EntitlementID)
				case duty.Role:
					roleIDs = append(roleIDs, m.RoleID)
				}
			}
		}
	}
	say = spoken{
		map[string]string{},
		map[string]string{},
		map[string]string{},
		map[string]string{},
		map[string]string{},
		map[string][2]string{},
	}
	args := pgx.NamedArgs{"people": who, "roles": roleIDs, "entitlements": what}
	var a, b, c string
	for _, q := range []struct {
		what, sql string
		into      []any
		do        func()
	}{
		{"name owners", people, []any{&a, &b}, func() { say.people[a] = b }},
		{"name roles of duties", roles, []any{&a, &b}, func() { say.roles[a] = b }},
		{"name connectors of duties", connectors, []any{&a, &b}, func() { say.connectors[a] = b }},
		{"name approval rules", rules, []any{&a, &b}, func() { say.rules[a] = b }},
		{"name mitigating controls", controls, []any{&a, &b}, func() { say.controls[a] = b }},
		{"name entitlements of duties", entitlements, []any{&a, &b, &c},
			func() { say.entitlements[a] = [2]string{b, c} }},
	} {
		if err := pg.Each(ctx, tx, q.what, q.into, func() error { q.do(); return nil }, q.sql, args); err != nil {
			return say, err
		}
	}
	return say, nil
}

// owners are the names of people, sorted. People who are gone are left out: a file that names them could not be read.
func (s spoken) owners(ids []string) (list []string) {
	for _, id := range ids {
		if name, there := s.people[id]; there {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// duty is a duty as files have it.
func (s spoken) duty(d duty.Duty) ruleset.Duty {
	to := ruleset.Duty{
		Key: keyOf(
			d.Origin,
		),
		Name:        d.Name,
		Description: d.Description,
		Process:     d.Process,
		Owners:      s.owners(d.OwnerIDs),
	}
	for _, g := range d.AllOf {
		list := []ruleset.Member{}
		for _, m := range g.Members {
			list = append(list, s.member(m))
		}
		to.Groups = append(to.Groups, list)
	}
	return to
}

// member is a member as files have it.
func (s spoken) member(m duty.Member) ruleset.Member {
	to := ruleset.Member{Kind: m.Kind, DutyTag: m.DutyTag}
	switch m.Kind {
	case duty.Entitlement:
		if e, there := s.entitlements[m.EntitlementID]; there {
			to.Connector, to.ExternalID = e[0], e[1]
		} else {
			to.ExternalID = m.EntitlementID
		}
	case duty.Role:
		to.Role = nameOr(s.roles, m.RoleID)
	case duty.Connector, duty.External:
		to.Connector, to.ExternalID = nameOr(s.connectors, m.ConnectorID), m.ExternalID
	}
	return to
}

// nameOr is the name of something, or its ID if it is gone.
func nameOr(names map[string]string, id string) string {
	if name := names[id]; name != "" {
		return name
	}
	return id
}

// policy is a policy as files have it.
func (s spoken) policy(p separationpolicy.Policy, called map[string]string) ruleset.Policy {
	to := ruleset.Policy{
		Key:             keyOf(p.Origin),
		Name:            p.Name,
		Description:     p.Description,
		Rationale:       p.Rationale,
		RegulationRefs:  p.RegulationRefs,
		Owners:          s.owners(p.OwnerIDs),
		Enabled:         p.Enabled,
		Mode:            p.Mode,
		Severity:        p.Severity,
		Kind:            p.Kind,
		N:               p.N,
		HistoryWindow:   p.HistoryWindow,
		SameEnvironment: p.Context.SameEnvironment,
		SameLegalEntity: p.Context.SameLegalEntity,
		SameAttributes:  p.Context.SameAttributes,
		ExcludeReadOnly: p.Context.ExcludeReadOnly,
		OnRequest:       p.Effects.OnRequest,
		OnAssign:        p.Effects.OnAssign,
		OnDetect:        p.Effects.OnDetect,
		Remediation:     p.Remediation,
		ValidFrom:       p.ValidFrom,
		ValidTo:         p.ValidTo,
	}
	to.MaxMitigation, to.Exemptions = p.MaxMitigation, p.Exemptions
	if p.ExceptionRuleID != nil {
		to.ExceptionRule = s.rules[*p.ExceptionRuleID]
	}
	for _, id := range p.ControlIDs {
		if name := s.controls[id]; name != "" {
			to.Controls = append(to.Controls, name)
		}
	}
	if p.Matrix != nil {
		to.Conflicts = p.Matrix.Conflicts
	}
	for _, side := range p.Sides {
		each := ruleset.Side{Label: side.Label}
		for _, id := range side.DutyIDs {
			each.Duties = append(each.Duties, ruleset.Ref{Name: called[id]})
		}
		to.Sides = append(to.Sides, each)
	}
	return to
}
