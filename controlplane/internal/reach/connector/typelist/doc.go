// Package typelist describes the types of connectors, with the settings of each, as the API lists them.
package typelist
