// Package config holds the settings of the custom connector: their descriptions for forms (Fields), older names
// (Aliases), and what one call reads from them (Read). Check names every mistake that shows without asking the service.
package config
