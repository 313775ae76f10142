package wiretest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/protocol/testdata"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Line is one event of a transcript; see package testdata for the format.
type Line struct {
	Dir   string         `json:"dir"`
	Frame map[string]any `json:"frame"`
	Close *Close         `json:"close"`
	Cut   bool           `json:"cut"`
}

// Close is how a connection is ended on purpose.
type Close struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
}

// Directions of a Line.
const (
	FromAgent   = "a2c"
	FromControl = "c2a"
)

// Load reads a transcript of package testdata by its name without folder and ending, such as "sync_resume".
func Load(name string) ([]Line, error) {
	text, err := testdata.Files.ReadFile("transcripts/" + name + ".jsonl")
	if err != nil {
		return nil, fmt.Errorf("load transcript: %w", err)
	}
	return Parse(text)
}

// Names lists the transcripts of package testdata.
func Names() ([]string, error) {
	entries, err := testdata.Files.ReadDir("transcripts")
	if err != nil {
		return nil, fmt.Errorf("list transcripts: %w", err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".jsonl"))
	}
	return names, nil
}

// Parse reads the lines of a transcript.
func Parse(text []byte) ([]Line, error) {
	var lines []Line
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(nil, wire.HardMaxFrame)
	for n := 1; sc.Scan(); n++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var l Line
		dec := json.NewDecoder(bytes.NewReader(sc.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&l); err != nil {
			return nil, fmt.Errorf("transcript line %d: %w", n, err)
		}
		if !l.Cut && l.Dir != FromAgent && l.Dir != FromControl {
			return nil, fmt.Errorf("transcript line %d: dir must be %s or %s", n, FromAgent, FromControl)
		}
		lines = append(lines, l)
	}
	return lines, sc.Err()
}

// Player plays one end of a transcript against the other end, which is under test.
type Player struct {
	// Plays is FromAgent when the player stands in for the agent, FromControl when it stands in for the control plane.
	Plays string

	// Next gives the connection to play on: at the beginning, and again after a cut.
	Next func() (wire.Socket, error)

	// Ignore lists types that the end under test may send at any time without the transcript naming them, such as
	// progress, or acks of a control plane that acknowledges every chunk by itself. A line that names such a frame
	// still must be met.
	Ignore []wire.Type

	// Vars holds the values of the transcript's $names, by name without the sign. The caller may give some beforehand.
	Vars map[string]any

	// Sign, when set, gives the body of a proof frame for the nonce of the last challenge.
	Sign func(nonce string) wire.Proof

	socket wire.Socket
	nonce  string // of the last challenge that came
}

// Play goes through the lines. It returns an error that names the line which was not met. The last connection stays
// open.
func (p *Player) Play(lines []Line) error {
	if p.Vars == nil {
		p.Vars = map[string]any{}
	}
	for n, l := range lines {
		if err := p.line(l); err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return nil
}

// Socket is the connection played on last.
func (p *Player) Socket() wire.Socket { return p.socket }

// line plays one line of the transcript: a line of its own side is sent, any other is expected.
func (p *Player) line(l Line) error {
	if l.Cut {
		cut(p.socket)
		p.socket = nil
		return nil
	}
	if p.socket == nil {
		s, err := p.Next()
		if err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		p.socket = s
	}
	own := l.Dir == p.Plays
	switch {
	case l.Close != nil && own:
		return p.socket.Close(l.Close.Code, l.Close.Reason)
	case l.Close != nil:
		return p.expectClose(*l.Close)
	case own:
		return p.send(l.Frame)
	default:
		return p.expect(l.Frame)
	}
}

// cut drops the connection without a closing handshake.
func cut(s wire.Socket) {
	if c, ok := s.(interface{ Cut() }); ok {
		c.Cut()
		return
	}
	// 1006 is what a broken connection looks like (RFC 6455 section 7.4.1); it is never sent, so this just drops the
	// line.
	_ = s.Close(1006, "")
}

// send sends a frame, with the variables filled in and a proof signed.
func (p *Player) send(frame map[string]any) error {
	filled := p.fill(frame)
	if p.Sign != nil && frame["type"] == string(wire.TypeProof) {
		filled.(map[string]any)["body"] = p.Sign(p.nonce)
	}
	msg, err := json.Marshal(filled)
	if err != nil {
		return err
	}
	return p.socket.WriteMessage(msg)
}

// fill puts values in the place of wildcards.
func (p *Player) fill(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = p.fill(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = p.fill(e)
		}
		return out
	case string:
		return p.fillText(v)
	default:
		return v
	}
}

// fillText is the value of a text in a frame to send: a variable, the present time, a new ID, or
// the text.
func (p *Player) fillText(s string) any {
	if n, ok := number(s); ok {
		return n
	}
	switch {
	case s == "*now":
		return time.Now().UTC().Format(time.RFC3339Nano)
	case s == "*id":
		return wire.NewID(time.Now())
	case strings.HasPrefix(s, "$"):
		name := s[1:]
		if _, ok := p.Vars[name]; !ok {
			p.Vars[name] = wire.NewID(time.Now())
		}
		return p.Vars[name]
	}
	return s
}

// expect waits for a frame that matches. Frames of the ignored types are passed over.
func (p *Player) expect(want map[string]any) error {
	for {
		msg, err := p.socket.ReadMessage()
		if err != nil {
			return fmt.Errorf("waiting for %v: %w", want["type"], err)
		}
		f, err := wire.Decode(msg, wire.HardMaxFrame)
		if err != nil {
			return fmt.Errorf("waiting for %v: %w", want["type"], err)
		}
		if string(f.Type) != want["type"] && slices.Contains(p.Ignore, f.Type) {
			continue
		}
		var got any
		if err := json.Unmarshal(msg, &got); err != nil {
			return err
		}
		err = p.match("frame", want, got)
		if err != nil && slices.Contains(p.Ignore, f.Type) {
			continue // another of its kind may be the one that is meant
		}
		if err != nil {
			return fmt.Errorf("%w\ngot %s", err, msg)
		}
		p.remember(f)
		return nil
	}
}

// remember keeps what later frames of the player depend on.
func (p *Player) remember(f wire.Frame) {
	if c, err := wire.DecodeBody[wire.Challenge](f); err == nil && f.Type == wire.TypeChallenge {
		p.nonce = c.Nonce
	}
}

// expectClose waits for the end of the connection with this code.
func (p *Player) expectClose(want Close) error {
	for {
		_, err := p.socket.ReadMessage()
		var closed *wire.CloseError
		switch {
		case err == nil:
			continue
		case !errors.As(err, &closed):
			return fmt.Errorf("waiting for close code %d: %w", want.Code, err)
		case closed.Code != want.Code:
			return fmt.Errorf("closed with %d (%s), want %d", closed.Code, closed.Reason, want.Code)
		}
		p.socket = nil
		return nil
	}
}

// match holds got against want, in which wildcards may stand.
func (p *Player) match(at string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		members, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, want an object", at, got)
		}
		for k, w := range want {
			g, ok := members[k]
			if !ok {
				return fmt.Errorf("%s.%s is absent, want %v", at, k, w)
			}
			if err := p.match(at+"."+k, w, g); err != nil {
				return err
			}
		}
		return nil
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s is %v, want %d elements", at, got, len(want))
		}
		for i := range want {
			if err := p.match(fmt.Sprintf("%s[%d]", at, i), want[i], list[i]); err != nil {
				return err
			}
		}
		return nil
	case string:
		return p.matchText(at, want, got)
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("%s is %v, want %v", at, got, want)
	}
	return nil
}

// matchText compares a text of the transcript, in which variables and wildcards may stand, with a
// value. A variable takes the first value that it meets.
func (p *Player) matchText(at, want string, got any) error {
	text, isText := got.(string)
	if _, ok := number(want); ok {
		if _, ok := got.(float64); !ok {
			return fmt.Errorf("%s is %v, want a number", at, got)
		}
		return nil
	}
	switch {
	case want == "*":
		return nil
	case want == "*id" && isText && text != "":
		return nil
	case want == "*now" && isText:
		if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
			return fmt.Errorf("%s is no time: %w", at, err)
		}
		return nil
	case strings.HasPrefix(want, "$"):
		if known, ok := p.Vars[want[1:]]; ok && !reflect.DeepEqual(known, got) {
			return fmt.Errorf("%s is %v, want %v (%s)", at, got, known, want)
		}
		p.Vars[want[1:]] = got
		return nil
	case !isText || text != want:
		return fmt.Errorf("%s is %v, want %q", at, got, want)
	}
	return nil
}

// number reads the wildcard "*n:5": any number, 5 when it is sent.
func number(s string) (float64, bool) {
	digits, ok := strings.CutPrefix(s, "*n:")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(digits, 64)
	return n, err == nil
}
