package change

import (
	"errors"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Perform plans the steps and, unless the run is dry, sends them in order.
func (w *Change) Perform(steps []Request) error {
	w.Plan(steps)
	if w.Req.DryRun {
		return ErrDryRun
	}
	return w.SendAll(steps)
}

// Plan adds requests to the response's plan.
func (w *Change) Plan(steps []Request) {
	for _, s := range steps {
		w.Out.Plan = append(w.Out.Plan, s.plan())
	}
}

// SendAll sends steps in order, until one is refused. The error says how many were carried out.
func (w *Change) SendAll(steps []Request) error {
	for i, s := range steps {
		err := w.Send(s)
		var refused *wire.ResultError
		switch {
		case err == nil:
			continue
		case !errors.As(err, &refused), ldaperr.IsUnanswered(err):
			return err // answer tells it
		}
		err = w.Refusal(s, err)
		if s.WarningIfRefused != "" {
			w.warnRefused(s.WarningIfRefused, err)
			break
		}
		if i > 0 {
			return &PartialError{Done: i, Of: len(steps), Err: err}
		}
		return err
	}
	w.Out.Outcome = v1.OutcomeApplied
	return nil
}

// Send sends one request and waits for its answer. Its error is a *wire.ResultError, if the
// directory refused the request, or a *wire.UnansweredError, if it is unknown whether it was
// carried out.
func (w *Change) Send(s Request) error {
	switch {
	case s.Extended:
		return w.Conn.PasswordModify(s.DN, string(s.Changes[0].Values[0]))
	case s.Op == wire.OpAdd:
		return w.Conn.Add(s.DN, s.Changes)
	case s.Op == wire.OpModify:
		return w.Conn.Modify(s.DN, s.Changes, s.Controls...)
	case s.Op == wire.OpModifyDN:
		return w.Conn.ModifyDN(s.DN, s.NewRDN, s.NewSuperior)
	}
	return w.Conn.Delete(s.DN, s.Controls...)
}
