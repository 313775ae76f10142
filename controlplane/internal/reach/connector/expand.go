package connector

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/summary"
)

// expand adds to a page of connectors what was asked for beside them, in one statement each for the whole page.
func expand(ctx context.Context, tx *pg.Tx, page []Connector, names []string) error {
	ids := make([]string, len(page))
	for i := range page {
		ids[i] = page[i].ID
	}
	if slices.Contains(names, "runs") {
		runs, err := summary.LatestRuns(ctx, tx, ids)
		if err != nil {
			return err
		}
		for i := range page {
			of := append([]summary.ConnectorRun{}, runs[page[i].ID]...)
			page[i].LastRuns = &of
		}
	}
	if !slices.Contains(names, "counts") {
		return nil
	}
	counts, err := summary.CountRecords(ctx, tx, ids)
	for i := range page {
		of := counts[page[i].ID]
		page[i].Counts = &of
	}
	return err
}
