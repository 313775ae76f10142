// Command prose prints the texts of the product that break the rules of docs/glossary.md, and exits with 1 when there
// are any.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/grantwright/grantwright/e2e/prose"
)

func main() {
	root := flag.String("root", ".", "root of the source tree")
	under := flag.String("under", "", "only files whose path begins so")
	except := flag.String("except", "", "comma-separated paths: no files whose path begins with one of them")
	flag.Parse()
	texts, err := prose.Extract(*root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	count := 0
	for _, f := range prose.Check(texts) {
		if strings.HasPrefix(f.Text.File, *under) && !anyPrefix(f.Text.File, *except) {
			count++
			fmt.Println(f)
		}
	}
	if count > 0 {
		fmt.Printf("%d findings in %d texts\n", count, len(texts))
		os.Exit(1)
	}
}

// anyPrefix says whether a path begins with one of the prefixes.
func anyPrefix(path, prefixes string) bool {
	for prefix := range strings.SplitSeq(prefixes, ",") {
		if prefix != "" && strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
