package compose_test

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
)

func message() compose.Message {
	return compose.Message{
		ID:      "0190a000-0000-7000-8000-000000000001",
		Thread:  "access_request.0190a000-0000-7000-8000-000000000002",
		From:    compose.Address{Name: "Grantwright", Address: "iga@example.com"},
		To:      compose.Address{Name: "Ann Ångström", Address: "ann@example.org"},
		Subject: "Approved: Payroll",
		Content: compose.Content{
			Heading: "Approved", Lead: "Your request was approved.", Reason: "You requested this access.",
			Facts:    []compose.Fact{{Name: "Request", Value: "REQ-000001"}},
			Items:    []compose.Item{{Title: "Payroll", URL: "https://iga.example.com/requests/1"}},
			Button:   compose.Action{Label: "Open the request", URL: "https://iga.example.com/requests/1"},
			Settings: "https://iga.example.com/settings/notifications/me",
		},
		Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func parts(t testing.TB, m compose.Message) (netmail.Header, string, string) {
	t.Helper()
	msg, err := compose.Build(m)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\r\n") {
		if len(line) > 998 {
			t.Fatalf("a line has %d bytes", len(line))
		}
	}
	read, err := netmail.ReadMessage(&b)
	if err != nil {
		t.Fatalf("the message cannot be read: %v", err)
	}
	media, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil || media != "multipart/alternative" {
		t.Fatalf("content type %q: %v", media, err)
	}
	r := multipart.NewReader(read.Body, params["boundary"])
	var bodies []string
	for {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(body))
	}
	if len(bodies) != 2 {
		t.Fatalf("%d parts; want text and HTML", len(bodies))
	}
	return read.Header, bodies[0], bodies[1]
}

func TestAMessageHasHeadersThatRecognizeIt(t *testing.T) {
	h, text, html := parts(t, message())
	for name, want := range map[string]string{
		"Message-Id":       "<0190a000-0000-7000-8000-000000000001@example.com>",
		"References":       "<access_request.0190a000-0000-7000-8000-000000000002@example.com>",
		"Auto-Submitted":   "auto-generated",
		"Precedence":       "bulk",
		"List-Unsubscribe": "<https://iga.example.com/settings/notifications/me>",
		"Subject":          "Approved: Payroll",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: got %q; want %q", name, got, want)
		}
	}
	for _, body := range []string{text, html} {
		for _, want := range []string{"REQ-000001", "https://iga.example.com/requests/1", "You requested this access."} {
			if !strings.Contains(body, want) {
				t.Errorf("%q is absent from %s", want, body)
			}
		}
	}
}

func TestAOneTimeLinkIsInBothParts(t *testing.T) {
	m := message()
	m.Content.Button.URL, m.Link = compose.Link, "https://iga.example.com/invited?token=a.b&x=1"
	_, text, html := parts(t, m)
	if !strings.Contains(text, m.Link) ||
		!strings.Contains(html, `href="https://iga.example.com/invited?token=a.b&amp;x=1"`) {
		t.Errorf("the link is absent: %s %s", text, html)
	}
	if strings.Contains(text+html, compose.Link) {
		t.Error("the text still has the mark in place of the one-time link")
	}
}

func TestAddressesThatAreNotPlainAreRefused(t *testing.T) {
	for _, bad := range []string{
		"", "ann", "ann@", "@example.com", "ann@example", "a@b.c, d@e.f", "Ann <a@b.c>", "a@b.c\r\nBcc: d@e.f",
		`"a b"@b.c`, "a@b.c (x)", "a@[127.0.0.1]", strings.Repeat("a", 250) + "@b.c", "a\x00@b.c",
	} {
		if compose.CheckAddress(bad) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for _, good := range []string{"ann@example.com", "a.b+c@sub.example.org", "root@localhost", "ö@example.com"} {
		if err := compose.CheckAddress(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

// Names and texts come from directories, requests and people. Whatever they are, a message has one recipient, one
// subject and the headers that were set, and its HTML has no element of theirs.
func TestHostileTextsChangeNeitherHeadersNorMarkup(t *testing.T) {
	hostile := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"a\r\nBcc: evil@example.net\r\n\r\nbody", "\nTo: evil@example.net", "=?utf-8?B?DQpCY2M6IGV2aWw=?=",
			"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, strings.Repeat("x", 2000),
			"\u202egpj.exe", "😀\x00\xff\xfe", "ann@example.org, evil@example.net", "{{.Reason}}", "javascript:alert(1)",
		}),
	)
	rapid.Check(t, func(r *rapid.T) {
		m := message()
		m.To.Name, m.From.Name, m.Subject = hostile.Draw(r, "to"), hostile.Draw(r, "from"), hostile.Draw(r, "subject")
		m.Content.Heading, m.Content.Lead = hostile.Draw(r, "heading"), hostile.Draw(r, "lead")
		m.Content.Facts[0].Value, m.Content.Items[0].Title = hostile.Draw(r, "fact"), hostile.Draw(r, "item")
		h, _, html := parts(t, m)
		to, err := h.AddressList("To")
		if err != nil || len(to) != 1 || to[0].Address != "ann@example.org" {
			r.Fatalf("To %q is %v (%v)", h.Get("To"), to, err)
		}
		from, err := h.AddressList("From")
		if err != nil || len(from) != 1 || from[0].Address != "iga@example.com" {
			r.Fatalf("From %q is %v (%v)", h.Get("From"), from, err)
		}
		if len(h["Subject"]) != 1 || h.Get("Bcc") != "" || h.Get("Cc") != "" {
			r.Fatalf("headers %v", h)
		}
		lower := strings.ToLower(html)
		if strings.Contains(lower, "<script") || strings.Contains(lower, "<img") ||
			strings.Contains(lower, "javascript:alert(1)\"") {
			r.Fatalf("markup of a text: %s", html)
		}
	})
}

func TestAnEncodedWordInATextIsNotDecoded(t *testing.T) {
	m := message()
	m.Subject, m.To.Name = "Decision: =?utf-8?q?=0D=0ABcc:_evil@example.net?=", "=?utf-8?q?Chief?="
	h, _, _ := parts(t, m)
	for _, name := range []string{"Subject", "To"} {
		if got, err := new(mime.WordDecoder).DecodeHeader(h.Get(name)); err != nil || got != h.Get(name) {
			t.Errorf("%s %q is read as %q (%v)", name, h.Get(name), got, err)
		}
	}
}
