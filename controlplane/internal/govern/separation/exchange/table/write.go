package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/ground/spreadsheet"
)

// Names of the tables in archives.
const (
	DutiesFile   = "duties.csv"
	PoliciesFile = "policies.csv"
)

// Write writes the two tables of a rule set. The same set makes the same text.
func Write(s ruleset.Set) (duties, policies []byte, err error) {
	rows := [][]string{dutyColumns}
	for _, d := range s.Duties {
		for g, group := range d.Groups {
			for _, m := range group {
				rows = append(
					rows,
					[]string{d.Name, d.Key, d.Description, d.Process, join(d.Owners), strconv.Itoa(g + 1),
						m.Kind, m.Connector, m.ExternalID, m.Role, m.DutyTag},
				)
			}
		}
	}
	if duties, err = sheet(rows); err != nil {
		return nil, nil, err
	}
	rows = [][]string{policyColumns}
	for _, p := range s.Policies {
		head, err := policyCells(p)
		if err != nil {
			return nil, nil, err
		}
		for i, side := range p.Sides {
			for _, d := range side.Duties {
				rows = append(rows, append(head[:len(head):len(head)], strconv.Itoa(i+1), side.Label, d.Name))
			}
		}
	}
	policies, err = sheet(rows)
	return duties, policies, err
}

// policyCells are the cells of a policy that all of its rows repeat.
func policyCells(p ruleset.Policy) ([]string, error) {
	exempted, err := condition(p.Exemptions)
	if err != nil {
		return nil, err
	}
	return []string{
		p.Name,
		p.Key,
		p.Description,
		p.Rationale,
		join(p.RegulationRefs),
		join(p.Owners),
		strconv.FormatBool(p.Enabled),
		p.Mode,
		p.Severity,
		p.Kind,
		number(p.N),
		conflicts(p.Conflicts),
		text(p.HistoryWindow),
		flag(p.SameEnvironment),
		flag(p.SameLegalEntity),
		join(p.SameAttributes),
		flag(
			p.ExcludeReadOnly,
		),
		p.OnRequest,
		p.OnAssign,
		p.OnDetect,
		p.Remediation, join(p.Controls), text(p.MaxMitigation), p.ExceptionRule, exempted,
		moment(p.ValidFrom),
		moment(p.ValidTo),
	}, nil
}

func sheet(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	s := spreadsheet.New(&b)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = harmless(c)
		}
		if err := s.Write(cells); err != nil {
			return nil, fmt.Errorf("write table: %w", err)
		}
	}
	if err := s.Flush(); err != nil {
		return nil, fmt.Errorf("write table: %w", err)
	}
	return b.Bytes(), nil
}

func number(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func flag(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func moment(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// condition writes a condition on people as JSON, with its members in the order of their names.
func condition(c map[string]any) (string, error) {
	if len(c) == 0 {
		return "", nil
	}
	var b strings.Builder
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(c); err != nil {
		return "", fmt.Errorf("write condition: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// conflicts writes pairs of sides, which count from 1 as in the column side.
func conflicts(pairs [][]int) string {
	list := make([]string, 0, len(pairs))
	for _, p := range pairs {
		if len(p) == 2 {
			list = append(list, fmt.Sprintf("%d-%d", p[0]+1, p[1]+1))
		}
	}
	return strings.Join(list, separator)
}
