/** A small language for which random programs are generated, from a grammar that also covers programs with effects. */

export type ScriptLanguage = 'sed' | 'awk' | 'jq' | 'printf' | 'find'

interface Grammar {
  readonly seeds: readonly string[]
  /** Pieces that would have effects in the right place. */
  readonly dangers: readonly string[]
  /** Text that one implementation reads as data and another as a program; `DANGER` is replaced. */
  readonly ambiguousTexts: readonly string[]
  /** Text that ends a statement, so that a piece with effects after it is a statement of its own. */
  readonly separators: readonly string[]
  /** Short texts that change where one token ends and the next starts. */
  readonly pieces: readonly string[]
}

const GRAMMARS: Readonly<Record<ScriptLanguage, Grammar>> = {
  sed: {
    seeds: [
      's/[^]]*x/y/g',
      's/[^/]*$//',
      's|a\\|b|c|',
      's/[[:space:]]*$//;s/a/b/2p',
      ':a;N;$!ta;s/\\n/ /g',
      '$!{N;tx}\n:x',
      '1i\\foo',
      'a foo\\\nbar\np',
      '1i\\\nfoo\nd',
      '/x/,/y/{/z/!d}',
      '0~3d;2,+4p;$!N;P;D',
      '\\%a%d;\\,b[,]c,p',
      'y/abc/xyz/;=',
      '# comment\np # another\n10q 3',
      's/x/a\\\nb/;t end;p;: end',
      'bend;p\n:end\nx;G;h',
      '1!{/a/{s/[/]/b/};n}',
      'c\\\nnew\\\ntext',
      's,[a\\,b],x\\,y,i',
    ],
    dangers: [
      'w P',
      'e touch P',
      '1e touch P',
      's/.*/touch P/e',
      's/.*/x/w P',
      'W P',
      '\nw P\n',
      ';w P',
      '/w P',
      '}w P',
      '\\\nw P',
    ],
    ambiguousTexts: [
      ':x;a foo\\\nDANGER',
      ':x;s/a/b\\\nDANGER/',
      '\\ax;DANGER',
      '\\ix;DANGER',
      's/[/]/x/;DANGER',
      's/[\\]/x]/;DANGER',
      's/[/x/DANGER]/y/',
      'y/[/]/;DANGER',
      'b a] DANGER',
      ': ac\\\nDANGER',
      'a\\ \nDANGER',
      'a\\\nx\\\nDANGER',
      '#x\\\nDANGER',
      'b}# DANGER',
      'tx};DANGER',
      's/a/\\cDANGER/',
      'i\\x\\\nDANGER',
      'cx\nDANGER',
      '1,\\ax;DANGER',
      's;a;DANGER;',
      'r x;DANGER',
    ],
    separators: [';', '\n', '{', '}'],
    pieces: [
      ...'/\\[]^{};:#,|!%abtTwic ',
      '\n',
      '\\\n',
      '[^',
      '[]',
      '[/]',
      '\\]',
      '\\/',
      '[[:alpha:]',
      ']',
      'b a',
      ': a',
      ' }',
      '$!',
      'a\\',
      'é',
    ],
  },
  awk: {
    seeds: [
      '{print $1}',
      'NR > 1 && length > 2',
      '/a/,/b/',
      '!seen[$0]++ {print; x = $1 > 3}',
      '{a[$1]++} END {for (k in a) print k, a[k]}',
      '{if ($1 > 5) print; else if ($2) {next} else x = 1}',
      'function f(x) {return x * 2} {print f($1) / 2}',
      'BEGIN {for (i = 1; i <= 3; i++) print i / 2, i/2/1}',
      '{print (a > b) ? "x" : "y"; y = a > b}',
      '{print $1 > "/dev/stderr"; z = NF / 2}',
      'BEGIN {while ((getline line) > 0) n++; x = n/1}',
      '$1 ~ /^[[:alpha:]_][^]\\/]*"$/ {gsub(/a|b/, "c"); print toupper(substr($0, 2))}',
      '{n = split($0, parts, /[,;]/); print n, parts[1] "x" # comment\n}',
      'BEGIN {x = "a\\"b" ; print x, length(x) / 2}',
      '{s += $1} END {print s / NR; printf("%s %d\\n", "a", 3)}',
    ],
    dangers: [
      'print "touch P" | "sh"',
      '|"sh"',
      '> "P"',
      '>> "P"',
      '>"P"',
      ';system("touch P");',
      'system("touch P")',
      '"touch P" | getline',
      '"touch P"|getline x;',
      '/;print "x">"P";#/',
      '";print "x">"P";#"',
      '#/\n;system("touch P")',
      'print>"P"}#',
      '@load "filefuncs"',
    ],
    ambiguousTexts: [
      '/[a/];DANGER#]/',
      '/[\\]/"]/;DANGER#"',
      '/[[:alpha:]/];DANGER#/',
      'x = case/1;DANGER#/',
      'x = length /1;DANGER#/',
      'if (x)\n/1;DANGER#/',
      'x = y++ /1;DANGER#/',
      'x = a /1;DANGER#/',
      'x = "\\\\";DANGER#"',
      '# x\\\n;DANGER',
      'x = "a\\\nb";DANGER#"',
      'print a[1 > 2];DANGER',
      'print (1)(2) DANGER',
      'print 1, 2 DANGER',
      'x = func /1;DANGER#/',
      'x = default/1;DANGER#/',
      'x = "a" /1;DANGER#/',
      'x /= 1;DANGER#/',
      '/=/;DANGER#/',
      'getline /1;DANGER#/',
      'x = $1/1;DANGER#/',
      'return /1;DANGER#/',
      'f(1)/1;DANGER#/',
    ],
    separators: [';', '\n', '{', '}'],
    pieces: [
      ...'/\\"[](){};:#,|!~<>=+-*%^$?ax1 ',
      '\n',
      '\\\n',
      '[^',
      '[]',
      '\\]',
      '\\/',
      '\\"',
      '++',
      '--',
      'in',
      'length',
      'case',
      'getline',
      'if (x)',
      'else',
      'return',
      'func',
      'print',
      '/=',
      '/x/',
      'é',
    ],
  },
  jq: {
    seeds: [
      '.a | keys?',
      '.[]? | select(.x? == "a") | {name, env, b: .c}',
      'def f(g): [.[]? | g]; f(. + 1)',
      'to_entries | map("\\(.key)=\\(.value | tostring)") | .[]',
      'reduce .[] as $x (0; . + 1)',
      'if .a then 1 elif .b then 2 else 3 end # comment',
      'try error("x") catch .',
      '"a\\"b" + "\\(1 + (2 | "\\(3)"))"',
    ],
    dangers: [
      'import "m" as m; m::x',
      'include "m";',
      'import "d" as $d; $d',
      '$ENV',
      'env',
      'modulemeta',
      'get_search_list',
      '"m" | modulemeta',
    ],
    ambiguousTexts: [
      '"\\(1)" | DANGER',
      '"\\\\(" | DANGER',
      '# x\\\nDANGER',
      'def f: def env: 1; env; DANGER',
      '.[DANGER:2]',
      '{a: DANGER}',
      '{DANGER}',
      '{(DANGER): 1}',
      '"\\(DANGER)"',
    ],
    separators: [' | ', ', ', '(', ';'],
    pieces: [...'."\\()[]{}|,:;$@#?/ea1 ', '\n', '\\(', '\\"', 'def env: 1;', '::', '\\\n', '..', '//'],
  },
  printf: {
    seeds: ['%s\\n', '%5d|%-8s', '%%%s', '%b %q', '%(%Y)T', "%'.2f", '%x %o %c', '100%% %i', '%.3e'],
    dangers: [
      '%n',
      '%ln',
      '%hhn',
      '%5n',
      '%*n',
      '%-n',
      '%zn',
      '%1$n',
      '%(x)n',
      '%\\n',
      '%%n',
      '%.n',
      '% n',
      '%jn',
      "%'n",
    ],
    ambiguousTexts: ['%%DANGER', '%DANGER', '\\x25DANGER'],
    separators: [' '],
    pieces: [..."%n*.$-+#0 1lhzjtLTsdb()\\'", '%%', '\\x25', '\\045', '\\n'],
  },
  find: {
    seeds: [
      ". -name '*.txt'",
      'd -type f -print0',
      ". -path ./d -prune -o -name 'a*' -print",
      'd -name x -exec cat {} +',
      '. -maxdepth 1 -exec grep -c a {} \\;',
      '. \\( -size -1k -o -newer in.txt \\) -ls',
      ". ! -empty -printf '%p\\n'",
      "-L . -type l -exec wc -l {} ';'",
    ],
    dangers: [
      '-delete',
      '-exec touch P \\;',
      '-exec touch {}x +',
      '-execdir touch P \\;',
      '-fprint P',
      "-fprintf P '%p'",
      '-fls P',
      '-fprint0 P',
      "-exec sh -c 'touch P' \\;",
      '-files0-from in.txt',
      '-exec sed -n wP {} +',
      '-exec sort -o P {} \\;',
      '-ok touch P \\;',
    ],
    ambiguousTexts: [
      '-name DANGER',
      '-exec cat DANGER +',
      '-printf DANGER',
      '-newer DANGER',
      '\\( DANGER \\)',
      '-D DANGER',
      '-exec cat {} \\; DANGER',
      '-exec cat {} + DANGER',
    ],
    separators: ['-o', ',', '-print'],
    pieces: [
      '\\(',
      '\\)',
      '!',
      '-o',
      ',',
      '{}',
      '+',
      '\\;',
      "';'",
      '-name',
      '-exec',
      '-type',
      'f',
      'cat',
      '-print',
      '-newer',
      '-D',
      '-regex',
      "''",
      '*',
      './*',
      '--',
    ],
  },
}

export type Random = () => number

export function createRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixedState = Math.imul(state ^ (state >>> 15), 1 | state)
    mixedState = (mixedState + Math.imul(mixedState ^ (mixedState >>> 7), 61 | mixedState)) ^ mixedState
    return ((mixedState ^ (mixedState >>> 14)) >>> 0) / 4294967296
  }
}

/** Returns a random program: one or two seeds with a few changes, most of which insert a piece with effects. */
export function generateScript(language: ScriptLanguage, random: Random): string {
  const { seeds, dangers, ambiguousTexts, separators, pieces } = GRAMMARS[language]
  const separator = language === 'find' ? ' ' : ''
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? ''
  const split = (text: string) => (language === 'find' ? text.split(' ') : [...text])
  let parts = split(pick(seeds))
  if (random() < 0.3) parts = [...parts, pick([';', '\n', ' ', '']), ...split(pick(seeds))]
  const insert = (text: string) => parts.splice(Math.floor(random() * (parts.length + 1)), 0, text)
  // After a separator, a piece with effects is a command of its own.
  const insertCommand = (text: string) => {
    const borders = parts.flatMap((part, index) => (separators.includes(part) ? [index + 1] : []))
    const at = borders[Math.floor(random() * (borders.length + 2))] ?? (random() < 0.5 ? 0 : parts.length)
    parts.splice(at, 0, at === 0 ? '' : pick(separators), text, pick(['', ...separators]))
  }
  const kindOfDanger = random()
  if (kindOfDanger < 0.3) insert(pick(dangers))
  else if (kindOfDanger < 0.5) insertCommand(pick(dangers))
  else if (kindOfDanger < 0.9) insertCommand(pick(ambiguousTexts).replace('DANGER', () => pick(dangers)))
  for (let count = Math.floor(random() * 5); count > 0; count -= 1) {
    const kind = random()
    const at = Math.floor(random() * parts.length)
    if (kind < 0.6) insert(pick(pieces))
    else if (kind < 0.8) parts.splice(at, 1)
    else parts.splice(at, 1, pick(pieces))
  }
  return parts.join(separator)
}
