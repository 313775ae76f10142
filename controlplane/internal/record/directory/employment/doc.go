// Package employment names the kinds of employment in the words of sources: "FTE" and "Permanent" are employees,
// "Temp" is a contractor. Package mapping uses it for the field employment_type. It owns no table.
package employment
