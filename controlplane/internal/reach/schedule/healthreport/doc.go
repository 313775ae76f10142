// Package healthreport is the report on one connector's health: its last runs, its rate of success and what comes next.
package healthreport
