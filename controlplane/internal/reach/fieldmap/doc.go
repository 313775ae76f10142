// Package fieldmap stores the schema snapshots of connectors, with samples, and the field mappings of their objects. It
// proposes mappings, previews them on sampled records, and copies them from another connector. Package mapping applies
// mappings to records, and package syncrun decides when a changed mapping takes effect.
package fieldmap
