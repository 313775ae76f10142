package mailbox_test

import (
	"io"
	"net/http"
	"net/smtp"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/mailbox"
)

func TestThePageShowsWhatWasSent(t *testing.T) {
	box, err := mailbox.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	message := "Subject: =?utf-8?q?Gr=C3=BCezi?=\r\nContent-Type: text/plain\r\n\r\nSee https://iga.example.com/x <b>now</b>\r\n"
	if err := smtp.SendMail(
		box.SMTP,
		nil,
		"iga@example.com",
		[]string{"ann@example.org"},
		[]byte(message),
	); err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(box.Page)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Grüezi", "ann@example.org", `<a href="https://iga.example.com/x">`, "&lt;b&gt;now"} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%q is absent from %s", want, body)
		}
	}
}
