// Command schemagen writes the JSON Schemas (draft 2020-12) of protocol v1 from the Go structs, which are their source:
// names and types by reflection, descriptions and closed lists from the comments and constants beside them.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// main writes the schemas, and exits with 1 if it cannot.
func main() {
	root := flag.String("root", "..", "folder of the protocol module")
	flag.Parse()
	if err := write(*root); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

// envelopes are the types that get a file each, by the file's name.
var envelopes = []struct {
	name string
	typ  reflect.Type
}{
	{"sync_request", reflect.TypeFor[v1.SyncRequest]()},
	{"sync_response", reflect.TypeFor[v1.SyncResponse]()},
	{"remote_identity", reflect.TypeFor[v1.RemoteIdentity]()},
	{"remote_account", reflect.TypeFor[v1.RemoteAccount]()},
	{"remote_entitlement", reflect.TypeFor[v1.RemoteEntitlement]()},
	{"remote_grant", reflect.TypeFor[v1.RemoteGrant]()},
	{"test_request", reflect.TypeFor[v1.TestRequest]()},
	{"test_response", reflect.TypeFor[v1.TestResponse]()},
	{"discover_request", reflect.TypeFor[v1.DiscoverRequest]()},
	{"discover_response", reflect.TypeFor[v1.DiscoverResponse]()},
	{"provision_request", reflect.TypeFor[v1.ProvisionRequest]()},
	{"provision_response", reflect.TypeFor[v1.ProvisionResponse]()},
	{"read_request", reflect.TypeFor[v1.ReadRequest]()},
	{"read_response", reflect.TypeFor[v1.ReadResponse]()},
	{"error_detail", reflect.TypeFor[v1.ErrorDetail]()},
	{"progress", reflect.TypeFor[v1.Progress]()},
	{"frame", reflect.TypeFor[wire.Frame]()},
	{"hello", reflect.TypeFor[wire.Hello]()},
	{"welcome", reflect.TypeFor[wire.Welcome]()},
	{"heartbeat", reflect.TypeFor[wire.Heartbeat]()},
	{"offer", reflect.TypeFor[wire.Offer]()},
	{"reject", reflect.TypeFor[wire.Reject]()},
	{"ack", reflect.TypeFor[wire.Ack]()},
	{"result", reflect.TypeFor[wire.Result]()},
	{"cancel", reflect.TypeFor[wire.Cancel]()},
	{"error", reflect.TypeFor[wire.ErrorBody]()},
	{"goaway", reflect.TypeFor[wire.Goaway]()},
	{"register_request", reflect.TypeFor[wire.RegisterRequest]()},
	{"register_response", reflect.TypeFor[wire.RegisterResponse]()},
	{"token_request", reflect.TypeFor[wire.TokenRequest]()},
	{"token_response", reflect.TypeFor[wire.TokenResponse]()},
}

// write puts every schema into root/schema/v1.
func write(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, "schema", "v1", name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate makes the text of every schema by its file name.
func generate(root string) (map[string][]byte, error) {
	words, err := readSource(filepath.Join(root, "v1"), filepath.Join(root, "wire"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range envelopes {
		s, err := newBuilder(words).document(e.name, e.typ)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(s); err != nil {
			return nil, fmt.Errorf("encode %s: %w", e.name, err)
		}
		files[fileName(e.name)] = text.Bytes()
	}
	return files, nil
}

// fileName is the name of an envelope's file, by which schemas refer to each other.
func fileName(envelope string) string { return envelope + ".schema.json" }
