// Package rolemodel is what people do with roles beyond writing them down: propose, publish with the impact on everybody who has them,
// deprecate and retire; who has them, by rule or by hand; versions and their differences; files.
package rolemodel
