// Package catalogue shows somebody what they may ask for: roles and entitlements that are requestable and visible to
// them, why, what they hold already, what they wait for, and how long approval usually takes. It owns the tables
// catalogue_item and catalogue_word, which triggers fill, and the path /access-requests/catalog.
//
// What is offered to whom is one rule, which Visible and the catalogue share: requests refuse what the catalogue does
// not show.
package catalogue
