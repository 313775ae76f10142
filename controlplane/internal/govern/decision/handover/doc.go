// Package handover reads to whom a leaver's open tasks were reassigned, for the screens that show the tasks.
package handover
