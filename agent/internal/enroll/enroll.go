package enroll

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/protocol/wire"
)

// ErrEnrolled is returned where the data directory belongs to an agent already.
var ErrEnrolled = errors.New("this data directory is enrolled already")

// Order is what an operator asks for.
type Order struct {
	Dir      config.Dir
	Settings config.Settings
	Token    string // the enrolment token, shown once to the administrator
	Replace  bool   // forget an enrolment that is there, with its keys
	Version  string
}

// Enroll registers this host and stores its membership. The keys are stored before the call, so that after a lost
// answer the same call with the same token gets the same membership.
func Enroll(ctx context.Context, o Order) (config.State, error) {
	jti, err := tokenID(o.Token)
	if err != nil {
		return config.State{}, err
	}
	dialer, err := dial.New(o.Settings)
	if err != nil {
		return config.State{}, err
	}
	keys, err := prepare(o)
	if err != nil {
		return config.State{}, err
	}
	client := &Client{HTTP: dialer.HTTP(), Base: dialer.Base, Version: o.Version}
	answer, err := client.Register(ctx, o.Token, registration(keys, jti, o.Version))
	if err != nil {
		return config.State{}, err
	}
	state := config.State{
		AgentID: answer.AgentID, InstanceID: answer.InstanceID, TenantID: answer.TenantID, Name: answer.Name,
		Token: answer.Token, IssuedAt: time.Now().UTC(), ExpiresAt: answer.ExpiresAt, JoinSeq: answer.JoinSeq,
	}
	if state.AgentID == "" || state.Token == "" {
		return state, errors.New("the control plane's answer names no agent or holds no token")
	}
	// The settings first: a membership without them would be of no use.
	if err := o.Dir.SaveSettings(o.Settings); err != nil {
		return state, err
	}
	return state, o.Dir.SaveState(state)
}

// prepare makes the data directory and the keys.
func prepare(o Order) (config.Keys, error) {
	if err := o.Dir.Prepare(); err != nil {
		return config.Keys{}, err
	}
	if old, err := o.Dir.LoadState(); err == nil && !o.Replace {
		return config.Keys{}, fmt.Errorf(
			"%w as %s (%s): use --replace to make it another agent",
			ErrEnrolled,
			old.Name,
			old.AgentID,
		)
	}
	if o.Replace {
		if err := o.Dir.Forget(); err != nil {
			return config.Keys{}, err
		}
	}
	return o.Dir.EnsureKeys()
}

// registration is the request by which the host registers, with the proof that it holds both keys.
// jti is the ID of the enrollment token, which the proof is bound to.
func registration(k config.Keys, jti, version string) wire.RegisterRequest {
	// An unknown host name is no reason to refuse a host.
	host, _ := os.Hostname()
	return wire.RegisterRequest{
		IdentityKey: k.IdentityPublic(), SealingKey: k.SealingPublic(),
		Proof:    k.Sign(wire.RegisterProof(jti, k.IdentityPublic(), k.SealingPublic())),
		Hostname: host, OS: runtime.GOOS, Arch: runtime.GOARCH, Version: version, BootID: wire.NewID(time.Now()),
	}
}

// tokenID reads the jti of a token. It proves nothing: the control plane verifies the token, this end only signs its
// id.
func tokenID(token string) (string, error) {
	bad := errors.New("this is no enrolment token: it must be the whole text that was shown when the agent was created")
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", bad
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", bad
	}
	var claims struct {
		ID string `json:"jti"`
	}
	if err := json.Unmarshal(payload, &claims); err != nil || claims.ID == "" {
		return "", bad
	}
	return claims.ID, nil
}
