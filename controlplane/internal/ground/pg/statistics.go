package pg

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
)

const (
	statisticsEvery = 2 * time.Second  // one look costs about a millisecond
	statisticsLimit = 60 * time.Second // for one table
)

// KeepStatistics has the planner know of what is loaded, until ctx ends: a table to which three times as much was
// written as it held is analyzed within seconds. PostgreSQL's autovacuum does so too, but looks around once a minute
// where nothing else is set, and in that minute, which is the first of every customer, lists of some ten thousand
// grants take seconds. Smaller changes are left to it.
func (db *DB) KeepStatistics(ctx context.Context, log *slog.Logger) error {
	const cannot = "cannot refresh the statistics of the database; lists may be slow until it refreshes them " +
		"automatically"
	return loop.Worker{Every: statisticsEvery, Log: log, Cannot: cannot}.Run(ctx, db.catchUpStatistics)
}

// catchUpStatistics analyzes all tables that are behind, each in a transaction of its own: a table that is being
// analyzed is locked against changes of its definition.
func (db *DB) catchUpStatistics(ctx context.Context) error {
	done := map[string]bool{}
	for {
		table, err := db.analyzeNext(ctx)
		if err != nil || table == "" || done[table] {
			return err
		}
		done[table] = true
	}
}

func (db *DB) analyzeNext(ctx context.Context) (table string, err error) {
	err = db.Deployment(ctx, func(tx *Tx) error {
		if _, err := tx.Exec(
			ctx,
			fmt.Sprintf("set local statement_timeout = %d", statisticsLimit.Milliseconds()),
		); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `select coalesce(catch_up_statistics(), '')`).Scan(&table)
	})
	return table, err
}
