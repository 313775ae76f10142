package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/inbox"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request"
	"github.com/grantwright/grantwright/controlplane/internal/govern/requestcatalog"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/linkcheck"
)

// addAsking adds what people ask for and what they decide: approval rules, access requests and the inbox, with their
// work on the queue.
func addAsking(_ context.Context, p *parts) error {
	kinds := &decisionkind.Service{
		DB:         p.db,
		Fields:     p.guide,
		Changes:    p.changes,
		Packs:      p.packs.Conflicts(),
		Log:        p.log,
		Now:        time.Now,
		AdmitLinks: linkcheck.Admit,
	}
	inbox := &inbox.Service{
		DB:      p.db,
		Cursors: p.cursors,
		Log:     p.log,
		Now:     time.Now,
		Answers: map[string]decision.Answer{},
	}
	chains := &chain.Service{DB: p.db, Log: p.log, Now: time.Now}
	requests := &request.Service{DB: p.db, Cursors: p.cursors, Chains: chains, Inbox: inbox, Log: p.log, Now: time.Now}
	chains.Decided, chains.CheckApproval = requests.Decided, requests.CheckApproval
	given := &fulfil.Service{DB: p.db, Log: p.log, Now: time.Now, Moved: requests.Moved}
	maps.Copy(inbox.Answers, chains.Answers())
	maps.Copy(inbox.Answers, requests.Answers())
	maps.Copy(inbox.Answers, kinds.Answers())
	maps.Copy(inbox.Answers, p.roles.Answers())
	rules := &ruleset.Service{DB: p.db, Cursors: p.cursors, Now: time.Now}
	offers := &requestcatalog.Service{DB: p.db, Cursors: p.cursors}
	p.routes = append(p.routes, rules.Routes()...)
	p.routes = append(p.routes, offers.Routes()...)
	p.routes = append(p.routes, requests.Routes()...)
	p.routes = append(p.routes, inbox.Routes()...)
	p.kinds = slices.Concat(
		p.kinds,
		chains.Kinds(),
		given.Kinds(),
		kinds.Kinds(),
		inbox.Kinds(),
		requests.Kinds(),
	)
	p.jobs = slices.Concat(p.jobs, kinds.Jobs(), inbox.Jobs())
	return nil
}
