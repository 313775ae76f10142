package write

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/desired"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// changeRight grants or revokes a right that users carry themselves, in roles or entitlements.
func (c *change) changeRight(ctx context.Context, right, attribute, rest string, grant bool) error {
	rec, err := c.mustLocate(ctx)
	if err != nil {
		return err
	}
	c.resp.Grant = &v1.GrantState{
		AccountRemoteID:     rec.Text("id"),
		EntitlementRemoteID: right,
		Held:                resource.HasRight(rec, right),
	}
	if c.resp.Grant.Held == grant {
		c.resp.Outcome, c.resp.Account, c.resp.Verified = v1.OutcomeAlready, resource.FullAccount(rec), true
		return nil
	}
	r, err := c.rightRequest(ctx, rec, right, attribute, rest, grant)
	if err != nil {
		return err
	}
	if _, _, err := c.send(ctx, r); err != nil {
		return err
	}
	c.resp.Outcome = v1.OutcomeApplied
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		at, err := c.UserPath(rec.Text("id"))
		if err != nil {
			return false, err
		}
		now, err := c.Find(ctx, at, resource.PhaseUsers)
		if err != nil || now == nil {
			return false, err
		}
		c.resp.Account, c.resp.Grant.Held = resource.FullAccount(now), resource.HasRight(now, right)
		return c.resp.Grant.Held == grant, nil
	})
	if !c.resp.Verified {
		c.warn("not_as_asked", "the target took the change and does not show it in "+attribute, rec.Text("id"))
	}
	return nil
}

// rightRequest changes one item of roles or entitlements.
func (c *change) rightRequest(
	ctx context.Context,
	rec resource.Record,
	right, attribute, rest string,
	grant bool,
) (request, error) {
	at, err := c.UserPath(rec.Text("id"))
	if err != nil {
		return request{}, err
	}
	r := request{
		method: http.MethodPatch,
		path:   at,
		etag:   rec.Object("meta").Text("version"),
		phase:  resource.PhaseUsers,
		note:   fmt.Sprintf("one of the user's %s is changed", attribute),
	}
	var kept, item []any
	for _, one := range rec.Items(attribute) {
		if resource.HasRight(resource.Record{attribute: []any{map[string]any(one)}}, right) {
			item = append(item, map[string]any(one))
			continue
		}
		kept = append(kept, map[string]any(one))
	}
	if grant {
		item = []any{c.rightItem(ctx, attribute, rest)}
		kept = append(kept, item...)
	}
	whole := desired.Attribute{Path: resource.Path{Attribute: attribute}, Value: any(kept)}
	if len(kept) == 0 {
		whole.Value = nil
	}
	switch {
	case c.byPut():
		return c.modification(ctx, rec, []desired.Attribute{whole})
	case c.Write.Style == quirks.StyleNoPath, c.Write.NoFilterPath && !grant:
		r.body = c.patched(c.operations(rec, []desired.Attribute{whole})...)
	case grant:
		r.body = c.patched(c.operation(true, attribute, item))
	default:
		var ops []any
		for _, one := range item {
			ops = append(ops, c.operation(false, attribute+"["+itemFilter(one.(map[string]any))+"]", nil))
		}
		r.body = c.patched(ops...)
	}
	return r, nil
}

// itemFilter finds an item by what it has.
func itemFilter(item resource.Record) string {
	var parts []string
	for _, name := range []string{"value", "type"} {
		if text := item.Text(name); text != "" {
			parts = append(parts, name+" eq "+resource.Quote(text))
		}
	}
	if item.Text("value") == "" {
		parts = append([]string{"display eq " + resource.Quote(item.Text("display"))}, parts...)
	}
	return strings.Join(parts, " and ")
}

// rightItem makes the item for a right from its id, which is type and value or, where values have colons, value alone:
// whoever holds it already tells which.
func (c *change) rightItem(ctx context.Context, attribute, rest string) map[string]any {
	typ, value, split := strings.Cut(rest, ":")
	if !split || typ == "" || value == "" {
		return map[string]any{"value": rest}
	}
	if c.CanFindByName(c.provider) {
		ask := target.Request{
			URL:    c.UsersPath,
			Query:  url.Values{"filter": {attribute + ".value eq " + resource.Quote(rest)}, "count": {"1"}},
			Phase:  resource.PhaseUsers,
			Stream: true,
		}
		bare := false
		err := c.Fetch(ctx, ask, func(resp *target.Response) error {
			_, err := response.ReadList(resp, func(in *response.Reader) error {
				res, err := in.Element()
				for _, one := range res.Record.Items(attribute) {
					bare = bare || one.Text("value") == rest && one.Text("type") == ""
				}
				return err
			})
			return err
		})
		if err == nil && bare {
			return map[string]any{"value": rest}
		}
	}
	return map[string]any{"value": value, "type": typ}
}
