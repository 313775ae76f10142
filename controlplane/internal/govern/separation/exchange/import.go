package exchange

import (
	"context"
	"path"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/document"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/sapgrc"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/source"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/table"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Formats of files.
const (
	YAML   = "yaml"
	CSV    = "csv"
	SAPTxt = "sap-grc-txt"
	SAPXML = "sap-grc-xml"
)

// Import plans the import of files, and applies it unless dry. confirm is the hash of the plan.
func (s *Service) Import(
	ctx context.Context,
	v viewer.Viewer,
	files []source.File,
	options SeparationImportOptions,
	confirm string,
	dry bool,
) (out SeparationImport, err error) {
	report := &ruleset.Report{}
	texts := source.Read(files, report)
	format := formatOf(texts, options.Format, report)
	set := parse(texts, format, options, report)
	set.Check(report)
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		p, err := makePlan(ctx, tx, set, report, format)
		if err != nil {
			return err
		}
		out = p.shown(texts, format, dry)
		if dry {
			return nil
		}
		if err := refusal(report); err != nil {
			return err
		}
		switch confirm {
		case "":
			return fault.Coded(
				fault.Conflict,
				"confirmation_required",
				"An import is applied with the plan_hash of its "+
					"plan. Review the plan with dry_run, and send its plan_hash in confirm.",
			)
		case out.PlanHash:
		default:
			return fault.Coded(
				fault.Conflict,
				"plan_changed",
				"The files or the stored policies have changed since the "+
					"plan was made. Review the plan again.",
			)
		}
		return p.apply(ctx, tx, &out)
	})
	if fault.IsCode(err, "duplicate_name") {
		err = fault.Coded(fault.Conflict, "plan_changed", "Another change has taken a name of the import meanwhile. "+
			"Review the plan again.")
	}
	return out, err
}

// formats are the formats by the extensions of files.
var formats = map[string]string{".yaml": YAML, ".yml": YAML, ".csv": CSV, ".txt": SAPTxt, ".xml": SAPXML}

// formatOf is the format of the files, by their extensions unless it is asked for. Files of different formats are a
// problem.
func formatOf(texts []source.Text, asked string, r *ruleset.Report) string {
	if asked != "" && asked != "auto" {
		return asked
	}
	format := ""
	for _, t := range texts {
		this, known := formats[strings.ToLower(path.Ext(t.Name))]
		switch {
		case !known:
			r.Add(
				t.Line(0),
				"",
				"unknown_format",
				"The extension %q is none of .yaml, .csv, .txt and .xml. Rename the "+
					"file, or choose the format.",
				path.Ext(t.Name),
			)
		case format == "":
			format = this
		case format != this:
			r.Add(
				t.Line(0),
				"",
				"mixed_formats",
				"The file is %s, and an earlier one %s. Import them separately.",
				this,
				format,
			)
		}
	}
	return format
}

// parse reads the texts into one set.
func parse(texts []source.Text, format string, o SeparationImportOptions, r *ruleset.Report) (set ruleset.Set) {
	if format == SAPTxt || format == SAPXML {
		return sapgrc.Read(texts, format == SAPXML, sapgrc.Options{
			Connector: o.Connector, Systems: o.Systems, Permissions: o.Permissions != "ignore", RuleSet: o.RuleSet,
			Language: o.Language,
		}, r)
	}
	for _, t := range texts {
		switch format {
		case YAML:
			each := document.Read(t, r)
			set.Duties = append(set.Duties, each.Duties...)
			set.Policies = append(set.Policies, each.Policies...)
		case CSV:
			table.Read(t, &set, r)
		}
	}
	return set
}

// plan is what an import would write.
type plan struct {
	report   *ruleset.Report
	items    []SeparationImportItem
	of       []string // what problems call the items
	duties   []duty.Write
	policies []separationpolicy.Write
	at       map[string]int // items of what is written, by ID
}

// apply writes what was planned, and records it. New objects get their IDs now: those of the plan were made of names,
// so that every plan of the same files has the same.
func (p *plan) apply(ctx context.Context, tx *pg.Tx, out *SeparationImport) error {
	made := map[string]string{}
	fresh := func(planned string) string {
		id := uuid.Must(uuid.NewV7()).String()
		made[planned] = id
		out.Items[p.at[planned]].ID = &id
		return id
	}
	for i, w := range p.duties {
		if w.Before == nil {
			p.duties[i].ID = fresh(w.ID)
		}
	}
	for i, w := range p.policies {
		if w.Before == nil {
			p.policies[i].ID = fresh(w.ID)
		}
		for s := range w.Sides {
			for d, id := range w.Sides[s].DutyIDs {
				if now, new := made[id]; new {
					w.Sides[s].DutyIDs[d] = now
				}
			}
		}
	}
	if err := duty.WriteAll(ctx, tx, p.duties); err != nil {
		return err
	}
	if err := separationpolicy.WriteAll(ctx, tx, p.policies); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "separation_policy.imported",
		Subject: audit.Subject{Type: "tenant", ID: tx.Viewer.Tenant},
		Context: map[string]any{"format": out.Format, "duties": out.Duties, "policies": out.Policies},
	})
}
