package taskview

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	aboutList = "The newest first. summary counts the matching tasks in each state, regardless of the parameter state."
)

// Service shows provisioning tasks.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

// Routes are the reads of provisioning tasks.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/accounts/provisioning-tasks", "List provisioning tasks", s.list).Describe(aboutList),
		httpapi.Handle("GET", "/accounts/provisioning-tasks/groups", "List open provisioning tasks by cause", s.groups).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutGroups),
		httpapi.Handle("GET", "/accounts/provisioning-tasks/{id}", "Retrieve a provisioning task", s.read),
	}
}

// TaskList is a page of tasks with how many there are.
type TaskList struct {
	httpapi.List[Task]
	// Number of matching tasks in each state.
	Summary TaskSummary `json:"summary"`
}

// TaskSummary counts tasks.
type TaskSummary struct {
	// How many of those that match, whatever their state, are in each; a state without any is absent.
	ByState map[string]int64 `json:"by_state" nullable:"false"`
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	TaskFilters
}

// listOut is the response of list.
type listOut struct{ Body TaskList }

// list is GET /accounts/provisioning-tasks. Items, their number and the numbers by state are read in one
// transaction, so that they agree.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*listOut, error) {
	walk, err := s.Cursors.Walk(v, "provisioning_tasks", in.Paging, in.TaskFilters)
	if err != nil {
		return nil, err
	}
	var items []Task
	var total int64
	out := &listOut{}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		items, total, out.Body.Summary.ByState, err = listTasks(ctx, tx, in.TaskFilters, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Body.List = httpapi.Out(walk, items, total, func(t Task) []string { return []string{t.ID, t.ID} }).Body
	return out, nil
}

type oneIn struct {
	// ID of the provisioning task.
	ID string `path:"id"`
}

// TaskOut is the answer with one task.
type TaskOut = httpapi.One[TaskDetail]

// read is GET of one task with its attempts.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (out *TaskOut, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error { out, err = ReadTask(ctx, tx, in.ID); return err })
	return out, err
}

// ReadTask reads a task as an answer; see Find for its faults.
func ReadTask(ctx context.Context, tx *pg.Tx, id string) (*TaskOut, error) {
	d, err := Find(ctx, tx, id)
	return &TaskOut{ETag: httpapi.ETag(d.Version), Body: d}, err
}
