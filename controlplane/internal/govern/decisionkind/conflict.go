package decisionkind

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// conflicts are where a sector pack and the tenant want different things of one object.
func (s *Service) conflicts() kind.Kind {
	return kind.Kind{
		Name:    kind.PackConflict,
		About:   "sector pack conflicts",
		Subject: "sector_pack_conflict",
		Needed:  `select c.id from sector_pack_conflict c where c.state = 'open'`,
		Over: `select c.id::text,
		              case c.state when 'resolved' then 'somebody has resolved the conflict'
		                           else 'a later version of the pack, or its removal, has overtaken the conflict' end
		         from sector_pack_conflict c
		        where c.id = any(@ids::text[]::uuid[])`,
		Within: 14 * kind.Day, Bulk: true, Ask: askConflicts, Answer: s.answerConflict,
	}
}

// askConflicts makes the decision tasks for conflicts of sector packs.
func askConflicts(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	found, err := installation.OpenConflicts(ctx, tx, ids)
	out := make([]decision.New, len(found))
	for i, c := range found {
		out[i] = differs(c)
	}
	return out, err
}

// differs asks whose version of an object it is to be.
func differs(c installation.PackConflict) decision.New {
	what := strings.ReplaceAll(c.Kind, "_", " ") + " " + c.ObjectKey
	summary := fmt.Sprintf(
		"Both the pack %s and a person here changed %s of the %s. Until a decision, the local version stays.",
		c.PackKey,
		strings.Join(c.Fields, ", "),
		what,
	)
	ours, theirs, base := map[string]any{}, map[string]any{}, map[string]any{}
	for _, f := range c.Fields {
		ours[f], theirs[f], base[f] = c.Mine[f], c.Theirs[f], c.Base[f]
	}
	actions := []decision.Action{
		{Key: "keep_ours", Label: "Keep ours", Style: "neutral", Requires: []string{}},
		{Key: "take_theirs", Label: "Take the pack's", Style: "positive", Requires: []string{}},
	}
	switch {
	case c.Theirs == nil:
		summary = fmt.Sprintf(
			"The new version of the pack %s no longer contains the %s, which was changed here. It stays until a "+
				"decision.",
			c.PackKey,
			what,
		)
		actions[1].Label, actions[1].Style = "Remove it, as the pack does", "negative"
	case c.Base == nil:
		summary = fmt.Sprintf(
			"The pack %s contains the %s, which already exists here; they differ in %s. Until a decision, the local "+
				"version stays.",
			c.PackKey,
			what,
			strings.Join(c.Fields, ", "),
		)
	}
	if c.Theirs != nil {
		actions = append(
			actions,
			decision.Action{
				Key:      "merge",
				Label:    "Say what the fields are to be",
				Style:    "neutral",
				Requires: []string{"inputs.merged"},
			},
		)
	}
	self := httpapi.Prefix + "/sector-packs/" + c.PackKey
	return decision.New{
		Key:     c.ID,
		Subject: decision.Ref{Type: "sector_pack", ID: c.Object, Display: c.PackKey},
		Source:  decision.Ref{Type: "sector_pack_conflict", ID: c.ID, Display: what},
		Title: fmt.Sprintf(
			"Conflict between the pack %s and a local change of the %s",
			c.PackKey,
			what,
		),
		Summary: summary,
		Context: map[string]any{
			"pack_key":        c.PackKey,
			"kind":            c.Kind,
			"object_key":      c.ObjectKey,
			"fields":          c.Fields,
			"base":            base,
			"ours":            ours,
			"theirs":          theirs,
			"removed_by_pack": c.Theirs == nil,
			"version":         c.Version,
			"links": map[string]string{
				"conflicts":    self + "/conflicts",
				"installation": self + "/installation",
			},
		},
		Actions:   actions,
		Roles:     kind.Admins,
		Priority:  "low",
		RiskLevel: "low",
		GroupKey:  kind.PackConflict + "/" + c.PackKey + "/" + c.Kind,
	}
}

// answerConflict carries a decision about a conflict out. The task's version guards against one
// that was resolved meanwhile.
func (s *Service) answerConflict(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	use := map[string]string{"keep_ours": "mine", "take_theirs": "theirs", "merge": "merged"}[a.Decision.Action]
	var merged map[string]any
	if use == "merged" {
		var is bool
		if merged, is = a.Decision.Inputs["merged"].(map[string]any); !is {
			return kind.BadInput("merged", "an object of the fields and what they are to be")
		}
	}
	_, err := s.Packs.Resolve(ctx, tx, a.Task.Key, use, merged, kind.SeenVersion(a.Task).Check)
	return kind.Outdated(kind.PointIntoInputs(err))
}
