package ldap

import (
	"errors"
	"fmt"
	"slices"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Ways of reading, as Page.Read.Strategy tells them.
const (
	strategyFull       = "full"
	strategySyncrepl   = "ldap_syncrepl"
	strategyDirSync    = "ldap_dirsync"
	strategyUSN        = "ldap_usn"
	strategyChangelog  = "ldap_changelog"
	strategyTimestamps = "ldap_modify_timestamp"
)

// Values of the change_mode setting.
const (
	modeNone = "none"
)

// modes are the values of change_mode that name a strategy.
var modes = map[string]string{
	"syncrepl": strategySyncrepl, "dirsync": strategyDirSync, "usn": strategyUSN, "changelog": strategyChangelog, "modifytimestamp": strategyTimestamps,
}

func modeNames() []string { return append([]string{auto, modeNone}, sortedKeys(modes)...) }

// A strategy finds what has changed.
type strategy interface {
	// begin notes where changes count from, before anything is read. Where the directory cannot do this, or does not let the
	// login, it gives why.
	begin(r *run) (p *position, why string, err error)
	// changes hands on what has changed since from and gives where the next read starts. It notes in r.at how far it
	// has come, and begins behind that where an interrupted read has noted it before.
	changes(r *run, from *position) (*position, error)
}

var strategies = map[string]strategy{
	strategySyncrepl: syncrepl{}, strategyDirSync: dirSync{}, strategyUSN: usn{}, strategyChangelog: changelog{}, strategyTimestamps: timestamps{},
}

// candidates lists the strategies worth trying, best first, from what the directory says of itself.
func (r *run) candidates() []string {
	switch r.changeMode {
	case auto:
	case modeNone:
		return nil
	default:
		return []string{modes[r.changeMode]}
	}
	switch {
	case r.flavor.activeDir && r.allFrom(r.context(r.bases()[0])):
		return []string{strategyDirSync, strategyUSN}
	case r.flavor.activeDir:
		// DirSync shows the changes of the whole naming context, however little of it is read.
		return []string{strategyUSN, strategyDirSync}
	}
	var list []string
	// Not everybody who offers content synchronisation does it: ApacheDS (2.0.0-M26) tells who came and who went, but of nobody
	// who was changed or renamed.
	proven := slices.Contains([]string{flavorOpenLDAP, flavor389, flavorFreeIPA}, r.flavor.name)
	if proven && r.root.has("supportedControl", wire.SyncRequestOID) {
		list = append(list, strategySyncrepl)
	}
	if r.root.first("lastChangeNumber") != "" || r.root.first("changelog") != "" {
		list = append(list, strategyChangelog)
	}
	return append(list, strategyTimestamps)
}

// begin settles how the next read will find changes, and notes where they count from. nil: it will have to be a full one.
func (r *run) begin(avoid string) (*position, error) {
	places, err := r.readContainers(nil)
	switch {
	case err != nil && r.conn.Broken():
		return nil, err
	case err != nil:
		return nil, nil // a renamed place would go unnoticed; what is wrong is told by the read itself
	}
	for _, name := range r.candidates() {
		if name == avoid {
			continue
		}
		p, why, err := strategies[name].begin(r)
		if err != nil {
			return nil, r.searchError(r.ctx, "changes", err)
		}
		if p == nil {
			if r.changeMode != auto {
				r.warnings.add("change_mode_unusable", "", fmt.Sprintf("changes cannot be found by %s: %s", r.changeMode, why))
			}
			continue
		}
		p.Version, p.Strategy, p.Settings, p.Containers = cursorVersion, name, r.settingsSum, places.now
		return p, nil
	}
	return nil, nil
}

// fallback ends a read of changes that has to become a full one.
type fallback struct {
	reason string
	avoid  string // a strategy that would not do any better the next time
}

func (f *fallback) Error() string { return "everything has to be read: " + f.reason }

// incremental reads what has changed since a cursor was given. Where that cannot be done its error is a *fallback.
func (r *run) incremental(cursor string, at *checkpoint) error {
	from, why := r.openCursor(cursor)
	if why == "" && !slices.Contains(r.candidates(), from.Strategy) {
		why = "the directory, or change_mode, no longer allows for the way in which changes were found"
	}
	if r.changeMode == modeNone {
		why = "change_mode is none"
	}
	if why != "" {
		return &fallback{reason: why}
	}
	r.read = v1.Read{Incremental: true, Strategy: from.Strategy}
	r.tell("changes", "reading what has changed")
	if at == nil {
		at = changesFrom(from, cursor, r.settingsSum)
	}
	if err := r.changesSince(from, at); err != nil {
		return r.orFallback(from.Strategy, err)
	}
	return nil
}

func (r *run) changesSince(from *position, at *checkpoint) error {
	r.at = at
	r.recount(at)
	moved, err := r.readContainers(from.Containers)
	if err != nil {
		return err
	}
	if err := r.checkOdd(from.Odd); err != nil {
		return err
	}
	r.odd.watch(moved.now, from.Odd, true)
	r.odd.add(at.Begin.Odd)
	next, err := strategies[from.Strategy].changes(r, from)
	if err != nil {
		return err
	}
	if err := r.readMoved(moved); err != nil {
		return err
	}
	next.Version, next.Strategy, next.Settings, next.Containers = cursorVersion, from.Strategy, r.settingsSum, moved.now
	if next.Odd, err = r.oddPlaces(); err != nil {
		return err
	}
	if r.odd.more {
		next = nil
	}
	if moved.vanished || r.sweepWanted {
		if err := r.sweep(); err != nil {
			return err
		}
	}
	return r.finish(r.proven, next)
}

// orFallback tells a refusal, after which everything can still be read, from an error that ends the run.
func (r *run) orFallback(strategy string, err error) error {
	var (
		back    *fallback
		refused *wire.ResultError
		d       *v1.ErrorDetail
	)
	code := 0
	switch {
	case errors.As(err, &back), r.conn.Broken():
		return err
	case errors.As(err, &refused):
		code = refused.Code
	case errors.As(err, &d) && d.Target != nil && d.Target.LDAP != nil:
		code = d.Target.LDAP.ResultCode
	}
	switch code {
	case 0, goldap.LDAPResultBusy, goldap.LDAPResultUnavailable:
		return r.searchError(r.ctx, "changes", err)
	}
	back = &fallback{reason: fmt.Sprintf("the directory answered the search for changes with result %d (%s)", code, codeName(code))}
	switch code {
	case wire.RefreshRequired:
		back.reason = "the directory no longer knows what has changed since the last read (result 4096, e-syncRefreshRequired)"
	case goldap.LDAPResultUnwillingToPerform:
		// OpenLDAP says so where another server of the same directory was ahead of it, which passes.
	default:
		back.avoid = strategy
	}
	return back
}
