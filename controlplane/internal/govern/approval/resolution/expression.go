package resolution

import (
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
)

// nameExpressed reads what the rule's expression gives as people.
func (o *resolver) nameExpressed(c *Case, r approval.ApproverResolver) nominees {
	n := nominees{because: "named by the rule's expression"}
	texts, err := expressed(c, r)
	if err != nil {
		n.none = "the expression gave no answer: " + err.Error()
		return n
	}
	var unknown []string
	for _, t := range texts {
		if id, known := o.Texts[strings.ToLower(t)]; known {
			n.ids = approval.AppendNew(n.ids, id)
		} else {
			unknown = append(unknown, t)
		}
	}
	if len(n.ids) == 0 {
		n.none = "the expression returned no person"
		if len(unknown) > 0 {
			n.none = fmt.Sprintf("no identity has the id, external id or e-mail address %q", unknown[0])
		}
	}
	return n
}

// maxExpressed is how many people an expression may name.
const maxExpressed = 50

// expressed are the texts that an expression gives: one, or a list.
func expressed(c *Case, r approval.ApproverResolver) ([]string, error) {
	program, err := rule.Vocabulary.Expression(r.Text)
	if err != nil {
		return nil, err
	}
	value, err := program.Value(c.facts)
	if err != nil {
		return nil, err
	}
	var texts []string
	switch v := value.(type) {
	case nil:
	case string:
		texts = approval.AppendNew(texts, strings.TrimSpace(v))
	case []any:
		for _, each := range v {
			s, ok := each.(string)
			if !ok && each != nil {
				return nil, fmt.Errorf("it gave a list with something else than texts")
			}
			texts = approval.AppendNew(texts, strings.TrimSpace(s))
		}
	default:
		return nil, fmt.Errorf("it gave neither a text nor a list of texts")
	}
	if len(texts) > maxExpressed {
		return nil, fmt.Errorf("it named more than %d people", maxExpressed)
	}
	return texts, nil
}
