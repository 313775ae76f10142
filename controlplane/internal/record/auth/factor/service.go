package factor

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/passkey"
)

// Service sets up, asks for and removes second factors. All fields are needed.
type Service struct {
	DB   *pg.DB
	Seal *seal.Keyring
	Now  func() time.Time
	// Passkeys are another second factor.
	Passkeys *passkey.Service
	// ProvePassword refuses a password that is not the viewer's, with a fault that points to the member of the body.
	ProvePassword func(ctx context.Context, v viewer.Viewer, plain, pointer string) error
}
