// Package pin keeps the values of identity fields that an administrator or an import has set although a source writes
// them.
//
// A pin has a field, who set it, an optional end, and the value that the source last reported, which the field gets
// back when it is unpinned. A soft pin comes from an action such as a deactivation: it ends when the source reports
// another value. The pins of an identity are its column identity.pins.
//
// Package identity sets pins (identity.PinChanges), sync runs respect them (Keep), and package action removes them.
// Example: an administrator sets the title of E-4711 to "Acting head"; the HR system still reports "Head of sales".
// Sync runs keep "Acting head" and note "Head of sales" as the value of the source.
package pin
