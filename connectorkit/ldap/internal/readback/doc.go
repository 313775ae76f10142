// Package readback reads the state of a few accounts and which of some groups they are in.
//
// It finds accounts by key in one search, and asks for memberships in one search per account, however large the
// groups are. A pair of account and group about which nothing is proven is left out of the answer.
//
// The control plane calls it to verify changes and to detect drift, through Connector.Read:
//
//	out, err := readback.Read(ctx, env, v1.ReadRequest{AuthConfig: auth, Accounts: targets, Entitlements: groups})
package readback
