package rest

import "strings"

// ancestor is the record that a child stream hangs on, with its own ancestors.
type ancestor struct {
	object string   // what the record is
	own    string   // its key
	record []string // its keys, by the place of the child stream that uses them
	param  string   // placeholder that its key fills
	key    string
	up     *ancestor
}

// as is the ancestor as the i-th child stream sees it, nil when it has no key for that.
func (a *ancestor) as(child *stream, i int) *ancestor {
	if a.record[i] == "" {
		return nil
	}
	return &ancestor{object: a.object, own: a.own, param: child.Parent.Param, key: a.record[i], up: a.up}
}

// value is the key that a placeholder stands for.
func (a *ancestor) value(param string) (string, bool) {
	for ; a != nil; a = a.up {
		if a.param == param {
			return a.key, true
		}
	}
	return "", false
}

// fill replaces the placeholders in text; other braces stay as they are.
func (a *ancestor) fill(text string, escape func(string) string) string {
	if a == nil || !strings.Contains(text, "{") {
		return text
	}
	var pairs []string
	for at := a; at != nil; at = at.up {
		key := at.key
		if escape != nil {
			key = escape(key)
		}
		pairs = append(pairs, "{"+at.param+"}", key)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// fillAll replaces the placeholders in all texts of a JSON value and gives a copy.
func (a *ancestor) fillAll(v any) any {
	switch v := v.(type) {
	case string:
		return a.fill(v, nil)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = a.fillAll(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = a.fillAll(e)
		}
		return out
	}
	return v
}
