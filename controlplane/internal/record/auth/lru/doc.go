// Package lru has a cache in memory that keeps the values that were used last.
package lru
