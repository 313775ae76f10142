package pg

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// Versions are the stored versions of a kind of record. Their table has the columns version, content, changed_by and
// changed_at. The names go into statements as they are.
type Versions struct {
	Table string // such as duty_version
	Key   string // the column with the ID of the record, such as duty_id
	What  string // what errors call the record, such as duty
}

// PageOfVersions reads a page of the versions of a record, the latest first, and counts all of them. T has a db tag for
// each of the four columns.
func PageOfVersions[T any](
	ctx context.Context,
	tx *Tx,
	of Versions,
	id string,
	page Page,
) (items []T, total int64, err error) {
	before := 1 << 30
	if len(page.After) > 0 {
		if before, err = strconv.Atoi(page.After[0]); err != nil {
			return nil, 0, fmt.Errorf("position in versions: %w", err)
		}
	}
	sql := `
		select v.version, v.content, v.changed_by, v.changed_at
		  from ` + of.Table + ` v
		 where v.` + of.Key + ` = @id
		   and v.version < @before
		 order by v.version desc
		 limit @rows offset @skipped`
	if items, err = All[T](ctx, tx, "list versions of "+of.What, sql,
		pgx.NamedArgs{"id": id, "before": before, "rows": page.Limit + 1, "skipped": page.Offset}); err != nil {
		return nil, 0, err
	}
	total, err = One[int64](ctx, tx, "count versions of "+of.What,
		`select count(*) from `+of.Table+` where `+of.Key+` = $1`, id)
	return items, total, err
}
