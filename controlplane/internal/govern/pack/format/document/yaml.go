package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// Limits of what is read as YAML.
const (
	maxYAML    = 1 << 20 // bytes of a file
	maxAllYAML = 8 << 20 // bytes of all files
	maxNesting = 32      // objects and lists within one another
)

// yamlLine takes the line out of an error of the YAML parser.
var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// parseYAML reads one document.
func parseYAML(file string, content []byte) (*yaml.Node, *diagnostic.Problem) {
	fail := func(line int, code, mend, message string, args ...any) (*yaml.Node, *diagnostic.Problem) {
		p := diagnostic.InFile(file, line, code, mend, message, args...)
		return nil, &p
	}
	if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return fail(0, "invalid_encoding", "save it as UTF-8", "the file is not UTF-8")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var node, more yaml.Node
	if err := decode(decoder, &node); err != nil {
		if errors.Is(err, io.EOF) {
			return fail(1, "empty_file", "remove it, or write an object into it", "the file is empty")
		}
		line, text := 0, strings.TrimPrefix(err.Error(), "yaml: ")
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		return fail(
			line,
			"invalid_yaml",
			"look at indentation, colons and quotes around there",
			"this is no YAML: %s",
			text,
		)
	}
	if err := decode(decoder, &more); !errors.Is(err, io.EOF) {
		return fail(more.Line, "several_documents", "write a list instead", "a file holds one YAML document")
	}
	if len(node.Content) != 1 {
		return fail(1, "empty_file", "remove it, or write an object into it", "the file is empty")
	}
	return node.Content[0], nil
}

// decode keeps a mistake of the parser from ending the process.
func decode(d *yaml.Decoder, node *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read (%v)", r)
		}
	}()
	return d.Decode(node)
}
