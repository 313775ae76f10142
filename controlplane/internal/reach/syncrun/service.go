package syncrun

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
)

// Times of the work on runs.
const (
	leaseTime    = 15 * time.Second // a worker that is silent for so long has lost its run
	beatInterval = time.Second      // how soon a cancel is noticed
	agentWait    = 30 * time.Minute // how long a run waits for an agent that is offline
	silence      = 5 * time.Minute  // a connector that shows no sign of progress for so long is stuck
	maxFailures  = 5                // attempts that did not move a run on
	maxDeaths    = 2                // processes that died in a run which did not move on
)

// Agents knows which agents this process, or any, can reach.
type Agents interface {
	Serves(t dispatch.Target) bool
	Online(ctx context.Context, t dispatch.Target) (bool, error)
}

// Service starts runs, answers for them, and works on them.
type Service struct {
	DB         *pg.DB
	Connectors *connector.Service
	Fields     *fieldmap.Service // gives what maps the records
	Dispatch   *dispatch.Dispatcher
	Agents     Agents
	Guard      *outbound.Guard
	Cursors    *httpapi.Cursors
	// CallbackKey signs callbacks; each connector's secret is derived from it.
	CallbackKey []byte
	// MaxRuns bounds the runs that this process works on at once.
	MaxRuns int
	// Silence is how long a connector may show no sign of progress: no chunk, no report, no announced wait. 0: five
	// minutes.
	Silence time.Duration
	// KeepStaged leaves what a run has staged where it is, for whoever wants to look at it.
	KeepStaged bool
	Log        *slog.Logger
	Now        func() time.Time

	process uuid.UUID
	once    sync.Once
	mu      sync.Mutex
	active  map[string]place // by run
	turned  string           // the last waiting run that was looked at; the loop's own
	calls   *http.Client     // of callbacks
	group   sync.WaitGroup
	wake    loop.Bell
	expired time.Time // when Expire was last called; the loop's own
}

func (s *Service) init() {
	s.once.Do(func() {
		s.process = uuid.Must(uuid.NewV7())
		s.active = map[string]place{}
		if s.MaxRuns == 0 {
			s.MaxRuns = 8
		}
		if s.Silence == 0 {
			s.Silence = silence
		}
		if s.Guard != nil {
			s.calls = s.Guard.Client(callbackTimeout)
		}
	})
}

// Wake makes this process look for runs at once.
func (s *Service) Wake() { s.wake.Ring() }
