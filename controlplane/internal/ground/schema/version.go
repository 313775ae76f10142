package schema

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/migrations"
)

// Head is the newest migration that this program knows.
func Head() int64 {
	names, _ := fs.Glob(migrations.Files, "*.sql") // the only error is a malformed pattern
	var head int64
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			head = max(head, n)
		}
	}
	return head
}

// Version is the newest migration that the database has had.
func Version(ctx context.Context, db *pg.DB) (version int64, err error) {
	err = db.Deployment(ctx, func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select coalesce(max(version_id), 0) from schema_migration where is_applied`).
			Scan(&version)
	})
	if err != nil {
		return 0, fmt.Errorf("read the schema's version: %w", err)
	}
	return version, nil
}
