// Package moment reads the dates of conditions: a day (2026-03-31), an instant, or a period from today (-P30D, P6M).
package moment
