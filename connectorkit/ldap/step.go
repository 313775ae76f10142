package ldap

import (
	"errors"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Requests, as a plan names them.
const (
	stepAdd      = "add"
	stepModify   = "modify"
	stepModifyDN = "modify_dn"
	stepDelete   = "delete"
)

// What a request is about: refusals mean different things.
const (
	aboutAccount  = ""
	aboutPassword = "password"
	aboutGrant    = "grant"
	aboutRevoke   = "revoke"
)

// step is one request that changes something.
type step struct {
	op          string
	dn          string
	changes     []wire.Change // of add and modify
	newRDN      string
	newSuperior string
	extended    bool // the one value of changes is sent as a password modification (RFC 3062)
	controls    []string
	note        string
	about       string
	soft        string // a refusal ends the change here, with this code of a warning, and is no failure
}

// perform plans the steps and, unless the run is dry, sends them in order.
func (w *writer) perform(steps []step) error {
	w.plan(steps)
	if w.req.DryRun {
		return errDry
	}
	return w.sendAll(steps)
}

func (w *writer) plan(steps []step) {
	for _, s := range steps {
		w.out.Plan = append(w.out.Plan, s.planned())
	}
}

// sendAll sends steps in order, until one is refused.
func (w *writer) sendAll(steps []step) error {
	for i, s := range steps {
		err := w.send(s)
		var refused *wire.ResultError
		switch {
		case err == nil:
			continue
		case !errors.As(err, &refused), isUnanswered(err):
			return err // answer tells it
		}
		err = w.refusal(s, err)
		if s.soft != "" {
			w.softly(s.soft, err)
			break
		}
		if i > 0 {
			return &halted{done: i, of: len(steps), err: err}
		}
		return err
	}
	w.out.Outcome = v1.OutcomeApplied
	return nil
}

func isUnanswered(err error) bool {
	var open *wire.UnansweredError
	return errors.As(err, &open)
}

// softly tells a refusal that leaves a change good for something.
func (w *writer) softly(code string, err error) {
	message := err.Error()
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Hint != "" {
		message += ". " + d.Hint
	}
	w.warn(code, message)
}

func (w *writer) warn(code, message string) {
	w.out.Warnings = append(w.out.Warnings, v1.Warning{Code: code, Message: message})
}

func (w *writer) send(s step) error {
	switch {
	case s.extended:
		return w.conn.PasswordModify(s.dn, string(s.changes[0].Values[0]))
	case s.op == stepAdd:
		return w.conn.Add(s.dn, s.changes)
	case s.op == stepModify:
		return w.conn.Modify(s.dn, s.changes, s.controls...)
	case s.op == stepModifyDN:
		return w.conn.ModifyDN(s.dn, s.newRDN, s.newSuperior)
	}
	return w.conn.Delete(s.dn, s.controls...)
}

func (s step) planned() v1.PlannedRequest {
	return v1.PlannedRequest{LDAP: &v1.PlannedLDAP{Op: s.op, DN: s.dn, LDIF: s.ldif()}, Note: s.note}
}

func replace(name string, values ...string) wire.Change {
	return wire.Change{Kind: wire.ChangeReplace, Name: name, Values: rawAll(values)}
}

func rawAll(values []string) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = []byte(v)
	}
	return out
}

// offers tells whether the directory says that it knows a control or an extended operation.
func (w *writer) offers(oid string) bool {
	return w.root.has("supportedControl", oid) || w.root.has("supportedExtension", oid)
}

// Controls of Microsoft's that others offer too.
const (
	permissiveModifyOID = "1.2.840.113556.1.4.1413" // what is there already, or gone already, is no error
	treeDeleteOID       = "1.2.840.113556.1.4.805"
)

// refusal explains why a request was refused, in the light of what it was for. The result's own code stays.
func (w *writer) refusal(s step, err error) error {
	code := goldap.LDAPResultSuccess
	var refused *wire.ResultError
	if errors.As(err, &refused) {
		code = refused.Code
	}
	err = w.explain(w.ctx, s.phase(), err)
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		return err
	}
	groups := s.about == aboutGrant || s.about == aboutRevoke
	switch {
	case s.about == aboutPassword && code == goldap.LDAPResultConstraintViolation, s.setsPassword() && isPasswordPolicy(d):
		d.Phase, d.Class, d.Hint = phasePassword, v1.ClassPolicy, "The directory's password policy refuses this password: its length, its characters, or that it was used before. Choose another, or a random one."
	case s.about == aboutPassword && code == goldap.LDAPResultUnwillingToPerform:
		d.Phase, d.Class, d.Hint = phasePassword, v1.ClassPolicy, "The directory refuses to set this password. Common reasons: its password policy, or that the connection has no TLS (set security to ldaps or starttls)."
	case s.about == aboutPassword && code == goldap.LDAPResultInsufficientAccessRights:
		d.Hint = "The login may not set passwords. Give it that right; on Active Directory it is called Reset password."
	case s.about == aboutRevoke && code == goldap.LDAPResultObjectClassViolation:
		d.Class, d.Hint = v1.ClassConflict, "This is the last member of the group, and groups of this class need at least one. Add another member first, or delete the group."
	case s.about == aboutGrant && code == goldap.LDAPResultObjectClassViolation:
		d.Hint = "The group's object class does not allow " + s.changes[0].Name + ". Set member_attribute to the one that it has."
	case groups && code == goldap.LDAPResultNoSuchObject:
		d.Hint = "The group, or on Active Directory the account, vanished or was renamed meanwhile. Try again."
	case groups && code == goldap.LDAPResultInsufficientAccessRights:
		d.Hint = "The login may not change the members of this group. Give it the right to write " + s.changes[0].Name + "."
	case s.op == stepAdd && code == goldap.LDAPResultNoSuchObject:
		d.Class, d.Hint = v1.ClassConfig, "The place of new accounts does not exist. Set create_container to one that does."
		if refused.MatchedDN != "" {
			d.Hint += " What exists of it is " + refused.MatchedDN + "."
		}
	case s.op == stepModifyDN && s.newSuperior != "" && code == goldap.LDAPResultNoSuchObject:
		d.Class, d.Hint = v1.ClassConfig, "The place to move to does not exist, or the account vanished meanwhile. Correct the container."
	}
	return err
}

// phasePassword is the phase of a refusal that is about the password alone.
const phasePassword = "password"

// setsPassword says whether a password goes with the request, be it among other attributes.
func (s step) setsPassword() bool {
	return s.about == aboutPassword || slices.ContainsFunc(s.changes, func(c wire.Change) bool { return isSecret(strings.ToLower(c.Name)) })
}

func (s step) phase() string {
	if s.extended {
		return "password_modify"
	}
	return s.op
}

// isPasswordPolicy knows Active Directory's ERROR_PASSWORD_RESTRICTION and the words of others.
func isPasswordPolicy(d *v1.ErrorDetail) bool {
	if d.Target == nil || d.Target.LDAP == nil {
		return false
	}
	text := strings.ToLower(d.Target.LDAP.Diagnostic)
	return d.Target.LDAP.ADSubcode == "0000052D" || slices.ContainsFunc([]string{"password quality", "password history", "in history", "too short", "too young", "password fails"}, func(w string) bool { return strings.Contains(text, w) })
}
