package progress

import (
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
)

// WaitsFor says in words what a stage waits for.
func WaitsFor(d approval.StageWait) string {
	switch d.Kind {
	case state.WaitDuration:
		return "the time of " + d.Duration + " to pass"
	case state.WaitTimeOfDay:
		return "clocks in " + d.Timezone + " to show " + d.At
	case state.WaitExternal:
		return "a person or another system to continue it"
	}
	raw, err := json.Marshal(d.Condition)
	if err == nil {
		if c, problems := condition.Parse(raw); len(problems) == 0 {
			return "this to be true of the person: " + c.Sentence()
		}
	}
	return "a condition that cannot be read"
}
