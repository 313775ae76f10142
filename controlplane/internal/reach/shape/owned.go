package shape

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/container"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Owned is an attribute that the template always writes, as it should be of an account that is there. A nil value says
// that the target should have none.
type Owned struct {
	Target  string
	Value   any
	Problem *template.AttributeProblem // it cannot be made: nothing is said about it then
}

// Owned gives what the template always writes of a person's account of this name.
func (c Config) Owned(f identity.Facts, username string) ([]Owned, error) {
	p, err := c.ready()
	if err != nil {
		return nil, err
	}
	rec := pyexpr.NewRecord(f)
	out := make([]Owned, 0, len(c.Template.Attributes))
	for i, a := range c.Template.Attributes {
		if a.On != template.OnAlways {
			continue
		}
		one := field{target: a.Target, required: a.Required}
		c.evaluate(&one, p.Attributes[i], f, rec, username)
		out = append(out, Owned{Target: a.Target, Value: one.value, Problem: one.problem})
	}
	return out, nil
}

// Moves reports whether accounts that are there get another name or place.
func (c Config) Moves() bool {
	return c.Template.Username.On == template.OnAlways ||
		c.Template.Container != nil && c.Template.Container.On == template.OnAlways
}

// Moved gives the name and the place that a person's account should have, if the template always has them; nil: what
// it has. A name that has a number stays as long as the rest of it is right. taken is as for Account; the account's own
// name is not taken.
func (c Config) Moved(
	f identity.Facts,
	current string,
	taken func(string) bool,
) (username, container *string, err error) {
	p, err := c.ready()
	if err != nil {
		return nil, nil, err
	}
	rec, u := pyexpr.NewRecord(f), &Unmakable{}
	name := current
	if c.Template.Username.On == template.OnAlways {
		one := field{target: template.MemberUsername, required: true}
		c.evaluate(&one, p.Username, f, rec, nil)
		if one.problem == nil {
			var stem string
			if stem, one.problem = c.stem(
				p,
				one.value.(string),
			); one.problem == nil &&
				!c.Template.Username.Unique.Fits(stem, current) {
				name, one.problem = c.Template.Username.Unique.Free(
					stem,
					func(n string) bool { return !strings.EqualFold(n, current) && taken != nil && taken(n) },
				)
				username = &name
			}
		}
		if one.problem != nil {
			u.Problems = append(u.Problems, *one.problem)
		}
	}
	if t := c.Template.Container; t != nil && t.On == template.OnAlways {
		one := field{target: template.FieldContainer}
		c.evaluate(&one, p.Container, f, rec, name)
		if text, ok := one.value.(string); ok {
			container = &text
		}
		if one.problem != nil {
			u.Problems = append(u.Problems, *one.problem)
		}
	}
	if err := u.or(); err != nil {
		return nil, nil, err
	}
	return username, container, nil
}

// Written is what a connector is given to write these attributes. A text that is empty takes away what is there.
func Written(owned []Owned) v1.ProvisionAccount {
	var a v1.ProvisionAccount
	for _, o := range owned {
		put(&a, o.Target, o.Value)
	}
	return a
}

// Parent is the DN above another.
func Parent(dn string) string {
	parts := container.Split(dn)
	return strings.Join(parts[1:], ",")
}
