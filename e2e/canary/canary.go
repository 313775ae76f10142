// Package canary knows every secret that a test has given to the product or got from it, and finds them where they must
// not be: in answers, logs, dumps of the database and files.
package canary

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Jar is a collection of secrets. The zero value is empty; it is safe for concurrent use.
type Jar struct {
	mu    sync.Mutex
	known map[string]bool
	// the first two bytes of all spellings: most places of a text are passed over by these alone
	begins [1 << 16]bool
	index  map[[4]byte][]form // all spellings by their first four bytes
	leaks  []string
}

// form is a spelling of a secret: what the secret is, what the spelling is called, and what it looks like.
type form struct {
	what, name string
	text       []byte
}

// shortest is how long a secret must be to be told from ordinary text.
const shortest = 8

// Add keeps a secret.
func (j *Jar) Add(what, text string) {
	if len(text) < shortest {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.known == nil {
		j.known, j.index = map[string]bool{}, map[[4]byte][]form{}
	}
	if j.known[text] {
		return
	}
	j.known[text] = true
	for _, f := range forms(what, text) {
		j.begins[int(f.text[0])<<8|int(f.text[1])] = true
		j.index[[4]byte(f.text)] = append(j.index[[4]byte(f.text)], f)
	}
}

// words in the names of members whose values are secrets.
var words = []string{"password", "secret", "token", "credential", "api_key", "private_key", "recovery_code", "otp"}

// public are names of members that sound like secrets, or stand among them, and are none.
var public = []string{
	"token_type",
	"token_issued_at",
	"token_expires_at",
	"token_id",
	"secrets_state",
	"password_expired",
	"password_last_set_at",
	"token_url",
	"next_page_token",
	"api_key_name",
	"password_method",
	"password_support",
	"connection_schema",
	"id",
	"state",
	"created_at",
	"updated_at",
	"expires_at",
}

func secretName(name string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(name), w) })
}

// Sent learns the secrets of a request: the token it carried, and what stands in its body under the name of a secret.
func (j *Jar) Sent(bearer string, body []byte) {
	j.Add("a bearer token", strings.TrimPrefix(bearer, "Bearer "))
	j.learn(body)
}

// Answered looks for secrets in an answer, and learns those that it shows for the first time. where says which answer
// it was.
func (j *Jar) Answered(where string, body []byte) {
	if found := j.Find(body); len(found) > 0 {
		j.mu.Lock()
		j.leaks = append(j.leaks, fmt.Sprintf("%s shows %s", where, strings.Join(found, ", ")))
		j.mu.Unlock()
	}
	j.learn(body)
}

// Leaks are the answers that showed a secret a second time.
func (j *Jar) Leaks() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.leaks)
}

func (j *Jar) learn(body []byte) {
	var document any
	if json.Unmarshal(body, &document) != nil {
		return
	}
	if members, ok := document.(map[string]any); ok && members["openapi"] != nil {
		return // it describes secrets, and holds none
	}
	j.walk("", document, false)
}

func (j *Jar) walk(name string, value any, secret bool) {
	switch v := value.(type) {
	case map[string]any:
		for member, inner := range v {
			if !slices.Contains(public, strings.ToLower(member)) {
				j.walk(member, inner, secret || secretName(member))
			}
		}
	case []any:
		for _, inner := range v {
			j.walk(name, inner, secret)
		}
	case string:
		if secret {
			j.Add(name, v)
		}
	}
}

// Find names the secrets that a text holds: as they are, in base64, in hexadecimal, as part of an address, or of JSON.
// The text is read once, however many secrets there are: whole databases are searched for thousands.
func (j *Jar) Find(text []byte) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := map[string]bool{}
	for i := 0; i+4 <= len(text); i++ {
		if !j.begins[int(text[i])<<8|int(text[i+1])] {
			continue
		}
		for _, f := range j.index[[4]byte(text[i:])] {
			if bytes.HasPrefix(text[i:], f.text) {
				found[f.what+" "+f.name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// forms are the spellings of a secret, each once.
func forms(what, text string) []form {
	quoted, _ := json.Marshal(text) // a text can always be encoded
	all := []form{
		{what, "as it is", []byte(text)}, {what, "in hexadecimal", []byte(hex.EncodeToString([]byte(text)))},
		{what, "in an address", []byte(url.QueryEscape(text))}, {what, "in JSON", quoted[1 : len(quoted)-1]},
	}
	for before := range 3 {
		all = append(
			all,
			form{what, "in base64", within(base64.RawStdEncoding, text, before)},
			form{what, "in base64url", within(base64.RawURLEncoding, text, before)},
		)
	}
	var each []form
	for _, f := range all {
		if !slices.ContainsFunc(each, func(e form) bool { return bytes.Equal(e.text, f.text) }) {
			each = append(each, f)
		}
	}
	return each
}

// within is what of a text's encoding is the same whatever stands after it, and before it in so many bytes (and threes
// of bytes): a password behind a user's name and a colon looks unlike the password alone.
func within(e *base64.Encoding, text string, before int) []byte {
	encoded := e.EncodeToString(append(make([]byte, before), text...))
	return []byte(encoded[(before*8+5)/6 : (before+len(text))*8/6])
}
