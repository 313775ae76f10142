package wire

import (
	"encoding/json"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Subprotocol is what both ends name in Sec-WebSocket-Protocol.
const Subprotocol = "grantwright.agent.v1"

// Version is the envelope's version, and the only one there is.
const Version = 1

// Sizes of frames in bytes and times of the connection.
const (
	DefaultMaxFrame    = 1 << 20
	HardMaxFrame       = 4 << 20
	TargetFrame        = 512 << 10 // a chunk is closed at this size even when it has fewer records than asked
	DefaultCredit      = 4         // unacknowledged chunks a run may have in flight
	MaxCredit          = 16
	HeartbeatInterval  = 30 * time.Second
	PingInterval       = 20 * time.Second
	ReadTimeout        = 60 * time.Second
	OfflineAfter       = 90 * time.Second // a silent agent is offline
	ClockSkew          = 2 * time.Minute  // a clock that is further off than this makes an agent degraded
	LeaseLapse         = 10 * time.Second // a closed socket's leases lapse after this
	CancelGrace        = 10 * time.Second
	ReconnectBase      = time.Second
	ReconnectMax       = 60 * time.Second
	ProgressTimeout    = 5 * time.Minute // no chunk, page or progress for so long: the task is stuck
	MinAgentCapability = 1
	WriteCapability    = 2 // what an agent must have to change a target

	// Capability grows with every change of meaning. 1: 2026-11, first version; 2: calls of the kinds provision and
	// read; 3: the agent answers a challenge; one that does not is not let in, whatever number it names.
	Capability = 3
)

// Close codes of the websocket.
const (
	CloseProtocol   = 4400
	CloseToken      = 4401 // expired or invalid
	CloseRevoked    = 4403 // revoked or disabled: do not come back
	CloseSilent     = 4408
	CloseSuperseded = 4409 // a newer connection of the same agent
	CloseClone      = 4410 // the same identity runs twice: quarantine
	CloseTooLarge   = 4413
	CloseVersion    = 4426
	CloseTooMany    = 4429
	CloseDraining   = 4503
)

// Reasons that go with CloseToken when a proof is refused. An agent reads them to say what to do.
const (
	ReasonUnproven = "the proof does not show the agent's identity key"
	ReasonHost     = "the proof is for another host name: check --base-url, or have the proxy pass on Host"
)

// ReasonDisabled goes with CloseRevoked when an agent was switched off and not revoked: it may ask again after a while.
const ReasonDisabled = "disabled"

// Type says what a frame is.
type Type string

// Frame types. A: sent by the agent, C: by the control plane.
const (
	TypeHello      Type = "hello"         // A
	TypeChallenge  Type = "challenge"     // C, answers hello
	TypeProof      Type = "proof"         // A, answers challenge
	TypeWelcome    Type = "welcome"       // C, answers hello
	TypeHeartbeat  Type = "heartbeat"     // both
	TypeOffer      Type = "task.offer"    // C
	TypeAccept     Type = "task.accept"   // A
	TypeReject     Type = "task.reject"   // A
	TypeProgress   Type = "task.progress" // A
	TypeChunk      Type = "sync.chunk"    // A
	TypeAck        Type = "sync.ack"      // C
	TypeResult     Type = "task.result"   // A
	TypeTaskCancel Type = "task.cancel"   // C
	TypeError      Type = "error"         // both
	TypeGoaway     Type = "goaway"        // C
	TypeDrain      Type = "drain"         // A
	TypeEcho       Type = "echo"          // both, before hello: the control plane sends the body back
)

// Frame is the envelope of every message. Unknown members are ignored. A frame of unknown type is answered by an error
// frame unless Opt is set.
type Frame struct {
	V       int             `json:"v"`
	Type    Type            `json:"type"`
	ID      string          `json:"id"`
	Re      string          `json:"re,omitempty"`   // id of the frame being answered
	Task    string          `json:"task,omitempty"` // the call this frame belongs to
	Run     string          `json:"run,omitempty"`
	Attempt int             `json:"attempt,omitempty"` // fencing epoch given by the control plane
	Seq     int             `json:"seq,omitempty"`     // of a chunk within (run, attempt), from 1
	TS      time.Time       `json:"ts"`
	Trace   string          `json:"trace,omitempty"` // W3C traceparent
	Opt     bool            `json:"opt,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
}

// Hello opens a connection.
type Hello struct {
	AgentID        string          `json:"agent_id"`
	InstanceID     string          `json:"instance_id"`
	BootID         string          `json:"boot_id"` // new at every start of the process
	Version        string          `json:"version"`
	Capability     int             `json:"capability"`
	OS             string          `json:"os"`
	Arch           string          `json:"arch"`
	Hostname       string          `json:"hostname"`
	StartedAt      time.Time       `json:"started_at"`
	Clock          time.Time       `json:"clock"`
	ConnectorTypes []string        `json:"connector_types"`
	Limits         AgentLimits     `json:"limits"`
	Resume         []ResumeRequest `json:"resume,omitempty"` // tasks still running from the last connection
	JoinSeq        int64           `json:"join_seq"`
	// a fingerprint of the host; opaque, differs between machines
	Machine string `json:"machine,omitempty"`
}

// AgentLimits is what an agent can take.
type AgentLimits struct {
	MaxFrame int `json:"max_frame"`
	MaxTasks int `json:"max_tasks"`
	// what it may put on its disk while the control plane has no room; 0: nothing
	SpoolBytes int64 `json:"spool_bytes,omitempty"`
}

// ResumeRequest names a task that outlived its connection.
type ResumeRequest struct {
	Task      string `json:"task"`
	Run       string `json:"run,omitempty"`
	Attempt   int    `json:"attempt,omitempty"`
	LastSent  int    `json:"last_sent"`
	LastAcked int    `json:"last_acked"`
}

// ResumeAction is the control plane's answer to a ResumeRequest.
type ResumeAction struct {
	Task    string `json:"task"`
	Action  string `json:"action"`             // continue, abandon
	NextSeq int    `json:"next_seq,omitempty"` // with continue: send again from here
}

// Welcome answers Hello.
type Welcome struct {
	SessionID  string         `json:"session_id"`
	AgentID    string         `json:"agent_id"`
	Capability int            `json:"capability"`
	MaxFrame   int            `json:"max_frame"`
	HeartbeatS int            `json:"heartbeat_s"`
	ServerTime time.Time      `json:"server_time"`
	Resume     []ResumeAction `json:"resume,omitempty"`
	MinVersion string         `json:"min_version,omitempty"`
}

// Heartbeat proves that the agent's loop is alive, not only its TCP stack.
type Heartbeat struct {
	UptimeS    int64     `json:"uptime_s"`
	RSSBytes   int64     `json:"rss_bytes,omitempty"`
	Goroutines int       `json:"goroutines,omitempty"`
	InFlight   []string  `json:"in_flight,omitempty"`
	Clock      time.Time `json:"clock"`
	LastError  string    `json:"last_error,omitempty"`
	SpoolBytes int64     `json:"spool_bytes,omitempty"` // on the agent's disk now
	Draining   bool      `json:"draining,omitempty"`    // takes no new tasks, until a heartbeat without it
	Trouble    []string  `json:"trouble,omitempty"`     // why the agent works less well than it should: spool_failed
	ServerTime time.Time `json:"server_time,omitzero"`  // in the control plane's echo
}

// Troubles that an agent reports by itself.
const (
	TroubleSpool = "spool_failed" // its disk takes nothing more
)

// Echo is sent before hello by an agent that tries the way, and comes back as it was. A connection may ask for
// MaxEchoes.
type Echo struct {
	Data string `json:"data"`
}

// MaxEchoes is how many echo frames a connection may send before its hello.
const MaxEchoes = 4

// TaskKind is the dispatcher's call that a task carries.
type TaskKind string

// Kinds of task.
const (
	KindTest      TaskKind = "test"
	KindDiscover  TaskKind = "discover"
	KindSync      TaskKind = "sync"
	KindProvision TaskKind = "provision"
	KindRead      TaskKind = "read"
)

// Offer gives the agent a call to run. Request is a v1 SyncRequest, TestRequest, DiscoverRequest, ProvisionRequest or
// ReadRequest by Kind.
type Offer struct {
	Kind             TaskKind        `json:"kind"`
	ConnectorID      string          `json:"connector_id"`
	ConnectorType    string          `json:"connector_type"`
	Request          json.RawMessage `json:"request"`
	Deadline         *time.Time      `json:"deadline,omitempty"`
	ProgressTimeoutS int             `json:"progress_timeout_s,omitempty"`
	Credit           int             `json:"credit,omitempty"`
}

// Reject refuses an offer.
type Reject struct {
	Reason       string `json:"reason"` // busy, unknown_type, draining, policy, bad_request
	Message      string `json:"message,omitempty"`
	RetryAfterMS int64  `json:"retry_after_ms,omitempty"`
}

// Ack confirms, cumulatively, that chunks were committed, and opens the window.
type Ack struct {
	Seq    int `json:"ack_seq"`
	Credit int `json:"credit"` // unacknowledged chunks allowed from now on; 0 pauses
}

// Result ends a task. Result is a v1 TestResponse or DiscoverResponse by the task's kind; a sync's result is a Summary.
type Result struct {
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *v1.ErrorDetail `json:"error,omitempty"`
}

// Summary is the result of a sync task: how many chunks belong to it.
type Summary struct {
	Chunks  int `json:"chunks"`
	Records int `json:"records"`
}

// Cancel asks the agent to stop a task.
type Cancel struct {
	Reason  string `json:"reason"`
	GraceMS int64  `json:"grace_ms"`
}

// ErrorBody reports a frame that could not be used to the other end.
type ErrorBody struct {
	Code    string `json:"code"` // unknown_type, bad_frame, stale_attempt, unknown_task
	Message string `json:"message"`
}

// Goaway announces that the control plane is about to close.
type Goaway struct {
	Reason       string `json:"reason"`
	DrainMS      int64  `json:"drain_ms"`
	RetryAfterMS int64  `json:"retry_after_ms"`
}
