package pyexpr_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
)

// question is an expression with what it is evaluated over.
type question struct {
	Expr   string         `json:"expr"`
	Value  any            `json:"value"`
	Record map[string]any `json:"record"`
}

func (q question) String() string { return fmt.Sprintf("%s over %#v", q.Expr, q.Value) }

// answer is a value as text, or the name of an exception.
type answer struct {
	Value   string `json:"value"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

// cpython asks CPython 3.11 or later.
func cpython(t *testing.T, questions []question) []answer {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal("the oracle of this test is CPython 3.11 or later; install python3, as .ci/setup test does")
	}
	version, err := exec.Command(path, "-c", "import sys; assert sys.version_info >= (3, 11), sys.version").
		CombinedOutput()
	if err != nil {
		t.Fatalf("the oracle of this test is CPython 3.11 or later: %s", version)
	}
	cmd := exec.Command(path, "-W", "ignore", "testdata/oracle.py")
	cmd.Env = append(os.Environ(), "TZ=UTC", "PYTHONIOENCODING=utf-8", "LC_ALL=C.UTF-8")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		w := bufio.NewWriter(in)
		e := json.NewEncoder(w)
		for _, q := range questions {
			_ = e.Encode(q)
		}
		_ = w.Flush()
		_ = in.Close()
	}()
	answers := make([]answer, len(questions))
	d := json.NewDecoder(out)
	for i := range answers {
		if err := d.Decode(&answers[i]); err != nil {
			t.Fatalf("CPython gave no answer to %s: %v", questions[i], err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return answers
}

// ours asks our evaluator.
func ours(q question) answer {
	p, err := pyexpr.Compile(q.Expr)
	text := ""
	if err == nil {
		text, err = p.Canonical(q.Value, pyexpr.NewRecord(q.Record))
	}
	var e *pyexpr.Error
	if errors.As(err, &e) {
		name := e.Exception
		if name == "" {
			name = e.Code
		}
		return answer{Error: strings.TrimPrefix(name, "re."), Message: e.Message}
	}
	return answer{Value: text}
}

// agree asks both, and reports where they differ.
func agree(t *testing.T, questions []question) {
	t.Helper()
	failures := 0
	want := cpython(t, questions)
	for i, q := range questions {
		got := ours(q)
		if got.Error == pyexpr.Internal || got.Value != want[i].Value || (got.Error == "") != (want[i].Error == "") {
			if failures++; failures <= 60 {
				t.Errorf(
					"%s\n got %s%s %s\nwant %s%s %s",
					q,
					got.Value,
					got.Error,
					got.Message,
					want[i].Value,
					want[i].Error,
					want[i].Message,
				)
			}
		} else if got.Error != want[i].Error && got.Error != "not_allowed" && !strings.HasSuffix(got.Error, "_limit") {
			t.Errorf("%s raises %s %s; CPython %s %s", q, got.Error, got.Message, want[i].Error, want[i].Message)
		}
	}
	t.Logf("%d pairs, %d differ", len(questions), failures)
}
