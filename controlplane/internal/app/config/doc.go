// Package config holds what an operator sets: listeners, database, keys, limits, TLS and telemetry. Config.Check
// refuses what cannot be served safely, and names the setting and the remedy.
//
// It also finds the master key (Keyring) and the addresses at which this process and its database listen, which
// connections of tenants must never reach (OwnAddresses).
package config
