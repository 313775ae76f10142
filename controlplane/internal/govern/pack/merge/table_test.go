package merge

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// table is a table in short: rows between spaces, each "cell:access,access".
func tableOf(text string) any {
	rows := []any{}
	for word := range strings.FieldsSeq(text) {
		cell, access, _ := strings.Cut(word, ":")
		ids := []any{}
		for id := range strings.SplitSeq(access, ",") {
			if id != "" {
				ids = append(ids, id)
			}
		}
		rows = append(
			rows,
			map[string]any{"cells": []any{cell}, "role_ids": ids, "entitlement_ids": []any{}, "comment": ""},
		)
	}
	return map[string]any{"hit_policy": "all", "columns": []any{"department"}, "rows": rows}
}

func textOf(table any) string {
	var words []string
	for _, r := range rowsOf(table.(map[string]any)) {
		words = append(words, r["cells"].([]any)[0].(string)+":"+strings.Join(Fields(r).IDs("role_ids"), ","))
	}
	return strings.Join(words, " ")
}

func TestTablesAreMergedRowByRow(t *testing.T) {
	for _, tt := range []struct{ name, base, mine, theirs, want string }{
		{"each side changes a row", "a:1 b:1", "a:1,2 b:1", "a:1 b:1,3", "a:1,2 b:1,3"},
		{"both change a row", "a:1,2", "a:1,2,3", "a:2,4", "a:2,3,4"},
		{"new rows come after those that they follow", "a:1 b:1", "a:1 m:1 b:1", "a:1 t:1 b:1 u:1", "a:1 t:1 m:1 b:1 u:1"},
		{"a first row", "a:1", "a:1 m:1", "t:1 a:1", "t:1 a:1 m:1"},
		{"a row that theirs takes out", "a:1 b:1", "a:1,2 b:1", "a:1", "a:1,2"},
		{"a row that mine takes out", "a:1 b:1", "a:1", "a:1,2 b:1,2", "a:1,2"},
		{"a row that mine has changed stays", "a:1 b:1", "a:1 b:2", "a:1,3", "a:1,3 b:2"},
		{"the same row on both sides", "a:1", "a:1 n:5", "a:1 n:5 o:1", "a:1 n:5 o:1"},
	} {
		got, clash := Tables(tableOf(tt.base), tableOf(tt.mine), tableOf(tt.theirs))
		if text := textOf(got); clash || text != tt.want {
			t.Errorf("%s: %q, clash %t; want %q", tt.name, text, clash, tt.want)
		}
	}
	other := tableOf("a:1 b:1").(map[string]any)
	other["columns"] = []any{"title"}
	for name, theirs := range map[string]any{"other columns": other, "a row twice": tableOf("a:1 a:2"), "no table": nil} {
		if got, clash := Tables(tableOf("a:1"), tableOf("a:1 b:2"), theirs); !clash || textOf(got) != "a:1 b:2" {
			t.Errorf("%s: %v, clash %t; want mine, and a clash", name, got, clash)
		}
	}
}

// TestMergingLosesNoAccessThatOnlyOneSideGave: whatever either side has added is there, and nothing that neither has.
func TestMergingLosesNoAccessThatOnlyOneSideGave(t *testing.T) {
	cells := []string{"a", "b", "c", "d"}
	draw := func(rt *rapid.T, name string) any {
		var words []string
		for _, c := range cells {
			if n := rapid.IntRange(0, 4).Draw(rt, name+c); n > 0 {
				words = append(words, c+":"+strings.Join([]string{"1", "2", "3"}[:n-1], ","))
			}
		}
		return tableOf(strings.Join(words, " "))
	}
	has := func(table any, cell, id string) bool {
		text, _ := json.Marshal([]string{cell})
		for _, r := range rowsOf(table.(map[string]any)) {
			for _, x := range Fields(r).IDs("role_ids") {
				if cellsOf(r) == string(text) && x == id {
					return true
				}
			}
		}
		return false
	}
	rapid.Check(t, func(rt *rapid.T) {
		base, mine, theirs := draw(rt, "base"), draw(rt, "mine"), draw(rt, "theirs")
		got, clash := Tables(base, mine, theirs)
		if clash {
			rt.Fatal("a clash")
		}
		for _, c := range cells {
			for _, id := range []string{"1", "2", "3"} {
				b, m, th, g := has(base, c, id), has(mine, c, id), has(theirs, c, id), has(got, c, id)
				if m && !b && !g {
					rt.Fatalf("%s:%s, which mine has added, is gone", c, id)
				}
				if g && !m && !th || g && b && !m {
					rt.Fatalf("%s:%s is there, and mine does not want it", c, id)
				}
			}
		}
	})
}
