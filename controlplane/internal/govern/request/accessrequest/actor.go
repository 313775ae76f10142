package accessrequest

import (
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// ActorOf returns the viewer as requests and timelines name it.
func ActorOf(v viewer.Viewer) decision.Actor {
	if v.Kind == viewer.Machine {
		return decision.Actor{Type: "system", ID: v.ID, IdentityID: v.Identity, Display: v.Display}
	}
	return decision.ActorOf(v)
}

// NewID returns a new id. Ids rise with time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Path is the path of requests, below the prefix of the API.
const Path = "/access-requests"
