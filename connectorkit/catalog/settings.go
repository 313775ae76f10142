package catalog

import (
	"context"
	"maps"
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// renaming gives a connector its settings under the names it knows.
type renaming struct {
	connectorkit.Connector
	// aliases lead from other names of a setting to its first.
	aliases map[string]string
}

// Test does as Connector says.
func (r *renaming) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	req.AuthConfig = rename(req.AuthConfig, r.aliases)
	return r.Connector.Test(ctx, req, report)
}

// Discover does as Connector says.
func (r *renaming) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	req.AuthConfig = rename(req.AuthConfig, r.aliases)
	return r.Connector.Discover(ctx, req, report)
}

// Sync does as Connector says.
func (r *renaming) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	req.AuthConfig = rename(req.AuthConfig, r.aliases)
	return r.Connector.Sync(ctx, req, emit)
}

// changer is a connector that can change its target, and knows what.
type changer interface {
	connectorkit.Provisioner
	Writes(auth v1.AuthConfig) connectorkit.Writes
}

// writing is the same for a connector that can change its target.
type writing struct {
	renaming
	to changer
}

// Provision does as Provisioner says.
func (w *writing) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	req.AuthConfig = rename(req.AuthConfig, w.aliases)
	return w.to.Provision(ctx, req)
}

// Read does as Provisioner says.
func (w *writing) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	req.AuthConfig = rename(req.AuthConfig, w.aliases)
	return w.to.Read(ctx, req)
}

// Writes does as Writer says.
func (w *writing) Writes(auth v1.AuthConfig) connectorkit.Writes {
	return w.to.Writes(rename(auth, w.aliases))
}

// WithAliases gives a connector of a type its settings under the names it knows. One that can change its target still
// can.
func WithAliases(c connectorkit.Connector, connectorType string) connectorkit.Connector {
	k, _ := find(connectorType)
	aliases := k.aliases
	names := renaming{Connector: c, aliases: aliases}
	if to, can := c.(changer); can {
		return &writing{renaming: names, to: to}
	}
	return &names
}

// rename gives settings under their first names. A setting that is there under both keeps the value of the first.
func rename(auth map[string]any, aliases map[string]string) map[string]any {
	out := maps.Clone(auth)
	for alias, name := range aliases {
		v, ok := out[alias]
		if !ok {
			continue
		}
		if _, taken := out[name]; !taken {
			out[name] = v
		}
		delete(out, alias)
	}
	return out
}

// SecretKeys are the settings of an entry that hold secrets, under all their names, sorted.
func SecretKeys(key string) []string {
	k, _ := find(key)
	var out []string
	for _, f := range k.entry.Fields {
		if f.Secret {
			out = append(out, f.Key)
		}
	}
	for alias, name := range k.aliases {
		if f, ok := k.field(name); ok && f.Secret {
			out = append(out, alias)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Split parts settings into those that may be shown and those that hold secrets. Unknown keys go to the former.
func Split(key string, auth map[string]any) (connection, credentials map[string]any) {
	secret := SecretKeys(key)
	connection, credentials = map[string]any{}, map[string]any{}
	for name, v := range auth {
		if slices.Contains(secret, name) {
			credentials[name] = v
		} else {
			connection[name] = v
		}
	}
	return connection, credentials
}

// field finds a setting by its first name.
func (k kind) field(key string) (connectorkit.Field, bool) {
	for _, f := range k.entry.Fields {
		if f.Key == key {
			return f, true
		}
	}
	return connectorkit.Field{}, false
}

// known finds a field by any of its names.
func (k kind) known(key string) (connectorkit.Field, bool) {
	if name, ok := k.aliases[key]; ok {
		key = name
	}
	return k.field(key)
}
