package scim

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// carried grants or revokes a right that users carry themselves, in roles or entitlements.
func (c *writing) carried(ctx context.Context, right, attribute, rest string, grant bool) error {
	rec, err := c.mustLocate(ctx)
	if err != nil {
		return err
	}
	c.resp.Grant = &v1.GrantState{
		AccountRemoteID:     rec.text("id"),
		EntitlementRemoteID: right,
		Held:                carries(rec, right),
	}
	if c.resp.Grant.Held == grant {
		c.resp.Outcome, c.resp.Account, c.resp.Verified = v1.OutcomeAlready, account(rec), true
		return nil
	}
	r, err := c.carriedRequest(ctx, rec, right, attribute, rest, grant)
	if err != nil {
		return err
	}
	if _, _, err := c.send(ctx, r); err != nil {
		return err
	}
	c.resp.Outcome = v1.OutcomeApplied
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		at, err := c.userPath(rec.text("id"))
		if err != nil {
			return false, err
		}
		now, err := c.get(ctx, at, phaseUsers)
		if err != nil || now == nil {
			return false, err
		}
		c.resp.Account, c.resp.Grant.Held = account(now), carries(now, right)
		return c.resp.Grant.Held == grant, nil
	})
	if !c.resp.Verified {
		c.warn("not_as_asked", "the target took the change and does not show it in "+attribute, rec.text("id"))
	}
	return nil
}

// carries says whether a user has a right in its roles or entitlements.
func carries(rec record, right string) bool {
	rights, _ := rightsOf(rec)
	return slices.ContainsFunc(rights, func(e v1.RemoteEntitlement) bool { return e.ExternalID == right })
}

// carriedRequest changes one item of roles or entitlements.
func (c *writing) carriedRequest(
	ctx context.Context,
	rec record,
	right, attribute, rest string,
	grant bool,
) (request, error) {
	at, err := c.userPath(rec.text("id"))
	if err != nil {
		return request{}, err
	}
	r := request{
		method: http.MethodPatch,
		path:   at,
		etag:   rec.sub("meta").text("version"),
		phase:  phaseUsers,
		note:   fmt.Sprintf("one of the user's %s is changed", attribute),
	}
	var kept, item []any
	for _, one := range rec.items(attribute) {
		if carries(record{attribute: []any{map[string]any(one)}}, right) {
			item = append(item, map[string]any(one))
			continue
		}
		kept = append(kept, map[string]any(one))
	}
	if grant {
		item = []any{c.rightItem(ctx, attribute, rest)}
		kept = append(kept, item...)
	}
	whole := wish{path: path{attribute: attribute}, value: any(kept)}
	if len(kept) == 0 {
		whole.value = nil
	}
	switch {
	case c.byPut():
		return c.modification(ctx, rec, []wish{whole})
	case c.write.Style == quirks.StyleNoPath, c.write.NoFilterPath && !grant:
		r.body = c.patched(c.operations(rec, []wish{whole})...)
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
func itemFilter(item record) string {
	var parts []string
	for _, name := range []string{"value", "type"} {
		if text := item.text(name); text != "" {
			parts = append(parts, name+" eq "+quoted(text))
		}
	}
	if item.text("value") == "" {
		parts = append([]string{"display eq " + quoted(item.text("display"))}, parts...)
	}
	return strings.Join(parts, " and ")
}

// rightItem makes the item for a right from its id, which is type and value or, where values have colons, value alone:
// whoever holds it already tells which.
func (c *writing) rightItem(ctx context.Context, attribute, rest string) map[string]any {
	typ, value, split := strings.Cut(rest, ":")
	if !split || typ == "" || value == "" {
		return map[string]any{"value": rest}
	}
	if c.findable(c.provider) {
		ask := target.Request{
			URL:    c.usersPath,
			Query:  url.Values{"filter": {attribute + ".value eq " + quoted(rest)}, "count": {"1"}},
			Phase:  phaseUsers,
			Stream: true,
		}
		bare := false
		err := c.fetch(ctx, ask, func(resp *target.Response) error {
			_, err := readList(resp, func(in *raw) error {
				res, err := in.resource()
				for _, one := range res.rec.items(attribute) {
					bare = bare || one.text("value") == rest && one.text("type") == ""
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
