// Command measure prints the figures of the source tree that its goals are stated in: size, density, packages, cycles,
// migrations and texts. It measures the tree as it is and judges nothing.
package main

import (
	"flag"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/grantwright/grantwright/e2e/prose"
)

func main() {
	root := flag.String("root", ".", "root of the source tree")
	flag.Parse()
	if err := measure(*root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(root string) error {
	code, err := readGo(root)
	if err != nil {
		return err
	}
	imports, err := readImports(root)
	if err != nil {
		return err
	}
	scripts, err := readScripts(root)
	if err != nil {
		return err
	}
	schema, err := readMigrations(root)
	if err != nil {
		return err
	}
	texts, err := prose.Extract(root)
	if err != nil {
		return err
	}
	p95, largest := code.packageSizes()
	chain := imports.longestChain()
	pairs := imports.folderPairs()
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	row := func(what string, format string, args ...any) {
		fmt.Fprintf(out, "%s\t%s\n", what, fmt.Sprintf(format, args...))
	}
	row("Go lines of the control plane without tests", "%d", code.linesUnder("controlplane/"))
	row("package lines, p95 / largest", "%d / %d (%s)", p95, largest.lines, largest.dir)
	row("longest chain of imports", "%d (%s)", len(chain), shortened(chain))
	row("folders that import each other", "%d %v", len(pairs), pairs)
	row("files of the console that import each other", "%d", len(scripts.circles()))
	row("Go lines over 120 columns", "%.2f %% (%d)", code.percent(code.long), code.long)
	row("Go comment lines", "%.1f %%", code.percent(code.comments))
	row("Go tokens a line of code", "%.2f", float64(code.tokens)/float64(max(1, code.lines-code.comments-code.blank)))
	row("tables with leases of their own / background workers", "%d / %d", len(schema.leases), code.workers)
	row("migrations / objects created more than once", "%d / %d", schema.files, len(schema.twice))
	row("texts / findings of the prose check", "%d / %d", len(texts), len(prose.Check(texts)))
	return out.Flush()
}
