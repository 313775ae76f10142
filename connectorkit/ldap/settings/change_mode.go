package settings

import (
	"maps"
	"slices"
)

// Ways of reading, as in Page.Read.Strategy.
const (
	StrategyFull       = "full"
	StrategySyncrepl   = "ldap_syncrepl"
	StrategyDirSync    = "ldap_dirsync"
	StrategyUSN        = "ldap_usn"
	StrategyChangelog  = "ldap_changelog"
	StrategyTimestamps = "ldap_modify_timestamp"
)

// Values of the change_mode setting.
const (
	ModeNone = "none"
)

// StrategyOfMode are the values of change_mode that name a strategy.
var StrategyOfMode = map[string]string{
	"syncrepl": StrategySyncrepl, "dirsync": StrategyDirSync, "usn": StrategyUSN, "changelog": StrategyChangelog,
	"modifytimestamp": StrategyTimestamps,
}

func modeNames() []string {
	return append([]string{Auto, ModeNone}, slices.Sorted(maps.Keys(StrategyOfMode))...)
}
