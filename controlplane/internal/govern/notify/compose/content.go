package compose

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"unicode"
)

// Limits of texts, in characters.
const (
	maxSubject = 180
	maxName    = 100
	maxText    = 2000
)

// Link stands in a text where the one-time link belongs, which is sealed until the message is sent.
const Link = "{one-time link}"

// Content is what a message says.
type Content struct {
	Heading string `json:"heading"`
	Lead    string `json:"lead"`
	// Paragraphs follow the lead.
	Paragraphs []string `json:"paragraphs,omitempty"`
	Facts      []Fact   `json:"facts,omitempty"`
	Items      []Item   `json:"items,omitempty"`
	Button     Action   `json:"button"`
	Note       string   `json:"note,omitempty"`
	// Reason is why the person receives the message, and how to switch it off.
	Reason string `json:"reason"`
	// Settings is where the person can switch it off; empty if they cannot.
	Settings string `json:"settings,omitempty"`
}

// Fact is a line with a name.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Item is an entry of a list.
type Item struct {
	Title string `json:"title"`
	Note  string `json:"note,omitempty"`
	URL   string `json:"url"`
}

// Action is a button that opens a page.
type Action struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// Line makes one line of a text: control characters and line ends become spaces, and it is cut to a number of
// characters.
func Line(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), r == unicode.ReplacementChar:
			return ' '
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0xFEFF:
			return -1 // marks that change the direction of what follows
		}
		return r
	}, strings.ToValidUTF8(s, " "))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// Paragraphs are the lines of a text that are not empty: the first, and those after it.
func Paragraphs(text string) (lead string, more []string) {
	for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if lead == "" {
			lead = l
			continue
		}
		more = append(more, l)
	}
	return lead, more
}

// Subject is Line for subjects.
func Subject(s string) string { return Line(s, maxSubject) }

// clean makes lines of all texts.
func (c Content) clean() Content {
	c.Heading, c.Lead = Line(c.Heading, maxSubject), Line(c.Lead, maxText)
	c.Note, c.Reason = Line(c.Note, maxText), Line(c.Reason, maxText)
	paragraphs := make([]string, len(c.Paragraphs))
	for i, p := range c.Paragraphs {
		paragraphs[i] = Line(p, maxText)
	}
	c.Paragraphs = paragraphs
	facts, items := make([]Fact, len(c.Facts)), make([]Item, len(c.Items))
	for i, f := range c.Facts {
		facts[i] = Fact{Line(f.Name, maxName), Line(f.Value, maxText)}
	}
	for i, m := range c.Items {
		items[i] = Item{Line(m.Title, maxSubject), Line(m.Note, maxText), m.URL}
	}
	c.Facts, c.Items = facts, items
	return c
}

// Text is the content as plain text.
func (c Content) Text() string {
	c = c.clean()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s\n", c.Heading)
	if c.Lead != "" {
		line("%s\n", c.Lead)
	}
	for _, p := range c.Paragraphs {
		line("%s\n", p)
	}
	for _, f := range c.Facts {
		line("%s: %s", f.Name, f.Value)
	}
	if len(c.Facts) > 0 {
		line("")
	}
	for _, i := range c.Items {
		line("* %s", i.Title)
		if i.Note != "" {
			line("  %s", i.Note)
		}
		line("  %s", i.URL)
	}
	if len(c.Items) > 0 {
		line("")
	}
	if c.Button.URL != "" {
		line("%s:\n%s\n", c.Button.Label, c.Button.URL)
	}
	if c.Note != "" {
		line("%s\n", c.Note)
	}
	line("-- \n%s", c.Reason)
	if c.Settings != "" {
		line("%s", c.Settings)
	}
	return b.String()
}

// HTML is the content as HTML, without scripts, images and anything that is loaded from elsewhere.
func (c Content) HTML() (string, error) {
	var b bytes.Buffer
	if err := page.Execute(&b, c.clean()); err != nil {
		return "", fmt.Errorf("render HTML: %w", err)
	}
	return b.String(), nil
}

var page = template.Must(template.New("mail").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>{{.Heading}}</title></head>
<body style="margin:0;padding:24px;font-family:system-ui,sans-serif;font-size:15px;line-height:1.5">
<div style="max-width:560px;margin:0 auto">
<h1 style="font-size:20px;margin:0 0 12px">{{.Heading}}</h1>
{{with .Lead}}<p>{{.}}</p>
{{end}}{{range .Paragraphs}}<p>{{.}}</p>
{{end}}{{with .Facts}}<table role="presentation" style="border-collapse:collapse;margin:12px 0">
{{range .}}<tr><td style="padding:2px 16px 2px 0;vertical-align:top;opacity:.7">{{.Name}}</td>` +
	`<td style="padding:2px 0"><bdi>{{.Value}}</bdi></td></tr>
{{end}}</table>
{{end}}{{with .Items}}<ul style="padding-left:20px">
{{range .}}<li style="margin:6px 0"><a href="{{.URL}}"><bdi>{{.Title}}</bdi></a>` +
	`{{with .Note}}<br><span style="opacity:.7">{{.}}</span>{{end}}</li>
{{end}}</ul>
{{end}}{{with .Button}}{{if .URL}}<p style="margin:20px 0"><a href="{{.URL}}" style="display:inline-block;` +
	`padding:10px 18px;border-radius:6px;background:#1f4fd8;color:#ffffff;text-decoration:none">{{.Label}}</a></p>
{{end}}{{end}}{{with .Note}}<p>{{.}}</p>
{{end}}<p style="margin-top:28px;font-size:13px;opacity:.7">{{.Reason}}{{with .Settings}} ` +
	`<a href="{{.}}">Notification settings</a>{{end}}</p>
</div>
</body>
</html>
`))
