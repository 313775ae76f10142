package template

import (
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
)

// Definition is the setting writes: how the target is changed, and how it is looked at before and after.
type Definition struct {
	// Whose fields make an account of a record; default: the first of accounts.
	Stream string `json:"stream"`
	// Reads are requests by name: find, account and membership are known.
	Reads map[string]ReadDefinition `json:"reads"`
	// Ops are the requests by the change that they make.
	Ops map[string]OperationDefinition `json:"ops"`
}

// ReadDefinition is one request that reads: GET, or POST where the interface searches so. A status of Missing means
// that there is none, and so do words of the target that contain Absent.
type ReadDefinition struct {
	Method     string                       `json:"method"`
	Path       string                       `json:"path"`
	Body       any                          `json:"body"`
	Query      map[string]stream.ScalarText `json:"query"`
	Headers    map[string]string            `json:"headers"`
	RecordPath string                       `json:"record_path"`
	Missing    []int                        `json:"missing"`
	Absent     string                       `json:"missing_contains"`

	SuccessPath string `json:"success_path"`
	MessagePath string `json:"message_path"`

	// Of the read named membership alone.
	KeyPath string `json:"key_path"` // of the records: the entitlement's id is among them
	// What the key has to be; default {{entitlement.remote_id}}.
	Equals string `json:"equals"`
	State  string `json:"state_path"`
	// Words of the state that say yes.
	Held []string `json:"held"`
	// And that say: not yet.
	Pending []string `json:"pending"`
}

// OperationDefinition is the request that makes one change. Without Success every status from 200 to 299 counts.
type OperationDefinition struct {
	Method  string                       `json:"method"`
	Path    string                       `json:"path"`
	Query   map[string]stream.ScalarText `json:"query"`
	Headers map[string]string            `json:"headers"`
	Body    any                          `json:"body"`
	Success []int                        `json:"success"`
	Already *AlreadyDefinition           `json:"already"`
	IDPath  string                       `json:"id_path"`

	SuccessPath string `json:"success_path"`
	MessagePath string `json:"message_path"`

	// Attributes are put into the body under their names.
	Attributes bool `json:"merge_attributes"`
}

// AlreadyDefinition says which refusal means that there is nothing to do. It is believed after a look only.
type AlreadyDefinition struct {
	Status   []int  `json:"status"`
	Contains string `json:"contains"`
}
