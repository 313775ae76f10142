package probe

import (
	"slices"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/schema"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// search looks for one person as a sync would. verdict says whether the whole test rests on it.
func (p *probe) search(name string, verdict bool) error {
	var seen int
	var keyed bool
	err := p.step(name, func(step *v1.TestStep) error {
		place := *p.Settings // the anonymous search must not settle where the next one looks
		se := session.New(&place)
		se.Conn, se.Flavor, se.Root = p.Conn, p.Flavor, p.Root
		if err := se.ResolveBases(); err != nil {
			return err
		}
		var err error
		if seen, keyed, err = p.searchOne(se, step, verdict); err != nil {
			return err
		}
		step.LDAP = p.Result(wire.Result{})
		if verdict {
			*p.Settings = place
		}
		return nil
	})
	if !verdict || err != nil {
		return err
	}
	p.out.Result = &v1.Target{Kind: "ldap", Host: p.HostPort(), LDAP: p.Result(wire.Result{})}
	switch {
	case seen == 0:
		p.out.Warnings = append(p.out.Warnings, p.NoEntries())
	case !keyed:
		p.out.Warnings = append(
			p.out.Warnings,
			v1.Warning{
				Code: "no_key",
				Message: "the entry found has none of the attributes that serve as a key; check the rights of the " +
					"login, or set id_attribute",
			},
		)
	}
	return p.countGroups()
}

// searchOne looks for one person with the session's filter and key. It gives how many were seen,
// and whether the entry shows a key, without which it could not be identified after a
// rename.
func (p *probe) searchOne(se *session.Session, step *v1.TestStep, verdict bool) (seen int, keyed bool, err error) {
	keys := session.KeyAttributes
	if key := se.IdAttribute; key != "" {
		keys = []string{key}
	} else if se.Flavor.KeyAttribute != "" {
		keys = []string{se.Flavor.KeyAttribute}
	}
	userFilter, _ := settings.Filters(se.Settings, se.Flavor)
	seen, paged, err := se.SearchFirst(se.UserSearch(userFilter, keys), 1, func(e *wire.Entry) {
		for _, a := range e.Attributes {
			keyed = keyed || len(a.Values) > 0
		}
	})
	if err != nil {
		return 0, false, err
	}
	step.Detail = "no entry returned"
	if seen > 0 {
		step.Detail = "1 entry returned"
	}
	if !paged && verdict {
		step.Detail += ", without paging"
		p.out.Warnings = append(
			p.out.Warnings,
			v1.Warning{
				Code: "paging_unsupported",
				Message: "the directory does not support paged results (RFC 2696): people and groups can be read, " +
					"but removals are not detected",
			},
		)
	}
	return seen, keyed, nil
}

// countGroups warns when no group would be found.
func (p *probe) countGroups() error {
	_, groupFilter := settings.Filters(p.Settings, p.Flavor)
	seen, _, err := p.SearchFirst(p.GroupSearch(groupFilter, []string{"1.1"}), 1, func(*wire.Entry) {})
	if err != nil {
		return p.SearchError(p.ctx, "groups", err)
	}
	if seen == 0 {
		p.out.Warnings = append(p.out.Warnings, session.NoGroups(p.GroupBaseDN))
	}
	return p.checkDisable()
}

// checkDisable warns where the first leaver's account could not be disabled.
func (p *probe) checkDisable() error {
	if p.Anonymous {
		return nil
	}
	why, err := schema.WhyNoDisable(p.ctx, p.Session)
	if err != nil {
		return err
	}
	p.out.Operations = settings.Operations(p.Settings).Ops
	if why != "" {
		p.out.Warnings = append(p.out.Warnings, schema.DisableUnavailable(why))
		p.out.Operations = slices.DeleteFunc(p.out.Operations, func(op v1.ProvisionOp) bool {
			return op == v1.OpAccountDisable || op == v1.OpAccountEnable
		})
	}
	return nil
}
