package main

import (
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// refinements are the bounds that Go types cannot say, by field.
var refinements = map[string]func(*schema){
	"v1.RemoteIdentity.ExternalID":         notEmpty,
	"v1.RemoteAccount.ExternalID":          notEmpty,
	"v1.RemoteEntitlement.ExternalID":      notEmpty,
	"v1.RemoteGrant.EntitlementExternalID": notEmpty,
	"v1.SyncOptions.ChunkSize":             between(0, 10_000),
	"v1.SyncOptions.MaxRecords":            between(0, 1<<53),
	"v1.SyncOptions.PageToken":             atMost(4 << 10),
	"v1.SyncOptions.Checkpoint":            atMost(64 << 10),
	"v1.SyncOptions.Cursor":                atMost(64 << 10),
	"v1.Page.NextPageToken":                atMost(4 << 10),
	"v1.Page.Checkpoint":                   atMost(64 << 10),
	"v1.Page.Cursor":                       atMost(64 << 10),
	"v1.Page.Warnings":                     func(s *schema) { s.MaxItems = 100 },
	"v1.HTTPResult.BodyExcerpt":            atMost(4 << 10),
	"v1.DiscoverRequest.SampleSize":        between(0, 50),
	"v1.DiscoveredField.NullRatio":         between(0, 1),
	"v1.DiscoveredField.UniqueRatio":       between(0, 1),
	"v1.ReadRequest.Accounts":              func(s *schema) { s.MaxItems = v1.MaxRead },
	"v1.ReadRequest.Entitlements":          func(s *schema) { s.MaxItems = v1.MaxRead },
	"v1.RemoteIdentity.HireDate":           date,
	"v1.RemoteIdentity.StartDate":          date,
	"v1.RemoteIdentity.TerminationDate":    date,
	"wire.Frame.V":                         func(s *schema) { *s = schema{Const: wire.Version} },
	"wire.Frame.Type":                      atMost(512),
	"wire.Frame.ID":                        atMost(512),
	"wire.Frame.Re":                        atMost(512),
	"wire.Frame.Task":                      atMost(512),
	"wire.Frame.Run":                       atMost(512),
	"wire.Frame.Trace":                     atMost(512),
	"wire.Frame.Attempt":                   between(0, 1<<53),
	"wire.Frame.Seq":                       between(0, 1<<53),
	"wire.Ack.Seq":                         between(0, 1<<53),
	"wire.Ack.Credit":                      between(0, wire.MaxCredit),
	"wire.Offer.Credit":                    between(0, wire.MaxCredit),
	"wire.Offer.Request": func(s *schema) {
		s.AnyOf = []*schema{
			{Ref: fileName("sync_request")},
			{Ref: fileName("test_request")},
			{Ref: fileName("discover_request")},
			{Ref: fileName("provision_request")},
			{Ref: fileName("read_request")},
		}
	},
	"wire.RegisterRequest.IdentityKey": key,
	"wire.RegisterRequest.SealingKey":  key,
}

// notEmpty demands a text of one character at least.
func notEmpty(s *schema) { s.MinLength = 1 }

// key is 32 bytes in unpadded base64url.
func key(s *schema) { s.MinLength, s.MaxLength = 43, 43 }

// date demands a day without time (RFC 3339 full-date).
func date(s *schema) { s.Format = "date" }

// atMost bounds a text, in characters.
func atMost(n int) func(*schema) { return func(s *schema) { s.MaxLength = n } }

// between bounds a number on both sides.
func between(least, greatest int64) func(*schema) {
	return func(s *schema) { s.Minimum, s.Maximum = &least, &greatest }
}
