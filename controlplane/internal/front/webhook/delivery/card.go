package delivery

import "strings"

// object is a JSON object of a chat service.
type object = map[string]any

// cardOf is a notice as an Adaptive Card 1.5 in the message that a workflow of Microsoft Teams takes ("When a Teams
// webhook request is received").
func cardOf(n notice) object {
	facts := make([]object, len(n.facts))
	for i, f := range n.facts {
		facts[i] = object{"title": f[0], "value": plainMarkdown(f[1])}
	}
	card := object{
		"$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
		"type":    "AdaptiveCard",
		"version": "1.5",
		"body": []object{
			{
				"type":   "TextBlock",
				"text":   n.title,
				"size":   "Medium",
				"weight": "Bolder",
				"wrap":   true,
				"style":  "heading",
			},
			{"type": "TextBlock", "text": plainMarkdown(n.text), "wrap": true},
			{"type": "FactSet", "facts": facts},
		},
		"actions": []object{{"type": "Action.OpenUrl", "title": openTitle, "url": n.link}},
	}
	return object{"type": "message", "attachments": []object{{
		"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": nil, "content": card,
	}}}
}

// openTitle is the button of a notice.
const openTitle = "Open in Grantwright"

// blocksOf is a notice as a message for an incoming webhook of Slack.
func blocksOf(n notice) object {
	fields := make([]object, 0, len(n.facts))
	for _, f := range n.facts {
		fields = append(fields, object{"type": "mrkdwn", "text": "*" + plainSlack(f[0]) + "*\n" + plainSlack(f[1])})
	}
	blocks := []object{
		{"type": "header", "text": object{"type": "plain_text", "text": n.title, "emoji": false}},
		{"type": "section", "text": object{"type": "plain_text", "text": n.text, "emoji": false}},
	}
	for len(fields) > 0 { // a section has ten fields at most
		part := fields[:min(10, len(fields))]
		blocks = append(blocks, object{"type": "section", "fields": part})
		fields = fields[len(part):]
	}
	blocks = append(blocks, object{"type": "actions", "elements": []object{{
		"type": "button", "text": object{"type": "plain_text", "text": openTitle, "emoji": false}, "url": n.link,
	}}})
	return object{"text": plainSlack(n.title + ": " + n.text), "blocks": blocks}
}

// plainMarkdown keeps a text from being read as Markdown: a name must not become a link.
func plainMarkdown(text string) string { return markdown.Replace(text) }

var markdown = strings.NewReplacer(
	`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "(", `\(`, ")", `\)`, "#", `\#`, "`", "\\`", "~", `\~`,
	"<", `\<`, ">", `\>`, "|", `\|`, "{{", `{ {`,
)

// plainSlack keeps a text from being read as a link, a mention or a format of Slack. Only three characters have to be
// escaped; the marks of formats get a zero-width space before them.
func plainSlack(text string) string { return slack.Replace(text) }

var slack = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "*", "\u200b*", "_", "\u200b_", "~", "\u200b~", "`", "\u200b`",
)
