package config

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/protocol/wire"
)

// Status is what a running agent says of itself, written whenever it changes and with every heartbeat.
type Status struct {
	State     string    `json:"state"` // connecting, online, offline, revoked, stopped
	PID       int       `json:"pid,omitempty"`
	Version   string    `json:"version,omitempty"`
	StartedAt time.Time `json:"started_at,omitzero"`
	// LastConnected is when the last connection was welcomed. Nil: never.
	LastConnected *time.Time `json:"last_connected"`
	TokenExpires  time.Time  `json:"token_expires,omitzero"`
	// InFlight is the number of tasks that run.
	InFlight int  `json:"in_flight"`
	Draining bool `json:"draining,omitempty"` // takes no new tasks
	// SpoolBytes is what waits on the disk for the control plane.
	SpoolBytes int64 `json:"spool_bytes,omitempty"`
	// LastError is why the agent is not connected. Empty: it is.
	LastError string    `json:"last_error,omitempty"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// States of a Status.
const (
	Connecting = "connecting"
	Online     = "online"
	Offline    = "offline"
	Revoked    = "revoked"
	Stopped    = "stopped"
)

// SaveStatus stores s. It does not wait for the disk: after a power cut it would be wrong anyway.
func (d Dir) SaveStatus(s Status) error { return d.writeJSON(statusFile, s, false) }

// LoadStatus gives the last status. A running agent refreshes it with every heartbeat: one that is older than three
// says that the process is gone, whatever it was then.
func (d Dir) LoadStatus(now time.Time) (Status, error) {
	var s Status
	found, err := exists(d.readJSON(statusFile, &s))
	if err != nil {
		return s, fmt.Errorf("read status: %w", err)
	}
	if !found {
		return Status{State: Stopped}, nil
	}
	if s.State != Revoked && now.Sub(s.UpdatedAt) > wire.OfflineAfter {
		s.State = Stopped
	}
	return s, nil
}
