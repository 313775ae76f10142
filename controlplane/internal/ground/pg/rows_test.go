package pg_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

type pair struct {
	Number int    `db:"n"`
	Text   string `db:"t"`
}

const pairs = `select n, repeat('x', n) as t from generate_series(1, $1) n`

func TestRowsAreReadByTheNamesOfTheirColumns(t *testing.T) {
	db, system := small(t, 1)
	err := db.As(t.Context(), system, func(tx *pg.Tx) error {
		all, err := pg.All[pair](t.Context(), tx, "list pairs", pairs, 2)
		if diff := cmp.Diff([]pair{{1, "x"}, {2, "xx"}}, all); diff != "" || err != nil {
			t.Errorf("All: %v -want +got\n%s", err, diff)
		}
		none, err := pg.All[pair](t.Context(), tx, "list pairs", pairs, 0)
		if none == nil || len(none) > 0 || err != nil {
			t.Errorf("All of nothing = %v, %v; want an empty list", none, err)
		}
		one, err := pg.One[pair](t.Context(), tx, "find pair", pairs, 1)
		if (one != pair{1, "x"}) || err != nil {
			t.Errorf("One = %v, %v", one, err)
		}
		when, err := pg.One[time.Time](t.Context(), tx, "read the clock", `select now()`)
		if when.IsZero() || err != nil {
			t.Errorf("One time = %v, %v; want a struct that pgx knows to be the only column", when, err)
		}
		texts, err := pg.All[string](t.Context(), tx, "list texts", `select t from (`+pairs+`) p`, 2)
		if diff := cmp.Diff([]string{"x", "xx"}, texts); diff != "" || err != nil {
			t.Errorf("All of a column: %v -want +got\n%s", err, diff)
		}
		var n, sum int
		add := func() error { sum += n; return nil }
		if err := pg.Each(t.Context(), tx, "add", []any{&n, nil}, add, pairs, 4); sum != 10 || err != nil {
			t.Errorf("Each: %d, %v; want 10", sum, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFailureSaysWhatWasBeingDone(t *testing.T) {
	db, system := small(t, 1)
	for rows, want := range map[int]error{0: pgx.ErrNoRows, 2: pgx.ErrTooManyRows} {
		err := db.As(t.Context(), system, func(tx *pg.Tx) error {
			_, err := pg.One[pair](t.Context(), tx, "find pair", pairs, rows)
			return err
		})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "find pair") {
			t.Errorf("One of %d rows: %v; want %v, and what it was for", rows, err, want)
		}
	}
	stop := errors.New("stop")
	for what, do := range map[string]func(tx *pg.Tx) error{
		"exec": func(tx *pg.Tx) error { return pg.Exec(t.Context(), tx, "doing this", `select 1/0`) },
		"all": func(tx *pg.Tx) error {
			_, err := pg.All[int](t.Context(), tx, "doing this", `select 1/0`)
			return err
		},
		"each": func(tx *pg.Tx) error {
			var n int
			return pg.Each(t.Context(), tx, "doing this", []any{&n}, func() error { return stop }, `select 1`)
		},
	} {
		if err := db.As(t.Context(), system, do); err == nil || !strings.Contains(err.Error(), "doing this") {
			t.Errorf("%s: %v; want an error that says what was being done", what, err)
		}
	}
}
