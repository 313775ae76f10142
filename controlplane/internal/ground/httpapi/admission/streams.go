package admission

import (
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// An open stream costs a connection and questions to the database for as long as it lasts, so that there is a limit for
// each session or service token, for each tenant, and for the process.
const (
	mostOfSession = 20
	mostOfTenant  = 100
	mostInAll     = 500
)

// Streams counts the streams of this process, by session and by tenant.
type Streams struct {
	mu  sync.Mutex
	all int
	of  map[string]int
}

// Enter counts a stream, or refuses it when there are too many. leave must be called once when it has ended.
func (o *Streams) Enter(v viewer.Viewer) (leave func(), err error) {
	session, tenant := "session "+v.Session+" "+v.ID, "tenant "+v.Tenant
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[string]int{}
	}
	switch {
	case o.of[session] >= mostOfSession:
		return nil, tooManyStreams(
			"This session has %d open streams. Close one before you open another.",
			mostOfSession,
		)
	case o.of[tenant] >= mostOfTenant:
		return nil, tooManyStreams("This tenant has %d open streams. Close one before you open another.", mostOfTenant)
	case o.all >= mostInAll:
		return nil, tooManyStreams("The service has %d open streams. Try again later.", mostInAll)
	}
	o.add(session, tenant, 1)
	return sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.add(session, tenant, -1)
	}), nil
}

func (o *Streams) add(session, tenant string, n int) {
	o.all += n
	for _, key := range []string{session, tenant} {
		if o.of[key] += n; o.of[key] == 0 {
			delete(o.of, key)
		}
	}
}

func tooManyStreams(detail string, most int) error {
	return fault.Coded(fault.TooMany, "too_many_streams", detail, most)
}
