import { expect, test } from 'vitest'
import { checkAwk } from './check-awk.js'
import { checkJq, checkYq } from './check-jq.js'
import { checkSed } from './check-sed.js'
import type { ScriptVerdict } from './script-verdict.js'

const CHECKERS = { sed: checkSed, awk: checkAwk, jq: checkJq, yq: checkYq }
type Language = keyof typeof CHECKERS

const ACCEPTED_SCRIPTS: Readonly<Record<Language, readonly string[]>> = {
  sed: [
    's/[^]]*x/y/',
    's/[^/]*$//',
    's|a\\|b|c|g',
    's/[[:space:]]\\+$//',
    's/\\[\\([^]]*\\)\\]/\\1/',
    ':a;N;$!ba;s/\\n/ /g',
    '$!{N;ba}',
    '1i\\foo',
    'a foo\\\nw P',
    '1i\\\nfoo',
    '/x/,/y/{/z/!d}',
    '0~3d;2,+4p;$!N;P;D',
    '\\%a%d',
    'y/abc/xyz/;=',
    '# comment\np # another\n10q 3',
    's/x/a\\\nb/',
    'w /dev/stdout',
  ],
  awk: [
    '{print $1}',
    'NR > 1',
    'length > 72',
    '/a/,/b/',
    '!seen[$0]++',
    '{a[$1]++} END {for (k in a) print k, a[k]}',
    '{if ($1 > 5) print; else if ($2) {next} else x = 1}',
    'NR == FNR {a[$1]; next} $1 in a',
    'FILENAME == ARGV[1] {a[$1] = 1; next} {print}',
    'function f(x) {return x * 2} {print f($1)}',
    'BEGIN {for (i = 1; i <= 3; i++) print i; do i-- \n while (i > 0)}',
    '{s += $1} END {print s / NR, s/NR/2}',
    '{print (a > b) ? "x" : "y"}',
    '{print $1 > "/dev/stderr"}',
    'BEGIN {while ((getline line) > 0) n++; while (getline > 0) n++}',
    'BEGIN {OFMT = "%.2f"; PROCINFO["sorted_in"] = "@ind_str_asc"; printf("%d\\n", 3)}',
    '$1 ~ /^[[:alpha:]_][^]\\/]*"$/ {gsub(/a|b/, "c"); print toupper(substr($0, 2))}',
  ],
  jq: [
    '.a | keys[]',
    '.[] | select(.x == "a") | {name, env, b: .c, (.d): 1}',
    'def f(g): map(g); f(. + 1)',
    'to_entries | map("\\(.key)=\\(.value | tostring)") | .[]',
    'reduce .[] as $x (0; . + $x)',
    'if .a then 1 elif .b then 2 else 3 end',
    'try error("x") catch . # comment',
    'first(inputs), limit(3; .[]), input_filename, $__loc__, (.a // "x" | @base64d)',
    '..|.name?',
  ],
  yq: ['.', '.a.b[0]', '.a | keys', '.["a b"][]'],
}

const REFUSED_SCRIPTS: Readonly<Record<Language, readonly string[]>> = {
  sed: [
    '1e touch P',
    's/a/b/e',
    'b a] w P',
    ': ac\\\nw P',
    ':x;a foo\\\nw P',
    ':x;s/a/b\\\nw P/',
    'ba}# w P',
    's/[]/w P',
    's/[^]/w P/',
    's/[\\]/x]/y/w P',
    's/[/x/w P]/y/',
    'y/[a]/bcd/',
    'a\\ \nw P',
    'a\\',
    'p;#\\\nw P',
    's/あ\\/x/w P\\n/',
    'v',
    'R x',
    's/a/b',
    'sxaxbxe',
    // `a` and `i` are delimiters of regular expressions here, not commands with text.
    '\\a%d;\\,b[,]c,w P',
    '\\ixi;w P',
    '1,\\aw P',
    '/a\nw P',
  ],
  awk: [
    'BEGIN {system("x")}',
    'BEGIN {"date" | getline}',
    '{print | "sh"}',
    'BEGIN {while ((getline line < $1) > 0) print}',
    'BEGIN {getline < "/inet/tcp/0/localhost/80"}',
    'BEGIN {x = case/1; print "touch P" | "sh"}#/',
    'BEGIN {x = length /"/; print "touch P"}#"',
    'BEGIN {x = /[\\]/"]/; y = 1}#"',
    `BEGIN {x = ${'a'.repeat(64)}in/1; y = 2}#/`,
    '{if (x)\n/a/; y = 1 /2}',
    'BEGIN {ARGV[1] = "x"}',
    'BEGIN {sub(/a/, "b", ARGV[1])}',
    'BEGIN {OFMT = "%n"}',
    '@load "filefuncs"',
    'BEGIN {f = "system"; @f("x")}',
    'BEGIN {SYMTAB["x"] = 1}',
    'BEGIN {x = "\\\n"}',
    'BEGIN {x = 1 \\\n y = 2}',
    '# comment\\\n{print}',
    'BEGIN {close("x")}',
    '{print a[1 > 2]}',
    'func f(x) {return x}',
  ],
  jq: [
    'env.PATH',
    '$ENV.PATH',
    'import "a" as b; .',
    'include "a"; .',
    '"def env: " | env',
    'def f: def env: 1; env; env',
    '"\\(env)"',
    '.[env:2]',
    '{a: env}',
    'get_search_list',
    'unknown',
    'a::b',
    '(.a',
    '# x\\\n.',
  ],
  yq: ['load_str("x")', '.a = 1', 'env(HOME)', '.a | load("x")', '.. | select(.x)'],
}

const rowsOf = (table: typeof ACCEPTED_SCRIPTS) =>
  (Object.keys(table) as Language[]).flatMap((language) => table[language].map((script) => ({ language, script })))

test.each(rowsOf(ACCEPTED_SCRIPTS))('$language accepts $script', ({ language, script }) => {
  expect(CHECKERS[language](script)).toMatchObject({ problem: undefined, writes: [], mayRun: false })
})

test.each(rowsOf(REFUSED_SCRIPTS))('$language refuses $script', ({ language, script }) => {
  expect(CHECKERS[language](script).problem).toBeDefined()
})

const filesOf = ({ problem, reads, writes }: ScriptVerdict) => ({
  problem,
  reads: reads.map(({ text }) => text),
  writes: writes.map(({ text }) => text),
})

test('the files that a sed or awk script reads and writes are listed', () => {
  expect(filesOf(checkSed('1,2{w out/P\n}\ns/a/b/gw Q\n$r in.txt'))).toEqual({
    problem: undefined,
    reads: ['in.txt'],
    writes: ['out/P', 'Q'],
  })
  expect(filesOf(checkAwk('BEGIN {while ((getline x < "in") > 0) print x > "P"; print >> "Q"}'))).toEqual({
    problem: undefined,
    reads: ['in'],
    writes: ['P', 'Q'],
  })
})

test('an awk script that computes the name of its output is refused, but is known to run no program', () => {
  expect(checkAwk('{print > $1 ".txt"}')).toMatchObject({ mayRun: false, problem: expect.stringContaining('computed') })
})
