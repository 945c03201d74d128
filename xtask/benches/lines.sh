#!/usr/bin/env bash
# Prints the lines of Rust without tests at each given commit (default: HEAD), by folder.
#
# Not counted: tests, benchmarks, examples, test data, and inline test modules, which end a file.
#
#     bash xtask/benches/lines.sh 5203069 HEAD
set -euo pipefail

for commit in "${@:-HEAD}"; do
    echo "$commit"
    git ls-tree -r --name-only "$commit" -- '*.rs' . | grep '\.rs$' | grep -vE '(^|/)(tests|benches|examples)(/|\.rs)|testdata/' |
        while read -r file; do
            lines=$(git show "$commit:$file" | awk '/^#\[cfg\(test\)\]$/ { getline next_line; if (next_line ~ /^mod [a-z_]+ \{/) in_tests = 1; next } !in_tests { count++ } END { print count + 0 }')
            echo "$lines $file"
        done |
        awk '{ split($2, part, "/"); folder = part[1] == "gen" ? part[1] "/" part[2] : part[1]; lines[folder] += $1; total += $1 }
             END { for (folder in lines) print "  " lines[folder], folder | "sort -k2"; close("sort -k2"); print "  " total, "all" }'
done
