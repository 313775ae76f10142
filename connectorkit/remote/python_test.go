package remote

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestTheDocumentationShowsTheExampleAsItIs(t *testing.T) {
	page, err := os.ReadFile("../../docs/connectors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"testdata/author.py", "../serve/example_test.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		example := string(text)
		if at := strings.Index(example, "// A connector of one's own"); at >= 0 {
			example = example[at:]
		}
		if !strings.Contains(string(page), "\n"+strings.TrimSpace(example)+"\n```") {
			t.Errorf("docs/connectors.md does not show %s as it is", file)
		}
	}
}

// startPython runs the author's example of the documentation and gives the settings that reach it.
func startPython(t *testing.T) v1.AuthConfig {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("the example of the documentation needs python3: %v", err)
	}
	const token = "python-t0ken"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	cmd := exec.Command(python, "testdata/author.py", fmt.Sprint(port))
	cmd.Env = append(os.Environ(), "CONNECTOR_TOKEN="+token)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the example does not listen")
		}
	}
	return v1.AuthConfig{
		"base_url":     fmt.Sprintf("http://127.0.0.1:%d", port),
		"bearer_token": token,
		"settings":     map[string]any{"region": "eu"},
	}
}
