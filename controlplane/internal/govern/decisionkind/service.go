package decisionkind

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard/schemadiff"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

// Service looks at what has to be decided, and carries out what was. All exported fields are needed.
type Service struct {
	DB      *pg.DB
	Fields  Fields  // decides about changed fields of sources
	Changes Changes // makes changes of target systems
	Packs   Packs   // resolves conflicts
	Log     *slog.Logger
	Now     func() time.Time
	// AdmitLinks checks the links of accounts that people make. Nil: nothing is refused.
	AdmitLinks account.Admission
}

// Changes places orders for changes of target systems, and completes those that people make by hand.
type Changes interface {
	Accept(ctx context.Context, tx *pg.Tx, o order.Order) (taskview.TaskDetail, error)
	Complete(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch, note string) error
}

// Fields carries out decisions about changed fields of a source: its mappings follow, and the diff is closed once
// nothing of it waits. match is asked about the version of the diff.
type Fields interface {
	Decide(
		ctx context.Context,
		tx *pg.Tx,
		connectorID, id string,
		match httpapi.IfMatch,
		d schemadiff.SchemaDecisions,
	) (
		schemadiff.SchemaDiff, error)
}

// Packs resolves a conflict of a sector pack by keeping ours, taking theirs, or the merged fields. match is asked about
// the version of the conflict.
type Packs interface {
	Resolve(ctx context.Context, tx *pg.Tx, id, use string, merged map[string]any, match func(version int) error) (
		installation.PackConflict, error)
}

// Answers carry out what was decided, by kind of task.
func (s *Service) Answers() map[string]decision.Answer {
	all := map[string]decision.Answer{}
	for _, k := range s.kinds() {
		all[k.Name] = k.Answerer()
	}
	return all
}
