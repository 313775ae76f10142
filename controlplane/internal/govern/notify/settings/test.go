package settings

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/compose"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/status"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/transport"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// TestMessage is what became of a test message.
type TestMessage struct {
	// True if the mail server accepted the message.
	Accepted bool `json:"accepted"`
	// Address that the message was sent to.
	Address string `json:"address"`
	// Code of the reason, if it was not accepted, such as server_certificate or address_rejected. Empty otherwise.
	Reason string `json:"reason"`
	// Reply code of the mail server. Null if it sent none.
	ReplyCode *int `json:"reply_code"`
	// Reply of the mail server, or the error.
	Reply string `json:"reply"`
	// Message-ID of the message, without angle brackets.
	MessageID string `json:"message_id"`
	// Duration of the attempt in milliseconds.
	DurationMS int64 `json:"duration_ms"`
}

// test is POST of a test message.
func (s *Service) test(ctx context.Context, v viewer.Viewer, _ *struct{}) (*httpapi.One[TestMessage], error) {
	var route *Route
	var to compose.Address
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		const sql = `select email, display_name from app_user where tenant_id = current_tenant() and id = $1`
		if err := tx.QueryRow(ctx, sql, v.ID).Scan(&to.Address, &to.Name); err != nil {
			return fmt.Errorf("find the caller's address: %w", err)
		}
		route, err = s.Route(ctx, tx)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case route == nil:
		return nil, fault.Coded(fault.Conflict, "no_mail_server",
			"The tenant has no mail server, and the operators configured none. Enter a server first.")
	}
	out, err := s.send(ctx, route, to)
	if err != nil {
		return nil, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{
			Action: "notification_settings.tested", Subject: subject(tx),
			Context: map[string]any{"accepted": out.Accepted, "reason": out.Reason},
		})
	})
	return &httpapi.One[TestMessage]{Body: out}, err
}

// send sends the test message and says what became of it.
func (s *Service) send(ctx context.Context, route *Route, to compose.Address) (out TestMessage, err error) {
	began := time.Now()
	m := compose.Message{
		ID: uuid.NewString(), From: route.From, ReplyTo: route.ReplyTo, To: to, Date: s.Now(),
		Subject: "Test message",
		Content: compose.Content{
			Heading: "Test message",
			Lead:    "The mail server accepted this message, so notifications can be sent.",
			Reason:  "You receive this message because you sent it as a test in the notification settings.",
		},
	}
	msg, err := compose.Build(m)
	if err != nil {
		return out, fault.Coded(fault.Conflict, "address_invalid", "The message cannot be built: %s.", err)
	}
	out = TestMessage{Address: to.Address, MessageID: compose.MessageID(m.ID, m.From.Address)}
	session, trouble := transport.Open(ctx, route.Server)
	if trouble == nil {
		defer session.Close()
		sent := session.Send(msg)
		trouble = &sent
	}
	out.Accepted, out.Reason, out.Reply = trouble.Event == status.Accepted, trouble.Reason, trouble.Reply
	if trouble.Code != 0 {
		out.ReplyCode = &trouble.Code
	}
	out.DurationMS = time.Since(began).Milliseconds()
	return out, nil
}
