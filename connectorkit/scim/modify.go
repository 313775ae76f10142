package scim

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// mostTries is how often a change is made anew because somebody else changed the record meanwhile.
const mostTries = 3

// modify brings a user to what was asked for. before may object once the user is read.
func (c *writing) modify(ctx context.Context, asked []wish, before func(record) error) error {
	for try := 1; ; try++ {
		rec, err := c.mustLocate(ctx)
		if err != nil {
			return err
		}
		if before != nil {
			if err := before(rec); err != nil {
				return err
			}
		}
		unmet := slices.DeleteFunc(slices.Clone(asked), func(w wish) bool { return w.met(rec) })
		if len(unmet) == 0 {
			c.resp.Outcome, c.resp.Account, c.resp.Verified = v1.OutcomeAlready, account(rec), true
			return nil
		}
		r, err := c.modification(ctx, rec, unmet)
		if err != nil {
			return err
		}
		_, _, err = c.send(ctx, r)
		var d *v1.ErrorDetail
		if errors.As(err, &d) && d.Code == "version_changed" && c.req.Expect == nil && try < mostTries {
			continue // it was refused, so that nothing was done
		}
		if err != nil {
			return err
		}
		c.resp.Outcome, c.resp.Changes = v1.OutcomeApplied, changesOf(rec, unmet)
		c.readBack(ctx, rec.text("id"), asked)
		return nil
	}
}

// modification is the request that changes what is unmet.
func (c *writing) modification(ctx context.Context, rec record, unmet []wish) (request, error) {
	at, err := c.userPath(rec.text("id"))
	if err != nil {
		return request{}, err
	}
	r := request{
		method: http.MethodPatch,
		path:   at,
		etag:   rec.sub("meta").text("version"),
		phase:  phaseUsers,
		note:   "the user is changed",
	}
	if !c.byPut() {
		r.body = c.patched(c.operations(rec, unmet)...)
		return r, nil
	}
	body := rec.copied()
	c.takeOut(body, c.k.lockedOnce(ctx, c.session, c.req.AuthConfig))
	c.apply(body, unmet)
	body["schemas"] = schemasOf(body, userSchema)
	r.method, r.body, r.note = http.MethodPut, body, "the whole user is sent, with the change in it"
	return r, nil
}

func (c *writing) byPut() bool {
	if c.write.Update != "" {
		return c.write.Update == quirks.ByPut
	}
	return c.provider.declared && !c.provider.patch
}

func (c *writing) patched(operations ...any) map[string]any {
	return map[string]any{"schemas": []any{patchSchema}, "Operations": operations}
}

func (c *writing) word(op string) string {
	if c.write.Words == quirks.WordsCapital {
		return strings.ToUpper(op[:1]) + op[1:]
	}
	return op
}

func (c *writing) truth(v any) any {
	b, is := v.(bool)
	switch {
	case !is || c.write.Booleans != quirks.BooleansText:
		return v
	case b:
		return "True"
	}
	return "False"
}

// operations are those of a PATCH.
func (c *writing) operations(rec record, unmet []wish) []any {
	var ops []any
	object := record{}
	for _, w := range unmet {
		at, v := w.path, w.value
		if at.multi() && at.sub == "value" {
			at, v = at.whole(), w.items(rec)
		}
		if v == nil && at.urn == enterpriseUser && at.attribute == "manager" {
			at = at.whole()
		}
		switch {
		case v == nil:
			ops = append(ops, map[string]any{"op": c.word("remove"), "path": at.String()})
		case c.write.Style == quirks.StyleNoPath:
			at.put(object, c.truth(v))
		case !blank(at.of(rec)):
			ops = append(ops, map[string]any{"op": c.word("replace"), "path": at.String(), "value": c.truth(v)})
		case at.sub != "" && blank(at.whole().of(rec)):
			// Not every target makes the whole for the sake of a part.
			ops = append(
				ops,
				map[string]any{
					"op":    c.word("add"),
					"path":  at.whole().String(),
					"value": map[string]any{at.sub: c.truth(v)},
				},
			)
		default:
			ops = append(ops, map[string]any{"op": c.word("add"), "path": at.String(), "value": c.truth(v)})
		}
	}
	if len(object) > 0 {
		ops = append([]any{map[string]any{"op": c.word("replace"), "value": map[string]any(object)}}, ops...)
	}
	return ops
}

// apply writes wishes into a record that is sent whole.
func (c *writing) apply(rec record, unmet []wish) {
	for _, w := range unmet {
		at, v := w.path, w.value
		if at.multi() && at.sub == "value" {
			at, v = at.whole(), w.items(rec)
		}
		if v == nil && at.urn == enterpriseUser && at.attribute == "manager" {
			at = at.whole()
		}
		at.put(rec, c.truth(v))
	}
	maps.DeleteFunc(rec, func(name string, v any) bool { return schemaName.MatchString(name) && blank(v) })
}

// takeOut removes what only the target writes (RFC 7643 sections 3.1, 4.1.2 and 4.3), what it declares to be so, and
// what the profile knows of.
func (c *writing) takeOut(rec record, locked map[string]bool) {
	maps.DeleteFunc(rec, func(name string, _ any) bool {
		lower := strings.ToLower(name)
		return lower == "meta" || lower == "groups" || lower != "id" && locked[lower]
	})
	names := append(
		[]string{enterpriseUser + ":manager.displayName", enterpriseUser + ":manager.$ref"},
		c.write.ReadOnly...)
	for key := range locked {
		names = append(names, key)
	}
	for _, name := range names {
		if strings.EqualFold(name, "id") {
			continue
		}
		if p, err := parsePath(name); err == nil {
			p.put(rec, nil)
		}
	}
}

// schemasOf names the schemas of a record: the core one and those of its extensions.
func schemasOf(rec record, core string) []any {
	out := []any{core}
	for _, name := range slices.Sorted(maps.Keys(rec)) {
		if len(name) > 4 && strings.EqualFold(name[:4], "urn:") && !blank(rec[name]) {
			out = append(out, name)
		}
	}
	return out
}
