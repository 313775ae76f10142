package mail

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/grantwright/grantwright/e2e/harness"
)

// traps are what names and texts of people and directories can hold, at worst.
var traps = []string{
	"a\r\nBcc: evil@example.net\r\n\r\nbody",
	"\nTo: evil@example.net",
	"\r\n.\r\nMAIL FROM:<evil@example.net>",
	"=?utf-8?B?DQpCY2M6IGV2aWxAZXhhbXBsZS5uZXQ=?=",
	"=?utf-8?q?=0D=0ABcc:_evil@example.net?=",
	"=?",
	"?=",
	"=\r\n",
	"<script>alert(1)</script>",
	`"><img src=x onerror=alert(1)>`,
	`" style="background:url(//x)`,
	"</title><svg/onload=x>",
	"<!--",
	"-->",
	"]]>",
	"<a href='javascript:alert(1)'>x</a>",
	"javascript:alert(1)",
	"data:text/html,<b>",
	"&lt;b&gt;",
	"{{.Reason}}",
	"{title}",
	"{name}",
	"{one-time link}",
	"${7*7}",
	"%s%n%d",
	"\\",
	`\"`,
	`"`,
	"'",
	"`",
	",",
	";",
	":",
	"@",
	"(comment)",
	"[1]",
	"<evil@example.net>",
	"evil@example.net, other@example.net",
	"ann@example.org\t",
	"\u202egpj.exe",
	"\u2066\u2067\u200f\u200e\ufeff",
	"\u0001\u0007\u001b[31m\u007f\u0085",
	"\u2028\u2029\u000b\u000c",
	"😀👩‍👩‍👧‍👦",
	"Ångström",
	"Z̸̡͎̈a̷͖͌l̶͚̂g̵͚̈o̸̪͘",
	"日本語の名前",
	"שלום",
	"مرحبا",
	"ﷺ",
	"İıßſ",
	"\ufffd",
	"\U0010ffff",
	"",
	strings.Repeat("x", 1500),
	strings.Repeat("ü", 700),
	strings.Repeat("a ", 600),
	strings.Repeat("=", 300),
	"--boundary",
	"\r\n--boundary--\r\n",
	"Content-Type: text/html",
	"From ",
	">From ",
	".",
	"..",
	" ",
	"\t",
	"-- \n",
	"http://evil.example.net/",
	"//evil.example.net",
	"www.evil.example.net",
	"<base href=//evil>",
	"<meta http-equiv=refresh>",
}

// trap makes up a hostile text.
func trap(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		if r.IntN(4) == 0 {
			for range r.IntN(60) {
				b.WriteRune(rune(1 + r.IntN(0x2fff)))
			}
			continue
		}
		b.WriteString(traps[r.IntN(len(traps))])
	}
	return strings.ToValidUTF8(b.String(), "?")
}

// crooked are addresses that no message is sent to. Each has the number of a person.
var crooked = []string{
	"c%d@hostile.test, evil@hostile.test",
	"c%d@hostile.test\r\nRCPT TO:<evil@hostile.test>",
	"<c%d@hostile.test>",
	`"c %d"@hostile.test`,
	"c%d@hostile.test (x)",
	"c%d",
	"c%d@[127.0.0.1]",
	"c%d@hostile.test>",
	"c%d@hostile.test;x@y.test",
	"Evil <c%d@hostile.test>",
	"c%d@hostile.test\n.\n",
}

// hostileTexts is how many messages have hostile names and texts.
func hostileTexts() int {
	if os.Getenv("GRANTWRIGHT_E2E") == "long" {
		return 10_000
	}
	return 300
}

// hostile sends messages full of hostile names and texts. Each has one recipient, two parsers find the same in it, and
// its HTML has the elements of the product alone.
func hostile(t *testing.T, h *harness.House) {
	t.Parallel()
	const seed = 17
	r, n := rand.New(rand.NewPCG(seed, 1)), hostileTexts()
	o, s := open(t, h, "hostile"), openSink(t)
	o.sends(s.port, "", nil)
	o.Expect("200", o.admin, "PATCH", settings, map[string]any{"sender": map[string]any{
		"name": `Access "<script>" (x), evil@example.net`,
	}})
	var people []person
	for i := range n {
		people = append(people, person{name: trap(r), address: fmt.Sprintf("p%d@hostile.test", i)})
	}
	for i := range 2 * len(crooked) {
		people = append(people, person{name: trap(r), address: fmt.Sprintf(crooked[i%len(crooked)], i)})
	}
	o.ask(o.people(people...), func(int) words { return words{trap(r), trap(r)} })
	saw := ""
	harness.Within(t, harness.Patience+time.Duration(n)*200*time.Millisecond, "the messages are sent", func() bool {
		all := s.all()
		saw = fmt.Sprintf("%d of %d", len(all), n)
		return len(all) >= n
	}, &saw)
	saw = ""
	harness.Eventually(t, "addresses that are none are in the delivery log", func() bool {
		none := o.log("&state=suppressed")
		saw = fmt.Sprint(none)
		return len(none) == 2*len(crooked)
	}, &saw)
	judge(t, o, s.all(), n)
}

// judge holds messages against what two parsers find in them.
func judge(t *testing.T, o *office, all []letter, n int) {
	t.Helper()
	if len(all) != n {
		t.Errorf("%d messages; want %d", len(all), n)
	}
	met := map[string]bool{}
	for i, theirs := range parse(t, all) {
		ours, err := read(all[i].raw)
		if err != nil {
			t.Errorf("message %d cannot be read: %v\n%.2000s", i, err, all[i].raw)
			continue
		}
		var wrong []string
		add := func(what string, args ...any) { wrong = append(wrong, fmt.Sprintf(what, args...)) }
		to := all[i].to
		if len(to) != 1 || !strings.HasPrefix(to[0], "p") || met[to[0]] {
			add("recipients %v", to)
		}
		if !slices.Equal(ours.To, to) || !slices.Equal(theirs.To, to) || len(theirs.Others)+len(ours.Others) > 0 {
			add("recipients %v and %v; sent to %v", ours, theirs, to)
		}
		met[to[0]] = true
		if sender := "access@" + o.slug + ".example"; ours.From != sender || theirs.From != sender {
			add("senders %q and %q", ours.From, theirs.From)
		}
		if ours.Subject != theirs.Subject || strings.ContainsAny(ours.Subject, "\r\n") ||
			ours.ID != theirs.ID || theirs.Attachments != 0 {
			add("subjects %q and %q, ids %s and %s, %d attachments", ours.Subject, theirs.Subject, ours.ID, theirs.ID,
				theirs.Attachments)
		}
		if !slices.Equal(ours.Headers, theirs.Headers) {
			add("headers %v and %v", ours.Headers, theirs.Headers)
		}
		if bare(ours.Text) != bare(theirs.Text) || bare(ours.HTML) != bare(theirs.HTML) {
			add("texts differ: %q and %q", ours.Text, theirs.Text)
		}
		wrong = append(wrong, foreign(ours.HTML, o.admin.Base)...)
		if len(wrong) > 0 {
			t.Errorf("message %d to %v: %s\n%.3000s", i, to, strings.Join(wrong, "; "), all[i].raw)
		}
	}
}

// found is what a parser finds in a message.
type found struct {
	To, Others        []string
	From, Subject, ID string
	Headers           []string // names, in lower case, sorted
	Text, HTML        string
	Attachments       int
}

// parse asks the parser of npm.
func parse(t *testing.T, all []letter) []found {
	t.Helper()
	var in bytes.Buffer
	for _, l := range all {
		fmt.Fprintln(&in, base64.StdEncoding.EncodeToString(l.raw))
	}
	cmd := exec.CommandContext(harness.Context(t), "node", script(t, "parse.mjs"))
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	must(t, err)
	var list []found
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var f found
		err := d.Decode(&f)
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		slices.Sort(f.Headers)
		list = append(list, f)
	}
	if len(list) != len(all) {
		t.Fatalf("the parser read %d messages of %d", len(list), len(all))
	}
	return list
}

// read is the parser of Go's library. An error is what a mail program could stumble over.
func read(raw []byte) (f found, err error) {
	for _, line := range bytes.Split(raw, []byte("\n")) {
		if len(line) > 999 {
			return f, fmt.Errorf("a line has %d bytes", len(line))
		}
	}
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return f, err
	}
	for name, values := range m.Header {
		if len(values) != 1 {
			return f, fmt.Errorf("the header %s occurs %d times", name, len(values))
		}
		f.Headers = append(f.Headers, strings.ToLower(name))
	}
	slices.Sort(f.Headers)
	if f.To, err = addresses(m.Header, "To"); err != nil {
		return f, err
	}
	from, err := addresses(m.Header, "From")
	if err != nil || len(from) != 1 {
		return f, fmt.Errorf("senders %v: %w", from, err)
	}
	f.From, f.ID = from[0], m.Header.Get("Message-Id")
	if f.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return f, err
	}
	for _, name := range []string{"Cc", "Bcc", "Resent-To"} {
		if v := m.Header.Get(name); v != "" {
			f.Others = append(f.Others, v)
		}
	}
	f.Text, f.HTML, err = bodies(m)
	return f, err
}

func addresses(h netmail.Header, name string) (out []string, err error) {
	list, err := h.AddressList(name)
	for _, a := range list {
		out = append(out, a.Address)
	}
	return out, err
}

// bodies are the two parts of a message.
func bodies(m *netmail.Message) (text, marked string, err error) {
	media, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || media != "multipart/alternative" {
		return "", "", fmt.Errorf("content type %q: %w", media, err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for _, want := range []string{"text/plain", "text/html"} {
		p, err := parts.NextRawPart()
		if err != nil {
			return "", "", err
		}
		if got, _, err := mime.ParseMediaType(p.Header.Get("Content-Type")); err != nil || got != want ||
			p.Header.Get("Content-Transfer-Encoding") != "quoted-printable" {
			return "", "", fmt.Errorf("a part has the headers %v", p.Header)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			return "", "", err
		}
		text, marked = marked, string(body)
	}
	if _, err := parts.NextRawPart(); !errors.Is(err, io.EOF) {
		return "", "", errors.New("there is a third part")
	}
	return text, marked, nil
}

// bare is a text without what parsers disagree about: line ends, and blank space at the end.
func bare(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// elements are those of messages, with their attributes.
var elements = map[string][]string{
	"html": {"lang"}, "head": nil, "meta": {"charset", "name", "content"}, "title": nil, "body": {"style"},
	"div": {"style"}, "h1": {"style"}, "p": {"style"}, "table": {"role", "style"}, "tr": nil, "td": {"style"},
	"bdi": nil, "ul": {"style"}, "li": {"style"}, "a": {"href", "style"}, "br": nil, "span": {"style"},
}

// foreign are the elements, attributes and links of a page that messages do not have.
func foreign(page, base string) (wrong []string) {
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		token := z.Token()
		switch kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				wrong = append(wrong, z.Err().Error())
			}
			return wrong
		case html.CommentToken:
			wrong = append(wrong, "a comment")
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			attributes, known := elements[token.Data]
			if !known {
				wrong = append(wrong, "an element "+token.Data)
			}
			for _, a := range token.Attr {
				if !slices.Contains(attributes, a.Key) || a.Key == "style" && strings.ContainsAny(a.Val, `(\@<`) {
					wrong = append(wrong, fmt.Sprintf("an attribute %s=%q of %s", a.Key, a.Val, token.Data))
				}
				u, err := url.Parse(a.Val)
				if a.Key == "href" && (err != nil || !strings.HasPrefix(a.Val, base+"/") || u.User != nil) {
					wrong = append(wrong, "a link to "+a.Val)
				}
			}
		}
	}
}

func TestForeignMarkupIsFound(t *testing.T) {
	t.Parallel()
	const base = "https://iga.example.com"
	for _, bad := range []string{
		"<script>x</script>", "<img src=x>", "<p onclick=x>", `<a href="javascript:alert(1)">`, "<!-- x -->",
		`<p style="background:url(x)">`, `<a href="https://iga.example.com.evil.example/">`, "<svg/onload=x>",
	} {
		if foreign(bad, base) == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if wrong := foreign(`<p style="margin:0"><a href="https://iga.example.com/inbox">x</a></p>`, base); wrong != nil {
		t.Errorf("refused: %v", wrong)
	}
}
