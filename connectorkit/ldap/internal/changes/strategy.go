package changes

import (
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// A strategy finds what has changed.
type strategy interface {
	// begin notes where changes count from, before anything is read. Where the directory cannot do this, or
	// does not let the login, it gives why.
	begin(r *Reader) (p *read.Position, why string, err error)
	// changes emits what has changed since from and gives where the next read starts. It notes in r.at how far it
	// has come, and begins behind that where an interrupted read has noted it before.
	changes(r *Reader, from *read.Position) (*read.Position, error)
}

// strategies are the ways to find changes, by the name that cursors and settings have for them.
var strategies = map[string]strategy{
	settings.StrategySyncrepl: syncrepl{}, settings.StrategyDirSync: dirSync{}, settings.StrategyUSN: usn{},
	settings.StrategyChangelog: changelog{}, settings.StrategyTimestamps: timestamps{},
}

// candidates lists the strategies worth trying, best first, from what the directory says of itself.
func (r *Reader) candidates() []string {
	switch r.ChangeMode {
	case settings.Auto:
	case settings.ModeNone:
		return nil
	default:
		return []string{settings.StrategyOfMode[r.ChangeMode]}
	}
	switch {
	case r.Flavor.ActiveDirectory && r.allFrom(r.namingContext(r.Bases()[0])):
		return []string{settings.StrategyDirSync, settings.StrategyUSN}
	case r.Flavor.ActiveDirectory:
		// DirSync shows the changes of the whole naming context, however little of it is read.
		return []string{settings.StrategyUSN, settings.StrategyDirSync}
	}
	var list []string
	// Not every server that offers content synchronization completes it: ApacheDS (2.0.0-M26) reports new and
	// deleted entries, but not changed or renamed ones.
	proven := slices.Contains(
		[]string{settings.FlavorOpenLDAP, settings.Flavor389DS, settings.FlavorFreeIPA}, r.Flavor.Name,
	)
	if proven && r.Root.Has("supportedControl", wire.SyncRequestOID) {
		list = append(list, settings.StrategySyncrepl)
	}
	if r.Root.First("lastChangeNumber") != "" || r.Root.First("changelog") != "" {
		list = append(list, settings.StrategyChangelog)
	}
	return append(list, settings.StrategyTimestamps)
}

// findPosition settles how the next read will find changes, and notes where they count from. nil: it will
// have to be a full one.
func (r *Reader) findPosition(avoid string) (*read.Position, error) {
	places, err := r.readContainers(nil)
	switch {
	case err != nil && r.Conn.Broken():
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
			return nil, r.SearchError(r.Ctx, "changes", err)
		}
		if p == nil {
			if r.ChangeMode != settings.Auto {
				r.Warnings.Add(
					"change_mode_unusable", "", fmt.Sprintf("changes cannot be found by %s: %s", r.ChangeMode, why),
				)
			}
			continue
		}
		p.Version, p.Strategy, p.Settings, p.Containers = read.CursorVersion, name, r.SettingsSum, places.now
		return p, nil
	}
	return nil, nil
}
