package pg

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Settings are values of PostgreSQL's parameters, by name.
type Settings map[string]string

// Settings for statements that PostgreSQL's planner misjudges, since it cannot know what is known here. All of them are
// in this file, each with its reason; planner_test.go shows the plan without and with each. They must not be changed.
var (
	// LoadedTables is for statements over tables that were filled a moment ago. Their statistics still say that they
	// are empty, and a planner that takes 100,000 rows for one joins them in nested loops, for minutes. Without nested
	// loops, plans look so expensive that they would be compiled, so that is off as well.
	LoadedTables = Settings{"enable_nestloop": "off", "jit": "off"}

	// WholeNesting is LoadedTables with room for the hash tables of everything that follows from nested groups.
	WholeNesting = LoadedTables.And(Settings{"work_mem": "96MB"})

	// FewByIndex is for searches of which few rows come out, such as the words that begin in one way. The planner
	// knows nothing of that, and would read whole tables.
	FewByIndex = Settings{
		"enable_seqscan":                  "off",
		"jit":                             "off",
		"max_parallel_workers_per_gather": "0",
	}

	// FewAccounts is for what follows from the grants of a few accounts, in a recursive query, for which the planner
	// assumes far more rows.
	FewAccounts = Settings{
		"enable_seqscan":   "off",
		"enable_mergejoin": "off",
		"enable_nestloop":  "on",
		"jit":              "off",
	}

	// FromVisible makes plans go from what the viewer may see to the rows, so that a list costs what is seen and not
	// what there is. How much a viewer sees, planners cannot know; otherwise they hash the whole tenant. Without
	// bitmaps, what is seen comes in the order of an index, and its look-ups in another one visit the same pages one
	// after the other. A plan for all values serves as well as one for these, and is made once for each connection.
	FromVisible = Settings{
		"enable_seqscan":                  "off",
		"enable_hashjoin":                 "off",
		"enable_mergejoin":                "off",
		"enable_bitmapscan":               "off",
		"max_parallel_workers_per_gather": "0",
		"jit":                             "off",
		"plan_cache_mode":                 "force_generic_plan",
	}
)

// And returns these settings with more, which win.
func (s Settings) And(more Settings) Settings {
	all := maps.Clone(s)
	maps.Copy(all, more)
	return all
}

// SQL returns one statement that applies the settings until the transaction ends, for a batch.
func (s Settings) SQL() string {
	calls := make([]string, 0, len(s))
	for _, name := range slices.Sorted(maps.Keys(s)) {
		calls = append(calls, fmt.Sprintf("set_config('%s', '%s', true)", name, s[name]))
	}
	return "select " + strings.Join(calls, ", ")
}

// With runs do under the settings, and puts back what they were. A setting that did not exist is empty afterwards.
// After an error of do the transaction ends, so With puts nothing back then.
func (tx *Tx) With(ctx context.Context, s Settings, do func() error) error {
	const (
		read = `select array_agg(coalesce(current_setting(s.name, true), '') order by s.n)
			from unnest($1::text[]) with ordinality s (name, n)`
		write = `select count(set_config(s.name, s.value, true)) from unnest($1::text[], $2::text[]) s (name, value)`
	)
	names, values, before := slices.Sorted(maps.Keys(s)), []string{}, []string{}
	for _, name := range names {
		values = append(values, s[name])
	}
	var b pgx.Batch
	b.Queue(read, names).QueryRow(func(row pgx.Row) error { return row.Scan(&before) })
	b.Queue(write, names, values)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("change settings: %w", err)
	}
	if err := do(); err != nil {
		return err
	}
	return Exec(ctx, tx, "restore settings", write, names, before)
}
