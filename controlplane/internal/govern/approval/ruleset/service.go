package ruleset

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Service keeps approval rules, calendars and on-call schedules. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
}

// calendars are the calendars and on-call schedules, with the same database and clock.
func (s *Service) calendars() *calendar.Service {
	return &calendar.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now}
}

// Read gives one rule, with whom today's organisation does not have.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found rule.ApprovalRule, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if found, err = Find(ctx, tx, id); err != nil {
			return err
		}
		return s.warn(ctx, tx, &found)
	})
	return found, err
}

// warn fills in whom a rule names in vain today.
func (s *Service) warn(ctx context.Context, tx *pg.Tx, r *rule.ApprovalRule) (err error) {
	r.Warnings, err = resolution.Warnings(ctx, tx, r.ApprovalRuleFields, s.Now())
	return err
}
