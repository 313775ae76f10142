package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/message"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/wording"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// Kinds of messages that are no kind of notification.
const (
	Summary = "summary"
	Digest  = "digest"
)

// writer writes the messages of a tenant.
type writer struct {
	base  string // address of the tenant's console
	now   time.Time
	words wording.Set
}

// page is where a person sees the subject of a notification.
func (w writer) page(f fact) string {
	switch f.Type {
	case "decision_task":
		return w.base + "/inbox?task=" + f.Subject
	case "access_request":
		return w.base + "/requests/" + f.Subject
	case "agent":
		return w.base + "/settings/agents/" + f.Subject
	case "connector":
		return w.base + "/connectors/" + f.Subject
	case "webhook":
		return w.base + "/settings/webhooks/" + f.Subject
	case "violation":
		return w.base + "/violations/" + f.Subject
	case "mitigation":
		return w.base + "/separation-of-duties/mitigations/" + f.Subject
	case "provisioning_task":
		return w.base + "/provisioning?task=" + f.Subject
	case "sync_run":
		return w.base + "/connectors/" + f.Parent + "/runs/" + f.Subject
	case "api_token":
		return w.base + "/settings/tokens"
	case "user":
		return w.base + "/settings/me"
	}
	return w.base + "/my-access"
}

// settingsPage is where people choose what they receive.
func (w writer) settingsPage() string { return w.base + "/settings/me" }

// buttons are the labels of buttons by type of subject.
var buttons = map[string]string{
	"decision_task":       "Open the decision",
	"access_request":      "Open the request",
	"access_request_item": "Open your access",
	"agent":               "Open the agent",
	"connector":           "Open the connector",
	"webhook":             "Open the webhook",
	"violation":           "Open the violation",
	"mitigation":          "Open the mitigation",
	"provisioning_task":   "Open provisioning",
	"sync_run":            "Open the sync run",
	"api_token":           "Open the service tokens",
	"role_assignment":     "Open your access",
	"access_grant":        "Open your access",
	"user":                "Open your account",
}

// title is what a subject is called.
func (f fact) title() string {
	if f.Title == "" && f.Number > 0 {
		return strings.Join(f.Items, ", ")
	}
	return f.Title
}

// values are the values of the fields of templates.
func (f fact) values(name string, loc *time.Location) map[string]string {
	v := map[string]string{
		"title": compose.Line(f.title(), 120), "name": name, "summary": f.Summary, "risk": f.Risk,
		"access": strings.Join(f.Items, ", "), "requested_for": f.For, "requested_by": f.By, "reason": f.Note,
	}
	if f.Due != nil {
		v["due"] = shownAt(*f.Due, loc)
	}
	if f.Number > 0 {
		v["request"] = fmt.Sprintf("REQ-%06d", f.Number)
	}
	return v
}

// subject is the subject of a message about one notification.
func (w writer) subject(p person, k notice.Kind, f fact) string {
	return compose.Subject(wording.Fill(w.words.Of(k, p.Language).Subject, f.values(p.Name, notice.Zone(p.TimeZone))))
}

// shownAt is a time in a person's zone.
func shownAt(t time.Time, loc *time.Location) string {
	return t.In(loc).Format("Monday, 2 January 2006 15:04 MST")
}

// reason says why a person receives notifications of a kind.
func reason(k notice.Kind) string {
	who := strings.ToLower(k.Who[:1]) + k.Who[1:]
	return "You receive this message because you are " + article(who) + "."
}

func article(who string) string {
	switch who {
	case "administrators":
		return "an administrator"
	case "users with the role":
		return "a user with the role that decides"
	case "the assignees":
		return "an assignee"
	case "the requester, and the person whose access is requested":
		return "the requester, or the person whose access is requested"
	case "the assignee of the violation, or else the owners of the policy":
		return "the assignee of the violation, or an owner of the policy"
	case "the owners of the policy":
		return "an owner of the policy"
	case "the owner of the mitigation, and the owners of the policy":
		return "the owner of the mitigation, or an owner of the policy"
	case "the user who created the token, and administrators":
		return "the user who created the token, or an administrator"
	}
	return who
}

// single is the message about one notification.
func (w writer) single(p person, k notice.Kind, f fact) message.New {
	loc := notice.Zone(p.TimeZone)
	lead, more := compose.Paragraphs(wording.Fill(w.words.Of(k, p.Language).Text, f.values(p.Name, loc)))
	c := compose.Content{
		Heading: w.subject(p, k, f), Lead: lead, Paragraphs: more, Facts: w.lines(f, loc),
		Button: compose.Action{Label: buttons[f.Type], URL: w.page(f)},
		Reason: reason(k),
	}
	if k.Group != notice.Account {
		c.Settings = w.settingsPage()
	}
	if f.Type == "decision_task" {
		c.Note = "The link opens the decision. Nothing is decided before you have signed in and chosen."
	}
	return w.to(p, message.New{Kind: k.Name, Subject: c.Heading, Content: c, Thread: f.Type + "." + f.Subject})
}

// dates are what the date of a subject is, by its type.
var dates = map[string]string{
	"decision_task": "Due", "access_request_item": "Ends", "role_assignment": "Ends", "api_token": "Expires",
}

// lines are the facts about a subject.
func (w writer) lines(f fact, loc *time.Location) (out []compose.Fact) {
	add := func(name, value string) {
		if value != "" {
			out = append(out, compose.Fact{Name: name, Value: value})
		}
	}
	if f.Number > 0 {
		add("Request", fmt.Sprintf("REQ-%06d", f.Number))
		add("Access", strings.Join(f.Items, ", "))
		add("For", f.For)
		add("Requested by", f.By)
		add("Reason", f.Note)
	}
	if f.Due != nil {
		add(dates[f.Type], shownAt(*f.Due, loc))
	}
	add("Risk", f.Risk)
	return out
}

// summary is the message about several notifications of a group.
func (w writer) summary(p person, g notice.Group, all []fact) message.New {
	heading := fmt.Sprintf("%d %s", len(all), map[notice.Group]string{
		notice.Tasks: "decisions wait for you", notice.Requests: "updates of access requests",
		notice.Operations: "events need your attention",
	}[g])
	c := compose.Content{
		Heading: heading, Items: w.items(p, all), Settings: w.settingsPage(),
		Button: w.listOf(g),
		Reason: "You receive one message, because these notifications came at the same time.",
	}
	return w.to(p, message.New{Kind: Summary, Subject: heading, Content: c})
}

// listOf is the button to the list of a group.
func (w writer) listOf(g notice.Group) compose.Action {
	switch g {
	case notice.Tasks:
		return compose.Action{Label: "Open the inbox", URL: w.base + "/inbox"}
	case notice.Requests:
		return compose.Action{Label: "Open the requests", URL: w.base + "/requests"}
	}
	return compose.Action{Label: "Open the dashboard", URL: w.base + "/"}
}

// listed is how many entries a list in a message has.
const listed = 20

// items are the entries of a list. What is beyond the limit is counted.
func (w writer) items(p person, all []fact) (out []compose.Item) {
	loc := notice.Zone(p.TimeZone)
	for i, f := range all {
		if i == listed {
			out = append(out, compose.Item{Title: fmt.Sprintf("%d more", len(all)-listed), URL: w.base + "/"})
			break
		}
		k, _ := notice.Find(f.Kind)
		item := compose.Item{Title: f.title(), URL: w.page(f)}
		if k.Subject != "" {
			item.Title = w.subject(p, k, f)
		}
		if f.Due != nil {
			item.Note = shownAt(*f.Due, loc)
		}
		out = append(out, item)
	}
	return out
}

// digest is the digest of a person: open tasks, of which open is the number, and what was held back.
func (w writer) digest(p person, tasks []fact, open int, news []fact) message.New {
	c := compose.Content{
		Heading: heading(open, len(news)), Settings: w.settingsPage(),
		Button: compose.Action{Label: "Open the inbox", URL: w.base + "/inbox"},
		Reason: "You receive this digest once a day if something is open.",
	}
	c.Items = append(w.items(p, tasks), w.items(p, news)...)
	if open > len(tasks) {
		c.Note = fmt.Sprintf("%d more decisions wait in your inbox.", open-len(tasks))
	}
	return w.to(p, message.New{Kind: Digest, Subject: c.Heading, Content: c})
}

func heading(open, news int) string {
	switch {
	case open == 1:
		return "1 decision waits for you"
	case open > 1:
		return fmt.Sprintf("%d decisions wait for you", open)
	case news == 1:
		return "1 notification"
	}
	return fmt.Sprintf("%d notifications", news)
}

// to addresses a message to a person. A message that cannot be sent says why.
func (w writer) to(p person, m message.New) message.New {
	m.ID, m.Person, m.Name, m.Address = message.NewID(), p.ID, p.Name, p.Address
	switch {
	case p.Address == "":
		m.Reason = message.NoAddress
	case compose.CheckAddress(p.Address) != nil:
		m.Reason = message.AddressInvalid
	case p.Shared:
		m.Reason = message.AddressShared
	case p.Bounced:
		m.Reason = message.AddressBounced
	}
	return m
}
