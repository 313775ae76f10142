// Package requestcatalog shows somebody what they may ask for: roles and entitlements that are requestable and visible
// to them, why, what they hold already, what they wait for, and how long approval usually takes. It owns the tables
// catalog_item and catalog_word, which triggers fill, and the path /access-requests/catalog.
//
// What is offered to whom is one rule, which Visible and the catalog share: requests refuse what the catalog does not
// show.
package requestcatalog
