// Package ability tells what can be changed through a connector: the operations that its settings allow and its target
// offers, its write mode, and why nothing is sent at present.
//
// It reads connector, connector_provisioning and provisioning_lane, and writes nothing. Package provision asks it
// before a task is made, and for the reasons that people read.
package ability
